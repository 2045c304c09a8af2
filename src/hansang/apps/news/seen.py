"""Which links a run has seen, in sixteen bytes or so for each."""

from __future__ import annotations

from array import array

_SMALLEST = 1 << 12


class SeenKeys:
    """A set of the hashes of links that only grows: a table of 64-bit numbers with open places.

    A set of Python's own takes five times as much, and a run may have millions of links.
    """

    def __init__(self) -> None:
        self._places = array("Q", bytes(8 * _SMALLEST))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, pk: str) -> bool:
        """Note the key of a link; whether it is new."""
        if not self._note(self._places, _number(pk)):
            return False
        self._count += 1
        if self._count * 3 > len(self._places) * 2:
            self._grow()
        return True

    def _grow(self) -> None:
        larger = array("Q", bytes(16 * len(self._places)))
        for number in self._places:
            if number:
                self._note(larger, number)
        self._places = larger

    @staticmethod
    def _note(places: array[int], number: int) -> bool:
        mask = len(places) - 1
        place = number & mask
        while found := places[place]:
            if found == number:
                return False
            place = (place + 1) & mask
        places[place] = number
        return True


def _number(pk: str) -> int:
    """The hash in a key as a number; 0 marks an open place, so the hash 0 borrows the number 1."""
    return int(pk.rpartition("#")[2], 16) or 1
