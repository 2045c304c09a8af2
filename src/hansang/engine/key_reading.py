"""Keys read back from the bytes of a row, to name it when its item cannot be read."""

from __future__ import annotations

from hansang.engine import numbers
from hansang.engine.schema import EXPIRY, KeySchema, TableSchema
from hansang.engine.values import Item, Value, encoded
from hansang.errors import WireError

_EXPIRY_BYTES = 8
_CLOSE, _ESCAPED = b"\0\0", b"\0\xff"


def find_row_key(table: TableSchema, index: str | None, row: bytes) -> Item | None:
    """The key of the item that a row of a table or an index belongs to; None unless the row's key is whole."""
    try:
        if index == EXPIRY:
            row = row[_EXPIRY_BYTES:]
        elif index is not None:
            row = _split(table.index(index).key, row)[1]
        found, rest = _split(table.key, row)
        return found if not rest and table.key.encode(found) == row else None
    except (IndexError, TypeError, ValueError, WireError):
        return None


def _split(schema: KeySchema, row: bytes) -> tuple[Item, bytes]:
    """The attributes of a key, and what is behind them; the slot is told by the partition key."""
    found: Item = {}
    rest = row[2:]
    for attribute in schema.hash:
        end = 2 + int.from_bytes(rest[:2])
        found[attribute.name] = _value(attribute.kind, rest[2:end])
        rest = rest[end:]
    for attribute in schema.range:
        end = numbers.sortable_length(rest) if attribute.kind == "N" else _closing(rest)
        content = rest[:end] if attribute.kind == "N" else rest[: end - 2].replace(_ESCAPED, b"\0")
        found[attribute.name] = _value(attribute.kind, content)
        rest = rest[end:]
    return found, rest


def _closing(row: bytes) -> int:
    """Where a sort key ends, behind the mark that closes it."""
    place = row.index(b"\0")
    while row[place : place + 2] == _ESCAPED:
        place = row.index(b"\0", place + 2)
    if row[place : place + 2] != _CLOSE:
        raise ValueError("The sort key is not closed.")
    return place + 2


def _value(kind: str, content: bytes) -> Value:
    if kind == "N":
        return {"N": numbers.from_sortable(content)}
    return {kind: content.decode() if kind == "S" else encoded(content)}
