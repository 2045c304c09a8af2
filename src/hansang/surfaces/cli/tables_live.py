"""The commands on tables that are there: create, compare, copy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from hansang.backends.base import Backend
from hansang.blueprint.copy_state import CopyState
from hansang.blueprint.copying import copy_table, expected_items, fingerprint, tables_of
from hansang.blueprint.live import TableDifference, describe, differences
from hansang.design import Database
from hansang.errors import SettingsError
from hansang.surfaces.cli.designs import load, with_copies
from hansang.surfaces.cli.progress import counting
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    names_of,
    open_place,
    place_of,
    print_json,
    print_rows,
    with_examples,
)
from hansang.surfaces.cli.tables import Designs, app, command

group = app
"""The whole group, with the commands of this module in it."""

Suffix = Annotated[
    str | None,
    typer.Option(
        help="A suffix for the name of every table, such as -dev. [default: HANSANG_TABLE_SUFFIX, or nothing]"
    ),
]


LIST_EXAMPLES = """\
  hansang tables list
  hansang tables list --data aws:ap-northeast-2 --json"""


@with_examples(app, LIST_EXAMPLES, "list")
def list_tables(data: Place = None, as_json: AsJson = False) -> None:
    """List the tables that are there. On AWS, numbers and sizes are some hours old. A size includes the indexes."""
    with open_place(place_of(data), create=False) as backend:
        found = [_summary(described) for name in tables_of(backend) if (described := describe(backend, name))]
    if as_json:
        print_json(found)
    else:
        print_rows(
            ("table", "status", "items", "bytes with indexes", "bytes of items", "indexes"),
            (list(each.values()) for each in found),
        )


def _summary(described: dict[str, Any]) -> dict[str, Any]:
    indexes = [*described.get("LocalSecondaryIndexes", ()), *described.get("GlobalSecondaryIndexes", ())]
    return {
        "table": described["TableName"],
        "status": described["TableStatus"],
        "items": described["ItemCount"],
        "bytes": described["TableSizeBytes"] + sum(each["IndexSizeBytes"] for each in indexes),
        "item_bytes": described["TableSizeBytes"],
        "indexes": len(indexes),
    }


@command("""\
  hansang tables create codex --data shop.db
  hansang tables create codex rankings --data aws:ap-northeast-2 --suffix -dev""")
def create(designs: Designs, data: Place = None, suffix: Suffix = None, as_json: AsJson = False) -> None:
    """Create the tables of a design where they are not yet; those that are there stay as they are."""
    named = list(with_copies(designs, names_of(load(designs).tables, suffix)))
    with open_place(place_of(data)) as backend:
        found = [
            {"table": name, "created": bool(Database(backend, names={table: name}).create_tables(table))}
            for table, name in named
        ]
    if as_json:
        print_json(found)
        return
    for each in found:
        typer.echo(f"{each['table']}: {'created' if each['created'] else 'was there already'}")


@command("""\
  hansang tables diff codex --data shop.db
  hansang tables diff codex --data aws:ap-northeast-2 --suffix -dev""")
def diff(designs: Designs, data: Place = None, suffix: Suffix = None, as_json: AsJson = False) -> None:
    """Compare a design with the tables that are there. Exit code 1 if something differs."""
    named = list(with_copies(designs, names_of(load(designs).tables, suffix)))
    with open_place(place_of(data), create=False) as backend:
        found = [(name, differences(backend, each, name)) for each, name in named]
    if as_json:
        print_json(
            [{"table": name, "differences": list(map(asdict, different))} for name, different in found]
        )
    else:
        _tell(found)
    if any(different for _, different in found):
        raise typer.Exit(1)


def _tell(found: list[tuple[str, list[TableDifference]]]) -> None:
    for name, different in found:
        typer.echo(f"{name}: {'differs from the design' if different else 'as the design has it'}")
        for each in different:
            typer.echo(_shown(each))


def _shown(each: TableDifference) -> str:
    return f"  {each.what}\n    design: {each.design}\n    there:  {each.live}\n    {each.remedy}"


@command("""\
  hansang tables copy --from shop.db --to aws:ap-northeast-2
  hansang tables copy --from aws:ap-northeast-2 --to backup.db Shop Orders
  hansang tables copy --from shop.db --to http://127.0.0.1:8000 Shop --rename Shop=Shop-dev""")
def copy(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="TABLE", help="The tables to copy. [default: all]")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="PLACE", help="Where the items are. [default: HANSANG_DATA, or hansang.db]"
        ),
    ] = None,
    target: Annotated[str, typer.Option("--to", metavar="PLACE", help="Where to copy them.")] = "",
    rename: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="Give a table another name there.")
    ] = None,
    state: Annotated[
        Path, typer.Option(metavar="FILE", help="The file in which an interrupted copy keeps its progress.")
    ] = Path("hansang-copy.json"),
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Compare count and hash of both sides at the end.")
    ] = True,
) -> None:
    """Copy every item of tables to another place. Run it again after an interruption to continue."""
    origin = place_of(source)
    if not target or origin == target:
        raise SettingsError("Name another place than the first with --to.")
    names = _renamed(rename or [])
    noted = CopyState(state, origin, target)
    with open_place(origin, create=False) as here, open_place(target) as there:
        pairs = [(each, names.get(each, each)) for each in tables or tables_of(here)]
        equal = [_copied(here, there, *pair, noted, verify=verify) for pair in pairs]
    if not all(equal):
        raise typer.Exit(1)
    noted.forget()


def _renamed(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    for old, _, new in pairs:
        if not old or not new:
            raise SettingsError(f"{old!r} is not of the form OLD=NEW.")
    return {old: new for old, _, new in pairs}


def _copied(here: Backend, there: Backend, table: str, name: str, noted: CopyState, *, verify: bool) -> bool:
    count = expected_items(here, table)
    with counting(f"{table}: copy", count) as progress:
        copied = copy_table(here, there, table, name, noted, progress)
    typer.echo(f"{table}: {copied:,} items copied to {name}")
    if not verify or _verified(here, there, table, name, count):
        return True
    noted.restart(table)
    return False


def _verified(here: Backend, there: Backend, table: str, name: str, count: int) -> bool:
    with counting(f"{table}: verify", 2 * count) as progress:
        ours, theirs = fingerprint(here, table, progress), fingerprint(there, name, progress)
    if ours == theirs:
        typer.echo(f"{table}: verified, {ours}")
        return True
    advice = "Run it again to copy anew; what is in the target alone stays there."
    typer.echo(f"{table}: the two sides differ\n  from: {ours}\n  to:   {theirs}\n  {advice}", err=True)
    return False
