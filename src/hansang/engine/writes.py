"""The one path by which an item changes: its row, the rows of its indexes, its stream record."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import orjson

from hansang.engine import streams
from hansang.engine.capacity import Consumed, write_units
from hansang.engine.schema import IndexSchema, TableSchema
from hansang.engine.sql import change_logs
from hansang.engine.sql.reader import Row
from hansang.engine.sql.writer import Writer
from hansang.engine.values import Item, equal, item_size


class Stored:
    """An item as it stands in the store; decoded when somebody looks at it."""

    def __init__(self, row: Row) -> None:
        self.blob, self.size = row

    @cached_property
    def item(self) -> Item:
        item: Item = orjson.loads(self.blob)
        return item


def stored(writer: Writer, table: TableSchema, key: bytes) -> Stored | None:
    row = writer.get(table.rows, key)
    return None if row is None else Stored(row)


@dataclass(slots=True)
class StoredChange:
    """One item before and after; None is no item. `size` is that of the item after."""

    table: TableSchema
    key: bytes
    old: Stored | None
    new: Item | None
    size: int = 0
    by_service: bool = False
    """Whether DynamoDB itself made the change: an expired item was deleted."""


def apply(writer: Writer, change: StoredChange, now: float) -> Consumed:
    """Write the change, and say what it costs."""
    table, old, new = change.table, change.old, change.new
    consumed = Consumed(write_units(max(change.size, old.size if old else 0)))
    blob = None if new is None else orjson.dumps(new)
    if blob == (old.blob if old else None) or (old and new and old.size == change.size and _same(old, new)):
        return consumed
    if blob is not None:
        writer.put(table.rows, change.key, blob, change.size, old.size if old else None)
    elif old is not None:
        writer.delete(table.rows, change.key, old.size)
    needs_old = table.indexes or table.expiry or table.stream
    before = old.item if old is not None and needs_old else None
    for index in table.indexes:
        _maintain(writer, index, change, before, blob, consumed)
    if table.expiry_rows is not None:
        _maintain_expiry(writer, table, change, before)
    if table.stream is not None:
        streams.record(writer, table, table.stream, change, now)
    if table.log is not None:
        change_logs.append(writer, table.log, now, change.key, (old.blob, old.size) if old else None)
    return consumed


def _same(old: Stored, new: Item) -> bool:
    """Whether nothing changes but the order of attributes or of a set: DynamoDB does not see that."""
    return equal({"M": old.item}, {"M": new})


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


def index_row(
    index: IndexSchema, key: bytes, item: Item, blob: bytes, size: int
) -> tuple[bytes, bytes, int] | None:
    """The row of an item in an index, or None when the item has no place in it."""
    place = index.key.find(item)
    return None if place is None else _row_at(index, place + key, item, blob, size)


def _row_at(index: IndexSchema, key: bytes, item: Item, blob: bytes, size: int) -> tuple[bytes, bytes, int]:
    if index.names is None:
        return key, blob, size
    projected = index.project(item)
    return key, orjson.dumps(projected), item_size(projected)


def _maintain(
    writer: Writer,
    index: IndexSchema,
    change: StoredChange,
    before: Item | None,
    blob: bytes | None,
    consumed: Consumed,
) -> None:
    old = new = None
    if before is not None and change.old is not None:
        old = index_row(index, change.key, before, change.old.blob, change.old.size)
    if change.new is not None and blob is not None:
        if old is not None and before is not None and index.key.is_same(before, change.new):
            new = _row_at(index, old[0], change.new, blob, change.size)
        else:
            new = index_row(index, change.key, change.new, blob, change.size)
    if index.filling and old is not None and writer.get(index.rows, old[0]) is None:
        old = None
    # An index that holds all of an item changes whenever the item does.
    if old == new or (index.names is not None and old and new and alike(old, new)):
        return
    units = 0.0
    if old is not None and (new is None or old[0] != new[0]):
        # DynamoDB deletes the old entry and puts the new one: two writes (R7).
        writer.delete(index.rows, old[0], old[2])
        units += write_units(old[2])
        old = None
    if new is not None:
        writer.put(index.rows, *new, old[2] if old else None)
        units += write_units(max(new[2], old[2] if old else 0))
    consumed.add_index(index.name, units, is_global=index.is_global)


def alike(old: tuple[bytes, bytes, int], new: tuple[bytes, bytes, int]) -> bool:
    """Whether two rows of an index differ in the order of attributes or of sets alone."""
    if old[0] != new[0] or old[2] != new[2]:
        return False
    return equal({"M": orjson.loads(old[1])}, {"M": orjson.loads(new[1])})


# ── expiry ────────────────────────────────────────────────────────────────────────────────────────


def expiry_row(attribute: str, key: bytes, item: Item) -> bytes | None:
    """Where an item stands in the order of expiry; None when it never expires."""
    value = item.get(attribute)
    if value is None or "N" not in value:
        return None
    seconds = value["N"].partition(".")[0]
    if seconds.startswith("-") or len(seconds) > 15:
        return None
    return int(seconds).to_bytes(8, "big") + key


def _maintain_expiry(writer: Writer, table: TableSchema, change: StoredChange, before: Item | None) -> None:
    assert table.expiry is not None
    assert table.expiry_rows is not None
    old = None if before is None else expiry_row(table.expiry, change.key, before)
    new = None if change.new is None else expiry_row(table.expiry, change.key, change.new)
    if old == new:
        return
    if old is not None:
        writer.delete(table.expiry_rows, old, 0)
    if new is not None:
        writer.put(table.expiry_rows, new, b"", 0, None)
