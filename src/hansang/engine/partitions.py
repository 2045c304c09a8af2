"""The partitions of a table or an index as AWS has them: ranges of keys, each with a ceiling, split when they stay hot."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import Literal

from hansang.engine.key_order import SLOTS
from hansang.engine.token_buckets import TokenBucket

Side = Literal["Read", "Write"]
READ_CEILING = 3000
"""Read units a second of one partition (R12)."""
WRITE_CEILING = 1000
SPLIT_SECONDS = 600
"""A partition that is throttled for so long is split; AWS says that it does so, and not after how long."""
_CALM_SECONDS = 60
_REMEMBERED = 256
_FEWEST = 16


class Partition:
    """One partition: the keys from `first` up to the next one's."""

    __slots__ = ("_hot_at", "_hot_since", "first", "keys", "read", "write")

    def __init__(self, first: bytes, now: float) -> None:
        self.first = first
        self.read, self.write = TokenBucket(READ_CEILING, 1, now), TokenBucket(WRITE_CEILING, 1, now)
        self.keys: deque[bytes] = deque(maxlen=_REMEMBERED)
        """Where it was asked last."""
        self._hot_since = self._hot_at = 0.0

    def bucket(self, side: Side) -> TokenBucket:
        return self.read if side == "Read" else self.write

    def heat(self, now: float) -> bool:
        """Note that a request was turned away; whether that has gone on for so long that it is split."""
        if now - self._hot_at > _CALM_SECONDS:
            self._hot_since = now
        self._hot_at = now
        return now - self._hot_since >= SPLIT_SECONDS

    def middle(self) -> bytes | None:
        """The key that has half of what was asked last to either side; None when it was all asked of one key."""
        keys = sorted(self.keys)
        if len(keys) < _FEWEST or keys[0] == keys[-1]:
            return None
        found = keys[len(keys) // 2]
        return found if found != keys[0] else next(key for key in keys if key > found)


class PartitionMap:
    """All partitions of a table or an index. They are split and never merged."""

    def __init__(self, now: float) -> None:
        self._parts = [Partition(b"", now)]
        self._firsts = [b""]

    def __len__(self) -> int:
        return len(self._parts)

    def of(self, key: bytes) -> Partition:
        """The partition of a key."""
        return self._parts[bisect_right(self._firsts, key) - 1]

    def grow(self, count: int, now: float) -> None:
        """At least so many partitions, by the hash of the partition key."""
        step = 1
        while len(self._parts) < count:
            step *= 2
            for slot in range(SLOTS // step, SLOTS, 2 * SLOTS // step):
                if len(self._parts) < count:
                    self._insert(slot.to_bytes(2), now)

    def split(self, hot: Partition, now: float) -> bool:
        """Split a partition where its heat halves; False when all of it is on one key."""
        middle = hot.middle()
        if middle is None:
            return False
        self._insert(middle, now)
        hot.keys.clear()
        return True

    def _insert(self, first: bytes, now: float) -> None:
        place = bisect_right(self._firsts, first)
        if self._firsts[place - 1] != first:
            self._firsts.insert(place, first)
            self._parts.insert(place, Partition(first, now))
