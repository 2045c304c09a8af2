"""The commands on people, run in the process as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.platform.cli.people import group
from hansang.apps.platform.people import People
from hansang.apps.platform.person import PersonKey
from hansang.apps.platform.sessions import Sessions
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import AlreadyExists, HansangError, InvalidInput, NotAllowed, NotFound, SettingsError
from hansang.parts.permissions import ROLES
from hansang.parts.server_address import note_address
from tests.spoiling import spoil

PASSWORD = "correct horse 말"


class Users:
    """The command with one data file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def run(self, *words: str, typed: str = "") -> Result:
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)], input=typed)
        if isinstance(done.exception, HansangError):
            raise done.exception
        return done

    def json(self, *words: str, typed: str = "") -> Any:
        done = self.run(*words, "--json", typed=typed)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Users:
    for name in ("HANSANG_PUBLIC_URL", "HANSANG_HOST", "HANSANG_PORT"):
        monkeypatch.delenv(name, raising=False)
    return Users(tmp_path / "users.db")


@pytest.fixture
def owner(users: Users) -> Any:
    return users.json("create", "seoyeon", "--name", "윤서연", "--role", "owner")


def test_someone_new_owns_everything_by_default(owner: Any) -> None:
    assert owner["roles"] == {"*": "owner"}
    assert (owner["name"], owner["shown_name"], owner["has_password"]) == ("seoyeon", "윤서연", False)


def test_a_role_can_be_of_some_applications(users: Users) -> None:
    words = ("create", "minjun", "--role", "editor", "--app", "news", "--app", "codex")
    assert users.json(*words)["roles"] == {"codex": "editor", "news": "editor"}
    assert "minjun" in users.run("list").stdout


def test_people_are_told_what_comes_next(users: Users) -> None:
    done = users.run("create", "minjun", "--role", "viewer")
    assert done.stdout == (
        "minjun may sign in now, as viewer of everything.\n"
        f"No password yet. Make a link: hansang people link minjun --data {users.place}\n"
    )


def test_a_password_comes_from_the_standard_input(users: Users) -> None:
    words = ("create", "minjun", "--role", "viewer", "--password-stdin")
    made = users.json(*words, typed=f"{PASSWORD}\r\n")
    assert made["has_password"] is True
    with Embedded.open(users.place) as backend:
        assert People(Database(backend), system_clock).check_password("minjun", PASSWORD, "here")


def test_a_new_password_is_taken_and_told(users: Users, owner: Any) -> None:
    done = users.run("password", "seoyeon", "--password-stdin", typed=PASSWORD)
    assert "new password" in done.stdout
    assert PASSWORD not in done.output
    assert users.json("list")[0]["has_password"] is True


def test_a_password_is_not_a_word_of_the_command(users: Users, owner: Any) -> None:
    with pytest.raises(SettingsError, match="--password-stdin"):
        users.run("password", "seoyeon")


def test_a_weak_password_changes_nothing(users: Users, owner: Any) -> None:
    with pytest.raises(InvalidInput, match="10 to 200 characters"):
        users.run("password", "seoyeon", "--password-stdin", typed="short\n")
    assert users.json("list")[0]["has_password"] is False


def test_the_list_is_empty_full_or_json(users: Users) -> None:
    assert users.json("list") == []
    assert "hansang people create" in users.run("list").stdout
    users.run("create", "seoyeon", "--name", "윤서연", "--role", "owner")
    lines = users.run("list").stdout.splitlines()
    assert lines[0].split() == ["name", "shown", "name", "roles", "state", "since"]
    assert lines[2].split()[:2] == ["seoyeon", "윤서연"]
    assert "owner of everything" in lines[2]
    assert list(users.json("list")[0]) == [
        "name",
        "shown_name",
        "roles",
        "disabled",
        "has_password",
        "language",
        "theme",
        "created_at",
    ]


def test_no_secret_is_printed(users: Users) -> None:
    users.run("create", "minjun", "--role", "viewer", "--password-stdin", typed=PASSWORD)
    printed = users.run("list").stdout + users.run("list", "--json").stdout
    assert "argon2" not in printed
    assert "stamp" not in printed


def test_a_role_changes_and_the_others_stay(users: Users) -> None:
    users.run("create", "minjun", "--role", "editor", "--app", "news", "--app", "codex")
    assert users.json("role", "minjun", "viewer", "--app", "news")["roles"] == {
        "codex": "editor",
        "news": "viewer",
    }
    assert users.json("role", "minjun", "none", "--app", "codex")["roles"] == {"news": "viewer"}
    assert users.run("role", "minjun", "none", "--app", "news").stdout == "minjun is without any role now.\n"


def test_the_last_owner_stays_one(users: Users, owner: Any) -> None:
    for words in (["role", "seoyeon", "viewer"], ["disable", "seoyeon"], ["delete", "seoyeon"]):
        with pytest.raises(NotAllowed, match="Make someone else an owner"):
            users.run(*words)
    assert users.json("list") == [owner]


