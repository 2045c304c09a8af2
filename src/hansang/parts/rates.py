"""How many requests one sender may send."""

from __future__ import annotations

from collections import OrderedDict

SENDERS = 10_000
"""How many senders are remembered at most, those who came last."""


class Rates:
    """A bucket of tokens for each sender: full at first, a request takes one, and they come back steadily.

    Each worker counts for itself, so that no request waits for a shared counter.
    """

    def __init__(self, per_minute: int, senders: int = SENDERS) -> None:
        self._full = float(per_minute)
        self._pace = per_minute / 60
        self._senders = senders
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, sender: str, now: float) -> float:
        """Take a token: zero seconds to wait when there was one, else how long until there is one."""
        left, at = self._buckets.get(sender, (self._full, now))
        tokens = min(self._full, left + (now - at) * self._pace)
        taken = tokens >= 1
        self._buckets[sender] = (tokens - 1 if taken else tokens, now)
        self._buckets.move_to_end(sender)
        if len(self._buckets) > self._senders:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / self._pace
