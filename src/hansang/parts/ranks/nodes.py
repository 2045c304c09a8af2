"""The nodes of a counted tree, packed into bytes and searched without being unpacked.

A leaf holds distinct scores, the highest first, and for each how many rows stand above it in the leaf. An inner node
holds for each child its lowest score, the rows above it, and its id. The numbers of one node are as wide as its own
spread needs; scores without a gap are not stored at all.
"""

from __future__ import annotations

import sys
from array import array
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, islice
from operator import itemgetter, sub
from struct import Struct
from typing import NamedTuple, TypeVar

HIGHEST = 10**38 - 1
"""DynamoDB keeps 38 digits of a number (X5-28); scores lie from minus this to this."""
ID_LENGTH = 12

_HEADER = Struct(">BBBI16sQ")
_LEAF, _INNER = 0, 1
_WIDTHS = (1, 2, 4, 8, 16)
_TYPES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_SWAPPED = sys.byteorder == "little"
_OFTEN = 2
"""A node that is searched so many times is decoded and unpacked for the searches to come."""
_WIDEST = 16
"""Of such numbers the upper halves are unpacked, which nearly always differ: whole, they would take much memory."""


class LeafEntry(NamedTuple):
    """A score, and how many rows have it."""

    low: int
    rows: int


class Child(NamedTuple):
    """A node below: its lowest score, how many rows it holds, and its id."""

    low: int
    rows: int
    ident: bytes


ScoreRows = tuple[int, int]
"""What a `LeafEntry` is: leaves that are written anew are made of plain ones, thousands at a time."""
T = TypeVar("T", ScoreRows, Child)