def test_someone_is_disabled_enabled_and_removed(users: Users, owner: Any) -> None:
    users.run("create", "minjun", "--role", "viewer")
    assert users.json("disable", "minjun")["disabled"] is True
    assert "disabled" in users.run("list").stdout
    assert users.run("enable", "minjun").stdout == "minjun may sign in again.\n"
    assert users.json("delete", "minjun")["name"] == "minjun"
    assert [each["name"] for each in users.json("list")] == ["seoyeon"]


def test_a_link_lets_in_once(users: Users, owner: Any) -> None:
    url = users.run("link", "seoyeon", "--url", "https://hansang.example/").stdout.strip()
    base, _, token = url.rpartition("/sign-in/link/")
    assert base == "https://hansang.example"
    with Embedded.open(users.place) as backend:
        assert People(Database(backend), system_clock).redeem(token).name == "seoyeon"


def test_a_link_leads_to_where_the_server_is(
    users: Users, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert users.run("link", "seoyeon").stdout.startswith("http://127.0.0.1:8750/sign-in/link/")
    monkeypatch.setenv("HANSANG_HOST", "0.0.0.0")
    monkeypatch.setenv("HANSANG_PORT", "9000")
    assert users.run("link", "seoyeon").stdout.startswith("http://127.0.0.1:9000/")
    monkeypatch.setenv("HANSANG_HOST", "::1")
    assert users.run("link", "seoyeon").stdout.startswith("http://[::1]:9000/")
    monkeypatch.setenv("HANSANG_PUBLIC_URL", "https://hansang.example")
    found = users.json("link", "seoyeon", "--minutes", "60")
    assert found["url"] == "https://hansang.example" + found["path"]
    assert found["expires_in_seconds"] == 3600


def test_a_link_leads_to_where_the_server_has_said_that_it_is(users: Users, owner: Any) -> None:
    with Embedded.open(users.place) as backend:
        note_address(Database(backend), system_clock, "http://192.0.2.7:9123")
    assert users.run("link", "seoyeon").stdout.startswith("http://192.0.2.7:9123/sign-in/link/")


def test_a_link_to_nowhere_is_refused(users: Users, owner: Any) -> None:
    with pytest.raises(SettingsError, match="no address of a server"):
        users.run("link", "seoyeon", "--url", "hansang.example")


def test_sessions_are_listed_and_ended(users: Users, owner: Any) -> None:
    assert users.run("sessions", "seoyeon").stdout == "seoyeon has not signed in anywhere.\n"
    with Embedded.open(users.place) as backend:
        database = Database(backend)
        person = People(database, system_clock).get("seoyeon")
        Sessions(database, system_clock, b"secret").start(person, "192.0.2.1", "Firefox")
    assert "192.0.2.1" in users.run("sessions", "seoyeon").stdout
    assert [each["agent"] for each in users.json("sessions", "seoyeon")] == ["Firefox"]
    assert users.run("sessions", "seoyeon", "--end").stdout == "Ended 1 session of seoyeon.\n"
    assert users.json("sessions", "seoyeon") == []


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (["create", "seoyeon", "--role", "viewer"], AlreadyExists, "seoyeon is already taken"),
        (["create", "s", "--role", "viewer"], InvalidInput, "is not a valid sign-in name"),
        (
            ["create", "minjun", "--role", "viewer", "--app", "gone"],
            InvalidInput,
            r"There are \*, platform, assets",
        ),
        (["role", "nobody", "viewer"], NotFound, "Person nobody not found"),
        (["link", "nobody"], NotFound, "Person nobody not found"),
        (["sessions", "nobody"], NotFound, "Person nobody not found"),
    ],
)
def test_what_cannot_be_is_said(
    users: Users, owner: Any, words: list[str], error: type[HansangError], said: str
) -> None:
    with pytest.raises(error, match=said):
        users.run(*words)
    assert users.json("list") == [owner]


def test_a_role_that_is_none_is_wrong_usage(users: Users) -> None:
    assert users.run("create", "minjun", "--role", "king").exit_code == 2
    assert users.run("create", "minjun").exit_code == 2


def test_every_command_has_examples() -> None:
    for command in group.registered_commands:
        assert "hansang people" in (command.epilog or "")


def test_someone_who_cannot_be_read_is_named_and_hides_nobody(users: Users, owner: Any) -> None:
    users.run("create", "minjun", "--name", "강민준", "--role", "viewer")
    with Embedded.open(users.place) as backend:
        spoil(Database(backend), PersonKey(name="minjun"), created_at={"S": "yesterday"})
    done = users.run("list")
    assert (done.exit_code, "seoyeon" in done.stdout, "minjun" in done.stdout) == (1, True, False)
    assert "PERSON#minjun" in done.stderr
    assert "hansang tables repair platform --table" in done.stderr


def test_the_roles_that_can_be_given_are_those_that_there_are(users: Users) -> None:
    for words in (("create", "minjun", "--role", "king"), ("role", "minjun", "king")):
        said = users.run(*words).stderr
        assert all(f"'{role}'" in said for role in ROLES), said
