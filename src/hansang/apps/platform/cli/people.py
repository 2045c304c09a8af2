"""The commands on people: who may sign in, and what they may do."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, Literal

import typer

from hansang.apps.platform.cli.administering import open_administration
from hansang.apps.platform.cli.people_shown import plain_person, plain_session, shown_roles, state_of
from hansang.apps.platform.people import Person
from hansang.design import Unreadable
from hansang.errors import SettingsError
from hansang.parts.permissions import EVERYWHERE, PLATFORM, Role
from hansang.parts.server_address import find_address
from hansang.settings import ServerSettings
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    data_option,
    new_group,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

group = new_group("Who may sign in, and what they may do.")


NewRole = Literal[Role, "none"]
"""A role, or none any more."""
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
    roles = dict.fromkeys(app or [EVERYWHERE], role)
    password = _password() if password_stdin else None
    with open_administration(data) as administration:
        person = administration.create_person(name, shown_name or name, roles, password)
    _tell(person, as_json, f"{person.name} may sign in now, as {shown_roles(person)}.")
    if password is None and not as_json:
        typer.echo(f"No password yet. Make a link: hansang people link {person.name}{data_option(data)}")


@_command(
    """\
  hansang people list
  hansang people list --json""",
    "list",
)
def list_users(data: Place = None, as_json: AsJson = False) -> None:
    """List everyone, by name."""
    unreadable: list[Unreadable] = []
    with open_administration(data) as administration:
        found = list(administration.accounts.people.each(unreadable=unreadable.append))
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
    tell_unreadable(unreadable, "platform", data)


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
    areas = app or [EVERYWHERE]
    with open_administration(data) as administration:
        seen = administration.accounts.people.get(name)
        kept = {area: each for area, each in seen.roles.items() if area not in areas}
        given = {} if role == "none" else dict.fromkeys(areas, role)
        person = administration.set_roles(seen, {**kept, **given})
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
    with open_administration(data) as administration:
        person = administration.set_password(name, text)
    _tell(person, as_json, f"{person.name} has a new password. All sessions of before have ended.")


@_command("""\
  hansang people disable minjun""")
def disable(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Disable an account, and end all of its sessions; the account stays."""
    with open_administration(data) as administration:
        person = administration.disable(name)
    _tell(person, as_json, f"{person.name} cannot sign in any more.")


@_command("""\
  hansang people enable minjun""")
def enable(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Enable an account again."""
    with open_administration(data) as administration:
        person = administration.enable(name)
    _tell(person, as_json, f"{person.name} may sign in again.")


@_command("""\
  hansang people delete minjun""")
def delete(name: Name, data: Place = None, as_json: AsJson = False) -> None:
    """Delete a person for good. Their changes stay in the history."""
    with open_administration(data) as administration:
        person = administration.delete(name)
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
    with open_administration(data) as administration:
        base = _base(url, find_address(administration.accounts.database))
        path = f"/sign-in/link/{administration.new_link(name, minutes * 60)}"
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
    with open_administration(data) as administration:
        person = administration.accounts.people.get(name)
        found = administration.accounts.sessions.of(person.name)
        if end:
            administration.end_sessions(person.name)
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


def _password() -> str:
    if sys.stdin.isatty():
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    return sys.stdin.readline().removesuffix("\n").removesuffix("\r")


def _base(given: str | None, noted: str | None) -> str:
    """Where the server is: as given, as the environment says, as the server has noted, or where it would be."""
    settings = ServerSettings.chosen({"public_url": given})
    base = settings.public_url or noted or f"http://{_reachable(settings.host)}:{settings.port}"
    if not base.startswith(("http://", "https://")):
        raise SettingsError(f"{base!r} is no address of a server. Give one such as https://hansang.example.")
    return base.rstrip("/")


def _reachable(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - where a server listens that is reached from here
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


# ── what is answered ──────────────────────────────────────────────────────────────────────────────


def _tell(person: Person, as_json: bool, sentence: str) -> None:
    if as_json:
        print_json(plain_person(person))
    else:
        typer.echo(sentence)
