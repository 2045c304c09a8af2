"""How much longer somebody waits, counted in the time in which this process was awake."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

LONGEST_STEP = 0.5
"""Seconds; a longer step counts as one of these, since the process was stopped meanwhile, as by Ctrl+Z."""


class Patience:
    """Some seconds to wait. Whoever waits does so in steps and asks after each what is left."""

    __slots__ = ("_seen", "_timer", "left")

    def __init__(self, seconds: float, timer: Callable[[], float] = monotonic) -> None:
        self.left, self._timer, self._seen = seconds, timer, timer()

    @property
    def step(self) -> float:
        """How long the next step may be."""
        return max(0.0, min(self.left, LONGEST_STEP))

    def lasts(self) -> bool:
        """Whether there is any left now."""
        now = self._timer()
        self.left -= min(now - self._seen, LONGEST_STEP)
        self._seen = now
        return self.left > 0
