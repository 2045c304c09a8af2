"""Filling a new index, or the order of expiry, from the items that were there before.

An index that is being filled is in the catalog from the start, so every write maintains it; the
items that were there are walked in pieces, each in a transaction of its own, so that other writers
get their turn. Walking twice does no harm, so a fill that was cut off is simply done again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.catalog import CatalogChanged
from hansang.engine.key_order import EVERYTHING
from hansang.engine.schema import Index, Table
from hansang.engine.store import Writer
from hansang.engine.writes import expiry_row, index_row

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PIECE = 500

Entry = tuple[bytes, bytes, int]


def resume(engine: Engine) -> None:
    """Finish what an earlier process began."""
    for table in engine.catalog():
        for description in table.definition["GlobalSecondaryIndexes"]:
            if description.get("Backfilling"):
                fill_index(engine, table.name, description["IndexName"])
        if (table.definition.get("expiry") or {}).get("filling"):
            fill_expiry(engine, table.name)


def fill_index(engine: Engine, table_name: str, index_name: str) -> None:
    def put(writer: Writer, table: Table, entry: Entry) -> None:
        _put_index_row(writer, table.index(index_name), entry)

    def finish(definition: dict[str, Any]) -> None:
        for description in definition["GlobalSecondaryIndexes"]:
            if description["IndexName"] == index_name:
                description.pop("Backfilling", None)

    _walk(engine, table_name, put, finish)


def _put_index_row(writer: Writer, index: Index, entry: Entry) -> None:
    key, blob, size = entry
    row = index_row(index, key, orjson.loads(blob), blob, size)
    if row is not None:
        there = writer.get(index.rows, row[0])
        writer.put(index.rows, *row, there[1] if there else None)


def fill_expiry(engine: Engine, table_name: str) -> None:
    def put(writer: Writer, table: Table, entry: Entry) -> None:
        if table.expiry is None or table.expiry_rows is None:
            return
        row = expiry_row(table.expiry, entry[0], orjson.loads(entry[1]))
        if row is not None and writer.get(table.expiry_rows, row) is None:
            writer.put(table.expiry_rows, row, b"", 0, None)

    def finish(definition: dict[str, Any]) -> None:
        (definition.get("expiry") or {}).pop("filling", None)

    _walk(engine, table_name, put, finish)


def _walk(
    engine: Engine,
    name: str,
    put: Callable[[Writer, Table, Entry], None],
    finish: Callable[[dict[str, Any]], None],
) -> None:
    low: bytes | None = EVERYTHING[0]
    while low is not None:
        low = _retried(engine, partial(_piece, engine, name, put, low))
    _retried(engine, lambda: _finish(engine, name, finish))


def _piece(
    engine: Engine, name: str, put: Callable[[Writer, Table, Entry], None], low: bytes
) -> bytes | None:
    catalog = engine.catalog()
    table = catalog.find(name)
    if table is None:
        return None

    def job(writer: Writer) -> bytes | None:
        entries = writer.entries(table.rows, low, EVERYTHING[1], _PIECE)
        for entry in entries:
            put(writer, table, entry)
        return entries[-1][0] + b"\0" if len(entries) == _PIECE else None

    return engine.write(catalog, job)


def _finish(engine: Engine, name: str, finish: Callable[[dict[str, Any]], None]) -> None:
    catalog = engine.catalog()
    table = catalog.find(name)
    if table is None:
        return
    definition = orjson.loads(orjson.dumps(table.definition))
    finish(definition)
    engine.write(catalog, lambda writer: writer.save_table(definition))


def _retried(engine: Engine, step: Callable[[], Any]) -> Any:
    while True:
        try:
            return step()
        except CatalogChanged:
            engine.refresh()
