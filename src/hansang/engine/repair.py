"""Mending a data file from its own items: indexes are filled again, counts corrected, checksums added.

Each step is a transaction of its own, short enough that other writers get their turn; one that was cut off is done
again by the next repair, and an index that was not filled to its end is filled when the file is next opened.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from hansang.engine import backfill
from hansang.engine.catalog import Catalog, CatalogChanged
from hansang.engine.damage import DamageReport
from hansang.engine.engine import Engine
from hansang.engine.file import check
from hansang.engine.inspection import Watch
from hansang.engine.schema import EXPIRY, TableSchema
from hansang.engine.sql.archives import archived_rows
from hansang.engine.sql.checksums import SIZE, is_sound
from hansang.engine.sql.connections import looking
from hansang.engine.sql.errors import DamagedRow, RowsGone
from hansang.engine.sql.reader import Reader, Row
from hansang.engine.sql.writer import Writer
from hansang.errors import DamagedFile, StoreError

REBUILD, SEAL = "rebuild the indexes", "add checksums"
_PIECE = 500


def repair(engine: Engine, report: DamageReport, watch: Watch, backup: Path | None = None) -> None:
    """Mend what can be mended of what was found; items from a row that holds all of them, or from a backup."""
    mend_misplaced(engine, report)
    mend_from_indexes(engine, report)
    older = set() if backup is None else mend_from_backup(engine, report, backup)
    damaged = list(dict.fromkeys((each.table, each.index) for each in report.damages if each.index))
    damaged += [
        (table.name, name)
        for table in engine.catalog()
        for name in table.places.values()
        if table.name in older and name is not None and (table.name, name) not in damaged
    ]
    for done, (table, index) in enumerate(damaged):
        watch(REBUILD, done, len(damaged))
        rebuild(engine, table, index)
        watch(REBUILD, done + 1, len(damaged))
    drop_orphans(engine)
    if report.plain:
        seal(engine, watch)
    for each in engine.catalog():
        recount(engine, each)


# ── items ─────────────────────────────────────────────────────────────────────────────────────────


def mend_misplaced(engine: Engine, report: DamageReport) -> None:
    """Put items that are whole, and stand under a damaged key, back under their own."""
    for each in report.damages:
        table = engine.catalog().find(each.table) if each.meant else None
        there = None if table is None else engine.read(partial(_stored, table.rows, each.row))
        if table is not None and there is not None and is_sound(table.rows, each.meant, *there):
            _mend(engine, each.table, each.meant, (there[0], there[1] & SIZE), each.row)


def _stored(rows: int, key: bytes, reader: Reader) -> tuple[bytes, int] | None:
    return reader.find_stored(rows, key)


def mend_from_indexes(engine: Engine, report: DamageReport) -> None:
    """Put damaged items back as an index has them that holds all of their attributes."""
    for (name, key), (rows, place) in report.copies.items():
        found = engine.read(lambda reader, rows=rows, place=place: reader.get(rows, place))  # type: ignore[misc]
        if found is not None:
            _mend(engine, name, key, found)


def mend_from_backup(engine: Engine, report: DamageReport, backup: Path) -> set[str]:
    """Put damaged items back as a backup has them; the tables that got one."""
    mended = set()
    check(str(backup))
    with looking(backup, at_rest=True) as reader:
        kept = Catalog.load(reader)
        for each in report.damages:
            table = kept.find(each.table) if each.kind == "item" and each.row else None
            key = each.meant or each.row
            found = None if table is None else reader.get(table.rows, key)
            if found is not None and _mend(engine, each.table, key, found, each.row):
                mended.add(each.table)
    return mended


def _mend(engine: Engine, name: str, key: bytes, good: Row, damaged: bytes | None = None) -> bool:
    """Put an item in its place, if what stands there, or under the key `damaged`, is still not sound."""
    table, place = engine.catalog().find(name), damaged or key

    def job(writer: Writer) -> bool:
        there = None if table is None else writer.find_stored(table.rows, place)
        if table is None or there is None or is_sound(table.rows, place, *there):
            return False
        if place != key:
            if writer.find_stored(table.rows, key) is not None:
                return False
            writer.discard(table.rows, place)
        writer.mend(table.rows, key, *good)
        return True

    return engine.store.write(job)


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


def rebuild(engine: Engine, table: str, index: str) -> None:
    """Make the rows of an index again, from the items of its table; until that is done it cannot be read."""
    _again(engine, partial(_start, index), table)
    if index == EXPIRY:
        backfill.fill_expiry(engine, table)
    else:
        backfill.fill_index(engine, table, index)


def _start(index: str, writer: Writer, definition: dict[str, Any]) -> None:
    """Give an index new rows, which are still to be filled; the old ones belong to nobody then."""
    if index == EXPIRY:
        definition["expiry"] |= {"rows": writer.create_rows(), "filling": True}
    for each in [*definition["LocalSecondaryIndexes"], *definition["GlobalSecondaryIndexes"]]:
        if each["IndexName"] == index:
            each |= {"rows": writer.create_rows(), "Backfilling": True}
    writer.save_table(definition)


def _again(engine: Engine, change: Callable[[Writer, dict[str, Any]], None], name: str) -> None:
    """Change a table's entry in the catalog, whatever else changes meanwhile."""

    def attempt(catalog: Catalog) -> None:
        table = catalog.find(name)
        if table is not None:
            definition = orjson.loads(orjson.dumps(table.definition))
            engine.write(catalog, lambda writer: change(writer, definition))

    _settled(engine, attempt)


def _settled(engine: Engine, attempt: Callable[[Catalog], None]) -> None:
    while True:
        try:
            return attempt(engine.catalog())
        except (CatalogChanged, RowsGone):
            engine.refresh()


def drop_orphans(engine: Engine) -> None:
    """Drop rows that no table and no index has; SQLite may be unable to, when their pages are damaged."""

    def attempt(catalog: Catalog) -> None:
        known = {rows for table in catalog for rows in table.places}
        known |= engine.read(archived_rows)
        for rows in sorted(engine.read(lambda reader: reader.all_rows()) - known):
            with suppress(DamagedFile):
                engine.write(catalog, lambda writer, rows=rows: writer.drop_rows(rows))  # type: ignore[misc]

    _settled(engine, attempt)


# ── counts and checksums ──────────────────────────────────────────────────────────────────────────


def recount(engine: Engine, table: TableSchema) -> None:
    """Correct what was counted; the rows of one table or index are counted in one transaction."""
    for rows in table.places:
        with suppress(StoreError, RowsGone):
            if not engine.read(partial(_is_counted, rows)):
                engine.store.write(lambda writer, rows=rows: writer.count_again(rows))  # type: ignore[misc]


def _is_counted(rows: int, reader: Reader) -> bool:
    try:
        return reader.measured(rows) == reader.counts(rows)
    except DamagedRow:
        return False


def seal(engine: Engine, watch: Watch) -> None:
    """Give every row a checksum that has none; from then on one without is damaged."""
    places = [rows for table in engine.catalog() for rows in table.places]
    for done, rows in enumerate(places):
        low: bytes | None = b""
        while low is not None:
            low = _sealed(engine, rows, low)
        watch(SEAL, done + 1, len(places))
    engine.store.write(Writer.forbid_plain_rows)


def _sealed(engine: Engine, rows: int, low: bytes) -> bytes | None:
    try:
        return engine.store.write(lambda writer: writer.seal(rows, low, _PIECE))
    except RowsGone:
        return None
