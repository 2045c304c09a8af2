"""Administration: the same rights, writes and lines of history through API, console and command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp
from typer.testing import CliRunner

from hansang.apps.platform.accounts import Accounts, accounts_of
from hansang.apps.platform.administration import Administration
from hansang.apps.platform.cli import GROUPS
from hansang.apps.platform.people import People
from hansang.apps.platform.person import Person
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import Conflict, HansangError, InvalidInput, LastOwner, NotAllowed, Refused
from hansang.parts.history import Change, History
from hansang.parts.permissions import Principal
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.apps.platform.signing_in import quick_passwords
from tests.parts.conftest import SetClock as StillClock
from tests.surfaces.api.callers import Caller
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SETTINGS, SetClock, new_key, opened

API, CONSOLE, CLI = "api", "console", "cli"
PEOPLE, KEYS = "/api/platform/people", "/api/platform/keys"


@dataclass
class Place:
    """One data file with a server on it, and who has the say there."""

    shell: Shell
    app: ASGIApp
    data: str

    @property
    def accounts(self) -> Accounts:
        return accounts_of(self.shell.identity)

    @property
    def lines(self) -> list[Change]:
        return list(self.shell.history.each("platform"))

    def caller(self, *scopes: str) -> Caller:
        return Caller(self.app, new_key(self.shell, *scopes))

    def browser(self, name: str) -> Browser:
        return Browser(self.app, "en").sign_in(name)

    def command(self, group: str, *words: str, typed: str = "") -> None:
        done = CliRunner().invoke(GROUPS[group], [*words, "--data", self.data], input=typed)
        if done.exception is not None:
            raise done.exception


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    data = str(tmp_path_factory.mktemp("administration") / "hansang.db")
    settings = replace(SETTINGS, data=data, apps=("news",))
    with opened(SetClock(system_clock()), settings) as shell, product(shell, Worker(1, "tests")) as app:
        people = accounts_of(shell.identity).people
        people.create("owner", "Owner", {"*": "owner"}, PASSWORD)
        people.create("admin", "Admin", {"platform": "owner"}, PASSWORD)
        yield Place(shell, app, data)


@pytest.fixture
def person(place: Place, request: pytest.FixtureRequest) -> Person:
    """Someone who is there for one test, signed in on one device."""
    name = f"p{abs(hash(request.node.name)):x}"
    person = place.accounts.people.create(name, "Someone", {"news": "viewer"}, PASSWORD)
    place.accounts.sessions.start(person, "192.0.2.1", "Firefox")
    return person


# ── every verb, by every hand ─────────────────────────────────────────────────────────────────────


def by_api(verb: str, place: Place, person: Person) -> None:
    send, one = place.caller("*:admin").post, f"{PEOPLE}/{person.name}"
    if verb == "create":
        answer = send(PEOPLE, {"name": f"{person.name}x", "shown_name": "New", "roles": {"news": "viewer"}})
    elif verb == "roles":
        roles = {"roles": {"news": "editor"}}
        answer = place.caller("*:admin").put(f"{one}/roles", roles, headers={"If-Match": "*"})
    elif verb == "create key":
        answer = send(KEYS, {"label": "new", "scopes": ["news:read"]})
    elif verb == "revoke":
        answer = send(f"{KEYS}/{_key(place)}/revoke")
    else:
        answer = send(f"{one}/{verb}")
    assert answer.status_code in (200, 201), answer.text


def by_console(verb: str, place: Place, person: Person) -> None:
    own = verb in ("rename", "password", "preferences", "own sessions")
    browser = place.browser(person.name if own else "owner")
    one = f"/admin/people/{person.name}"
    form: dict[str, tuple[str, dict[str, Any]]] = {
        "create": (
            "/admin/people",
            {"name": f"{person.name}x", "shown_name": "New", "area": "news", "role": "viewer"},
        ),
        "roles": (f"{one}/roles", {"role.news": "editor", "seen": person.tag}),
        "sessions": (f"{one}/sessions/end", {}),
        "rename": ("/account/name", {"shown_name": "Other"}),
        "password": ("/account/password", {"old": PASSWORD, "new": "another 12", "again": "another 12"}),
        "preferences": ("/account/preferences", {"language": "ko", "theme": "dark"}),
        "own sessions": ("/account/sessions/end", {}),
        "create key": ("/admin/keys", {"label": "new", "scope.news": "read"}),
        "revoke": (f"/admin/keys/{_key(place)}/revoke", {}),
    }
    browser.get("/account")
    path, fields = form.get(verb, (f"{one}/{verb}", {}))
    page = browser.send(path, **fields)
    assert page.status in (200, 201, 303), page.shown


def by_command(verb: str, place: Place, person: Person) -> None:
    words = {
        "create": ("users", "create", f"{person.name}x", "--role", "viewer"),
        "roles": ("users", "role", person.name, "editor", "--app", "news"),
        "password": ("users", "password", person.name, "--password-stdin"),
        "sessions": ("users", "sessions", person.name, "--end"),
        "create key": ("keys", "create", "new", "--scope", "news:read"),
        "revoke": ("keys", "revoke", _key(place)),
    }
    place.command(*words.get(verb, ("users", verb, person.name)), typed="another 12\n")


def _key(place: Place) -> str:
    return place.accounts.keys.create("old", ["news:read"], "a test")[0].id


HANDS = {API: by_api, CONSOLE: by_console, CLI: by_command}
EVERYWHERE = ("create", "roles", "disable", "enable", "link", "create key", "revoke")
CASES = [
    *((surface, verb) for surface in HANDS for verb in EVERYWHERE),
    *((CONSOLE, verb) for verb in ("sessions", "rename", "password", "preferences", "own sessions")),
    *((CLI, verb) for verb in ("sessions", "password", "delete")),
]


@pytest.mark.parametrize(("surface", "verb"), CASES)
def test_every_verb_leaves_one_line(place: Place, person: Person, surface: str, verb: str) -> None:
    if verb == "enable":
        place.accounts.people.disable(person.name)
    before = place.lines
    HANDS[surface](verb, place, person)
    [line] = [each for each in place.lines if each not in before]
    word = {"create key": "create", "own sessions": "sessions"}.get(verb, verb)
    assert (line.verb, line.kind) == (word, "ApiKey" if "key" in verb or verb == "revoke" else "Person")
    assert line.actor_kind == {API: "key", CONSOLE: "person", CLI: "operator"}[surface]
    assert (line.request_id is None) == (surface == CLI)


def test_no_line_has_a_secret(place: Place, person: Person) -> None:
    for verb in ("create", "create key"):
        by_api(verb, place, person)
    by_console("password", place, person)
    found = str([(each.before, each.after) for each in place.lines])
    assert "shown_name" in found
    for secret in ("argon2", "stamp", "digest", "another 12"):
        assert secret not in found


def test_what_changes_nothing_leaves_no_line(place: Place, person: Person) -> None:
    made = _key(place)
    by = Administration(place.accounts, place.shell.history, ["news"], operator())
    by.revoke_key(made)
    before = place.lines
    by.set_roles(person, dict(person.roles))
    by.enable(person.name)
    by.rename(person.name, person.shown_name)
    by.set_preferences(person.name, None, None)
    by.end_sessions(person.name, [])
    by.revoke_key(made)
    assert place.lines == before


def test_a_line_and_its_write_are_one(database: Database, clock: StillClock) -> None:
    accounts = Accounts(database, clock, b"secret", People(database, clock, passwords=quick_passwords()))
    history, another = (History(database, clock, lambda _: "0" * 12) for _ in range(2))
    made = Administration(accounts, history, ["news"], operator()).create_person(
        "minjun", "강민준", {"news": "viewer"}
    )
    with pytest.raises(Refused):  # The id of the line is taken.
        Administration(accounts, another, ["news"], operator()).set_roles(made, {"news": "owner"})
    assert accounts.people.get("minjun").roles == {"news": "viewer"}
    assert [each.verb for each in history.each()] == ["create"]


# ── two at the same time ──────────────────────────────────────────────────────────────────────────


def test_the_api_refuses_roles_that_were_changed_meanwhile(place: Place, person: Person) -> None:
    path, seen = f"{PEOPLE}/{person.name}/roles", {"If-Match": f'"{person.tag}"'}
    place.accounts.people.set_roles(person.name, {"news": "owner"})
    late = place.caller("*:admin").put(path, {"roles": {}}, headers=seen)
    assert (late.status_code, late.json()["code"]) == (412, "changed-meanwhile")
    assert place.accounts.people.get(person.name).roles == {"news": "owner"}


def test_the_console_refuses_them_and_shows_those_of_now(place: Place, person: Person) -> None:
    browser = place.browser("owner")
    seen = browser.get(f"/admin/people/{person.name}").all("input", name="seen")[0]["value"]
    place.accounts.people.set_roles(person.name, {"news": "owner"})
    late = browser.send(f"/admin/people/{person.name}/roles", role__news="editor", seen=seen)
    assert late.status == 409
    assert "This person was changed meanwhile." in late.shown
    assert place.accounts.people.get(person.name).roles == {"news": "owner"}


def test_the_command_refuses_them(place: Place, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Administration.set_roles

    def after_another(self: Administration, seen: Person, roles: dict[str, str]) -> Person:
        place.accounts.people.set_roles(seen.name, {"news": "owner"})
        return given(self, seen, roles)

    monkeypatch.setattr(Administration, "set_roles", after_another)
    with pytest.raises(Conflict, match="changed meanwhile"):
        place.command("users", "role", person.name, "editor", "--app", "news")
    assert place.accounts.people.get(person.name).roles == {"news": "owner"}


# ── rights ────────────────────────────────────────────────────────────────────────────────────────


def _refused_by_api(verb: str, place: Place, person: Person) -> bool:
    caller, one = place.caller("platform:admin"), f"{PEOPLE}/{person.name}"
    if verb == "roles":
        return caller.put(f"{one}/roles", {"roles": {}}, headers={"If-Match": "*"}).status_code == 403
    return caller.post(f"{one}/{verb}").status_code == 403


def _refused_by_console(verb: str, place: Place, person: Person) -> bool:
    browser = place.browser("admin")
    browser.get("/account")
    return browser.send(f"/admin/people/{person.name}/{verb}", seen=person.tag).status == 403


def _refused_by_core(verb: str, place: Place, person: Person) -> bool:
    asking = Principal("person", "admin", "Admin", frozenset({"platform:admin"}))
    by = Administration(place.accounts, place.shell.history, ["news"], asking)
    verbs: dict[str, Callable[[str], object]] = {
        "roles": lambda _: by.set_roles(person, {}),
        "disable": by.disable,
        "enable": by.enable,
        "link": by.new_link,
        "sessions/end": by.end_sessions,
        "delete": by.delete,
        "rename": partial(by.rename, shown_name="Other"),
        "password": partial(by.set_password, password="another 12"),
        "preferences": partial(by.set_preferences, language=None, theme=None),
    }
    with pytest.raises(NotAllowed, match="news:admin"):
        verbs[verb](person.name)
    return True


WITHOUT_SAY = [
    *((_refused_by_api, verb) for verb in ("roles", "disable", "enable", "link")),
    *((_refused_by_console, verb) for verb in ("roles", "disable", "enable", "link", "sessions/end")),
    *((_refused_by_core, verb) for verb in ("roles", "disable", "enable", "link", "sessions/end", "delete")),
    *((_refused_by_core, verb) for verb in ("rename", "password", "preferences")),
]


@pytest.mark.parametrize(("refused", "verb"), WITHOUT_SAY)
def test_nobody_changes_someone_with_rights_beyond_their_own(
    place: Place, person: Person, refused: Callable[[str, Place, Person], bool], verb: str
) -> None:
    before = place.lines
    assert refused(verb, place, person)
    assert place.accounts.people.get(person.name) == person
    assert place.lines == before


def test_roles_beyond_ones_own_may_stay_as_they_are(place: Place, person: Person) -> None:
    browser = place.browser("admin")
    browser.get("/account")
    fields = {"role.news": "viewer", "role.platform": "viewer", "seen": person.tag}
    assert browser.send(f"/admin/people/{person.name}/roles", **fields).status == 303
    assert place.accounts.people.get(person.name).roles == {"news": "viewer", "platform": "viewer"}


def test_the_operator_has_the_say_over_everyone(place: Place, person: Person) -> None:
    place.command("users", "role", person.name, "owner")
    assert place.accounts.people.get(person.name).is_owner
    place.command("users", "delete", person.name)
    assert place.accounts.people.find(person.name) is None


@pytest.mark.parametrize("words", [("role", "owner", "viewer"), ("disable", "owner"), ("delete", "owner")])
def test_the_last_owner_stays_at_the_command_line_too(place: Place, words: tuple[str, ...]) -> None:
    with pytest.raises(LastOwner):
        place.command("users", *words)
    assert place.accounts.people.get("owner").is_owner


def test_an_area_that_is_not_there_is_refused_everywhere(place: Place, person: Person) -> None:
    roles = {"roles": {"gone": "viewer"}}
    path = f"{PEOPLE}/{person.name}/roles"
    assert place.caller("*:admin").put(path, roles, headers={"If-Match": "*"}).status_code == 422
    with pytest.raises(InvalidInput, match="Area gone not found"):
        place.command("users", "role", person.name, "viewer", "--app", "gone")


def test_a_role_of_something_that_is_gone_can_stay(place: Place, person: Person) -> None:
    seen = place.accounts.people.set_roles(person.name, {"gone": "viewer"})
    by = Administration(place.accounts, place.shell.history, ["news"], operator())
    assert by.set_roles(seen, {"gone": "viewer", "news": "editor"}).roles["gone"] == "viewer"


def test_a_key_outlasts_its_maker_nowhere(place: Place) -> None:
    end = to_datetime(place.shell.clock()) + timedelta(days=1)
    key, _ = place.accounts.keys.create("maker", ["*:admin"], "a test", end)
    asking = Principal("key", key.id, key.label, frozenset(key.scopes))
    by = Administration(place.accounts, place.shell.history, ["news"], asking)
    with pytest.raises(InvalidInput, match="Your own key expires"):
        by.create_key("longer", ["news:read"])
    assert by.create_key("as long", ["news:read"], key.expires_at)[0].created_by == key.id


def test_a_key_is_faster_than_its_maker_nowhere(place: Place) -> None:
    def made_by(rate: int | None) -> Administration:
        key, _ = place.accounts.keys.create("maker", ["*:admin"], "a test", rate=rate)
        asking = Principal("key", key.id, key.label, frozenset(key.scopes))
        return Administration(place.accounts, place.shell.history, ["news"], asking)

    assert made_by(6000).create_key("as fast", ["news:read"], rate=6000)[0].rate == 6000
    for own, wanted in ((6000, 6001), (None, 1)):
        with pytest.raises(InvalidInput, match="cannot give this rate"):
            made_by(own).create_key("faster", ["news:read"], rate=wanted)


def test_a_key_with_a_rate_hands_it_on(place: Place) -> None:
    key, _ = place.accounts.keys.create("maker", ["platform:admin", "news:read"], "a test", rate=30)
    asking = Principal("key", key.id, key.label, frozenset(key.scopes))
    by = Administration(place.accounts, place.shell.history, ["news"], asking)
    assert by.create_key("as fast", ["news:read"])[0].rate == 30
    assert by.create_key("slower", ["news:read"], rate=10)[0].rate == 10


def test_who_administers_nothing_makes_no_key_and_changes_only_themselves(
    place: Place, person: Person
) -> None:
    asking = Principal("person", person.name, person.shown_name, person.scopes)
    by = Administration(place.accounts, place.shell.history, ["news"], asking)
    assert by.rename(person.name, "Renamed").shown_name == "Renamed"
    refused: list[Callable[[], object]] = [
        lambda: by.create_key("mine", ["news:read"]),
        lambda: by.revoke_key(_key(place)),
        lambda: by.disable(person.name),
        lambda: by.create_person("another", "Another", {}),
        lambda: by.rename("owner", "Other"),
    ]
    for act in refused:
        with pytest.raises(NotAllowed, match="platform:admin"):
            act()


# ── how they are shown ────────────────────────────────────────────────────────────────────────────


def test_what_the_operator_did_is_shown_as_done_at_the_command_line(place: Place, person: Person) -> None:
    place.command("users", "role", person.name, "editor", "--app", "news")
    browser = place.browser("owner")
    page = browser.get("/changes?area=platform")
    assert f"Command line ({operator().shown})" in page.shown
    [line] = [each for each in place.lines if each.subject == person.name]
    assert f"Command line ({operator().shown})" in browser.get(f"/changes/{line.id}").shown
    shown = place.caller("*:read").get(f"/api/platform/changes/{line.id}").json()["actor"]
    assert shown == {"kind": "operator", "name": "command line", "shown": operator().shown}


def test_the_first_start_is_in_the_history(tmp_path: Path) -> None:
    from hansang.wiring import _prepared

    settings = replace(SETTINGS, data=str(tmp_path / "first.db"), apps=("news",))
    assert _prepared(settings, demo=False, announce=lambda _: None)
    with opened(SetClock(system_clock()), settings) as shell:
        lines = [(each.actor_kind, each.verb, each.subject) for each in shell.history.each()]
    assert sorted(lines) == [("server", "create", "owner"), ("server", "link", "owner")]


def test_a_command_that_is_refused_leaves_no_line(place: Place) -> None:
    before = place.lines
    with pytest.raises(HansangError):
        place.command("users", "create", "owner", "--role", "viewer")
    assert place.lines == before
