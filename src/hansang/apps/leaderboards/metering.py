"""What requests take of every table and index, and which keys they ask for most, on whatever backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

from hansang.backends.base import Backend
from hansang.backends.batches import READS, WRITES, changes
from hansang.design import Table
from hansang.errors import WireError

Units = Literal["read", "write"]
CEILINGS: dict[Units, int] = {"read": 3000, "write": 1000}
"""Units a second that one partition of DynamoDB takes (R12)."""
_REFUSED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
        "ThrottlingError",
    }
)


@dataclass(frozen=True, slots=True, order=True)
class MeteredPlace:
    """A table, or one of its indexes."""

    table: str
    index: str = ""

    def __str__(self) -> str:
        return f"{self.table}/{self.index}" if self.index else self.table


class MeteredBackend:
    """Another backend, and what everything that was asked of it has cost. Safe to use from many threads."""

    def __init__(
        self,
        backend: Backend,
        tables: Mapping[str, type[Table]],
        derived: Mapping[str, Callable[[Mapping[str, Any]], str]] | None = None,
    ) -> None:
        """The designs of the tables by their names here; `derived` are keys of indexes that requests do not show."""
        self._backend, self._tables, self._derived, self._lock = backend, tables, derived or {}, Lock()
        self._is_paused = False
        self.reset()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing meanwhile: the keys of a million players alone would fill the memory."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def reset(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self.units: dict[tuple[MeteredPlace, Units], float] = {}
            self.keys: dict[tuple[MeteredPlace, Units], dict[str, float]] = {}
            self.requests, self.throttled = 0, 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        side: Units = "read" if operation in READS else "write"
        if self._is_paused or operation not in READS | WRITES:
            return self._backend.call(operation, request)
        try:
            response = self._backend.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        except WireError as refusal:
            with self._lock:
                self.requests += 1
                self.throttled += _is_throttled(refusal)
                self._count(side, refusal.consumed, operation, request)
            raise
        consumed = response.pop("ConsumedCapacity", [])
        with self._lock:
            self.requests += 1
            self._count(side, [consumed] if isinstance(consumed, dict) else consumed, operation, request)
        return response

    def _count(
        self, side: Units, consumed: Iterable[Mapping[str, Any]], operation: str, request: Mapping[str, Any]
    ) -> None:
        items = list(_asked(operation, request))
        for each in consumed:
            name = each["TableName"].rpartition("/")[2]
            design, own = self._tables.get(name), [item for table, item in items if table == name]
            for place, units in _places(name, each):
                self.units[place, side] = self.units.get((place, side), 0.0) + units
                if design is not None:
                    self._heat(place, side, units, [self._key(design, place.index, item) for item in own])

    def _heat(self, place: MeteredPlace, side: Units, units: float, keys: list[str]) -> None:
        known = [key for key in keys if key]
        counted = self.keys.setdefault((place, side), {})
        for key in known:
            counted[key] = counted.get(key, 0.0) + units / len(known)

    def _key(self, design: type[Table], index: str, item: Mapping[str, Any]) -> str:
        """The partition key of an item in its table or an index, as text; empty where the request does not say."""
        if index in self._derived:
            return self._derived[index](item)
        name = next((each.pk for each in design.indexes if each.name == index), design.pk)
        return str(next(iter(item[name].values()))) if name in item else ""

    def hottest(self) -> list[tuple[MeteredPlace, Units, str, float]]:
        """The key of every table and index that was asked most, with its units; the one nearest its ceiling first."""
        with self._lock:
            found = [
                (*place, *max(keys.items(), key=lambda each: each[1]))
                for place, keys in self.keys.items()
                if keys
            ]
        return sorted(found, key=lambda each: -each[3] / CEILINGS[each[1]])


def _is_throttled(refusal: WireError) -> bool:
    codes = {refusal.code, *(each.get("Code") for each in refusal.fields.get("CancellationReasons", ()))}
    return bool(codes & _REFUSED) or "ProvisionedThroughputExceeded" in codes


def _places(table: str, consumed: Mapping[str, Any]) -> Iterator[tuple[MeteredPlace, float]]:
    yield MeteredPlace(table), float(consumed["Table"]["CapacityUnits"]) if "Table" in consumed else 0.0
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for name, units in consumed.get(kind, {}).items():
            yield MeteredPlace(table, name), float(units["CapacityUnits"])


def _asked(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The table and the key, or as much of it as is known, of everything that is asked."""
    if operation in WRITES:
        yield from changes(operation, request)
    elif operation == "GetItem":
        yield request["TableName"], request["Key"]
    elif operation == "Query":
        names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
        name, _, value = request["KeyConditionExpression"].split(" AND ")[0].partition(" = ")
        yield request["TableName"], {names.get(name, name): values[value]}
    elif operation == "BatchGetItem":
        for table, wanted in request["RequestItems"].items():
            yield from ((table, key) for key in wanted["Keys"])
