"""The command that fills applications with sample items."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from hansang.apps.application import Application
from hansang.apps.catalog import chosen
from hansang.apps.samples import fill, is_empty, make_empty
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import SettingsError
from hansang.settings import named_applications
from hansang.surfaces.application_settings import databases_of, settings_of
from hansang.surfaces.cli.progress import counting
from hansang.surfaces.cli.support import AsJson, Place, open_database, print_json

EXAMPLES = """
Examples:

\b
  hansang demo
  hansang demo --data sample.db --app assets --app news

An application that has items already is left as it is, so the command can be given again. After a fill that was
interrupted, --force deletes what there is of it and begins anew.
"""


def demo(
    data: Place = None,
    app: Annotated[
        list[str] | None,
        typer.Option(metavar="APP", help="Only this application. May be repeated. [default: all]"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Delete every item that the applications have in a data file first."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fill the applications with sample items, as of now."""
    wanted = list(chosen(app or named_applications()))
    now = datetime.fromtimestamp(system_clock(), UTC)
    with open_database(data, *(table for each in wanted for table in each.tables)) as database:
        if isinstance(database.backend, Embedded):
            _prepare(database, wanted, force=force)
        elif force:
            raise SettingsError("--force deletes items, and does so in a data file only.")
        found = [_filled(database, each, now, quiet=as_json) for each in wanted]
    if as_json:
        print_json(found)


def _prepare(database: Database, wanted: list[Application], *, force: bool) -> None:
    for each in wanted:
        for found in databases_of(each, database, settings_of(each)):
            found.create_tables(*each.tables)
            if force:
                make_empty(found, each)


def _filled(database: Database, each: Application, now: datetime, *, quiet: bool) -> dict[str, Any]:
    written = None
    settings = settings_of(each)
    databases = databases_of(each, database, settings)
    empty = [found for found in databases if is_empty(found, each)]
    if empty:
        with counting(each.name) as progress:
            written = sum(fill(found, each, now, progress, settings) for found in empty)
    if not quiet:
        typer.echo(f"{each.name}: {_told(written)}")
    return {"application": each.name, "written": written or 0, "skipped": written is None}


def _told(written: int | None) -> str:
    if written is None:
        return "has items already and was left as it is. --force deletes them first."
    return f"{written:,} items written"
