"""Which links a run has seen, in some twenty bytes for each."""

from __future__ import annotations

from array import array
from hashlib import sha256

_SMALLEST = 1 << 12


class SeenLinks:
    """A set of links that only grows: a table with open places of the first 96 bits of their hashes.

    A key has 64 of these bits, so links that collide there are still told apart here (X3-06). A set of
    Python's own takes five times as much, and a run may have millions of links.
    """

    def __init__(self) -> None:
        self._places = _SeenTable(_SMALLEST)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, url: str) -> bool:
        """Note a link; whether it is new."""
        digest = sha256(url.encode()).digest()
        # 0 marks an open place, so the hash 0 borrows the number 1.
        found = int.from_bytes(digest[:8], "big") or 1, int.from_bytes(digest[8:12], "big")
        if not self._places.note(*found):
            return False
        self._count += 1
        if self._count * 3 > self._places.size * 2:
            self._places = self._places.doubled()
        return True


class _SeenTable:
    """Two columns of numbers, of 64 and of 32 bits; the first leads to a row, and a taken row to the next."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._first, self._second = array("Q", bytes(8 * size)), array("I", bytes(4 * size))

    def note(self, first: int, second: int) -> bool:
        place = first & (self.size - 1)
        while found := self._first[place]:
            if found == first and self._second[place] == second:
                return False
            place = (place + 1) & (self.size - 1)
        self._first[place], self._second[place] = first, second
        return True

    def doubled(self) -> _SeenTable:
        larger = _SeenTable(2 * self.size)
        for first, second in zip(self._first, self._second, strict=True):
            if first:
                larger.note(first, second)
        return larger
