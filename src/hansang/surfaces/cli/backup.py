"""The commands that make a backup and bring one back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from hansang.backends.urls import is_file
from hansang.blueprint.pulling import pull
from hansang.clock import system_clock
from hansang.engine.backup import back_up
from hansang.engine.backup import restore as restored
from hansang.engine.inspection import Contents, inspect
from hansang.errors import SettingsError
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.stores import open_store
from hansang.settings import ServerSettings
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.support import AsJson, Place, open_place, place_of, print_json, print_rows

BACKUP_EXAMPLES = """
Examples:

\b
  hansang backup monday.db
  hansang backup --data shop.db --force latest.db
  hansang backup --data aws:ap-northeast-2 --table FMWebAppTable site.db

The server may go on reading and writing. The backup is a data file of one moment, looked through before it gets
its name; every command that takes --data can read it. A copy from elsewhere that was interrupted goes on when the
same command is given again.
"""
RESTORE_EXAMPLES = """
Examples:

\b
  hansang restore --check monday.db
  hansang restore monday.db --data shop.db
  hansang restore --list
  hansang restore latest --data shop.db
  hansang restore 2026-11-14T12:00Z --from s3://backups/shop

BACKUP is a file; or one of those that were made on a schedule: its name, latest, or a moment or a day, for the newest
until then. They are looked for in HANSANG_BACKUP_TO, or where --from says.

The backup is looked through first, and nothing is touched unless all of it is whole. Stop the server before. The
file that is replaced stays beside the new one, unless --discard is given.
"""


def backup(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The file to create.")],
    data: Place = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only this table, from AWS or an endpoint. May be repeated. [default: all]"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the target if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a backup of all data while the server runs. The copy is checked before it gets its name."""
    place, path = place_of(data), _target(target)
    if is_file(place):
        if table:
            raise SettingsError("A backup of a data file has all of its tables. Leave --table out.")
        with watching() as watch:
            contents = back_up(Path(place), path, watch, replace=force)
    else:
        with open_place(_elsewhere(place)) as source, watching() as watch:
            contents = pull(source, place, path, watch, tables=table or (), replace=force)
    _tell(contents, path, as_json=as_json, what=f"{path} is a backup of {place}")


def _target(given: str) -> Path:
    if given == "-":
        raise SettingsError(
            "A backup cannot be written to the standard output, for it is read again. Give a file."
        )
    if not is_file(given):
        raise SettingsError(f"{given} is no file. To copy tables elsewhere, use hansang tables copy.")
    return Path(given)


def _elsewhere(place: str) -> str:
    if place == ":memory:":
        raise SettingsError("There is nothing in :memory: to back up. Give a data file with --data.")
    return place


def restore(
    backup: Annotated[
        str | None,
        typer.Argument(metavar="BACKUP", help="The backup to restore: a file, a name, latest, a moment."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The data file to replace. [default: HANSANG_DATA, or hansang.db]"),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="PLACE", help="A folder or s3://BUCKET/PREFIX. [default: HANSANG_BACKUP_TO]"
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the backups, and change nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Check the backup, and change nothing.")] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Do not keep the file that is replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup in place of a data file. Nobody may have it open."""
    target = place_of(data)
    if list_all:
        _list(_backups(target, place), as_json=as_json)
        return
    if backup is None:
        raise SettingsError(
            "Which backup? Give a file, a name, latest or a moment; --list shows what there is."
        )
    with _found(backup, target, place) as file:
        if check:
            _check(file, backup, as_json=as_json)
        else:
            _restore(file, backup, _data_file(target), discard=discard, as_json=as_json)


def _check(file: Path, name: str, *, as_json: bool) -> None:
    with watching() as watch:
        contents = inspect(file, watch)
    _tell(contents, name, as_json=as_json, what=f"{name} is whole")


def _restore(file: Path, name: str, target: Path, *, discard: bool, as_json: bool) -> None:
    kept = None if discard else _kept(target)
    with watching() as watch:
        contents = restored(file, target, watch, keep=kept)
    found = kept is not None and kept.exists()
    beside = f"; what was there before is in {kept}" if found else ""
    more = {"replaced": str(kept) if found else None}
    _tell(contents, target, as_json=as_json, what=f"{target} is restored from {name}{beside}", more=more)


@contextmanager
def _found(backup: str, target: str, place: str | None) -> Iterator[Path]:
    """The file of a backup: one that is there, or one of those that were made on a schedule."""
    if Path(backup).exists() or not (place or ServerSettings.chosen({}).backup_to):
        yield Path(backup)
        return
    backups = _backups(target, place)
    with backups.opened(backups.get(backup)) as file:
        yield file


def _backups(target: str, place: str | None) -> Backups:
    where = place or ServerSettings.chosen({}).backup_to
    if where is None:
        raise SettingsError("Where are the backups? Say it with --from or HANSANG_BACKUP_TO.")
    return Backups(_data_file(target), open_store(where), system_clock)


def _list(backups: Backups, *, as_json: bool) -> None:
    found = backups.all()
    if as_json:
        print_json(
            [
                {"name": each.name, "data": each.of, "taken_at": each.taken_at, "bytes": each.size_bytes}
                for each in found
            ]
        )
    elif not found:
        typer.echo(f"There are no backups in {backups.place}.")
    else:
        columns = ("name", "of", "taken at", "bytes")
        print_rows(
            columns, ([each.name, each.of, each.taken_at, each.size_bytes] for each in found), columns[:1]
        )


def _data_file(place: str) -> Path:
    if not is_file(place):
        raise SettingsError(
            f"{place} is no data file. To bring tables back elsewhere, use hansang tables copy --from BACKUP --to {place}."
        )
    return Path(place)


def _kept(target: Path) -> Path:
    """A name for the file that is replaced, which nothing has yet."""
    moment = datetime.fromtimestamp(system_clock(), UTC).strftime("%Y%m%dT%H%M%SZ")
    names = (
        f"{target.name}.before-restore-{moment}{more}" for more in ("", *(f"-{n}" for n in range(2, 1000)))
    )
    return next(path for name in names if not (path := target.with_name(name)).exists())


def _tell(
    contents: Contents, path: Path | str, *, as_json: bool, what: str, more: dict[str, Any] | None = None
) -> None:
    if as_json:
        print_json({"file": str(path), **(more or {}), **described(contents)})
        return
    typer.echo(f"{what}: {size_of(contents)}.")
    if contents.tables:
        columns = ("table", "items", "bytes of items", "rows of indexes")
        print_rows(
            columns,
            (
                [each.name, each.items, each.size_bytes, sum(each.indexes.values())]
                for each in contents.tables
            ),
        )


def size_of(contents: Contents) -> str:
    """How much is in a file, in a few words."""
    return f"{_some(len(contents.tables), 'table')}, {_some(contents.items, 'item')}, {contents.size_bytes:,} bytes"


def _some(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def described(contents: Contents) -> dict[str, Any]:
    """What is in a file, as JSON."""
    tables = [
        {"name": each.name, "items": each.items, "bytes": each.size_bytes, "indexes": each.indexes}
        for each in contents.tables
    ]
    return {"bytes": contents.size_bytes, "items": contents.items, "tables": tables}
