"""How many items of each kind a table has: counted where it is small, estimated from a sample where it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

from hansang.blueprint.explorer.browsing import BROWSE
from hansang.blueprint.table_status import TableStatus
from hansang.clock import Clock
from hansang.design import Database
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape

SAMPLED = 1_000
"""How many items are read of a table for an estimate."""
COUNTED = 50_000
"""How many items are read at most when somebody asks for the exact count."""
FRESH_SECONDS = 60
_SEGMENTS = 10


@dataclass(frozen=True, slots=True)
class KindCounts:
    """The items of a table by kind, and one of each to look at; None stands for those that no entity knows."""

    counts: dict[Shape | None, int]
    samples: dict[Shape | None, Item] = field(default_factory=dict)
    is_estimate: bool = False
    at: float = 0.0


class KindCounting:
    """Counts the kinds of tables, and remembers for a minute what it has counted."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock, self._lock = database, clock, Lock()
        self._known: dict[str, KindCounts] = {}

    def of(self, status: TableStatus, *, exactly: bool = False) -> KindCounts:
        """The kinds of a table; `exactly` reads on until the table ends, or it is too large for that."""
        with self._lock:
            known = self._known.get(status.name)
        is_fresh = known is not None and self._clock() - known.at < FRESH_SECONDS
        if known is not None and is_fresh and not (exactly and known.is_estimate):
            return known
        found = self._counted(status, COUNTED if exactly else SAMPLED)
        with self._lock:
            self._known[status.name] = found
        return found

    def _counted(self, status: TableStatus, most: int) -> KindCounts:
        if not status.is_there:
            return KindCounts({}, at=self._clock())
        counts: Counter[Shape | None] = Counter()
        samples: dict[Shape | None, Item] = {}
        is_whole = status.items <= most
        for item in self._each(status, most, 1 if is_whole else _SEGMENTS):
            shape = recognised(status.table.shapes, item)
            counts[shape] += 1
            samples.setdefault(shape, item)
        if not is_whole:
            scale = status.items / max(1, counts.total())
            counts = Counter({shape: round(count * scale) for shape, count in counts.items()})
        return KindCounts(dict(counts), samples, not is_whole, self._clock())

    def _each(self, status: TableStatus, most: int, segments: int) -> Iterator[Item]:
        """Items from every part of the table, each page forgotten before the next is read."""
        for segment in range(segments):
            left, start = most // segments, None
            while left > 0:
                request = {"TableName": status.name, "Limit": min(left, 500)}
                if segments > 1:
                    request |= {"Segment": segment, "TotalSegments": segments}
                if start is not None:
                    request["ExclusiveStartKey"] = start
                answer = self._database.call("Scan", request, BROWSE)
                yield from answer["Items"]
                left -= len(answer["Items"])
                start = answer.get("LastEvaluatedKey")
                if start is None:
                    break
