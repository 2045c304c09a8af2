"""Usage by minute, hour and day: counts that survive a restart, summed over all workers and all starts.

What is kept does not grow with time: minutes are kept for two hours, hours for two days, days for two months.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from secrets import token_hex
from typing import Annotated, Literal

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Query, Timestamp, attr, pattern
from hansang.errors import AlreadyExists
from hansang.parts.platform import Platform
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_datetime, to_whole_second

Grain = Literal["minute", "hour", "day"]
UsagePlace = tuple[str, str, str, str]
"""Pattern, operation, table and index."""

EVERY = 60.0
"""How many seconds lie between two writes of one process; what was counted since is lost when it is killed."""
NONE = "-"
"""Stands in a key for no table, no index and no route."""
OWN = "UsagePeriod."
_AT_ONCE, _TOKEN_BYTES = 50, 16
_PATIENCE = 0.5
"""For how many seconds whoever reads waits for counts that are just being written down."""

used_by: ContextVar[Callable[[], str] | None] = ContextVar("the route that is worked on here", default=None)
"""Tells what a request to a table is made for: the route of an API or a page, or a job."""


@dataclass(frozen=True, slots=True)
class _GrainRule:
    """How long a period is, how many of them share a partition, and how long they are kept."""

    seconds: int
    span: str
    """The form of the partition: all minutes of an hour lie together, all hours of a day, all days of a month."""
    kept: timedelta


GRAINS: Mapping[Grain, _GrainRule] = {
    "minute": _GrainRule(60, "%Y-%m-%dT%H", timedelta(hours=2)),
    "hour": _GrainRule(3600, "%Y-%m-%d", timedelta(days=2)),
    "day": _GrainRule(86_400, "%Y-%m", timedelta(days=62)),
}


class UsagePeriodKey(
    Key["UsagePeriod"],
    pk="USAGE#{grain}#{span}",
    sk="{period}|{pattern}|{operation}|{table}|{index}",
):
    """The key of what one pattern has used at one place in one minute, hour or day."""

    grain: str
    span: str
    period: Timestamp
    pattern: str
    operation: str
    table: str
    index: str


class UsagePeriod(UsagePeriodKey, Entity, table=Platform, type="UsagePeriod"):
    """What one pattern has used at one place in one minute, hour or day."""

    requests: int = 0
    read_units: Decimal = Decimal(0)
    write_units: Decimal = Decimal(0)
    expires_at: Annotated[Expiry | None, Attr("ExpiresAt")] = None

    @pattern
    def since(cls, grain: str, span: str, first: datetime) -> Query[UsagePeriod]:
        """The counts of one partition from a period on."""
        return cls.query(
            UsagePeriod.grain == grain, UsagePeriod.span == span, UsagePeriod.period >= first
        ).consistent()


class RoutePeriodKey(Key["RoutePeriod"], pk="ROUTES#{grain}#{span}", sk="{period}|{area}|{route}"):
    """The key of what one route or job has used of one application's tables in one minute, hour or day."""

    grain: str
    span: str
    period: Timestamp
    area: str
    route: str


class RoutePeriod(RoutePeriodKey, Entity, table=Platform, type="RoutePeriod"):
    """What one route or job has used of one application's tables in one minute, hour or day."""

    requests: int = 0
    read_units: Decimal = Decimal(0)
    write_units: Decimal = Decimal(0)
    expires_at: Annotated[Expiry | None, Attr("ExpiresAt")] = None

    @pattern
    def since(cls, grain: str, span: str, first: datetime) -> Query[RoutePeriod]:
        """The counts of one partition from a period on."""
        return cls.query(
            RoutePeriod.grain == grain, RoutePeriod.span == span, RoutePeriod.period >= first
        ).consistent()


class UsageBeginningKey(Key["UsageBeginning"], pk="USAGE", sk="BEGINNING"):
    """The key of the moment when counting began."""


class UsageBeginning(UsageBeginningKey, Entity, table=Platform, type="UsageBeginning"):
    """When counting began: no span before it was counted."""

    at: Timestamp


@dataclass(slots=True)
class UsageTotals:
    """Requests and units, added up."""

    requests: int = 0
    read: float = 0.0
    write: float = 0.0

    def add(self, requests: int, read: float, write: float) -> None:
        self.requests += requests
        self.read += read
        self.write += write


