"""What the commands share: where the items are, and how answers are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from shlex import quote
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from hansang.apps.application import Application
from hansang.apps.catalog import PLATFORM
from hansang.apps.table_names import TableNames
from hansang.backends.embedded import Embedded
from hansang.backends.urls import OpenBackend, open_backend
from hansang.blueprint.table_status import expect_tables
from hansang.design import Database, Unreadable
from hansang.design import Table as Entities
from hansang.settings import ServerSettings
from hansang.surfaces.application_settings import copies_of, notices
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.help_lines import HelpGroup

Place = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="PLACE",
        help="A data file, aws:REGION, or http://HOST:PORT?region=REGION. [default: HANSANG_DATA, or hansang.db]",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]

_WIDE = 10_000

Command = Callable[[Callable[..., None]], Callable[..., None]]


def new_group(about: str) -> typer.Typer:
    """A group of commands with what all groups have in common."""
    return typer.Typer(cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None, help=about)


def hidden_alias(group: typer.Typer) -> typer.Typer:
    """The same commands for a name that they had before; no help lists it."""
    alias = typer.Typer(cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None, hidden=True)
    alias.registered_commands = group.registered_commands
    return alias


def with_examples(group: typer.Typer, examples: str, name: str | None = None) -> Command:
    """Make a function a command of a group, with examples below its help."""
    return group.command(name, epilog=f"Examples:\n\n\b\n{examples}")


def place_of(given: str | None) -> str:
    """Where the items are: as given, else as the environment says."""
    return ServerSettings.chosen({"data": given}).data


def data_option(given: str | None) -> str:
    """What a printed command needs so that it works on the same items: ` --data PLACE`, if a place was given."""
    return "" if given is None else f" --data {quote(given)}"


def open_place(place: str, *, create: bool = True) -> OpenBackend:
    """The backend at a place, with the durability and the region that the environment says.

    A command that only reads leaves `create` off, and refuses a data file that is not there.
    """
    settings = ServerSettings.chosen({"data": place})
    return open_backend(
        place,
        durability=settings.durability,
        region=settings.region,
        create=create,
        throttling=settings.throttling,
    )


def names_of(tables: Iterable[type[Entities]], suffix: str | None = None) -> dict[type[Entities], str]:
    """The names that tables have here: with the suffix given, else as the environment says."""
    settings = ServerSettings.chosen({"table_suffix": suffix or None})
    return TableNames(settings.table_suffix or "", settings.table_names or {}).of(tables)


@contextmanager
def open_database(place: str | None, *others: type[Entities]) -> Iterator[Database]:
    """The database at a place, closed at the end; the platform's own table is there, or it says how to make it.

    `others` are tables of applications that are not ours, so that they have their names here too.
    """
    with open_application(place, PLATFORM, *others) as database:
        yield database


@contextmanager
def open_application(
    place: str | None, application: Application, *others: type[Entities]
) -> Iterator[Database]:
    """The database at a place, with the tables of an application: made in a data file, expected elsewhere."""
    where = place_of(place)
    needed = dict.fromkeys([*PLATFORM.tables, *application.tables])
    with open_place(where) as backend:
        names = names_of(dict.fromkeys([*_renamed(), *needed, *others]))
        database, copies = Database(backend, names=names), list(copies_of(application, names))
        if isinstance(backend, Embedded):
            database.create_tables(*needed)
            notices((application,), database)
            for each in copies:
                Database(backend, names=each).create_tables(*each)
        else:
            designs, suffix = {PLATFORM.name: PLATFORM.tables}, ServerSettings.chosen({}).suffix_option
            expect_tables(database, designs | {application.name: application.tables}, where, suffix)
            for each in copies:
                expect_tables(Database(backend, names=each), {application.name: each}, where, suffix)
            notices((application,), database)
        yield database


def _renamed() -> tuple[type[Entities], ...]:
    """Every table of ours, where the environment gives tables other names; else none has to be known."""
    settings = ServerSettings.chosen({})
    if not settings.table_suffix and not settings.table_names:
        return ()
    from hansang.apps.catalog import TABLES

    return TABLES


# ── answers ───────────────────────────────────────────────────────────────────────────────────────


def print_json(value: object) -> None:
    """One JSON document on the standard output, its members always in the same order."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return shown_time(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


class Figure(str):
    """A number that is written already, such as +1,200 or 12.5%."""


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], unbroken: Collection[str] = ()
) -> None:
    """A table that fits the terminal, or that is as wide as it has to be when it goes elsewhere.

    A terminal that is too narrow breaks the cells of the columns that are not `unbroken`. Numbers end at the right.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    shown = list(rows)
    for place, column in enumerate(columns):
        justify: JustifyMethod = "right" if _are_numbers([row[place] for row in shown]) else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=column in unbroken)
    for row in shown:
        table.add_row(*(Text(cell(each)) for each in row))
    width = None if Console().is_terminal else _WIDE
    Console(highlight=False, width=width).print(table)


def _are_numbers(values: Iterable[object]) -> bool:
    kinds = {type(each) for each in values} - {type(None)}
    return bool(kinds) and all(issubclass(kind, int | float | Figure) and kind is not bool for kind in kinds)


def tell_unreadable(found: Sequence[Unreadable], design: str, place: str | None) -> None:
    """Name what a list had to leave out on the error output; exit code 1 if that was anything."""
    for each in found:
        key = json.dumps(each.key, ensure_ascii=False)
        way_out = (
            f"hansang tables repair {design} --table {each.table.name} --key '{key}'{data_option(place)}"
        )
        typer.echo(f"Left out: {cell(each.reason)}\n  Repair it: {way_out} --set …", err=True)
    if found:
        raise typer.Exit(FAILED)


def cell(value: object) -> str:
    """A value for people; what a terminal would obey is shown and not obeyed."""
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return shown_time(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def shown_time(moment: datetime) -> str:
    """A moment as the tables keep it: 2026-11-15T09:30:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
