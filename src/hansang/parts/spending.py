"""What was used over a span of time: by pattern, table, index and route, and what it costs on AWS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, TypeVar, get_args

from hansang.blueprint.prices import SECONDS_A_MONTH, Prices
from hansang.blueprint.table_status import TableStatus
from hansang.parts.usage_periods import GRAINS, Grain, PeriodUsage, RouteUsage, UsageTotals, period_of

Used = TypeVar("Used", PeriodUsage, RouteUsage)
UsageRange = Literal["hour", "day", "month"]
RANGES: tuple[UsageRange, ...] = get_args(UsageRange)
_RANGES: dict[UsageRange, tuple[Grain, timedelta]] = {
    "hour": ("minute", timedelta(hours=1)),
    "day": ("hour", timedelta(days=1)),
    "month": ("day", timedelta(days=30)),
}
ESTIMATED_FROM = timedelta(days=1)
"""The shortest span that a month is estimated from: no day is like its busiest minutes."""


@dataclass(frozen=True, slots=True)
class UsageSpan:
    """The last hour, day or month, as far as it was counted."""

    range: UsageRange
    grain: Grain
    first: datetime
    """The first period that belongs to it."""
    since: datetime
    """When it begins: with its first period, or with the counting."""
    until: datetime

    @classmethod
    def of(cls, name: UsageRange, now: datetime, counted_since: datetime) -> UsageSpan:
        """The span of a range that ends now."""
        grain, length = _RANGES[name]
        first = period_of(grain, now - length)
        return cls(name, grain, first, min(max(first, counted_since), now), now)

    @property
    def seconds(self) -> float:
        return max((self.until - self.since).total_seconds(), 1.0)

    @property
    def periods(self) -> list[datetime]:
        """The beginnings of its minutes, hours or days."""
        step = timedelta(seconds=GRAINS[self.grain].seconds)
        return [self.first + step * number for number in range((self.until - self.first) // step + 1)]

    @property
    def missing(self) -> timedelta:
        """How much longer has to be counted before a month can be estimated."""
        return max(ESTIMATED_FROM - (self.until - self.since), timedelta())


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests and units of one pattern, table, index or route, and what they cost on demand."""

    app: str
    name: str
    about: str
    """The operations of a pattern; the table of an index."""
    requests: int
    read: float
    write: float
    cost: Decimal
    share: float
    """Its part of the money of all."""

    @property
    def units(self) -> float:
        return self.read + self.write

    @property
    def average(self) -> float:
        """Units a request."""
        return self.units / self.requests if self.requests else 0.0


@dataclass(frozen=True, slots=True)
class Bill:
    """What a span costs on AWS, on demand and with provisioned units; and a month of keeping what is stored."""

    on_demand: Decimal
    provisioned: Decimal | None
    storage: Decimal | None
    stored_bytes: int
    month: Decimal | None
    """A month on demand at this pace; None when too little was counted to say."""


class Spending:
    """Usage over a span of time, at the prices of a region."""

    def __init__(
        self, usage: Sequence[PeriodUsage], routes: Sequence[RouteUsage], span: UsageSpan, prices: Prices
    ) -> None:
        self.usage, self.by_route, self.span, self.prices = usage, routes, span, prices

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.usage)

    @property
    def read(self) -> float:
        return sum(each.read_units for each in self.usage)

    @property
    def write(self) -> float:
        return sum(each.write_units for each in self.usage)

    @property
    def cost(self) -> Decimal:
        return self._cost(self.usage)

    def periods(self) -> list[tuple[datetime, UsageTotals]]:
        """By minute, hour or day; those in which nothing was used as well."""
        found = {period: UsageTotals() for period in self.span.periods}
        for each in self.usage:
            total = found.setdefault(each.period, UsageTotals())
            total.add(each.requests, each.read_units, each.write_units)
        return sorted(found.items())

    def patterns(self) -> list[Spent]:
        """By access pattern."""
        return self._sums(self.usage, lambda each: (each.app, each.pattern), _operations)

    def tables(self) -> list[Spent]:
        """By table, with what its indexes cost."""
        placed = [each for each in self.usage if each.table]
        return self._sums(placed, lambda each: (each.app, each.table), lambda rows: "")

    def indexes(self) -> list[Spent]:
        """By index."""
        placed = [each for each in self.usage if each.index]
        return self._sums(placed, lambda each: (each.app, each.index, each.table), lambda rows: rows[0].table)

    def routes(self) -> list[Spent]:
        """By route and job, where it is known."""
        known = [each for each in self.by_route if each.route]
        return self._sums(known, lambda each: (each.app, each.route), lambda rows: "")

    def _sums(
        self,
        usage: Iterable[Used],
        place: Callable[[Used], tuple[str, ...]],
        about: Callable[[list[Used]], str],
    ) -> list[Spent]:
        grouped: dict[tuple[str, ...], list[Used]] = {}
        for each in usage:
            grouped.setdefault(place(each), []).append(each)
        whole = self.cost
        return [self._spent(key, rows, about(rows), whole) for key, rows in grouped.items()]

    def _spent(self, key: tuple[str, ...], rows: Sequence[Used], about: str, whole: Decimal) -> Spent:
        cost = self._cost(rows)
        return Spent(
            key[0],
            key[1],
            about,
            sum(each.requests for each in rows),
            sum(each.read_units for each in rows),
            sum(each.write_units for each in rows),
            cost,
            float(cost / whole) if whole else 0.0,
        )

    def _cost(self, rows: Sequence[PeriodUsage] | Sequence[RouteUsage]) -> Decimal:
        read = sum(each.read_units for each in rows)
        return self.prices.on_demand(read, sum(each.write_units for each in rows))

    def bill(self, found: Iterable[TableStatus]) -> Bill:
        """The span on these tables; provisioned units are there for every table and global index, used or not."""
        tables = list(found)
        stored = sum(each.whole for each in tables)
        pace = Decimal(SECONDS_A_MONTH) / Decimal(self.span.seconds)
        return Bill(
            self.cost,
            _sum([self._provisioned(each) for each in tables]),
            self.prices.storage(stored),
            stored,
            None if self.span.missing else self.cost * pace,
        )

    def _provisioned(self, found: TableStatus) -> Decimal | None:
        name, apart = found.name, {index.name for index in found.table.indexes if index.is_global}
        places = [
            [each for each in self.usage if each.table == name and each.index == index]
            for index in sorted(apart)
        ]
        # What a local index costs, its table pays (R7).
        places.append([each for each in self.usage if each.table == name and each.index not in apart])
        hours = self.span.seconds / 3600
        return _sum([self.prices.provisioned(*self._busiest(rows), hours) for rows in places])

    def _busiest(self, rows: Sequence[PeriodUsage]) -> tuple[float, float]:
        """Units a second in the busiest minute, hour or day; to reserve the average is to be throttled."""
        sums: dict[datetime, UsageTotals] = {}
        for each in rows:
            sums.setdefault(each.period, UsageTotals()).add(0, each.read_units, each.write_units)
        seconds = min(GRAINS[self.span.grain].seconds, self.span.seconds)
        return (
            max((each.read for each in sums.values()), default=0.0) / seconds,
            max((each.write for each in sums.values()), default=0.0) / seconds,
        )


def _operations(rows: list[PeriodUsage]) -> str:
    return ", ".join(dict.fromkeys(each.operation for each in rows))


def _sum(found: Sequence[Decimal | None]) -> Decimal | None:
    known = [each for each in found if each is not None]
    return None if len(known) < len(found) else sum(known, Decimal(0))
