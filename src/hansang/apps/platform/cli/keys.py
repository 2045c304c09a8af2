"""The commands on API keys: what lets programs in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Any

import typer

from hansang.apps.platform.api_keys import HIGHEST_RATE, ApiKey
from hansang.apps.platform.cli.administering import open_administration
from hansang.clock import system_clock
from hansang.design import Unreadable
from hansang.errors import SettingsError
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

group = new_group("Keys that let programs in.")

_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


_command = partial(with_examples, group)


@_command("""\
  hansang keys create loader --scope news:write
  hansang keys create dashboard --scope news:read --scope codex:read --expires 90d
  hansang keys create game-server --scope leaderboards:write --rate 60000
  hansang keys create backup --scope '*:read' --expires 2027-12-31 --json""")
def create(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="What the key is for.")],
    scope: Annotated[
        list[str],
        typer.Option(metavar="AREA:ACTION", help="What it may do, such as news:write. May be repeated."),
    ],
    expires: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="When it expires: 12h, 90d, 26w or 2027-12-31. [default: never]"),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=HIGHEST_RATE,
            metavar="N",
            help="Requests a minute, such as 60000 for a game server. [default: those of a person]",
        ),
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Create a key and print it. It is shown only once."""
    end = None if expires is None else _end(expires, to_datetime(system_clock()))
    with open_administration(data) as administration:
        key, text = administration.create_key(label, scope, end, rate=rate)
    if as_json:
        print_json({**_plain(key), "key": text})
    else:
        typer.echo(text)
        typer.echo("Keep it now: it is not shown again. Send it as Authorization: Bearer KEY.", err=True)


@_command(
    """\
  hansang keys list
  hansang keys list --json""",
    "list",
)
def list_keys(data: Place = None, as_json: AsJson = False) -> None:
    """List the keys, with their scopes and when they were last used."""
    unreadable: list[Unreadable] = []
    with open_administration(data) as administration:
        keys = administration.accounts.keys.each(unreadable=unreadable.append)
        found = sorted(keys, key=lambda each: (each.created_at, each.id))
    if as_json:
        print_json([_plain(each) for each in found])
    elif not found:
        typer.echo("There are no keys yet. Make one: hansang keys create LABEL --scope news:read")
    else:
        print_rows(
            ["id", "label", "scopes", "state", "rate", "made", "last used"], [_row(each) for each in found]
        )
    tell_unreadable(unreadable, "platform", data)


@_command("""\
  hansang keys revoke 3f9a1c0b2d4e""")
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key, see hansang keys list.")],  # noqa: A002
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key, for good."""
    with open_administration(data) as administration:
        key = administration.revoke_key(id)
    if as_json:
        print_json(_plain(key))
    else:
        typer.echo(f"{key.id} ({key.label}) opens nothing any more.")


def _end(text: str, now: datetime) -> datetime:
    """The end that `90d` or `2027-12-31` means; a day ends with its last moment in UTC."""
    span = _SPAN.fullmatch(text)
    if span is not None:
        return now + int(span[1]) * _UNITS[span[2]]
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
    except (ValueError, OverflowError):
        raise SettingsError(
            f"{text!r} is no time for a key to end. Give 12h, 90d, 26w or a day such as 2027-12-31."
        ) from None


def _row(key: ApiKey) -> tuple[object, ...]:
    scopes, rate = " ".join(sorted(key.scopes)), "–" if key.rate is None else f"{key.rate:,}/min"
    return key.id, key.label, scopes, _state(key), rate, key.created_at, key.last_used_at


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.is_valid(to_datetime(system_clock())) else "expired"


def _plain(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "label": key.label,
        "scopes": sorted(key.scopes),
        "state": _state(key),
        "created_at": key.created_at,
        "created_by": key.created_by,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
        "revoked_at": key.revoked_at,
        "rate": key.rate,
    }
