"""Throttling as AWS does it, for whoever wants to feel a hot key before production. Off unless it is asked for.

A table and each global index have a bucket of units for reads and one for writes, and partitions with ceilings of
their own. A write needs room in its table and in every global index that it changes. Local indexes take from their
table. The buckets are those of one process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import orjson

from hansang.clock import Clock
from hansang.engine.capacity import Consumed
from hansang.engine.partitions import READ_CEILING, WRITE_CEILING, Partition, PartitionMap, Side
from hansang.engine.schema import IndexSchema, TableSchema
from hansang.engine.token_buckets import BURST_SECONDS, PeakRate, TokenBucket
from hansang.engine.writes import StoredChange, apply, index_row
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.actions import Action
    from hansang.engine.sql.writer import Writer

INITIAL_READ, INITIAL_WRITE = 12_000, 4_000
"""Units a second that a new table on demand takes."""
ACCOUNT_LIMIT = 40_000
"""The quota of a table on demand, unless AWS is asked for more."""
_HOT_KEY = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
_PROVISIONED = {
    "Table": "The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API.",
    "Index": "The level of configured provisioned throughput for one or more global secondary indexes of the table "
    "was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes "
    "with the UpdateTable API",
}
_ON_DEMAND = {
    "Table": "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your "
    "table or index so please try again shortly. If exceptions persist, check if you have a hot key: "
    + _HOT_KEY,
    "Index": "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
    "automatically scaling your index so please try again shortly.",
}
_LIMITED = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
_ACCOUNT = (
    "Throughput exceeds the current throughput limit for your account. Please contact AWS Support at "
    "https://aws.amazon.com/support request a limit increase"
)
THROTTLED = frozenset(
    {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
)


@dataclass(frozen=True, slots=True)
class RefusedRequests:
    """How many requests a table or an index has turned away, and why."""

    table: str
    index: str | None
    side: Side
    reason: str
    count: int


class _Flow:
    """The reads or the writes of a table or an index as a whole."""

    def __init__(self, side: Side, now: float) -> None:
        self.side = side
        self.bucket = TokenBucket(0, 1, now)
        self.peak = PeakRate()
        self.limit = ""
        """The kind of limit that the bucket stands for."""
        self._set: tuple[float, float] | None = None

    def tune(self, definition: Mapping[str, Any], is_provisioned: bool) -> None:
        """Follow what the table is set to now, and how far it has grown."""
        rate, seconds, self.limit = (
            self._provisioned(definition) if is_provisioned else self._on_demand(definition)
        )
        if self._set is None:
            self.bucket.resize(rate, seconds)
            self.bucket.tokens = rate  # Nothing has been left unused yet.
        elif self._set != (rate, seconds):
            self.bucket.resize(rate, seconds)
        self._set = rate, seconds

    def _provisioned(self, definition: Mapping[str, Any]) -> tuple[float, float, str]:
        units = float(definition["ProvisionedThroughput"][f"{self.side}CapacityUnits"])
        return units, BURST_SECONDS, "ProvisionedThroughputExceeded"

    def _on_demand(self, definition: Mapping[str, Any]) -> tuple[float, float, str]:
        grown = max(INITIAL_READ if self.side == "Read" else INITIAL_WRITE, 2 * self.peak.settled)
        most = (definition.get("OnDemandThroughput") or {}).get(f"Max{self.side}RequestUnits")
        if most is not None and most <= grown:
            return float(most), 1, "MaxOnDemandThroughputExceeded"
        if grown >= ACCOUNT_LIMIT:
            return float(ACCOUNT_LIMIT), 1, "AccountLimitExceeded"
        return grown, 1, "KeyRangeThroughputExceeded"


class _Metered:
    """A table or a global index."""

    def __init__(self, table: TableSchema, index: IndexSchema | None, arn: str, now: float) -> None:
        self.table, self.index = table.name, None if index is None else index.name
        self.kind = "Table" if index is None else "Index"
        self.arn = arn if index is None else f"{arn}/index/{index.name}"
        self.keeps_collections = index is None and table.has_local
        """AWS never splits the items of one partition key where there is a local index."""
        self.reads, self.writes = _Flow("Read", now), _Flow("Write", now)
        self.partitions = PartitionMap(now)
        self.is_provisioned = False

    def tune(self, table: TableSchema, now: float) -> None:
        definition = table.definition
        self.is_provisioned = definition["BillingMode"] == "PROVISIONED"
        if self.index is not None:
            definition = next(
                each for each in definition["GlobalSecondaryIndexes"] if each["IndexName"] == self.index
            )
        self.reads.tune(definition, self.is_provisioned)
        self.writes.tune(definition, self.is_provisioned)
        needed = self.reads.bucket.rate / READ_CEILING, self.writes.bucket.rate / WRITE_CEILING
        self.partitions.grow(ceil(sum(needed) if self.is_provisioned else max(needed)), now)

    def flow(self, side: Side) -> _Flow:
        return self.reads if side == "Read" else self.writes

    def remember(self, partition: Partition, key: bytes) -> None:
        """Where a partition was asked, so that it can be split there."""
        partition.keys.append(_collection(key) if self.keeps_collections else key)

    def refusal(self, limit: str, side: Side) -> WireError:
        """The error of a limit, in AWS's words."""
        reasons = [{"reason": f"{self.kind}{side}{limit}", "resource": self.arn}]
        if self.is_provisioned:
            return WireError(
                "ProvisionedThroughputExceededException", _PROVISIONED[self.kind], ThrottlingReasons=reasons
            )
        if limit == "AccountLimitExceeded":
            return WireError("RequestLimitExceeded", _ACCOUNT, ThrottlingReasons=reasons)
        message = _LIMITED if limit == "MaxOnDemandThroughputExceeded" else _ON_DEMAND[self.kind]
        return WireError("ThrottlingException", message, ThrottlingReasons=reasons)