class EncodedBytes:
    """Bytes in base64, of which a search decodes those that it looks at: most of a node is never looked at."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __getitem__(self, wanted: slice) -> bytes:
        skipped = wanted.start // 3 * 3
        found = a2b_base64(self._text[skipped // 3 * 4 : (wanted.stop + 2) // 3 * 4])
        return found[wanted.start - skipped : wanted.stop - skipped]

    def __bytes__(self) -> bytes:
        return a2b_base64(self._text)


class RankNode:
    """One node as it is stored; `lows` are the scores of a leaf, or the lowest scores of the children."""

    __slots__ = (
        "_above_at",
        "_above_width",
        "_first",
        "_ids_at",
        "_numbers",
        "_packed",
        "_searches",
        "_width",
        "is_leaf",
        "size",
        "total",
    )

    def __init__(self, packed: bytes | EncodedBytes) -> None:
        header = packed[0 : _HEADER.size]
        kind, self._width, self._above_width, size, first, total = _HEADER.unpack(header)
        self._packed, self.is_leaf = packed, kind == _LEAF
        self.size: int = size
        self.total: int = total
        self._first = int.from_bytes(first, signed=True)
        self._above_at = _HEADER.size + self.size * self._width
        self._ids_at = self._above_at + self.size * self._above_width
        self._searches = 0
        self._numbers: tuple[Sequence[int], Sequence[int]] | None = None

    @classmethod
    def leaf(cls, entries: Sequence[ScoreRows]) -> RankNode:
        return cls(_packed(_LEAF, entries))

    @classmethod
    def inner(cls, children: Sequence[Child]) -> RankNode:
        return cls(_packed(_INNER, children) + b"".join(child.ident for child in children))

    @property
    def blob(self) -> bytes:
        """The bytes of the node."""
        return bytes(self._packed)

    # ── one entry ─────────────────────────────────────────────────────────────────────────────────

    def low(self, place: int) -> int:
        return self._first - self._offset(place)

    def above(self, place: int) -> int:
        """How many rows of the node stand above an entry; behind the last one, all of them."""
        if place == self.size:
            return self.total
        if self._numbers is not None:
            return self._numbers[1][place]
        at = self._above_at + place * self._above_width
        return int.from_bytes(self._packed[at : at + self._above_width])

    def counted(self, place: int, score: int) -> tuple[int, int]:
        """How many rows of a leaf stand above an entry, and how many have this score there."""
        above = self.above(place)
        return above, self.above(place + 1) - above if self.low(place) == score else 0

    def count(self, place: int) -> int:
        return self.above(place + 1) - self.above(place)

    def ident(self, place: int) -> bytes:
        at = self._ids_at + place * ID_LENGTH
        return self._packed[at : at + ID_LENGTH]

    def _offset(self, place: int) -> int:
        if not self._width:
            return place
        at = _HEADER.size + place * self._width
        return int.from_bytes(self._packed[at : at + self._width])

    # ── searching ─────────────────────────────────────────────────────────────────────────────────

    def at_or_below(self, score: int) -> int:
        """The first entry whose score is not above this one; the size of the node if there is none."""
        offset = self._first - score
        if not self._width:
            return min(max(offset, 0), self.size)
        if self._numbers is None:
            self._count_search()
            return bisect_left(range(self.size), offset, key=self._offset)
        if self._width < _WIDEST:
            return bisect_left(self._numbers[0], offset)
        upper, upper_half = self._numbers[0], offset >> 64
        first = bisect_left(upper, upper_half)
        if first == self.size or upper[first] != upper_half:
            return first
        last = bisect_right(upper, upper_half, first)
        return first + bisect_left(range(first, last), offset, key=self._offset)

    def holding(self, position: int) -> int:
        """The entry in which the row at a position from 0 stands."""
        if self._numbers is None:
            self._count_search()
            return bisect_right(range(self.size), position, key=self.above) - 1
        return bisect_right(self._numbers[1], position) - 1

    def _count_search(self) -> None:
        self._searches += 1
        if self._searches < _OFTEN:
            return
        self._packed = blob = self.blob
        above = split_up(blob, self._above_at, self._above_width, self.size)
        if self._width == _WIDEST:
            self._numbers = split_up(blob, _HEADER.size, 8, 2 * self.size)[::2], above
        else:
            offsets = split_up(blob, _HEADER.size, self._width, self.size) if self._width else ()
            self._numbers = offsets, above

    # ── everything ────────────────────────────────────────────────────────────────────────────────

    def entries(self) -> list[LeafEntry]:
        """The scores of a leaf with their counts."""
        return list(map(LeafEntry, self._lows(), self._counts()))

    def counts(self) -> dict[int, int]:
        """The same, to be changed: how many rows each score of a leaf has, the highest score first."""
        return dict(zip(self._lows(), self._counts(), strict=True))

    def children(self) -> list[Child]:
        """The nodes below an inner one."""
        pairs = zip(self._lows(), self._counts(), strict=True)
        return [Child(low, count, self.ident(place)) for place, (low, count) in enumerate(pairs)]

    def _lows(self) -> Iterator[int]:
        first = self._first
        if not self._width:
            return iter(range(first, first - self.size, -1))
        return map(first.__sub__, split_up(self.blob, _HEADER.size, self._width, self.size))

    def _counts(self) -> Iterator[int]:
        above = split_up(self.blob, self._above_at, self._above_width, self.size)
        return map(sub, chain(islice(above, 1, None), (self.total,)), above)


# ── packing ───────────────────────────────────────────────────────────────────────────────────────


def _packed(kind: int, entries: Sequence[ScoreRows | Child]) -> bytes:
    first = entries[0][0] if entries else 0
    offsets = [first - entry[0] for entry in entries]
    above = _sums(entries)
    total = above.pop()
    width = 0 if not offsets or _is_dense(offsets[-1], len(offsets)) else width_of(offsets[-1])
    above_width = width_of(above[-1] if above else 0)
    header = _HEADER.pack(kind, width, above_width, len(entries), first.to_bytes(16, signed=True), total)
    return header + (joined(offsets, width) if width else b"") + joined(above, above_width)


def _sums(entries: Iterable[ScoreRows | Child]) -> list[int]:
    """How many rows stand above each entry, and at last how many there are."""
    return list(accumulate(map(itemgetter(1), entries), initial=0))


def _is_dense(last: int, size: int) -> bool:
    """Whether so many falling scores have no gap, the last being so far below the first."""
    return last == size - 1


def width_of(number: int) -> int:
    """How many bytes a number up to this one takes."""
    needed = (number.bit_length() + 7) // 8
    return next(width for width in _WIDTHS if width >= needed)


def joined(numbers: Sequence[int], width: int) -> bytes:
    """Numbers of so many bytes each."""
    if width not in _TYPES:
        return b"".join(number.to_bytes(width) for number in numbers)
    found = array(_TYPES[width], numbers)
    if _SWAPPED:
        found.byteswap()
    return found.tobytes()


def split_up(blob: bytes, start: int, width: int, size: int) -> Sequence[int]:
    """The numbers of so many bytes each that begin there."""
    end = start + size * width
    if width not in _TYPES:
        return [int.from_bytes(blob[at : at + width]) for at in range(start, end, width)]
    found = array(_TYPES[width], blob[start:end])
    if _SWAPPED:
        found.byteswap()
    return found


class NodeSize:
    """How large a node becomes as entries come to it, the highest first."""

    __slots__ = ("_entry", "_first", "_is_dense", "_size", "_total")

    def __init__(self, *, is_leaf: bool) -> None:
        self._entry = 0 if is_leaf else ID_LENGTH
        self._first, self._size, self._total, self._is_dense = 0, 0, 0, True

    def add(self, low: int, count: int) -> int:
        """The size of the node with one more entry; where it was too large, begin another with it."""
        if not self._size:
            self._first = low
        offset = self._first - low
        self._is_dense = self._is_dense and offset == self._size
        self._size += 1
        width = (0 if self._is_dense else width_of(offset)) + width_of(self._total) + self._entry
        self._total += count
        return _HEADER.size + self._size * width


def split(entries: Sequence[ScoreRows], limit: int) -> list[Sequence[ScoreRows]]:
    """Entries of leaves in pieces that fit a node; where one is not enough, none is quite full."""
    return _split(entries, limit, 0)


def split_children(children: Sequence[Child], limit: int) -> list[Sequence[Child]]:
    """The children of inner nodes in pieces that fit a node."""
    return _split(children, limit, ID_LENGTH)


def _split(entries: Sequence[T], limit: int, beside: int) -> list[Sequence[T]]:
    """In pieces, where so many bytes stand beside the numbers of each entry."""
    lows, above = [entry[0] for entry in entries], _sums(entries)

    def size(start: int, end: int) -> int:
        last, count = lows[start] - lows[end - 1], end - start
        width = 0 if _is_dense(last, count) else width_of(last)
        return _HEADER.size + count * (width + width_of(above[end - 1] - above[start]) + beside)

    if not entries or size(0, len(entries)) <= limit:
        return [entries] if entries else []
    pieces: list[Sequence[T]] = []
    start = 0
    while start < len(entries):
        # A node grows with every entry, so where it is full is searched for and not walked to.
        ends = range(start + 1, len(entries) + 1)
        fitting = bisect_right(ends, limit * 7 // 10, key=partial(size, start))
        # Three at least: an inner node of fewer would not make the tree any smaller.
        end = start + max(fitting, 3)
        pieces.append(entries[start:end])
        start = end
    return pieces
