"""Usage: what every access pattern has cost since the server was started, summed over its workers."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from secrets import token_hex
from typing import Annotated, Any

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Query, Table, attr, pattern
from hansang.design.meter import READING
from hansang.errors import HansangError
from hansang.parts.platform import Platform
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_whole_second
from hansang.parts.usage_periods import NONE, OWN, UsagePeriods, UsagePlace, UsageTotals

KEPT = timedelta(days=30)
_AT_ONCE, _TOKEN_BYTES = 50, 16
_INDEXES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")

log = logging.getLogger("hansang.usage")


class UsageCountKey(Key["UsageCount"], pk="USAGE#{server_start}", sk="{pattern}|{operation}|{table}|{index}"):
    """The key of a count: one start of the server, one place."""

    server_start: str
    pattern: str
    operation: str
    table: str
    index: str


class UsageCount(UsageCountKey, Entity, table=Platform, type="UsageCount"):
    """What one pattern has cost at one table or index."""

    requests: int = 0
    read_units: Decimal = Decimal(0)
    write_units: Decimal = Decimal(0)
    expires_at: Annotated[Expiry | None, Attr("ExpiresAt")] = None

    @pattern
    def since(cls, server_start: str) -> Query[UsageCount]:
        """All counts of one start of the server."""
        return cls.query(UsageCount.server_start == server_start)


_OWN = "UsageCount."
_UNCOUNTED = (_OWN, OWN)
_FLUSH_PATIENCE = 0.5
"""For how many seconds whoever wants to know the counts waits for them to be written down."""


@dataclass(frozen=True, slots=True)
class PatternUsage:
    """What one pattern has cost at one table or index; a request counts at the first place alone."""

    app: str
    pattern: str
    operation: str
    table: str
    index: str
    requests: int
    read_units: float
    write_units: float


class Usage:
    """Hears what every request costs and adds it up in the platform's table."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        server_start: str,
        areas: Mapping[type[Table], str],
        *,
        chance: Callable[[int], str] = token_hex,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`database` is not the one that is observed; `server_start` is the same for all workers of a start."""
        self._database, self._clock, self._start, self._chance = database, clock, server_start, chance
        self._sleep = sleep
        self._areas = {database.name(table): area for table, area in areas.items()}
        self.periods = UsagePeriods(database, clock, self._areas, chance=chance, sleep=sleep)
        self._counts: dict[UsagePlace, UsageTotals] = {}
        self._unsent: deque[_Load] = deque()
        self._counting, self._flushing = threading.Lock(), threading.Lock()
        self._known: list[PatternUsage] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def observe(self, operation: str, pattern: str, consumed: list[dict[str, Any]]) -> None:
        """Count one request; this is what a Database calls."""
        if not pattern or pattern.startswith(_UNCOUNTED):
            return
        parts = [
            ((pattern, operation, table, index), int(not at), *_units(operation, units))
            for at, (table, index, units) in enumerate(_parts(consumed))
        ]
        with self._counting:
            for place, requests, read, write in parts:
                self._counts.setdefault(place, UsageTotals()).add(requests, read, write)
        self.periods.count(parts)

    # ── writing down ──────────────────────────────────────────────────────────────────────────────

    def flush(self) -> None:
        """Add what was counted to the table, once, even if an answer is lost on the way."""
        with self._flushing:
            self._set_aside()
            while self._unsent:
                retry(partial(self._send, self._unsent[0]), self._sleep)
                self._unsent.popleft()

    def _set_aside(self) -> None:
        with self._counting:
            counts, self._counts = self._counts, {}
        rows, expires_at = list(counts.items()), to_whole_second(self._clock()) + KEPT
        for at in range(0, len(rows), _AT_ONCE):
            self._unsent.append(_Load(self._chance(_TOKEN_BYTES), rows[at : at + _AT_ONCE], expires_at))

    def _send(self, load: _Load) -> None:
        with self._database.transaction(load.token, f"{_OWN}add") as transaction:
            for place, counts in load.rows:
                transaction.update(
                    self._key(place),
                    attr(UsageCount.requests).add(counts.requests),
                    attr(UsageCount.read_units).add(Decimal(str(counts.read))),
                    attr(UsageCount.write_units).add(Decimal(str(counts.write))),
                    attr(UsageCount.expires_at).set(load.expires_at),
                    upsert=True,
                )

    def _key(self, place: UsagePlace) -> UsageCountKey:
        named, operation, table, index = place
        return UsageCountKey(
            server_start=self._start,
            pattern=named,
            operation=operation,
            table=table or NONE,
            index=index or NONE,
        )

    def start(self, every: float = 5.0) -> None:
        """Write down every few seconds, in a thread of its own."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._keep_flushing, args=(every,), name="usage", daemon=True)
        self._thread.start()

    def stop(self, *, forgets: bool = False) -> None:
        """Write down what is left, unless it is to be forgotten with its tables, and no more."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        if forgets:
            return
        self._try_to_flush(self.flush)
        self._try_to_flush(self.periods.flush)

    def _keep_flushing(self, every: float) -> None:
        self._try_to_flush(self.periods.began_at)
        while not self._stopping.wait(every):
            self._try_to_flush(self.flush)
            self._try_to_flush(self.periods.flush_when_due)

    def _try_to_flush(self, flush: Callable[[], object]) -> None:
        try:
            flush()
        except HansangError:
            log.exception("the usage was not written down; it will be tried again")

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def snapshot(self) -> list[PatternUsage]:
        """What was used since the server started, by pattern, operation, table and index.

        While the counts wait to be written down, it is what was known before.
        """
        if not self._flushing.acquire(timeout=_FLUSH_PATIENCE):
            return self._known
        try:
            sums = {_place(each): _counts(each) for each in self._stored()}
            for place, counts in self._unwritten():
                sums.setdefault(place, UsageTotals()).add(counts.requests, counts.read, counts.write)
        finally:
            self._flushing.release()
        self._known = [self._shown(place, counts) for place, counts in sorted(sums.items())]
        return self._known

    def _stored(self) -> Iterator[UsageCount]:
        return self._database.each(UsageCount.since(self._start).consistent())

    def _unwritten(self) -> list[tuple[UsagePlace, UsageTotals]]:
        with self._counting:
            counted = [(place, replace(counts)) for place, counts in self._counts.items()]
        return [*(row for load in self._unsent for row in load.rows), *counted]

    def _shown(self, place: UsagePlace, counts: UsageTotals) -> PatternUsage:
        app = self._areas.get(place[2], "")
        return PatternUsage(app, *place, counts.requests, counts.read, counts.write)


@dataclass(frozen=True, slots=True)
class _Load:
    """Counts on their way to the table; the token lets them arrive once."""

    token: str
    rows: list[tuple[UsagePlace, UsageTotals]]
    expires_at: datetime


def _parts(consumed: list[dict[str, Any]]) -> list[tuple[str, str, float]]:
    """Where a request has cost what; an index that was read stands alone, without its table."""
    found: list[tuple[str, str, float]] = []
    for each in consumed:
        table = each["TableName"]
        indexes = [
            (table, name, float(index["CapacityUnits"]))
            for title in _INDEXES
            for name, index in each.get(title, {}).items()
        ]
        own = float(each.get("Table", each)["CapacityUnits"])
        found += [*([(table, "", own)] if own or not indexes else []), *indexes]
    return found or [("", "", 0.0)]


def _units(operation: str, units: float) -> tuple[float, float]:
    return (units, 0.0) if operation in READING else (0.0, units)


def _place(stored: UsageCount) -> UsagePlace:
    table, index = ("" if each == NONE else each for each in (stored.table, stored.index))
    return stored.pattern, stored.operation, table, index


def _counts(stored: UsageCount) -> UsageTotals:
    return UsageTotals(stored.requests, float(stored.read_units), float(stored.write_units))