class Throttling:
    """What every table and index has left. Safe to use from many threads."""

    def __init__(self, clock: Clock, region: str, account: str) -> None:
        self._clock, self._prefix = clock, f"arn:aws:dynamodb:{region}:{account}:table/"
        self._places: dict[int, _Metered] = {}
        self._tuned: dict[int, tuple[TableSchema, int]] = {}
        self._refused: dict[tuple[str, str | None, Side, str], int] = {}
        self._lock = threading.Lock()

    @property
    def refused(self) -> list[RefusedRequests]:
        """What was turned away so far, the most frequent first."""
        with self._lock:
            found = [RefusedRequests(*key, count) for key, count in self._refused.items()]
        return sorted(found, key=lambda each: -each.count)

    def partitions(self, table: TableSchema, index: IndexSchema | None = None) -> int:
        """How many partitions a table or an index has by now."""
        with self._lock:
            return len(self._place(table, index, self._clock()).partitions)

    # ── reads ─────────────────────────────────────────────────────────────────────────────────────

    def expect_read(self, table: TableSchema, index: IndexSchema | None, key: bytes) -> None:
        """Refuse a read for which nothing is left."""
        with self._lock:
            self._expect(table, _global(index), key, "Read", self._clock())

    def spend_read(self, table: TableSchema, index: IndexSchema | None, key: bytes, units: float) -> None:
        with self._lock:
            self._spend(table, _global(index), key, "Read", units, self._clock())

    # ── writes ────────────────────────────────────────────────────────────────────────────────────

    def performed(self, writer: Writer, action: Action) -> tuple[StoredChange, Consumed]:
        """Do a write by itself, if there is room for it."""
        self.expect_write(action.table, action.key)
        try:
            change = action.attempt(writer)
        except WireError as refusal:
            self.spend_refused(action, sum(float(each["CapacityUnits"]) for each in refusal.consumed))
            raise
        self.expect_indexes(change)
        consumed = apply(writer, change, self._clock())
        self.spend_write(change, consumed)
        return change, consumed

    def expect_write(self, table: TableSchema, key: bytes) -> None:
        """Refuse a write for which nothing is left in its table."""
        with self._lock:
            self._expect(table, None, key, "Write", self._clock())

    def expect_indexes(self, change: StoredChange) -> None:
        """Refuse a write that a global index cannot take: the table has to wait for its indexes."""
        with self._lock:
            now = self._clock()
            for index, keys in _index_keys(change):
                for key in keys:
                    self._expect(change.table, index, key, "Write", now)

    def spend_write(self, change: StoredChange, consumed: Consumed) -> None:
        """Take what a write came to."""
        with self._lock:
            now = self._clock()
            own = consumed.table + sum(consumed.local.values())
            self._spend(change.table, None, change.key, "Write", own, now)
            for index, keys in _index_keys(change):
                units = consumed.world.get(index.name, 0.0) / len(keys)
                for key in keys:
                    self._spend(change.table, index, key, "Write", units, now)

    def spend_refused(self, action: Action, units: float) -> None:
        """A failed condition is charged too (R8)."""
        with self._lock:
            self._spend(action.table, None, action.key, "Write", units, self._clock())

    # ── buckets ───────────────────────────────────────────────────────────────────────────────────

    def _place(self, table: TableSchema, index: IndexSchema | None, now: float) -> _Metered:
        rows, minute = table.rows if index is None else index.rows, int(now // 60)
        place = self._places.get(rows)
        if place is None:
            place = self._places[rows] = _Metered(table, index, self._prefix + table.name, now)
        tuned = self._tuned.get(rows)
        if tuned is None or tuned[0] is not table or tuned[1] != minute:
            place.tune(table, now)
            self._tuned[rows] = table, minute
        return place

    def _expect(
        self, table: TableSchema, index: IndexSchema | None, key: bytes, side: Side, now: float
    ) -> None:
        place = self._place(table, index, now)
        whole, found = place.flow(side), place.partitions.of(key)
        if whole.bucket.is_empty(now):
            raise self._counted(place, whole.limit, side)
        if found.bucket(side).is_empty(now):
            place.remember(found, key)
            if found.heat(now):
                place.partitions.split(found, now)
            raise self._counted(place, "KeyRangeThroughputExceeded", side)

    def _counted(self, place: _Metered, limit: str, side: Side) -> WireError:
        key = place.table, place.index, side, f"{place.kind}{side}{limit}"
        self._refused[key] = self._refused.get(key, 0) + 1
        return place.refusal(limit, side)

    def _spend(
        self, table: TableSchema, index: IndexSchema | None, key: bytes, side: Side, units: float, now: float
    ) -> None:
        place = self._place(table, index, now)
        whole, found = place.flow(side), place.partitions.of(key)
        whole.bucket.take(units)
        whole.peak.add(units, now)
        found.bucket(side).take(units)
        place.remember(found, key)


def _global(index: IndexSchema | None) -> IndexSchema | None:
    """A local index takes from its table."""
    return index if index is not None and index.is_global else None


def _index_keys(change: StoredChange) -> Iterator[tuple[IndexSchema, list[bytes]]]:
    """The keys that a change writes in each global index: where the item was, and where it is then."""
    blob = None if change.new is None else orjson.dumps(change.new)
    for index in change.table.indexes:
        if not index.is_global:
            continue
        old = new = None
        if change.old is not None:
            old = index_row(index, change.key, change.old.item, change.old.blob, change.old.size)
        if change.new is not None and blob is not None:
            new = index_row(index, change.key, change.new, blob, change.size)
        if old != new:
            yield index, list(dict.fromkeys(row[0] for row in (old, new) if row is not None))


def _collection(key: bytes) -> bytes:
    """The beginning that all keys of one partition key share."""
    return key[: 4 + int.from_bytes(key[2:4])]
