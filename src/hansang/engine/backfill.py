"""Filling a new index, or the order of expiry, from the items that were there before.

An index that is being filled is in the catalog from the start, so every write maintains it; the
items that were there are walked in pieces, each in a transaction of its own, so that other writers
get their turn. Walking twice does no harm, so a fill that was cut off is simply done again. A walk
belongs to the rows that it fills, not to a name: when they are dropped meanwhile, it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from hansang.engine.catalog import Catalog, CatalogChanged
from hansang.engine.key_order import EVERYTHING
from hansang.engine.schema import IndexSchema, TableSchema
from hansang.engine.sql.errors import DamagedRow
from hansang.engine.sql.writer import Writer
from hansang.engine.writes import expiry_row, index_row
from hansang.errors import StoreBusy

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PIECE = 500
_PATIENCE = 12
"""How often a piece is tried while another process does not let the file go; a fill is not begun again lightly."""

Entry = tuple[bytes, bytes, int]


class _Fill(NamedTuple):
    """Rows that are filled, and of which table."""

    table: str
    rows: int
    put: Callable[[Writer, TableSchema, Entry], None]
    finish: Callable[[dict[str, Any]], None]


def resume(engine: Engine) -> None:
    """Finish what an earlier process began."""
    for table in engine.catalog():
        for index in table.indexes:
            if index.filling:
                fill_index(engine, table.name, index.name)
        if (table.definition.get("expiry") or {}).get("filling"):
            fill_expiry(engine, table.name)


# ── an index ──────────────────────────────────────────────────────────────────────────────────────


def fill_index(engine: Engine, table_name: str, index_name: str) -> None:
    table = engine.catalog().find(table_name)
    for index in table.indexes if table else ():
        if index.name == index_name:
            put, finish = partial(_put_index_row, index), partial(_finish_index, index)
            _walk(engine, _Fill(table_name, index.rows, put, finish))


def _put_index_row(index: IndexSchema, writer: Writer, table: TableSchema, entry: Entry) -> None:
    key, blob, size = entry
    row = index_row(index, key, orjson.loads(blob), blob, size)
    if row is not None:
        there = writer.get(index.rows, row[0])
        writer.put(index.rows, *row, there[1] if there else None)


def _finish_index(index: IndexSchema, definition: dict[str, Any]) -> None:
    for description in [*definition["LocalSecondaryIndexes"], *definition["GlobalSecondaryIndexes"]]:
        if description["rows"] == index.rows:
            description.pop("Backfilling", None)


# ── the order of expiry ───────────────────────────────────────────────────────────────────────────


def fill_expiry(engine: Engine, table_name: str) -> None:
    table = engine.catalog().find(table_name)
    if table is not None and table.expiry_rows is not None:
        _walk(engine, _Fill(table_name, table.expiry_rows, _put_expiry_row, _finish_expiry))


def _put_expiry_row(writer: Writer, table: TableSchema, entry: Entry) -> None:
    assert table.expiry is not None
    assert table.expiry_rows is not None
    row = expiry_row(table.expiry, entry[0], orjson.loads(entry[1]))
    if row is not None and writer.get(table.expiry_rows, row) is None:
        writer.put(table.expiry_rows, row, b"", 0, None)


def _finish_expiry(definition: dict[str, Any]) -> None:
    definition["expiry"].pop("filling", None)


# ── the walk ──────────────────────────────────────────────────────────────────────────────────────


def _walk(engine: Engine, fill: _Fill) -> None:
    low: bytes | None = EVERYTHING[0]
    while low is not None:
        low = retried(engine, partial(_piece, engine, fill, low))
    retried(engine, partial(_finish, engine, fill))


def _find(catalog: Catalog, fill: _Fill) -> TableSchema | None:
    """The table, as long as the rows that are filled are still part of it."""
    table = catalog.find(fill.table)
    if table is None or fill.rows not in (table.expiry_rows, *(index.rows for index in table.indexes)):
        return None
    return table


def _piece(engine: Engine, fill: _Fill, low: bytes) -> bytes | None:
    catalog = engine.catalog()
    table = _find(catalog, fill)
    if table is None:
        return None

    def job(writer: Writer) -> bytes | None:
        entries = writer.stored(table.rows, low, EVERYTHING[1], _PIECE)
        for key, blob, mark in entries:
            # What a damaged item holds is not known; `hansang check` names it.
            with suppress(DamagedRow):
                fill.put(writer, table, (key, blob, writer.size_in(table.rows, key, blob, mark)))
        return max(key for key, _, _ in entries) + b"\0" if len(entries) == _PIECE else None

    return engine.write(catalog, job, _PIECE)


def _finish(engine: Engine, fill: _Fill) -> None:
    catalog = engine.catalog()
    table = _find(catalog, fill)
    if table is None:
        return
    definition = orjson.loads(orjson.dumps(table.definition))
    fill.finish(definition)
    engine.change(catalog, lambda writer: writer.save_table(definition))


def retried(engine: Engine, step: Callable[[], Any]) -> Any:
    """Take a step, whatever is changed in the catalog meanwhile and whoever holds the file for a while."""
    patience = _PATIENCE
    while True:
        try:
            return step()
        except CatalogChanged:
            engine.refresh()
        except StoreBusy:
            patience -= 1
            if not patience:
                raise