@dataclass(frozen=True, slots=True)
class PeriodUsage:
    """What one pattern has used at one table or index in one period."""

    period: datetime
    app: str
    pattern: str
    operation: str
    table: str
    index: str
    requests: int
    read_units: float
    write_units: float


@dataclass(frozen=True, slots=True)
class RouteUsage:
    """What one route or job has used of one application's tables in one period."""

    period: datetime
    app: str
    route: str
    requests: int
    read_units: float
    write_units: float


_PeriodKey = UsagePeriodKey | RoutePeriodKey
_Counted = tuple[int, UsagePlace | tuple[str, str]]
"""The minute; and the place, or the application and the route."""


@dataclass(frozen=True, slots=True)
class _PeriodLoad:
    """Counts on their way to the table; the token lets them arrive once."""

    token: str
    rows: list[tuple[Grain, _PeriodKey, UsageTotals]]


class UsagePeriods:
    """Adds up what is used by minute, hour and day, and tells it for a span of time."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        areas: Mapping[str, str],
        *,
        chance: Callable[[int], str] = token_hex,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`areas` are the applications by the names of their tables."""
        self._database, self._clock, self._chance, self._sleep = database, clock, chance, sleep
        self._areas = areas
        self._counts: dict[_Counted, UsageTotals] = {}
        self._unsent: deque[_PeriodLoad] = deque()
        self._counting, self._flushing = threading.Lock(), threading.Lock()
        self._written_at = clock()
        self._began_at: datetime | None = None

    def count(self, parts: Iterable[tuple[UsagePlace, int, float, float]]) -> None:
        """Count the parts of one request under the minute that it is."""
        minute, tell = int(self._clock() // 60), used_by.get()
        name = tell() if tell is not None else NONE
        with self._counting:
            for place, requests, read, write in parts:
                for key in (place, (self._areas.get(place[2]) or NONE, name)):
                    self._counts.setdefault((minute, key), UsageTotals()).add(requests, read, write)

    # ── writing down ──────────────────────────────────────────────────────────────────────────────

    def flush_when_due(self) -> None:
        """Write down what was counted, unless that was done within the last minute."""
        if self._clock() - self._written_at >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Write down what was counted, once, even if an answer is lost on the way."""
        with self._flushing:
            self._written_at = self._clock()
            with self._counting:
                counts, self._counts = self._counts, {}
            rows = [row for grain in GRAINS for row in _rolled_up(grain, counts)]
            for at in range(0, len(rows), _AT_ONCE):
                self._unsent.append(_PeriodLoad(self._chance(_TOKEN_BYTES), rows[at : at + _AT_ONCE]))
            while self._unsent:
                retry(partial(self._send, self._unsent[0]), self._sleep)
                self._unsent.popleft()

    def _send(self, load: _PeriodLoad) -> None:
        with self._database.transaction(load.token, f"{OWN}add") as transaction:
            for grain, key, counts in load.rows:
                kind = UsagePeriod if isinstance(key, UsagePeriodKey) else RoutePeriod
                transaction.update(
                    key,
                    attr(kind.requests).add(counts.requests),
                    attr(kind.read_units).add(Decimal(str(counts.read))),
                    attr(kind.write_units).add(Decimal(str(counts.write))),
                    attr(kind.expires_at).set(key.period + GRAINS[grain].kept),
                    upsert=True,
                )

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def began_at(self) -> datetime:
        """When counting began on these tables; it begins now if it never has."""
        if self._began_at is None:
            now = to_whole_second(self._clock())
            try:
                self._database.create(UsageBeginning(at=now))
                self._began_at = now
            except AlreadyExists:
                self._began_at = self._database.get(UsageBeginningKey()).at
        return self._began_at

    def used(self, grain: Grain, first: datetime) -> list[PeriodUsage]:
        """What was used from a period on, by pattern and place; what others have not written down yet is missing."""
        return [
            PeriodUsage(
                key.period,
                self._areas.get(key.table, ""),
                key.pattern,
                key.operation,
                _given(key.table),
                _given(key.index),
                counts.requests,
                counts.read,
                counts.write,
            )
            for key, counts in self._sums(UsagePeriod, grain, first)
            if isinstance(key, UsagePeriodKey)
        ]

    def routes(self, grain: Grain, first: datetime) -> list[RouteUsage]:
        """The same by route and job."""
        return [
            RouteUsage(
                key.period, _given(key.area), _given(key.route), counts.requests, counts.read, counts.write
            )
            for key, counts in self._sums(RoutePeriod, grain, first)
            if isinstance(key, RoutePeriodKey)
        ]

    def _sums(
        self, kind: type[UsagePeriod | RoutePeriod], grain: Grain, first: datetime
    ) -> list[tuple[_PeriodKey, UsageTotals]]:
        """What is in the table and what this process has not written down yet, unless that takes long just now."""
        is_still = self._flushing.acquire(timeout=_PATIENCE)
        try:
            mine = self._unwritten(grain) if is_still else []
            stored = [(each, _totals(each)) for each in self._stored(kind, grain, first)]
        finally:
            if is_still:
                self._flushing.release()
        sums: dict[tuple[object, ...], tuple[_PeriodKey, UsageTotals]] = {}
        fresh = [(key, counts) for key, counts in mine if issubclass(kind, type(key)) and key.period >= first]
        for key, counts in [*stored, *fresh]:
            _, total = sums.setdefault(_identity(key), (key, UsageTotals()))
            total.add(counts.requests, counts.read, counts.write)
        return list(sums.values())

    def _unwritten(self, grain: Grain) -> list[tuple[_PeriodKey, UsageTotals]]:
        with self._counting:
            counted = _rolled_up(grain, self._counts)
        unsent = [row for load in self._unsent for row in load.rows if row[0] == grain]
        return [(key, counts) for _, key, counts in [*unsent, *counted]]

    def _stored(
        self, kind: type[UsagePeriod | RoutePeriod], grain: Grain, first: datetime
    ) -> Iterator[UsagePeriod | RoutePeriod]:
        for span in _spans(grain, first, to_datetime(self._clock())):
            if kind is UsagePeriod:
                yield from self._database.each(UsagePeriod.since(grain, span, first))
            else:
                yield from self._database.each(RoutePeriod.since(grain, span, first))


def period_of(grain: Grain, moment: datetime) -> datetime:
    """The beginning of the minute, hour or day (UTC) that a moment lies in."""
    seconds = GRAINS[grain].seconds
    return datetime.fromtimestamp(moment.timestamp() // seconds * seconds, UTC)


def _spans(grain: Grain, first: datetime, last: datetime) -> list[str]:
    """The partitions from a period to another, each once."""
    rule, found, at = GRAINS[grain], dict[str, None](), first
    while at <= last:
        found[at.strftime(rule.span)] = None
        at += timedelta(seconds=rule.seconds)
    return list(found)


def _rolled_up(
    grain: Grain, counts: Mapping[_Counted, UsageTotals]
) -> list[tuple[Grain, _PeriodKey, UsageTotals]]:
    sums: dict[tuple[datetime, UsagePlace | tuple[str, str]], UsageTotals] = {}
    for (minute, place), counted in counts.items():
        period = period_of(grain, to_datetime(minute * 60))
        total = sums.setdefault((period, place), UsageTotals())
        total.add(counted.requests, counted.read, counted.write)
    return [(grain, _key(grain, period, place), total) for (period, place), total in sums.items()]


def _key(grain: Grain, period: datetime, place: UsagePlace | tuple[str, str]) -> _PeriodKey:
    span = period.strftime(GRAINS[grain].span)
    if len(place) == 2:
        area, name = place
        return RoutePeriodKey(grain=grain, span=span, period=period, area=area, route=name)
    named, operation, table, index = place
    return UsagePeriodKey(
        grain=grain,
        span=span,
        period=period,
        pattern=named,
        operation=operation,
        table=table or NONE,
        index=index or NONE,
    )


def _identity(key: _PeriodKey) -> tuple[object, ...]:
    if isinstance(key, RoutePeriodKey):
        return key.period, key.area, key.route
    return key.period, key.pattern, key.operation, key.table, key.index


def _totals(stored: UsagePeriod | RoutePeriod) -> UsageTotals:
    return UsageTotals(stored.requests, float(stored.read_units), float(stored.write_units))


def _given(text: str) -> str:
    return "" if text == NONE else text
