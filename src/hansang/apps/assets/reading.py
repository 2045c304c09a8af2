"""Reading a household: a month, the dashboard, any period."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hansang.apps.assets.books import is_recalculating
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.design import Balances, BalancesKey, Book, BookKey, Entry, Totals, TotalsKey
from hansang.apps.assets.kinds import KINDS, kind_of, parts_of
from hansang.apps.assets.questions import dashboard, whole
from hansang.apps.assets.recording import no_totals
from hansang.apps.assets.rules import (
    book_month,
    expect_month,
    month_after,
    month_before,
    months,
    months_between,
)
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.totals import TOTAL_FIELDS, net_worth
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import InvalidInput
from hansang.parts.hands import Hands
from hansang.parts.today import seoul_day

MOST_MONTHS = 120
"""How many months a period has at most."""
SHOWN_MONTHS = 12
_THREADS = 6

_ORDER = {kind.entity: place for place, kind in enumerate(KINDS.values())}


@dataclass(frozen=True, slots=True)
class MonthShown:
    """A month: its entries by kind, what they add up to, and the balances at its end."""

    month: str
    entries: list[Entry]
    totals: Totals
    """All nothing where there are no entries."""
    balances: Balances | None
    is_recalculating: bool
    """Whether the balances are still those from before a correction of an earlier month."""
    is_closed: bool

    def amounts(self) -> dict[tuple[str, ...], int]:
        """The amounts by kind and name: ("income", "서연", "월급")."""
        return {(kind_of(each).name, *parts_of(each)): each.amount for each in self.entries}


@dataclass(frozen=True, slots=True)
class DashboardMonth:
    """The totals and the balances of one month; None where nothing is stored."""

    month: str
    totals: Totals | None
    balances: Balances | None
    is_recalculating: bool

    @property
    def net_worth(self) -> int | None:
        return None if self.balances is None else net_worth(self.balances)


@dataclass(frozen=True, slots=True)
class DashboardShown:
    """A month beside the eleven before it."""

    month: str
    months: list[DashboardMonth]
    """Twelve, the oldest first; the last is the month itself."""
    book: Book

    @property
    def present(self) -> DashboardMonth:
        return self.months[-1]

    @property
    def before(self) -> DashboardMonth:
        return self.months[-2]


@dataclass(frozen=True, slots=True)
class PeriodShown:
    """The months of a period, each whole, and what they add up to together."""

    first: str
    last: str
    months: list[MonthShown]

    @property
    def sums(self) -> dict[str, int]:
        """The totals of all months together."""
        return {name: sum(getattr(each.totals, name) for each in self.months) for name in TOTAL_FIELDS}

    def by_code(self) -> dict[tuple[str, ...], int]:
        """The amounts of all months together, by kind and name."""
        found: dict[tuple[str, ...], int] = {}
        for month in self.months:
            for name, amount in month.amounts().items():
                found[name] = found.get(name, 0) + amount
        return found


class LedgerReading:
    """Questions about a household. Whoever asks first goes on with balances that a crash left behind."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        cascade: Cascade,
        settings: Callable[[], AssetsSettings] = AssetsSettings,
    ) -> None:
        self._database, self._clock, self._cascade, self._settings = database, clock, cascade, settings

    @property
    def this_month(self) -> str:
        """The month that it is in Seoul, as the household counts: it may begin on the payday."""
        return book_month(seoul_day(self._clock), self._settings())

    def book(self) -> Book:
        """The book, after going on with what a crash or a long correction has left."""
        found = self._database.find(BookKey(), consistent=True)
        if found is None:
            return Book()
        return found if found.wrong_since is None else self._cascade.go_on_briefly(found)

    def month(self, month: str) -> MonthShown:
        """A month as it was last written: a question for each kind of entries, and a batch for the rest (1-23 … 1-26)."""
        expect_month(month)
        book = self.book()
        entries = [
            each for kind in KINDS.values() for each in self._database.each(kind.of_month(month).consistent())
        ]
        keys: list[Any] = [TotalsKey(year_month=month), BalancesKey(year_month=month)]
        found = self._database.batch_get(keys, consistent=True)
        return _month_shown(month, [*entries, *found], book)

    def dashboard(self, month: str | None = None) -> DashboardShown:
        """A month and the eleven before it: the totals and balances of twelve months, in one request (1-26, X1-01)."""
        wanted = self.this_month if month is None else expect_month(month)
        month_before(wanted)  # The first month of all has none before it to be compared with.
        book = self.book()
        shown = list(months(month_after(wanted, 1 - SHOWN_MONTHS), wanted))
        found = self._database.batch_get(dashboard(shown))
        totals = {each.year_month: each for each in found if isinstance(each, Totals)}
        balances = {each.year_month: each for each in found if isinstance(each, Balances)}
        return DashboardShown(
            wanted,
            [
                DashboardMonth(each, totals.get(each), balances.get(each), is_recalculating(book, each))
                for each in shown
            ],
            book,
        )

    def period(self, first: str, last: str) -> PeriodShown:
        """The months of a period, each by one question of the index, some at a time (1-27, 1-34, X1-01)."""
        expect_span(first, last)
        return PeriodShown(first, last, list(self.each_month(list(months(first, last)))))

    def each_month(self, wanted: Sequence[str]) -> Iterator[MonthShown]:
        """Any months, however many, each by one question of the index, some at a time."""
        book = self.book()
        with Hands(_THREADS, "assets") as pool:
            for start in range(0, len(wanted), MOST_MONTHS):
                some = wanted[start : start + MOST_MONTHS]
                asked = [pool.submit(self._database.all, each) for each in whole(some)]
                for month, found in zip(some, asked, strict=True):
                    yield _month_shown(month, found.result(), book)


def expect_span(first: str, last: str, most: int = MOST_MONTHS) -> None:
    """Refuse a period that runs backward, or is too long."""
    expect_month(first)
    expect_month(last)
    count = months_between(first, last) + 1
    if not 1 <= count <= most:
        raise InvalidInput(
            "A period goes from a month to a later one, and has up to {most} months; from {first} to {last} "
            "are {count}.",
            code="assets.period",
            values={"most": most, "first": first, "last": last, "count": count},
        )


def _month_shown(month: str, items: Iterable[Any], book: Book) -> MonthShown:
    found = list(items)
    entries = [each for each in found if isinstance(each, Entry)]
    return MonthShown(
        month,
        sorted(entries, key=lambda each: _ORDER[type(each)]),
        next((each for each in found if isinstance(each, Totals)), None) or no_totals(month),
        next((each for each in found if isinstance(each, Balances)), None),
        is_recalculating(book, month),
        book.closed_through is not None and month <= book.closed_through,
    )
