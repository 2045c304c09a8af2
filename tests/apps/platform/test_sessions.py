"""Sessions, from sign-in to their end."""

from __future__ import annotations

import pytest

from hansang.apps.platform.people import People, Person
from hansang.apps.platform.sessions import MOST_SESSIONS, Session, SessionKey, Sessions
from hansang.design import Database
from tests.apps.platform.signing_in import PASSWORD, quick_passwords
from tests.parts.conftest import SetClock
from tests.spoiling import spoil

SECRET = b"a secret of the tests, 32 bytes."
DAY = 24 * 60 * 60


@pytest.fixture
def people(database: Database, clock: SetClock) -> People:
    return People(database, clock, passwords=quick_passwords())


@pytest.fixture
def person(people: People) -> Person:
    people.create("owner", "Owner", {"*": "owner"})
    return people.create("seoyeon", "윤서연", {"news": "editor"}, PASSWORD)


@pytest.fixture
def sessions(database: Database, clock: SetClock) -> Sessions:
    return Sessions(database, clock, SECRET)


def found(sessions: Sessions, cookie: str) -> Session:
    pair = sessions.find(cookie)
    assert pair is not None
    return pair[0]


def test_a_cookie_leads_to_the_session_and_the_person(sessions: Sessions, person: Person) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    pair = sessions.find(cookie)
    assert pair is not None
    session, whose = pair
    assert whose == person
    assert (session.name, session.origin, session.agent) == ("seoyeon", "192.0.2.1", "Firefox")


def test_a_cookie_has_only_what_a_cookie_may_have(sessions: Sessions, person: Person) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    assert cookie.isascii()
    assert not set(cookie) & set(' ",;\\')


def test_the_id_of_a_session_is_not_in_the_table(sessions: Sessions, person: Person) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    token = cookie.partition(":")[2].rpartition(".")[0]
    assert len(token) == 43
    assert token not in found(sessions, cookie).model_dump_json()


def test_what_the_browser_says_is_cut(sessions: Sessions, person: Person) -> None:
    session = found(sessions, sessions.start(person, "o" * 500, "a" * 5000))
    assert (len(session.origin), len(session.agent)) == (100, 200)


