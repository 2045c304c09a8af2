"""The commands that look for items which are not as their design says, and repair them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from hansang.apps.application import Application
from hansang.apps.catalog import with_platform
from hansang.backends.base import Backend
from hansang.blueprint.explorer.cells import masked
from hansang.blueprint.fingerprints import pages
from hansang.blueprint.live import describe
from hansang.blueprint.plain import tagged
from hansang.blueprint.table_status import expect_tables, table_status
from hansang.clock import system_clock
from hansang.design import Database, Entity, Table, Unreadable
from hansang.design.kinds import recognised
from hansang.design.repairs import mended, write
from hansang.design.seen import entity_of
from hansang.design.shape import Item
from hansang.errors import InvalidInput, NotFound
from hansang.parts.checking import WrongItem, check
from hansang.parts.editing import Editing
from hansang.parts.history import Actor, History, subject_of, write_with
from hansang.parts.platform import Platform
from hansang.settings import ServerSettings
from hansang.surfaces.cli import exit_codes, tables_live
from hansang.surfaces.cli.designs import load, with_copies
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.progress import counting
from hansang.surfaces.cli.support import AsJson, Place, cell, names_of, open_place, place_of, with_examples
from hansang.surfaces.cli.tables import Designs, command
from hansang.surfaces.cli.tables_live import Suffix

group = tables_live.group
"""The whole group, with the commands of this module in it."""


# ── looking ───────────────────────────────────────────────────────────────────────────────────────


CHECK_EXAMPLES = """\
  hansang tables check codex --data shop.db
  hansang tables check platform news codex --data aws:ap-northeast-2 --json > wrong.json"""


@with_examples(group, CHECK_EXAMPLES, "check")
def check_items(designs: Designs, data: Place = None, suffix: Suffix = None, as_json: AsJson = False) -> None:
    """Read every item, and list those that no entity can read or whose index keys are wrong. Exit code 1 if any is."""
    names = names_of(load(designs).tables, suffix)
    named = list(with_copies(designs, names))
    report = _JsonReport() if as_json else _TextReport()
    suffix_option = ServerSettings.chosen({"table_suffix": suffix or None}).suffix_option
    with open_place(place_of(data), create=False) as backend:
        expect_tables(
            Database(backend, names=names), {" ".join(designs): names}, place_of(data), suffix_option
        )
        try:
            for table, name in named:
                for found in _each_wrong(backend, table, name, report):
                    report.add(name, found)
        finally:
            report.end()
    if report.found:
        raise typer.Exit(exit_codes.FAILED)


def _each_wrong(backend: Backend, table: type[Table], name: str, report: Report) -> Iterator[WrongItem]:
    """The items of a table that are not as the design says, as the table is read."""
    described = describe(backend, name) or {}
    count = wrong = 0
    with counting(f"{name}: check", described.get("ItemCount") or None) as progress:
        for items, _ in pages(backend, name):
            for found in (each for item in items if (each := check(table, item)) is not None):
                wrong += 1
                yield found
            count += len(items)
            progress(len(items))
    report.table(name, count, wrong)


class Report:
    """What is found, told as it is found, so that it need not be kept."""

    found = 0

    def add(self, table: str, wrong: WrongItem) -> None:
        """Tell of one item."""
        self._write(table, wrong)
        self.found += 1

    def _write(self, table: str, wrong: WrongItem) -> None:
        raise NotImplementedError

    def table(self, name: str, count: int, wrong: int) -> None:
        """Tell of a table that is read to its end."""

    def end(self) -> None:
        """Tell that nothing more comes."""


class _TextReport(Report):
    def _write(self, table: str, wrong: WrongItem) -> None:
        typer.echo(f"{table}: {cell(wrong.reason)}")
        for each in wrong.attributes:
            typer.echo(f"  {each.name}: {_value(each.stored)} should be {_value(each.expected)}")
        typer.echo(f"  --table {table} --key '{_json(wrong.key)}'")

    def table(self, name: str, count: int, wrong: int) -> None:
        told = f"{wrong:,} not as the design says" if wrong else "all as the design says"
        typer.echo(f"{name}: {count:,} items, {told}")


class _JsonReport(Report):
    def _write(self, table: str, wrong: WrongItem) -> None:
        attributes = [
            {"name": each.name, "stored": each.stored, "expected": each.expected} for each in wrong.attributes
        ]
        told = {"table": table, "kind": wrong.kind, "key": wrong.key, "reason": wrong.reason}
        typer.echo(f"{',' if self.found else '['}\n  {_json(told | {'attributes': attributes})}", nl=False)

    def end(self) -> None:
        typer.echo("\n]" if self.found else "[]")


# ── repairing ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Repair:
    """An item, what is to be changed in it, and what it will be."""

    bad: Unreadable
    changes: dict[str, Any]
    after: Item


@command("""\
  hansang tables repair codex --data shop.db --table FMWebAppTable \\
    --key '{"PK": "CATEGORY#c001", "SK": "POST#p004"}' --set 'CreatedAt={"S": "2026-01-01T00:00:00Z"}'
  hansang tables repair codex --data shop.db --table FMWebAppTable \\
    --key '{"PK": "CATEGORY#c001", "SK": "POST#p004"}' --remove Draft --yes""")
def repair(
    design: Annotated[str, typer.Argument(metavar="DESIGN", help="The design that the item is of.")],
    key: Annotated[str, typer.Option(metavar="JSON", help="The key of the item.")],
    table: Annotated[
        str, typer.Option(metavar="NAME", help="The table. [default: the design's only one]")
    ] = "",
    changed: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=JSON", help="Set an attribute to another value."),
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Remove an attribute.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write it; without this it is only shown.")] = False,
    data: Place = None,
    suffix: Suffix = None,
) -> None:
    """Repair an item so that its entity can read it; what follows from its fields is calculated again."""
    names = names_of(load([design]).tables, suffix)
    with open_place(place_of(data), create=False) as backend:
        database = Database(backend, names=names | names_of([Platform], suffix))
        wanted = _table(names, table)
        changes = {**_changes(changed or []), **dict.fromkeys(remove or ())}
        application = with_platform(design)
        found = _prepared(database, wanted, _key(wanted, key), changes, application)
        _show(found)
        if yes and found.after != found.bad.item:
            has_history = table_status(database, Platform).is_there
            if has_history:
                _write(database, found, application.name)
            else:
                database.repair(found.bad, found.changes)
            typer.echo(
                "Written." if has_history else f"Written. No history: there is no {Platform.name} here."
            )
    if not yes and found.after != found.bad.item:
        typer.echo("Nothing was written. Give --yes to write it.")


def _table(names: dict[type[Table], str], wanted: str) -> type[Table]:
    """The table of a name, with or without its suffix."""
    fitting = [table for table, name in names.items() if wanted in (table.name, name)]
    if not wanted and len(names) == 1:
        fitting = [*names]
    if not fitting:
        known = ", ".join(names.values())
        raise InvalidInput(f"Name one of the tables of the design with --table: {known}.", "table")
    return fitting[0]


def _key(table: type[Table], text: str) -> Item:
    found = tagged(_read("--key", text))
    expected = table.key_attributes()
    if set(found) != set(expected):
        raise InvalidInput(
            f"The key of {table.name} is {' and '.join(expected)}. Give --key with them.", "key"
        )
    return found


def _changes(given: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in given:
        name, _, text = each.partition("=")
        if not name or not text:
            raise InvalidInput(f'{each!r} is not of the form NAME=JSON, such as \'CreatedAt={{"S": "…"}}\'.')
        found |= tagged({name: _read(f"--set {name}", text)})
    return found


def _read(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as fault:
        raise InvalidInput(f"{option} is no JSON: {fault}.") from fault


def _prepared(
    database: Database, table: type[Table], key: Item, changes: dict[str, Any], application: Application
) -> _Repair:
    """The item with its changes, if an entity can read it then; what can be read follows its application's rule."""
    item = database.find_item(table, key)
    if item is None:
        raise NotFound(f"Item {_json(key)} not found in {database.name(table)}.")
    changed = {name: value for name, value in {**item, **changes}.items() if value is not None}
    shape = recognised(table.shapes, changed) or recognised(table.shapes, item)
    if shape is None:
        kinds = ", ".join(each.cls.__name__ for each in table.shapes)
        raise InvalidInput(f"No kind of item of {table.name} is like this one. There are {kinds}.")
    mended_entity, after = mended(shape.cls, item, changes)
    seen = entity_of(table, item)
    if changes and isinstance(seen, Entity):
        for kind in dict.fromkeys((type(seen), shape.cls)):
            application.write_rule(kind).expect_changed(kind)
        if shape.cls in application.checks:
            application.checks[shape.cls](
                database, seen if isinstance(seen, shape.cls) else None, mended_entity
            )
    return _Repair(Unreadable(table, shape.cls, key, item, ""), changes, after)


def _write(database: Database, found: _Repair, area: str) -> None:
    """Store the repaired item with its line of history; of the platform's own items that has no values."""
    bad, actor = found.bad, Actor.of(operator())
    history = History(database, system_clock)
    if bad.table is not Platform:
        Editing(database, history, areas={bad.table: area}).mend_item(bad.table, bad.item, found.after, actor)
        return
    line = history.line(actor, area, bad.kind.__name__, subject_of(bad.table, bad.key), "replace")
    write_with(database, line, lambda transaction: write(transaction, bad.table, bad.item, found.after))


def _show(found: _Repair) -> None:
    """Tell what changes; what is marked is not told, because it would stay in logs and on screens."""
    before, after, table = found.bad.item, found.after, found.bad.table
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    before, after = masked(table, before, None), masked(table, after, None)
    if not names:
        typer.echo("The item is as its design says. There is nothing to repair.")
    for name in names:
        typer.echo(f"{name}\n  before: {_value(before.get(name))}\n  after:  {_value(after.get(name))}")


def _value(value: Any) -> str:
    return "-" if value is None else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
