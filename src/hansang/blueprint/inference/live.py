"""A sample of a live table: pages of a parallel scan, bounded in items and in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hansang.backends.base import Backend
from hansang.blueprint.inference.facts import TableFacts, facts_of
from hansang.blueprint.live import call, describe, expiry
from hansang.design.shape import Item
from hansang.engine.values import item_size
from hansang.errors import NoSuchTable

_MOST_SEGMENTS = 200
_FEW_SEGMENTS = 8
_LEAST_OF_SEGMENT = 10
MOST_BYTES = 64 * 1024 * 1024
"""A sample that is this large is large enough, however few its items are."""


@dataclass(frozen=True, slots=True)
class TableSample:
    """A table with some of its items, and what reading them has cost."""

    facts: TableFacts
    read_units: float
    is_whole: bool
    """Whether the sample is all that the table has."""


def sample_table(
    backend: Backend,
    table: str,
    most: int,
    progress: Callable[[int], None] = lambda _: None,
    most_bytes: int = MOST_BYTES,
) -> TableSample:
    """Read at most so many items and bytes, from places all over the table."""
    described = describe(backend, table)
    if described is None:
        raise NoSuchTable(f"There is no table {table}. hansang tables list says which there are.")
    scan = _Scan(backend, table, most, _segments(int(described.get("ItemCount", 0)), most))
    for count in scan.run(most_bytes):
        progress(count)
    facts = facts_of(described, expiry=expiry(backend, table), items=scan.items)
    return TableSample(facts, scan.read_units, scan.is_whole)


def _segments(expected: int, most: int) -> int:
    """In how many parts a table is read: one where all of it is, else so many that each gives a few items."""
    if 0 < expected <= most:
        return 1
    # A new table on AWS says for some hours that it has no items.
    wanted = _MOST_SEGMENTS if expected else _FEW_SEGMENTS
    return max(1, min(wanted, most // _LEAST_OF_SEGMENT))


class _Scan:
    """A parallel scan that takes a page of each segment in turn."""

    def __init__(self, backend: Backend, table: str, most: int, segments: int) -> None:
        self._backend, self._table, self._most, self._segments = backend, table, most, segments
        self.items: list[Item] = []
        self.read_units = 0.0
        self._bytes = 0
        self._starts: dict[int, Item | None] = dict.fromkeys(range(segments))

    @property
    def is_whole(self) -> bool:
        return not self._starts

    def run(self, most_bytes: int) -> Iterator[int]:
        """Read until there is enough or no more; how many items each page had."""
        while self._starts:
            for segment in list(self._starts):
                room = self._most - len(self.items)
                if room <= 0 or self._bytes >= most_bytes:
                    return
                yield self._read(segment, min(room, max(1, self._most // self._segments)))

    def _read(self, segment: int, limit: int) -> int:
        request: dict[str, Any] = {
            "TableName": self._table,
            "Segment": segment,
            "TotalSegments": self._segments,
            "Limit": limit,
            "ReturnConsumedCapacity": "TOTAL",
        }
        start = self._starts[segment]
        response = call(
            self._backend, "Scan", request if start is None else request | {"ExclusiveStartKey": start}
        )
        self.items += response["Items"]
        self._bytes += sum(map(item_size, response["Items"]))
        self.read_units += float(response.get("ConsumedCapacity", {}).get("CapacityUnits", 0))
        if response.get("LastEvaluatedKey"):
            self._starts[segment] = response["LastEvaluatedKey"]
        else:
            del self._starts[segment]
        return len(response["Items"])
