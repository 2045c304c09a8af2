"""People: names, roles, passwords, links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from argon2 import PasswordHasher

from hansang.apps.platform.passwords import Passwords
from hansang.apps.platform.people import People, Person
from hansang.apps.platform.person import OwnersKey, PersonKey, write_person
from hansang.apps.platform.sign_in_links import SignInLinkKey
from hansang.apps.platform.tokens import digest
from hansang.design import Database, Unreadable
from hansang.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    LockedOut,
    NotAllowed,
    NotFound,
    SignInRefused,
    UnexpectedItem,
)
from tests.apps.platform.signing_in import PASSWORD, at_once, quick_passwords
from tests.parts.conftest import SetClock
from tests.spoiling import spoil

HOME = "192.0.2.1"


@pytest.fixture
def people(database: Database, clock: SetClock) -> People:
    return People(database, clock, passwords=quick_passwords())


@pytest.fixture
def owner(people: People) -> Person:
    return people.create("seoyeon", "윤서연", {"*": "owner"}, PASSWORD)


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


def test_someone_new_is_there(people: People, owner: Person, clock: SetClock) -> None:
    assert people.get("seoyeon") == owner
    assert (owner.shown_name, owner.roles, owner.disabled) == ("윤서연", {"*": "owner"}, False)
    assert owner.created_at.timestamp() == pytest.approx(clock.now, abs=1)
    assert owner.scopes == {"*:read", "*:write", "*:admin"}


def test_a_name_is_the_same_in_any_case(people: People, owner: Person) -> None:
    assert people.get("  SeoYeon ") == owner
    with pytest.raises(AlreadyExists, match="seoyeon is already taken"):
        people.create("SEOYEON", "Other", {})


def test_a_name_that_is_taken_changes_nothing(people: People, owner: Person) -> None:
    with pytest.raises(AlreadyExists):
        people.create("seoyeon", "Other", {"*": "owner"}, "another password")
    assert people.get("seoyeon") == owner
    with pytest.raises(NotAllowed):
        people.disable("seoyeon")


@pytest.mark.parametrize("name", ["", "ab", "a" * 41, "서연", "a b c", "a#b", "a/b", "a\nb", "ab\n1"])
def test_a_name_that_cannot_be_typed_everywhere_is_refused(people: People, name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid sign-in name") as e:
        people.create(name, "Name", {})
    assert e.value.field == "name"
    assert people.find(name) is None


@pytest.mark.parametrize("shown", ["", "   ", "가" * 81, "a\x00b"])
def test_a_shown_name_has_to_show(people: People, shown: str) -> None:
    with pytest.raises(InvalidInput) as e:
        people.create("minjun", shown, {})
    assert e.value.field == "shown_name"


def test_whoever_is_not_there_is_not_found(people: People) -> None:
    assert people.find("nobody") is None
    changes: list[Callable[[str], object]] = [
        people.get,
        people.disable,
        people.enable,
        people.delete,
        people.new_link,
        lambda name: people.set_password(name, PASSWORD),
        lambda name: people.set_roles(name, {}),
        lambda name: people.set_preferences(name, None, None),
    ]
    for change in changes:
        with pytest.raises(NotFound, match="Person nobody not found"):
            change("nobody")


def test_roles_that_are_others_than_those_seen_stay(people: People) -> None:
    seen = people.create("minjun", "김민준", {"news": "viewer"})
    people.set_roles("minjun", {"news": "editor"}, seen)
    with pytest.raises(Conflict, match="changed meanwhile"):
        people.set_roles("minjun", {}, seen)
    assert people.get("minjun").roles == {"news": "editor"}


def test_people_come_in_pages_by_name(people: People, owner: Person) -> None:
    for name in ("minjun", "haeun", "jiho"):
        people.create(name, name.title(), {})
    first = people.page(3)
    assert [each.name for each in first] == ["haeun", "jiho", "minjun"]
    assert [each.name for each in people.page(3, first.cursor)] == ["seoyeon"]
    assert [each.name for each in people.each()] == ["haeun", "jiho", "minjun", "seoyeon"]


def test_what_is_printed_of_a_person_has_no_secret(owner: Person) -> None:
    assert "argon2" not in repr(owner)
    assert owner.stamp not in repr(owner)


def test_preferences_and_the_shown_name_are_kept(people: People, owner: Person) -> None:
    people.set_shown_name("seoyeon", " 윤  서연 ")
    people.set_preferences("seoyeon", "en", "dark")
    found = people.get("seoyeon")
    assert (found.shown_name, found.language, found.theme) == ("윤 서연", "en", "dark")
    assert people.set_preferences("seoyeon", None, None).theme is None
    with pytest.raises(InvalidInput, match="There are ko, en"):
        people.set_preferences("seoyeon", "fr", None)
    with pytest.raises(InvalidInput, match="There are system, light, dark"):
        people.set_preferences("seoyeon", None, "pink")


# ── owners ────────────────────────────────────────────────────────────────────────────────────────


def test_the_last_owner_stays_one(people: People, owner: Person) -> None:
    people.create("minjun", "김민준", {"*": "editor"})
    endings: list[Callable[[str], object]] = [
        people.disable,
        people.delete,
        lambda name: people.set_roles(name, {"*": "editor"}),
        lambda name: people.set_roles(name, {"news": "owner"}),
    ]
    for end in endings:
        with pytest.raises(NotAllowed, match="Nobody would be left who owns everything"):
            end("seoyeon")
    assert people.get("seoyeon") == owner


def test_an_owner_can_go_when_there_is_another(people: People, owner: Person) -> None:
    people.create("minjun", "김민준", {"news": "viewer"})
    people.set_roles("minjun", {"*": "owner"})
    people.disable("seoyeon")
    with pytest.raises(NotAllowed):
        people.delete("minjun")
    people.enable("seoyeon")
    people.delete("minjun")
    assert people.find("minjun") is None
    with pytest.raises(NotAllowed):
        people.set_roles("seoyeon", {})


def test_an_owner_who_is_disabled_does_not_count(people: People, owner: Person) -> None:
    people.create("minjun", "김민준", {"*": "owner"})
    people.disable("minjun")
    people.disable("minjun")
    with pytest.raises(NotAllowed):
        people.disable("seoyeon")
    people.set_roles("minjun", {"*": "viewer"})
    people.delete("minjun")
    with pytest.raises(NotAllowed):
        people.disable("seoyeon")


def test_owners_who_demote_each_other_at_the_same_time_leave_one(people: People, database: Database) -> None:
    names = [f"owner{number}" for number in range(6)]
    at_once(6, lambda number: people.create(names[number], "Owner", {"*": "owner"}))
    assert database.get(OwnersKey()).count == 6
    ends = (people.disable, people.delete, lambda name: people.set_roles(name, {"*": "viewer"}))
    done = at_once(6, lambda number: ends[number % 3](names[number]))
    assert len([each for each in done if isinstance(each, NotAllowed)]) == 1
    assert len([each for each in people.each() if each.is_owner]) == 1
    assert database.get(OwnersKey()).count == 1


def test_the_same_change_at_the_same_time_counts_once(
    people: People, owner: Person, database: Database
) -> None:
    people.create("minjun", "김민준", {})
    at_once(8, lambda _: people.set_roles("minjun", {"*": "owner"}))
    assert database.get(OwnersKey()).count == 2


def test_roles_written_beside_a_new_password_bring_no_session_back(
    people: People, owner: Person, database: Database
) -> None:
    ended = people.set_password("seoyeon", "다른 비밀번호 열 글자")
    with pytest.raises(Conflict):
        write_person(database, owner, owner.model_copy(update={"roles": {"*": "owner", "news": "viewer"}}))
    assert people.get("seoyeon").stamp == ended.stamp != owner.stamp


def test_a_refused_role_changes_nothing(people: People, owner: Person) -> None:
    with pytest.raises(InvalidInput):
        people.set_roles("seoyeon", {"*": "king"})
    assert people.get("seoyeon") == owner


# ── passwords ─────────────────────────────────────────────────────────────────────────────────────


def test_name_and_password_let_in(people: People, owner: Person) -> None:
    assert people.check_password(" Seoyeon", PASSWORD, HOME) == owner


def test_a_password_is_the_same_however_hangul_is_typed(people: People) -> None:
    people.create("minjun", "김민준", {}, "한글 비밀번호 열자 이상")
    decomposed = "한글 비밀번호 열자 이상"
    assert people.check_password("minjun", decomposed, HOME).name == "minjun"


@pytest.mark.parametrize("password", ["", "nine char", "x" * 201, "Minjun.Kim"])
def test_a_weak_password_is_refused(people: People, password: str) -> None:
    with pytest.raises(InvalidInput) as e:
        people.create("minjun.kim", "김민준", {}, password)
    assert e.value.field == "password"
    assert people.find("minjun.kim") is None


def test_every_refusal_says_the_same(people: People, owner: Person) -> None:
    people.create("linkonly", "Link", {})
    people.create("disabled", "Gone", {}, PASSWORD)
    people.disable("disabled")
    said = set()
    tries = [("seoyeon", "wrong password"), ("nobody", PASSWORD), ("disabled", PASSWORD), ("linkonly", "")]
    for name, password in [*tries, ("a#b", PASSWORD), ("seoyeon", "\ud800")]:
        with pytest.raises(SignInRefused) as e:
            people.check_password(name, password, HOME)
        assert type(e.value) is SignInRefused
        said.add(str(e.value))
    assert said == {"The name or the password is wrong."}


class CountingHasher(PasswordHasher):
    """Says with how much work passwords were compared."""

    def __init__(self) -> None:
        super().__init__(time_cost=2, memory_cost=16, parallelism=1)
        self.work: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - as it is there
        self.work.append(str(hash).rpartition("$")[0].rpartition("$")[0])
        return super().verify(hash, password)


def test_an_unknown_name_takes_as_much_work_as_a_wrong_password(database: Database, clock: SetClock) -> None:
    hasher = CountingHasher()
    people = People(database, clock, passwords=Passwords(hasher))
    people.create("seoyeon", "윤서연", {}, PASSWORD)
    for name in ("seoyeon", "nobody"):
        with pytest.raises(SignInRefused):
            people.check_password(name, "wrong password", HOME)
    known, unknown = hasher.work
    assert known == unknown
    assert "m=16,t=2,p=1" in known


def tried_by_strangers(people: People, times: int) -> None:
    for number in range(times):
        with pytest.raises(SignInRefused):
            people.check_password("seoyeon", "wrong password", f"192.0.2.{number}")


def test_a_name_that_others_try_is_delayed_and_not_shut(
    people: People, owner: Person, clock: SetClock
) -> None:
    tried_by_strangers(people, 5)
    with pytest.raises(LockedOut) as e:
        people.check_password("Seoyeon", PASSWORD, HOME)
    assert e.value.retry_after == pytest.approx(4)
    clock.advance(4)
    assert people.check_password("seoyeon", PASSWORD, HOME) == owner


def test_on_a_known_device_the_password_lets_in_whatever_strangers_try(people: People, owner: Person) -> None:
    tried_by_strangers(people, 8)
    with pytest.raises(LockedOut):
        people.check_password("seoyeon", PASSWORD, HOME)
    assert people.check_password("seoyeon", PASSWORD, HOME, "phone") == owner


def test_a_known_device_has_as_many_tries_as_anybody(people: People, owner: Person, clock: SetClock) -> None:
    for _ in range(5):
        with pytest.raises(SignInRefused, match="is wrong"):
            people.check_password("seoyeon", "wrong password", HOME, "phone")
    with pytest.raises(LockedOut):
        people.check_password("seoyeon", PASSWORD, HOME, "phone")
    assert people.check_password("seoyeon", PASSWORD, HOME) == owner
    clock.advance(4)
    assert people.check_password("seoyeon", PASSWORD, HOME, "phone") == owner


def test_an_unknown_name_is_locked_like_a_known_one(people: People) -> None:
    for _ in range(5):
        with pytest.raises(SignInRefused, match="is wrong"):
            people.check_password("nobody", PASSWORD, HOME)
    with pytest.raises(LockedOut):
        people.check_password("nobody", PASSWORD, HOME)


def test_an_origin_is_locked_whatever_the_names(people: People, owner: Person) -> None:
    for number in range(20):
        with pytest.raises(SignInRefused):
            people.check_password(f"name{number}", PASSWORD, HOME)
    with pytest.raises(LockedOut):
        people.check_password("seoyeon", PASSWORD, HOME)
    assert people.check_password("seoyeon", PASSWORD, "192.0.2.2") == owner


def test_a_success_clears_the_name_and_not_the_origin(people: People, owner: Person) -> None:
    for number in range(19):
        with pytest.raises(SignInRefused):
            people.check_password(f"name{number}", PASSWORD, HOME)
    for _ in range(3):
        people.check_password("seoyeon", PASSWORD, HOME)
    with pytest.raises(SignInRefused, match="is wrong"):
        people.check_password("seoyeon", "wrong password", HOME)
    with pytest.raises(LockedOut):
        people.check_password("seoyeon", PASSWORD, HOME)


def test_guesses_at_the_same_time_are_no_more_than_the_limit(people: People, owner: Person) -> None:
    done = at_once(12, lambda number: people.check_password("seoyeon", "wrong password", f"192.0.2.{number}"))
    assert len([each for each in done if type(each) is SignInRefused]) == 5
    assert len([each for each in done if isinstance(each, LockedOut)]) == 7


def test_the_lock_holds_for_another_worker(
    people: People, owner: Person, database: Database, clock: SetClock
) -> None:
    for _ in range(5):
        with pytest.raises(SignInRefused):
            people.check_password("seoyeon", "wrong password", HOME)
    with pytest.raises(LockedOut):
        People(database, clock, passwords=quick_passwords()).check_password("seoyeon", PASSWORD, HOME)


def test_a_new_password_replaces_the_old_and_ends_the_lock(people: People, owner: Person) -> None:
    for _ in range(5):
        with pytest.raises(SignInRefused):
            people.check_password("seoyeon", "wrong password", HOME)
    changed = people.set_password("seoyeon", "another password")
    assert changed.stamp != owner.stamp
    assert people.check_password("seoyeon", "another password", HOME) == changed
    with pytest.raises(SignInRefused):
        people.check_password("seoyeon", PASSWORD, HOME)


def test_a_hash_of_older_parameters_is_renewed(database: Database, clock: SetClock, people: People) -> None:
    before = people.create("minjun", "김민준", {}, PASSWORD)
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=64, parallelism=1))
    signed_in = People(database, clock, passwords=stronger).check_password("minjun", PASSWORD, HOME)
    kept = people.get("minjun")
    assert kept == signed_in
    assert kept.password_hash != before.password_hash
    assert "t=2" in (kept.password_hash or "")
    assert kept.stamp == before.stamp


def test_a_password_is_kept_by_argon2_as_its_makers_advise(database: Database, clock: SetClock) -> None:
    person = People(database, clock).create("minjun", "김민준", {}, PASSWORD)
    assert (person.password_hash or "").startswith("$argon2id$v=19$m=65536,t=3,p=4$")


# ── links ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_link_lets_in_once(people: People, owner: Person) -> None:
    token = people.new_link("seoyeon")
    assert people.redeem(token) == owner
    with pytest.raises(SignInRefused, match="Ask for a new one"):
        people.redeem(token)


def test_of_two_who_redeem_a_link_at_the_same_time_one_wins(people: People, owner: Person) -> None:
    token = people.new_link("seoyeon")
    done = at_once(8, lambda _: people.redeem(token))
    assert len([each for each in done if isinstance(each, Person)]) == 1
    assert len([each for each in done if isinstance(each, SignInRefused)]) == 7


def test_a_link_that_is_too_old_lets_nobody_in(people: People, owner: Person, clock: SetClock) -> None:
    token = people.new_link("seoyeon", ttl_seconds=60)
    clock.advance(61)
    with pytest.raises(SignInRefused):
        people.redeem(token)


@pytest.mark.parametrize("token", ["", "guess", "a#b", "\ud800", "x" * 5000])
def test_a_guessed_link_lets_nobody_in(people: People, owner: Person, token: str) -> None:
    people.new_link("seoyeon")
    with pytest.raises(SignInRefused):
        people.redeem(token)


def test_the_token_of_a_link_is_not_in_the_table(people: People, owner: Person, database: Database) -> None:
    token = people.new_link("seoyeon")
    assert token not in repr(database.get(SignInLinkKey(digest=digest(token))))


def test_a_link_ends_with_a_new_password_and_when_disabled(people: People, owner: Person) -> None:
    before = people.new_link("seoyeon")
    people.set_password("seoyeon", "another password")
    people.create("minjun", "김민준", {"*": "owner"})
    later = people.new_link("seoyeon")
    people.disable("seoyeon")
    for token in (before, later):
        with pytest.raises(SignInRefused):
            people.redeem(token)
    with pytest.raises(NotAllowed, match="Enable the account first"):
        people.new_link("seoyeon")


def test_a_link_is_not_for_a_later_person_of_the_same_name(people: People, owner: Person) -> None:
    people.create("minjun", "김민준", {})
    token = people.new_link("minjun")
    people.delete("minjun")
    people.create("minjun", "이민준", {})
    with pytest.raises(SignInRefused):
        people.redeem(token)


def test_someone_who_cannot_be_read_hides_nobody_else(people: People, database: Database) -> None:
    for name in ("haeun", "jiho"):
        people.create(name, name, {"news": "viewer"})
    spoil(database, PersonKey(name="haeun"), created_at=None)
    page, told = people.page(), list[Unreadable]()
    assert ([each.name for each in page], [each.kind for each in page.unreadable]) == (["jiho"], [Person])
    assert [each.name for each in people.each(unreadable=told.append)] == ["jiho"]
    assert told == page.unreadable
    with pytest.raises(UnexpectedItem):
        list(people.each())