def test_a_forged_cookie_is_nobody(
    sessions: Sessions, person: Person, database: Database, clock: SetClock
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    payload, _, signature = cookie.rpartition(".")
    other = Sessions(database, clock, b"another secret").start(person, "192.0.2.1", "Firefox")
    flipped = "B" if cookie[-2] != "B" else "C"
    forged = ["", "x", payload, f"{payload}.", cookie[:-2] + flipped + cookie[-1], other]
    forged += [cookie.replace("seoyeon", "owner"), f"owner:guess.{signature}", "\ud800", "한글.서명"]
    assert [sessions.find(each) for each in forged] == [None] * len(forged)
    assert sessions.find(cookie) is not None


def test_a_session_that_is_not_used_ends_after_a_week(
    sessions: Sessions, person: Person, clock: SetClock
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    clock.advance(7 * DAY - 60)
    assert sessions.find(cookie) is not None
    clock.advance(7 * DAY + 1)
    assert sessions.find(cookie) is None


def test_a_session_that_is_used_daily_ends_after_thirty_days(
    sessions: Sessions, person: Person, clock: SetClock
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    for _ in range(29):
        clock.advance(DAY)
        assert sessions.find(cookie) is not None
    clock.advance(DAY + 1)
    assert sessions.find(cookie) is None
    assert sessions.of("seoyeon") == []


def test_being_seen_is_noted_every_five_minutes(sessions: Sessions, person: Person, clock: SetClock) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    begun = found(sessions, cookie).last_seen_at
    clock.advance(4 * 60)
    assert found(sessions, cookie).last_seen_at == begun
    clock.advance(2 * 60)
    assert (found(sessions, cookie).last_seen_at - begun).total_seconds() == 6 * 60
    assert (found(sessions, cookie).last_seen_at - begun).total_seconds() == 6 * 60


def test_finding_costs_one_read_of_each(
    sessions: Sessions, person: Person, database: Database, clock: SetClock
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    with database.meter() as cost:
        sessions.find(cookie)
    assert (cost.requests, sorted(cost.patterns), cost.write) == (2, ["Person.get", "Session.get"], 0)


def test_a_session_that_is_ended_is_over(sessions: Sessions, person: Person) -> None:
    cookie, other = (sessions.start(person, "192.0.2.1", agent) for agent in ("Firefox", "Safari"))
    sessions.end(found(sessions, cookie))
    assert sessions.find(cookie) is None
    assert sessions.find(other) is not None
    assert [each.agent for each in sessions.of("seoyeon")] == ["Safari"]


def test_all_sessions_of_one_person_end_together(sessions: Sessions, people: People, person: Person) -> None:
    mine = [sessions.start(person, "192.0.2.1", "Firefox") for _ in range(3)]
    others = sessions.start(people.get("owner"), "192.0.2.1", "Firefox")
    assert sessions.end_all("seoyeon") == 3
    assert [sessions.find(each) for each in mine] == [None] * 3
    assert sessions.find(others) is not None


def test_the_sessions_of_a_person_come_latest_first(
    sessions: Sessions, person: Person, clock: SetClock
) -> None:
    for agent in ("first", "second", "third"):
        sessions.start(person, "192.0.2.1", agent)
        clock.advance(60)
    assert [each.agent for each in sessions.of("seoyeon")] == ["third", "second", "first"]


def test_one_session_too_many_ends_the_oldest(sessions: Sessions, person: Person, clock: SetClock) -> None:
    cookies = []
    for _ in range(MOST_SESSIONS + 1):
        cookies.append(sessions.start(person, "192.0.2.1", "Firefox"))
        clock.advance(1)
    assert len(sessions.of("seoyeon")) == MOST_SESSIONS
    assert [sessions.find(each) is None for each in cookies[:2]] == [True, False]


# ── when the person changes ───────────────────────────────────────────────────────────────────────


def test_a_new_password_ends_every_session(sessions: Sessions, people: People, person: Person) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    changed = people.set_password("seoyeon", "another password")
    assert sessions.find(cookie) is None
    assert sessions.find(sessions.start(changed, "192.0.2.1", "Firefox")) is not None


def test_a_sign_in_that_the_new_password_overtook_is_over_at_once(
    sessions: Sessions, people: People, person: Person
) -> None:
    signed_in = people.check_password("seoyeon", PASSWORD, "192.0.2.1")
    people.set_password("seoyeon", "another password")
    assert sessions.find(sessions.start(signed_in, "192.0.2.1", "Firefox")) is None


def test_a_disabled_person_has_no_session_and_does_not_get_it_back(
    sessions: Sessions, people: People, person: Person
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    people.disable("seoyeon")
    assert sessions.find(cookie) is None
    people.enable("seoyeon")
    assert sessions.find(cookie) is None


def test_a_session_is_not_for_a_later_person_of_the_same_name(
    sessions: Sessions, people: People, person: Person
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    people.delete("seoyeon")
    assert sessions.find(cookie) is None
    people.create("seoyeon", "다른 사람", {"*": "owner"})
    assert sessions.find(cookie) is None


def test_new_roles_count_at_once(sessions: Sessions, people: People, person: Person) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    people.set_roles("seoyeon", {"news": "viewer"})
    pair = sessions.find(cookie)
    assert pair is not None
    assert pair[1].scopes == {"news:read"}


# ── forms ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_form_is_of_its_own_session(sessions: Sessions, person: Person) -> None:
    cookie, other = (sessions.start(person, "192.0.2.1", agent) for agent in ("Firefox", "Safari"))
    session = found(sessions, cookie)
    token = sessions.csrf(session)
    assert sessions.csrf(cookie) == token
    assert sessions.check_csrf(session, token)
    assert not sessions.check_csrf(found(sessions, other), token)
    assert not any(sessions.check_csrf(session, each) for each in ("", "guess", "서명", "\ud800"))


def test_a_form_before_sign_in_is_of_its_own_browser(sessions: Sessions) -> None:
    token = sessions.csrf("random text")
    assert sessions.check_csrf("random text", token)
    assert not sessions.check_csrf("another text", token)


def test_the_token_of_a_form_depends_on_the_secret(
    sessions: Sessions, person: Person, database: Database, clock: SetClock
) -> None:
    session = found(sessions, sessions.start(person, "192.0.2.1", "Firefox"))
    assert not Sessions(database, clock, b"another secret").check_csrf(session, sessions.csrf(session))


def test_a_mark_is_of_its_purpose_and_its_text(sessions: Sessions) -> None:
    assert sessions.mark("pass", "a") == sessions.mark("pass", "a")
    marks = {
        sessions.mark("pass", "a"),
        sessions.mark("pass", "b"),
        sessions.mark("form", "a"),
        sessions.csrf("b"),
    }
    assert len(marks) == 4


def test_a_session_that_cannot_be_read_is_none_and_blocks_nobody(
    sessions: Sessions, person: Person, database: Database
) -> None:
    cookie = sessions.start(person, "192.0.2.1", "Firefox")
    bad = found(sessions, cookie)
    spoil(database, SessionKey(name=bad.name, digest=bad.digest), last_seen_at={"S": "yesterday"})
    assert sessions.find(cookie) is None
    again = sessions.start(person, "192.0.2.1", "Firefox")
    assert [each.digest for each in sessions.of("seoyeon")] == [found(sessions, again).digest]
