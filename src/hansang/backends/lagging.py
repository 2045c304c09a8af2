"""Global indexes that run behind their table, as those of a distributed table do."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.batches import table_of
from hansang.backends.embedded import Embedded
from hansang.clock import Clock
from hansang.engine import Engine
from hansang.errors import WireError

Item = Mapping[str, Any]
Place = tuple[str, str]

_OF_AN_INDEX = ("IndexName", "KeySchema", "Projection")


@dataclass(frozen=True, slots=True)
class _Change:
    """What an item has become, and when its indexes are to know of it."""

    call: int
    time: float
    image: Item | None
    key: Item


class LaggingIndexes:
    """A second copy of each table, in memory, to which every change comes late. Its indexes are asked.

    The copy of a table is taken when the table is first written to or asked by a global index; what is in
    the table then is in its indexes. After every write the item is read back, and that image joins a queue.
    The changes of one item arrive in their order, those of different items may overtake each other.
    """

    def __init__(self, backend: Backend, delay: Callable[[], tuple[int, float]], clock: Clock) -> None:
        """`delay` says of each change how many further calls do not see it, and for how many seconds."""
        self._backend, self._delay, self._clock = backend, delay, clock
        self._copies = Embedded(Engine.open(":memory:", sweep_seconds=None))
        self._keys: dict[str, tuple[str, ...]] = {}
        self._indexes: dict[str, frozenset[str]] = {}
        self._waiting: dict[Place, deque[_Change]] = {}
        self._calls = 0
        self._lock = threading.RLock()

    def close(self) -> None:
        self._copies.close()

    def tick(self) -> None:
        """One more call was made."""
        with self._lock:
            self._calls += 1

    def forget(self, name: str) -> None:
        """Copy the table anew when it is next needed."""
        table = table_of(name)
        with self._lock:
            if self._indexes.pop(table, None):
                self._copies.call("DeleteTable", {"TableName": table})
            self._keys.pop(table, None)
            self._waiting = {place: found for place, found in self._waiting.items() if place[0] != table}

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def read(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer of a global index as it is by now, or None when none is asked."""
        if "IndexName" not in request or "TableName" not in request:
            return None
        table = table_of(request["TableName"])
        with self._lock:
            if request["IndexName"] not in self._followed(table):
                return None
            self._arrive()
            return self._copies.call(operation, {**request, "TableName": table})

    def _arrive(self) -> None:
        now = self._clock()
        for (table, _), changes in self._waiting.items():
            while changes and changes[0].call < self._calls and changes[0].time <= now:
                self._apply(table, changes.popleft())
        self._waiting = {place: changes for place, changes in self._waiting.items() if changes}

    def _apply(self, table: str, change: _Change) -> None:
        if change.image is None:
            self._copies.call("DeleteItem", {"TableName": table, "Key": change.key})
        else:
            self._copies.call("PutItem", {"TableName": table, "Item": change.image})

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def expect(self, tables: Iterable[str]) -> None:
        """Have copies of these tables, before something is written to them."""
        with self._lock:
            for table in tables:
                self._followed(table)

    def written(self, changes: Iterable[tuple[str, Item]]) -> None:
        """Remember what these items have become."""
        with self._lock:
            for table, item in changes:
                if self._followed(table):
                    self._remember(table, {name: item[name] for name in self._keys[table]})

    def _remember(self, table: str, key: Item) -> None:
        # Read under the lock, so that of two images of an item the later one also joins the queue later.
        request = {"TableName": table, "Key": key, "ConsistentRead": True}
        image = self._backend.call("GetItem", request).get("Item")
        calls, seconds = self._delay()
        change = _Change(self._calls + calls, self._clock() + seconds, image, key)
        self._waiting.setdefault((table, repr(sorted(key.items()))), deque()).append(change)

    # ── copying ───────────────────────────────────────────────────────────────────────────────────

    def _followed(self, table: str) -> frozenset[str]:
        """The names of a table's global indexes; when it has any, it is copied now or was before."""
        if table not in self._indexes:
            try:
                description = self._backend.call("DescribeTable", {"TableName": table})["Table"]
            except WireError:
                return frozenset()
            indexes = description.get("GlobalSecondaryIndexes", [])
            self._indexes[table] = frozenset(each["IndexName"] for each in indexes)
            if indexes:
                self._copy(table, description)
        return self._indexes[table]

    def _copy(self, table: str, description: Mapping[str, Any]) -> None:
        self._keys[table] = tuple(each["AttributeName"] for each in description["KeySchema"])
        self._copies.call("CreateTable", _definition(table, description))
        try:
            self._fill(table)
        except BaseException:
            self.forget(table)
            raise

    def _fill(self, table: str) -> None:
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            response = self._backend.call("Scan", request)
            for item in response["Items"]:
                self._copies.call("PutItem", {"TableName": table, "Item": item})
            if "LastEvaluatedKey" not in response:
                return
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]


def _definition(table: str, description: Mapping[str, Any]) -> dict[str, Any]:
    """The request that makes a table of the same keys and indexes."""
    request: dict[str, Any] = {
        "TableName": table,
        "KeySchema": description["KeySchema"],
        "AttributeDefinitions": description["AttributeDefinitions"],
        "BillingMode": "PAY_PER_REQUEST",
    }
    for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if description.get(title):
            request[title] = [{name: each[name] for name in _OF_AN_INDEX} for each in description[title]]
    return request
