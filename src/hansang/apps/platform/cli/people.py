"""The commands on people: who may sign in, and what they may do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from secrets import token_bytes
from typing import Annotated

import typer

from hansang.apps.catalog import available
from hansang.apps.platform.cli.people_shown import plain_person, plain_session, shown_roles, state_of
from hansang.apps.platform.people import People, Person
from hansang.apps.platform.sessions import Sessions
from hansang.clock import system_clock
from hansang.design import Database, Unreadable
from hansang.errors import SettingsError
from hansang.parts.permissions import EVERYWHERE, PLATFORM
from hansang.settings import ServerSettings
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    open_database,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

group = new_group("Who may sign in, and what they may do.")


class Role(StrEnum):
    """What someone may do in an application."""

    owner = "owner"
    editor = "editor"
    viewer = "viewer"


class NewRole(StrEnum):
    """A role, or none any more."""

    owner = "owner"
    editor = "editor"
    viewer = "viewer"
    none = "none"


Name = Annotated[str, typer.Argument(metavar="NAME", help="The sign-in name.")]
Apps = Annotated[
    list[str] | None,
    typer.Option(
        "--app",
        metavar="APP",
        help=f"Where the role holds: an application, or {PLATFORM}. May be repeated. [default: everywhere]",
    ),
]
PasswordStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin", help="Read the password from the standard input; on a terminal, ask for it."
    ),
]


_command = partial(with_examples, group)


@contextmanager
def _open_people(place: str | None) -> Iterator[People]:
    with open_database(place) as database:
        yield People(database, system_clock)


@_command("""\
  hansang people create seoyeon --name "윤서연" --role owner
  hansang people create minjun --name "김민준" --role editor --app news --app codex
  pass show hansang | hansang people create loader --role viewer --password-stdin""")
def create(
    name: Name,
    role: Annotated[Role, typer.Option(help="What the person may do.")],
    shown_name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="The display name. [default: NAME]")
    ] = None,
    app: Apps = None,
    password_stdin: PasswordStdin = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Create a person. Without a password, a link signs the person in: hansang people link NAME."""
    roles = dict.fromkeys(_areas(app), role.value)
    password = _password() if password_stdin else None
    with _open_people(data) as people:
        person = people.create(name, shown_name or name, roles, password)
    _tell(person, as_json, f"{person.name} may sign in now, as {shown_roles(person)}.")
    if password is None and not as_json:
        typer.echo(f"No password yet. Make a link: hansang people link {person.name}")


@_command(
    """\
  hansang people list
  hansang people list --json""",
    "list",
)
def list_users(data: Place = None, as_json: AsJson = False) -> None:
    """List everyone, by name."""
    unreadable: list[Unreadable] = []
    with _open_people(data) as people:
        found = list(people.each(unreadable=unreadable.append))
    if as_json:
        print_json([plain_person(each) for each in found])
    elif not found:
        typer.echo("No people yet. Create an owner: hansang people create NAME --role owner")
    else:
        print_rows(
            ["name", "shown name", "roles", "state", "since"],
            [
                (each.name, each.shown_name, shown_roles(each), state_of(each), each.created_at)
                for each in found
            ],
        )
    tell_unreadable(unreadable, "platform")


@_command("""\
  hansang people role minjun editor --app news
  hansang people role minjun none --app codex
  hansang people role seoyeon owner""")
