"""Keys as bytes that sort as DynamoDB sorts.

A row's key is the slot of its partition, the partition key, and the sort key; a row of an index has
the key of its item behind that. The slot is a hash of the partition key, so that a scan meets the
partitions in no order that an application could lean on, and a segment of a scan is a range of slots.
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable, Sequence
from struct import Struct

from hansang.engine import numbers
from hansang.engine.values import Value, decoded

SLOTS = 1 << 16

_slot_and_length = Struct(">HH").pack
_length = Struct(">H").pack
_slot = Struct(">H").pack


RAW: dict[str, Callable[[str], bytes]] = {"S": str.encode, "N": numbers.sortable, "B": decoded}
"""The bytes of a key value, by its type: what a hash is taken of, and what limits on length count."""


def raw(tag: str, content: str) -> bytes:
    return RAW[tag](content)


def partition(values: Sequence[tuple[str, str]]) -> bytes:
    """The leading bytes of all rows of one partition; `values` are (type, content) pairs."""
    if len(values) == 1:
        return partition_of(raw(*values[0]))
    parts = [raw(tag, content) for tag, content in values]
    hashed = crc32(b"".join(parts)) & 0xFFFF
    return _slot(hashed) + b"".join(_length(len(part)) + part for part in parts)


def partition_of(key: bytes) -> bytes:
    """The same for a partition key of one attribute, from its bytes."""
    return _slot_and_length(crc32(key) & 0xFFFF, len(key)) + key


def ordered(tag: str, content: str) -> bytes:
    """A sort key value, closed by a mark that sorts before everything that could follow."""
    return ORDERED[tag](content)


def _closed_text(content: str) -> bytes:
    text = content.encode()
    return text + b"\0\0" if b"\0" not in text else text.replace(b"\0", b"\0\xff") + b"\0\0"


def _closed_binary(content: str) -> bytes:
    return decoded(content).replace(b"\0", b"\0\xff") + b"\0\0"


ORDERED: dict[str, Callable[[str], bytes]] = {"S": _closed_text, "N": numbers.sortable, "B": _closed_binary}


def escaped(tag: str, content: str) -> bytes:
    """The beginning of a sort key value, not closed."""
    return raw(tag, content).replace(b"\0", b"\0\xff")


def after(prefix: bytes) -> bytes:
    """The first key behind all keys that begin with `prefix`."""
    trimmed = prefix.rstrip(b"\xff")
    return trimmed[:-1] + bytes([trimmed[-1] + 1]) if trimmed else b"\xff" * (len(prefix) + 1)


def segment(number: int, total: int) -> tuple[bytes, bytes]:
    """The range of keys of one segment of a parallel scan."""
    first, last = number * SLOTS // total, (number + 1) * SLOTS // total
    return _slot(first) if first < SLOTS else b"\xff\xff\xff", _slot(
        last
    ) if last < SLOTS else b"\xff\xff\xff"


EVERYTHING = (b"", b"\xff\xff\xff")


def content_of(value: Value) -> tuple[str, str]:
    [pair] = value.items()
    return pair
