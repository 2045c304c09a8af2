"""Ids that sort by the moment at which they were made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from threading import Lock

from hansang.clock import Clock
from hansang.parts.timestamps import to_datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS, _CHANCE_BYTES = 14, 6
_SET_BACK = 1_000_000
"""Microseconds; a clock that is further behind was set back, and is believed."""


class RisingIds:
    """Makes ids; those of one maker and one moment sort in the order in which they were made."""

    def __init__(self, clock: Clock, chance: Callable[[int], str] = token_hex) -> None:
        self._clock, self._chance = clock, chance
        self._last = 0
        self._lock = Lock()

    def __call__(self) -> str:
        now = (to_datetime(self._clock()) - _EPOCH) // timedelta(microseconds=1)
        with self._lock:
            if 0 <= self._last - now < _SET_BACK:
                now = self._last + 1
            self._last = now
        return f"{now:0{_DIGITS}x}{self._chance(_CHANCE_BYTES)}"


def made_at(rising_id: str) -> datetime:
    """The moment at which an id was made; ValueError or OverflowError if it is none."""
    return _EPOCH + timedelta(microseconds=int(rising_id[:_DIGITS], 16))
