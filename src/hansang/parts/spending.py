"""What the access patterns have cost since the server was started, and what that would cost on AWS."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from hansang.blueprint.prices import Prices
from hansang.blueprint.table_status import TableStatus
from hansang.parts.usage import PatternUsage

_SHORTEST = 60.0
"""Seconds that a pace is measured over at least, so that a minute after the start it is not absurd."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests and units of one pattern, one table or one index, and their money in a month at this pace."""

    app: str
    name: str
    about: str
    """The operations of a pattern; the table of an index."""
    requests: int
    read: float
    write: float
    monthly: Decimal
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
    """A month on AWS at the present pace, on demand and with provisioned units, and what keeping it costs."""

    on_demand: Decimal
    provisioned: Decimal | None
    storage: Decimal | None


class Spending:
    """Usage over a span of time, at the prices of a region."""

    def __init__(self, usage: Sequence[PatternUsage], seconds: float, prices: Prices) -> None:
        self.usage, self.prices = usage, prices
        self.seconds = max(seconds, _SHORTEST)

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.usage)

    @property
    def read(self) -> float:
        return sum(each.read_units for each in self.usage)

    @property
    def write(self) -> float:
        return sum(each.write_units for each in self.usage)

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

    def _sums(
        self,
        usage: Iterable[PatternUsage],
        place: Callable[[PatternUsage], tuple[Hashable, ...]],
        about: Callable[[list[PatternUsage]], str],
    ) -> list[Spent]:
        grouped: dict[tuple[Hashable, ...], list[PatternUsage]] = {}
        for each in usage:
            grouped.setdefault(place(each), []).append(each)
        whole = self._monthly(self.usage)
        return [self._spent(key, rows, about(rows), whole) for key, rows in grouped.items()]

    def _spent(
        self, key: tuple[Hashable, ...], rows: list[PatternUsage], about: str, whole: Decimal
    ) -> Spent:
        monthly = self._monthly(rows)
        return Spent(
            str(key[0]),
            str(key[1]),
            about,
            sum(each.requests for each in rows),
            sum(each.read_units for each in rows),
            sum(each.write_units for each in rows),
            monthly,
            float(monthly / whole) if whole else 0.0,
        )

    def _monthly(self, rows: Iterable[PatternUsage]) -> Decimal:
        read = sum(each.read_units for each in rows)
        write = sum(each.write_units for each in rows)
        return self.prices.monthly(read, write, 1 / self.seconds)

    def bill(self, found: Iterable[TableStatus]) -> Bill:
        """The month of all tables; provisioned units are there for every table and global index, used or not."""
        tables = list(found)
        provisioned = [self._provisioned(each) for each in tables]
        storage = [self.prices.storage(each.whole) for each in tables]
        return Bill(self._monthly(self.usage), _sum(provisioned), _sum(storage))

    def _provisioned(self, found: TableStatus) -> Decimal | None:
        name, apart = found.name, {index.name for index in found.table.indexes if index.is_global}
        places = [
            [each for each in self.usage if each.table == name and (each.index or "") == index]
            for index in sorted(apart)
        ]
        # What a local index costs, its table pays (R7).
        places.append([each for each in self.usage if each.table == name and each.index not in apart])
        return _sum([self.prices.provisioned(*self._rates(rows)) for rows in places])

    def _rates(self, rows: list[PatternUsage]) -> tuple[float, float]:
        read = sum(each.read_units for each in rows)
        return read / self.seconds, sum(each.write_units for each in rows) / self.seconds


def _operations(rows: list[PatternUsage]) -> str:
    return ", ".join(dict.fromkeys(each.operation for each in rows))


def _sum(found: Sequence[Decimal | None]) -> Decimal | None:
    known = [each for each in found if each is not None]
    return None if len(known) < len(found) else sum(known, Decimal(0))
