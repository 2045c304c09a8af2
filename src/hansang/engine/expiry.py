"""Items that expire: found in the order of their time, deleted as DynamoDB itself deletes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansang.engine.catalog import Catalog, CatalogChanged
from hansang.engine.schema import TableSchema
from hansang.engine.sql.errors import RowsGone
from hansang.engine.sql.writer import Writer
from hansang.engine.writes import StoredChange, apply, expiry_row, stored

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_AT_ONCE = 200
# DynamoDB leaves alone what expired more than five years ago: most likely no time at all.
_OLDEST_SECONDS = 5 * 365 * 24 * 60 * 60


def sweep(engine: Engine) -> int:
    """Delete every expired item of every table; the number of them."""
    return sum(_sweep_table(engine, table.name) for table in engine.catalog() if table.expiry)


def _sweep_table(engine: Engine, name: str) -> int:
    gone = 0
    while True:
        catalog = engine.catalog()
        table = catalog.find(name)
        if table is None or table.expiry_rows is None:
            return gone
        try:
            deleted = _sweep_piece(engine, catalog, table)
        except (CatalogChanged, RowsGone):
            engine.refresh()
            continue
        gone += deleted
        if deleted < _AT_ONCE:
            return gone


def _sweep_piece(engine: Engine, catalog: Catalog, table: TableSchema) -> int:
    rows, now = table.expiry_rows, engine.clock()
    assert rows is not None
    low, high = (max(int(seconds), 0).to_bytes(8, "big") for seconds in (now - _OLDEST_SECONDS, now + 1))
    if not engine.read(lambda reader: reader.keys(rows, low, high, 1)):
        return 0

    def job(writer: Writer) -> int:
        found = writer.keys(rows, low, high, _AT_ONCE)
        for expired in found:
            _delete(writer, table, expired, now)
        return len(found)

    return engine.write(catalog, job, _AT_ONCE)


def _delete(writer: Writer, table: TableSchema, expired: bytes, now: float) -> None:
    assert table.expiry is not None
    assert table.expiry_rows is not None
    key = expired[8:]
    old = stored(writer, table, key)
    if old is None or expiry_row(table.expiry, key, old.item) != expired:
        writer.delete(table.expiry_rows, expired, 0)
    else:
        apply(writer, StoredChange(table, key, old, None, by_service=True), now)
