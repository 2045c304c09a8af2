"""A clock that goes on by itself, and that a test moves or stops."""

from __future__ import annotations

import threading

from hansang.clock import Clock, system_clock


class MovableClock:
    """Seconds since 1970, as `Clock` gives them. Safe to use from many threads."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock = clock
        self._ahead = 0.0
        self._stopped: float | None = None
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            return self._now()

    def _now(self) -> float:
        return self._clock() + self._ahead if self._stopped is None else self._stopped

    def advance(self, seconds: float) -> None:
        """Be so much later than now."""
        with self._lock:
            if self._stopped is None:
                self._ahead += seconds
            else:
                self._stopped += seconds

    def stop(self, at: float | None = None) -> None:
        """Stand still, at a time or now, until `advance` or another `stop`."""
        with self._lock:
            self._stopped = self._now() if at is None else at
