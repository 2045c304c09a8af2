"""Units a second: what has gathered, what is taken, and how far a table on demand may grow."""

from __future__ import annotations

from collections import deque

BURST_SECONDS = 300
"""So many seconds of unused units of a provisioned table or index are kept, as AWS documents."""
GROWTH_SECONDS = 1800
"""On demand, twice the peak of half an hour ago is served; AWS throttles who doubles faster than that."""
_WINDOW = 60


class TokenBucket:
    """Units that come in at a rate and are kept up to a size. A request is let in while any are left."""

    __slots__ = ("_at", "rate", "size", "tokens")

    def __init__(self, rate: float, seconds: float, now: float) -> None:
        """`seconds` of unused units are kept; all of them are there at first."""
        self.rate, self.size, self._at = rate, rate * seconds, now
        self.tokens = self.size

    def is_empty(self, now: float) -> bool:
        """Whether a request has to wait."""
        if now > self._at:
            self.tokens = min(self.size, self.tokens + (now - self._at) * self.rate)
        self._at = now
        return self.tokens <= 0

    def take(self, units: float) -> None:
        """What a request was worth is known when it is done, so it may leave a debt."""
        self.tokens -= units

    def resize(self, rate: float, seconds: float) -> None:
        """Another rate; what had gathered stays, as far as there is room for it."""
        self.rate, self.size = rate, rate * seconds
        self.tokens = min(self.tokens, self.size)


class PeakRate:
    """The most units a second of any minute, as far as it is half an hour old."""

    __slots__ = ("_minute", "_recent", "_units", "settled")

    def __init__(self) -> None:
        self.settled = 0.0
        self._minute, self._units = 0, 0.0
        self._recent: deque[tuple[float, float]] = deque()

    def add(self, units: float, now: float) -> None:
        minute = int(now // _WINDOW)
        if minute != self._minute:
            self._end_minute(now)
            self._minute = minute
        self._units += units

    def _end_minute(self, now: float) -> None:
        ended, rate = (self._minute + 1) * _WINDOW, self._units / _WINDOW
        self._units = 0.0
        if rate > max([self.settled, *(each for _, each in self._recent)]):
            self._recent.append((ended, rate))
        while self._recent and self._recent[0][0] <= now - GROWTH_SECONDS:
            self.settled = self._recent.popleft()[1]
