"""How many requests one sender may send."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

SENDERS = 10_000
"""How many senders are remembered at most, those who came last."""


class Rates:
    """A bucket of tokens for each sender: full at first, a request takes one, and they come back steadily.

    Each worker counts for itself, so that no request waits for another process. Any thread may ask.
    """

    def __init__(self, per_minute: int, senders: int = SENDERS) -> None:
        self._full = float(per_minute)
        self._senders = senders
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, sender: str, now: float, per_minute: int | None = None) -> float:
        """Take a token: zero seconds to wait when there was one, else how long until there is one.

        A sender with a rate of its own has it as `per_minute`.
        """
        full = self._full if per_minute is None else float(per_minute)
        with self._lock:
            return self._taken(sender, now, full, full / 60)

    def _taken(self, sender: str, now: float, full: float, pace: float) -> float:
        left, at = self._buckets.get(sender, (full, now))
        tokens = min(full, left + (now - at) * pace)
        taken = tokens >= 1
        self._buckets[sender] = (tokens - 1 if taken else tokens, now)
        self._buckets.move_to_end(sender)
        if len(self._buckets) > self._senders:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / pace
