"""A checksum in every row.

The number that stands beside a row's value is its mark: the size of the item in the low bits, and a checksum of
everything in the row above them. The checksum rests on Adler-32, whose low half is a sum of bytes. So the marks of
many rows can be added up in SQL and compared with the sum of their joined bytes, which costs one pass over these
instead of one step a row. A row of a file that was made before format 2 may have its size alone.
"""

from __future__ import annotations

from zlib import adler32, crc32

from hansang.engine.sql.errors import DamagedRow

SIZE_BITS = 27
"""A mark has the size in so many bits: the sizes of a joined page add up to less."""
SIZE = (1 << SIZE_BITS) - 1
_PRIME = 65521
_COMMA = ord(",")
_COUNTED = 1_000_003


def mark_of(rows: int, key: bytes, value: bytes, size: int) -> int:
    """The mark of a row: 27 bits of size, 29 of checksum, so that SQL can add up 128 of them."""
    total = adler32(value, adler32(key))
    low = ((total & 0xFFFF) + size + rows) % _PRIME
    return size | (low + _PRIME * (total >> 16 & 0x1FFF) + 1) << SIZE_BITS


def is_sound(rows: int, key: object, value: object, mark: object) -> bool:
    """Whether a row is what was once written; one without a checksum is not."""
    if not (isinstance(key, bytes) and isinstance(value, bytes) and isinstance(mark, int)):
        return False
    return mark_of(rows, key, value, mark & SIZE) == mark


def are_sound(rows: int, keys: bytes, values: bytes, marks: object, count: int) -> bool:
    """The same for many rows: keys and values joined with commas, marks added up."""
    if type(marks) is not int:
        return False
    bytes_sum = (adler32(keys) & 0xFFFF) + (adler32(values) & 0xFFFF) - 2 * (1 + _COMMA * (count - 1))
    return ((marks >> SIZE_BITS) - bytes_sum - (marks & SIZE) - count * (rows + 2)) % _PRIME == 0


def count_mark(rows: int, items: int, size_bytes: int) -> int:
    """A checksum of what was counted, which grows with it by as much as each of the numbers says."""
    return rows + items * _COUNTED + size_bytes


def sealed(text: bytes, *about: object) -> bytes:
    """A document of the catalog or of a stream with its checksum behind it, on a line of its own."""
    return b"%b\n%08x" % (text, _checksum(text, about))


def unsealed(stored: object, *about: object) -> bytes:
    """The document, once its checksum is found right; one that was stored without any has no line for it."""
    if not isinstance(stored, bytes):
        raise DamagedRow(None, None)
    text, line, checksum = stored.rpartition(b"\n")
    if not line:
        return stored
    if checksum != b"%08x" % _checksum(text, about):
        raise DamagedRow(None, None)
    return text


def _checksum(text: bytes, about: tuple[object, ...]) -> int:
    return crc32(text, crc32(repr(about).encode()))
