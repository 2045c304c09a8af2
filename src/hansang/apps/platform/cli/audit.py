"""The commands on the audit log: reading it, and all of it as JSON Lines."""

from __future__ import annotations

import json
from functools import partial
from itertools import islice
from typing import Annotated

import typer

from hansang.clock import system_clock
from hansang.parts.audit import AuditEvent, AuditLog
from hansang.surfaces.cli.exports import exported
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    open_database,
    print_json,
    print_rows,
    with_examples,
)

group = new_group("Who signed in, what was refused, what was administered.")

_SHOWN = ("at", "kind", "who", "origin", "detail", "agent", "count", "request_id")

_command = partial(with_examples, group)


@_command(
    """\
  hansang audit list
  hansang audit list --limit 200 --json""",
    "list",
)
def list_events(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, the newest first.")] = 50,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List the latest lines of the audit log. They are kept for 400 days."""
    with open_database(data) as database:
        found = list(islice(AuditLog(database, system_clock).each(), limit))
    if as_json:
        print_json([_plain(each) for each in found])
    elif not found:
        typer.echo("The audit log is empty.")
    else:
        columns = ["at", "kind", "who", "origin", "count", "detail"]
        print_rows(columns, [[getattr(each, name) for name in columns] for each in found], ["at"])


@_command("""\
  hansang audit export > audit.jsonl""")
def export(data: Place = None) -> None:
    """Print the whole audit log as JSON Lines, the newest first."""
    with open_database(data) as database:
        lines = (
            json.dumps(_plain(each), ensure_ascii=False).encode()
            for each in AuditLog(database, system_clock).each()
        )
        for line in exported(database, lines, "audit.jsonl"):
            typer.echo(line)


def _plain(event: AuditEvent) -> dict[str, object]:
    return {name: getattr(event, name) for name in _SHOWN}
