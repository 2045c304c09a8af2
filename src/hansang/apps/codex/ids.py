"""Ids that sort by the time at which they were made."""

from __future__ import annotations

from datetime import datetime
from random import Random, SystemRandom
from threading import Lock

from hansang.clock import Clock
from hansang.parts.timestamps import to_datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


_CHANCE_BITS = 80


class Ulids:
    """Makes ids of 26 characters that sort by their time (X4-05), and within a millisecond by their order."""

    def __init__(self, clock: Clock, chance: Random | None = None) -> None:
        self._clock, self._chance = clock, chance or SystemRandom()
        self._last = 0
        self._lock = Lock()

    def __call__(self) -> str:
        number = _number(to_datetime(self._clock()), self._chance)
        with self._lock:
            if number >> _CHANCE_BITS == self._last >> _CHANCE_BITS:
                number = self._last + 1
            self._last = number
        return _spelled(number)


def ulid(at: datetime, chance: Random) -> str:
    """An id of 26 characters that sorts by its time (X4-05)."""
    return _spelled(_number(at, chance))


def _number(at: datetime, chance: Random) -> int:
    return int(at.timestamp() * 1000) << _CHANCE_BITS | chance.getrandbits(_CHANCE_BITS)


def _spelled(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
