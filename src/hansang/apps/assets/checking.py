"""Checking: totals and balances against what the entries say, and making them right again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hansang.apps.assets.books import chain_start, find_book
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.design import Balances, BalancesKey, Book, TotalsKey
from hansang.apps.assets.recording import Recorder
from hansang.apps.assets.rules import expect_month, month_before, months
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.totals import Effect, moved, no_balances
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Busy, Conflict, NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

_TRIES = 40
_NAMES = {
    "total_income": "totalIncome",
    "total_expense": "totalExpense",
    "total_savings": "totalSavings",
    "total_investment": "totalInvestment",
    "total_short_savings": "totalShortSavings",
    "net_asset": "netAsset",
    "cash_accumulated": "cashAccumulated",
    "investment_accumulated": "investmentAccumulated",
    "short_savings_balances": "shortSavingsBalances",
    "surplus_accumulated": "surplusAccumulated",
}


@dataclass(frozen=True, slots=True)
class Drift:
    """A total or a balance that is not what the entries add up to."""

    month: str
    name: str
    stored: int | None
    expected: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check has found."""

    first: str | None
    last: str | None
    months: int
    drifts: list[Drift]
    recalculating_since: str | None

    @property
    def is_right(self) -> bool:
        return not self.drifts


Told = Callable[[str], object]


class Checking:
    """Compares what is stored with a recomputation from the entries."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        recorder: Recorder,
        cascade: Cascade,
        settings: AssetsSettings,
    ) -> None:
        self._database, self._clock, self._recorder = database, clock, recorder
        self._cascade, self._settings = cascade, settings

    def check(self, tell: Told = lambda month: None) -> CheckReport:
        """Look at every month; what is still being worked out is not counted as wrong."""
        book = self._cascade.go_on(None)
        start, drifts, count = chain_start(book), list[Drift](), 0
        if start is None or book.last is None:
            return CheckReport(None, None, 0, [], book.wrong_since)
        before = self._first_base(book, start)
        for month in months(start, book.last):
            tell(month)
            effect = Effect.of(self._recorder.entries(month))
            drifts += self._of_totals(month, effect)
            stored = self._database.find(BalancesKey(year_month=month), consistent=True)
            amounts = moved(before, effect, cash_includes_surplus=self._settings.cash_includes_surplus)
            drifts += _of_balances(month, stored, amounts)
            before = before.model_copy(update=amounts)
            count += 1
        return CheckReport(start, book.last, count, drifts, book.wrong_since)

    def _first_base(self, book: Book, start: str) -> Balances:
        if book.opening is None:
            return no_balances(start, to_whole_second(self._clock()))
        return self._database.get(BalancesKey(year_month=book.opening), consistent=True)

    def _of_totals(self, month: str, effect: Effect) -> list[Drift]:
        stored = self._database.find(TotalsKey(year_month=month), consistent=True)
        if stored is None:
            return [
                Drift(month, _NAMES[name], None, amount) for name, amount in effect.totals.items() if amount
            ]
        return [
            Drift(month, _NAMES[name], getattr(stored, name), amount)
            for name, amount in effect.totals.items()
            if getattr(stored, name) != amount
        ]

    # ── making right ──────────────────────────────────────────────────────────────────────────────

    def settle(self, month: str, beside: Beside[Book] = alone, *, closes: bool = False) -> list[Drift]:
        """Work the totals of a month out from its entries again; what they were otherwise."""
        expect_month(month)
        for _ in range(_TRIES):
            book = find_book(self._database)
            effect = Effect.of(entries := self._recorder.entries(month))
            drifts = self._of_totals(month, effect)
            after = _after_settling(book, month, has_drift=bool(drifts), closes=closes)
            stored = self._database.find(TotalsKey(year_month=month), consistent=True)
            totals = None
            if drifts or (stored is None and entries):
                totals = self._recorder.totals_from(month, effect, stored)
            if totals is None and after == book and beside is alone:
                return drifts
            try:
                with self._database.transaction(name="Totals.settle") as transaction:
                    beside(transaction, after)
                    if totals is not None:
                        transaction.put(totals)
                    transaction.put(after)
            except (Conflict, NotFound):
                continue
            return drifts
        raise Busy(
            "The month {month} is being changed by somebody else. Try again in a moment.",
            code="assets.month-busy",
            values={"month": month},
        )

    def rebuild(self, since: str | None = None, tell: Told = lambda month: None) -> list[Drift]:
        """Work out totals and balances from a month on, or all; what was wrong."""
        book = find_book(self._database)
        start = chain_start(book)
        if start is None or book.last is None:
            return []
        first = start if since is None else max(start, expect_month(since))
        found: list[Drift] = []
        for month in months(first, book.last):
            tell(month)
            found += self.settle(month)
        self._cascade.mark(first)
        self._cascade.go_on(None)
        return found

    def close(self, month: str, beside: Beside[Book] = alone) -> list[Drift]:
        """End a month: its totals from the entries, its balances, and what was not as it had to be (1-31, X1-09)."""
        drifts = self.settle(month, beside, closes=True)
        book = self._cascade.go_on(None)
        start = chain_start(book)
        if start is None or book.last is None or not start <= month <= book.last:
            return drifts
        before = self._base_of(book, month, start)
        effect = Effect.of(self._recorder.entries(month))
        amounts = moved(before, effect, cash_includes_surplus=self._settings.cash_includes_surplus)
        stored = self._database.find(BalancesKey(year_month=month), consistent=True)
        wrong = _of_balances(month, stored, amounts)
        if wrong:
            self._cascade.mark(month)
            self._cascade.go_on(None)
        return drifts + wrong

    def _base_of(self, book: Book, month: str, start: str) -> Balances:
        if month == start:
            return self._first_base(book, start)
        return self._database.get(BalancesKey(year_month=month_before(month)), consistent=True)


def _after_settling(book: Book, month: str, *, has_drift: bool, closes: bool) -> Book:
    changes: dict[str, object] = {}
    if has_drift:
        first, last = min(filter(None, (book.first, month))), max(filter(None, (book.last, month)))
        since = min(filter(None, (book.wrong_since, month)))
        changes |= {"first": first, "last": last, "wrong_since": since}
    if closes:
        changes["closed_through"] = max(filter(None, (book.closed_through, month)))
    return book.model_copy(update=changes)


def _of_balances(month: str, stored: Balances | None, amounts: dict[str, object]) -> list[Drift]:
    found: list[Drift] = []
    for name, expected in amounts.items():
        there = None if stored is None else getattr(stored, name)
        if isinstance(expected, dict):
            accounts = dict.fromkeys([*expected, *(there or {})])
            found += [
                Drift(
                    month, f"{_NAMES[name]}.{account}", (there or {}).get(account), expected.get(account, 0)
                )
                for account in accounts
                if (there or {}).get(account, 0) != expected.get(account, 0)
            ]
        elif there != expected and not (
            name == "surplus_accumulated" and stored is not None and there is None
        ):
            assert isinstance(expected, int)
            found.append(Drift(month, _NAMES[name], there, expected))
    return found