def role(
    name: Name,
    role: Annotated[NewRole, typer.Argument(help="The new role; none removes it.")],
    app: Apps = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Change the role of a person in some applications, or everywhere; the other roles stay."""
    areas = _areas(app)
    with _open_people(data) as people:
        kept = {area: each for area, each in people.get(name).roles.items() if area not in areas}
        given = {} if role is NewRole.none else dict.fromkeys(areas, role.value)
        person = people.set_roles(name, {**kept, **given})
    _tell(person, as_json, f"{person.name} is {shown_roles(person)} now.")


@_command("""\
  hansang people password seoyeon --password-stdin < password.txt""")
def password(
    name: Name, password_stdin: PasswordStdin = False, data: Place = None, as_json: AsJson = False
) -> None:
    """Set a new password for a person. All sessions and links of the person end."""
    if not password_stdin:
        raise SettingsError("Give the password on the standard input, with --password-stdin.")
    text = _password()
    with _open_people(data) as people:
        person = people.set_password(name, text)
    _tell(person, as_json, f"{person.name} has a new password. All sessions of before have ended.")


@_command("""\
  hansang people disable minjun""")
def disable(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Disable an account, and end all of its sessions; the account stays."""
    _change(data, as_json, lambda people: people.disable(name), "cannot sign in any more.")


@_command("""\
  hansang people enable minjun""")
def enable(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Enable an account again."""
    _change(data, as_json, lambda people: people.enable(name), "may sign in again.")


@_command("""\
  hansang people delete minjun""")
def delete(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Delete a person for good. Their changes stay in the history."""
    with open_database(data) as database:
        people = People(database, system_clock)
        person = people.get(name)
        people.delete(name)
        _sessions(database).end_all(person.name)
    _tell(person, as_json, f"{person.name} is removed.")


@_command("""\
  hansang people link seoyeon
  hansang people link seoyeon --url https://hansang.example --minutes 60""")
def link(
    name: Name,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The public address of the server. [default: HANSANG_PUBLIC_URL, or its address]",
        ),
    ] = None,
    minutes: Annotated[
        int, typer.Option(min=1, max=7 * 24 * 60, help="For how many minutes it is valid.")
    ] = 15,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Print a one-time sign-in link, for signing in without a password."""
    base = _base(url)
    with _open_people(data) as people:
        path = f"/sign-in/link/{people.new_link(name, minutes * 60)}"
    if as_json:
        print_json({"url": base + path, "path": path, "expires_in_seconds": minutes * 60})
    else:
        typer.echo(base + path)


@_command("""\
  hansang people sessions seoyeon
  hansang people sessions seoyeon --end""")
def sessions(
    name: Name,
    end: Annotated[bool, typer.Option("--end", help="End them all.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List the sessions of a person, the latest first; or end them all."""
    with open_database(data) as database:
        person, kept = People(database, system_clock).get(name), _sessions(database)
        found = kept.of(person.name)
        if end:
            kept.end_all(person.name)
    if as_json:
        print_json([plain_session(each) for each in found])
    elif end:
        typer.echo(f"Ended {len(found)} {'session' if len(found) == 1 else 'sessions'} of {person.name}.")
    elif not found:
        typer.echo(f"{person.name} has not signed in anywhere.")
    else:
        columns = ["origin", "browser", "signed in", "seen"]
        print_rows(columns, [(each.origin, each.agent, each.created_at, each.last_seen_at) for each in found])


# ── what is given ─────────────────────────────────────────────────────────────────────────────────


def _areas(given: list[str] | None) -> list[str]:
    known = [each.name for each in available()] + [PLATFORM]
    for area in given or ():
        if area not in known:
            raise SettingsError(f"There is no application {area}. There are {', '.join(known)}.")
    return list(dict.fromkeys(given or [EVERYWHERE]))


def _password() -> str:
    if sys.stdin.isatty():
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    return sys.stdin.readline().removesuffix("\n").removesuffix("\r")


def _base(given: str | None) -> str:
    settings = ServerSettings.chosen({"public_url": given})
    base = settings.public_url or f"http://{_reachable(settings.host)}:{settings.port}"
    if not base.startswith(("http://", "https://")):
        raise SettingsError(f"{base!r} is no address of a server. Give one such as https://hansang.example.")
    return base.rstrip("/")


def _reachable(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - where a server listens that is reached from here
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _sessions(database: Database) -> Sessions:
    """The sessions, for one who reads no cookies and so needs no secret that lasts."""
    return Sessions(database, system_clock, token_bytes(32))


# ── what is answered ──────────────────────────────────────────────────────────────────────────────


def _change(place: str | None, as_json: bool, change: Callable[[People], Person], outcome: str) -> None:
    with _open_people(place) as people:
        person = change(people)
    _tell(person, as_json, f"{person.name} {outcome}")


def _tell(person: Person, as_json: bool, sentence: str) -> None:
    if as_json:
        print_json(plain_person(person))
    else:
        typer.echo(sentence)
