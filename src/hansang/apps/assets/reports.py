"""LedgerReports: net worth, goals, budgets, years, people, tags and gifts, as pages and charts show them."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from hansang.apps.assets.design import Balances, BalancesKey, Detail, Entry, Income
from hansang.apps.assets.kinds import KINDS, kind_of, parts_of
from hansang.apps.assets.plans import Budget, Goal, Holding
from hansang.apps.assets.reading import LedgerReading, MonthShown
from hansang.apps.assets.rules import expect_month, months, months_between
from hansang.apps.assets.totals import net_worth
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import seoul_day

BudgetState = Literal["fine", "soon", "over"]
TOGETHER = ""
"""The name of what nobody in particular has paid."""
_SOON = 10
"""How many percent of a budget may be spent ahead of the days of the month before somebody is told."""


@dataclass(frozen=True, slots=True)
class HoldingShown:
    """Something that is owned or owed, as it counts at the end of a month."""

    name: str
    kind: str
    worth: int


@dataclass(frozen=True, slots=True)
class NetWorth:
    """What the household has at the end of a month, written out (X1-05)."""

    month: str
    balances: Balances | None
    holdings: list[HoldingShown]

    @property
    def put_by(self) -> int:
        """What the document counts: cash, investments and purposes."""
        return 0 if self.balances is None else net_worth(self.balances)

    @property
    def owned(self) -> int:
        return sum(each.worth for each in self.holdings if each.worth > 0)

    @property
    def owed(self) -> int:
        return -sum(each.worth for each in self.holdings if each.worth < 0)

    @property
    def total(self) -> int:
        return self.put_by + self.owned - self.owed


@dataclass(frozen=True, slots=True)
class BudgetShown:
    """A budget beside what was spent of it."""

    kind: str
    code: str
    budget: int
    spent: int
    state: BudgetState

    @property
    def left(self) -> int:
        return self.budget - self.spent


@dataclass(frozen=True, slots=True)
class Maturity:
    """What a term deposit pays in the end."""

    due: str
    paid_in: int
    interest: int
    tax: int

    @property
    def total(self) -> int:
        return self.paid_in + self.interest - self.tax


@dataclass(frozen=True, slots=True)
class PotShown:
    """A purpose or an account with a goal: what is in it, and how far that is."""

    account: str
    family: str
    balance: int | None
    goal: Goal | None
    maturity: Maturity | None

    @property
    def percent(self) -> int | None:
        """How much of the goal is reached; None where there is none."""
        if self.goal is None or not self.goal.amount or self.balance is None:
            return None
        return max(0, self.balance) * 100 // self.goal.amount


@dataclass(frozen=True, slots=True)
class YearShown:
    """A year by kind, name and month."""

    year: int
    rows: dict[tuple[str, ...], list[int]]
    """Twelve amounts each, January first."""
    totals: dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Payment:
    """A line of an entry, with where it stands."""

    month: str
    kind: str
    parts: tuple[str, ...]
    detail: Detail


@dataclass(frozen=True, slots=True)
class PersonShare:
    """What one person earned and paid in a period."""

    name: str
    income: int = 0
    paid: dict[tuple[str, ...], int] = field(default_factory=dict)

    @property
    def spent(self) -> int:
        return sum(self.paid.values())


class LedgerReports:
    """Questions whose answers are shaped for people."""

    def __init__(self, database: Database, clock: Clock, reading: LedgerReading) -> None:
        self._database, self._clock, self._reading = database, clock, reading

    def net_worth(self, month: str) -> NetWorth:
        """What there is at the end of a month, with what is owned and owed besides."""
        balances = self._database.find(BalancesKey(year_month=expect_month(month)))
        holdings = self._database.all(Holding.all_of_them())
        return NetWorth(
            month, balances, [HoldingShown(each.name, each.kind, each.worth(month)) for each in holdings]
        )

    def net_worths(self, first: str, last: str) -> list[NetWorth]:
        """The same for every month of a period, in one batch."""
        wanted = list(months(first, last))
        found = self._database.batch_get([BalancesKey(year_month=month) for month in wanted])
        balances = {each.year_month: each for each in found}
        holdings = self._database.all(Holding.all_of_them())
        return [
            NetWorth(
                month,
                balances.get(month),
                [HoldingShown(each.name, each.kind, each.worth(month)) for each in holdings],
            )
            for month in wanted
        ]

    def budgets(self, month: str, shown: MonthShown | None = None) -> list[BudgetShown]:
        """Every budget beside what was spent; a warning comes while there is still something to spend.

        A month that was read already is not read again.
        """
        amounts = (shown or self._reading.month(month)).amounts()
        percent = elapsed(month, seoul_day(self._clock))
        return [
            BudgetShown(
                each.kind,
                each.code,
                each.amount,
                spent := amounts.get((each.kind, each.code), 0),
                _state(each.amount, spent, percent),
            )
            for each in self._database.all(Budget.all_of_them())
        ]

    def pots(self, month: str, accounts: dict[str, list[str]]) -> list[PotShown]:
        """Every purpose, and every account that has a goal or a term."""
        balances = self._database.find(BalancesKey(year_month=expect_month(month)))
        goals = {each.account: each for each in self._database.all(Goal.all_of_them())}
        short = {} if balances is None else balances.short_savings_balances
        found = []
        for family, names in accounts.items():
            for name in names:
                goal = goals.get(name)
                if name in short or goal is not None:
                    found.append(PotShown(name, family, short.get(name), goal, maturity(goal)))
        return found

    def year(self, year: int) -> YearShown:
        """Every code of a year, month by month."""
        period = self._reading.period(f"{year:04d}.01", f"{year:04d}.12")
        rows: dict[tuple[str, ...], list[int]] = {}
        for place, month in enumerate(period.months):
            for key, amount in month.amounts().items():
                rows.setdefault(key, [0] * 12)[place] = amount
        order: dict[str, int] = {kind: number for number, kind in enumerate(KINDS)}
        names = ("total_income", "total_expense", "total_savings", "total_investment", "total_short_savings")
        totals = {
            name: [getattr(each.totals, name) for each in period.months] for name in (*names, "net_asset")
        }
        return YearShown(year, dict(sorted(rows.items(), key=lambda row: order[row[0][0]])), totals)

    def people(self, first: str, last: str) -> list[PersonShare]:
        """What each person earned, and what each has paid by the lines of entries; the rest is nobody's in particular."""
        found: dict[str, PersonShare] = {}
        for month in self._reading.period(first, last).months:
            for entry in month.entries:
                for name, is_income, amount in _shares(entry):
                    person = found.get(name) or PersonShare(name)
                    key = (kind_of(entry).name, *parts_of(entry))
                    paid = person.paid if is_income else person.paid | {key: person.paid.get(key, 0) + amount}
                    found[name] = PersonShare(name, person.income + (amount if is_income else 0), paid)
        return sorted(found.values(), key=lambda each: (each.name == TOGETHER, each.name))

    def tags(self, year: int) -> dict[str, dict[str, int]]:
        """For the year-end tax settlement: what was paid by tag, and of that by whom."""
        found: dict[str, dict[str, int]] = {}
        for each in self.payments(f"{year:04d}.01", f"{year:04d}.12"):
            if each.detail.tag:
                by = found.setdefault(each.detail.tag, {})
                name = each.detail.by or TOGETHER
                by[name] = by.get(name, 0) + each.detail.amount
        return found

    def gifts(self, first: str, last: str) -> dict[str, list[Payment]]:
        """Gifts and condolences by whom they were for."""
        found: dict[str, list[Payment]] = {}
        for each in self.payments(first, last):
            if each.detail.whom:
                found.setdefault(each.detail.whom, []).append(each)
        return found

    def search(self, text: str, first: str, last: str) -> list[Payment]:
        """Payments whose memo, person or tag has a text, the newest first."""
        wanted = text.casefold()
        found = [
            each
            for each in self.payments(first, last)
            if any(
                wanted in (part or "").casefold()
                for part in (each.detail.memo, each.detail.by, each.detail.whom, each.detail.tag)
            )
        ]
        return sorted(found, key=lambda each: each.detail.date, reverse=True)

    def payments(self, first: str, last: str) -> Iterator[Payment]:
        """Every line of the entries of a period."""
        for month in self._reading.period(first, last).months:
            yield from _payments(month)


def maturity(goal: Goal | None) -> Maturity | None:
    """What a term deposit with a monthly amount pays in the end, by simple interest, as Korean banks reckon it."""
    if goal is None or goal.started is None or goal.due is None or not goal.monthly:
        return None
    count = months_between(goal.started, goal.due)
    if count <= 0:
        return None
    # The first payment bears interest for all months, the last one for one.
    interest = goal.monthly * goal.rate * count * (count + 1) // (2 * 12 * 10_000)
    return Maturity(goal.due, goal.monthly * count, interest, interest * goal.tax // 10_000)


def elapsed(month: str, today: date) -> int:
    """How many percent of a month have passed."""
    if f"{today:%Y.%m}" != month:
        return 100 if f"{today:%Y.%m}" > month else 0
    return today.day * 100 // monthrange(today.year, today.month)[1]


def _state(budget: int, spent: int, elapsed: int) -> BudgetState:
    if spent > budget:
        return "over"
    return "soon" if spent * 100 > budget * min(100, elapsed + _SOON) else "fine"


def _shares(entry: Entry) -> Iterator[tuple[str, bool, int]]:
    """Whose an entry is, in parts: a person's, and whether it was earned."""
    if isinstance(entry, Income):
        yield entry.name, True, entry.amount
    elif kind_of(entry).total == "total_expense":
        lines = entry.entries or ()
        for each in lines:
            yield each.by or TOGETHER, False, each.amount
        if not lines:
            yield TOGETHER, False, entry.amount


def _payments(month: MonthShown) -> Iterator[Payment]:
    for entry in month.entries:
        for each in entry.entries or ():
            yield Payment(month.month, kind_of(entry).name, parts_of(entry), each)


def against(year: YearShown, other: YearShown, through: int) -> dict[tuple[str, ...], tuple[int, int]]:
    """Two years side by side, as far as the months of both have come."""
    keys = dict.fromkeys([*year.rows, *other.rows])
    none = [0] * 12
    return {
        key: (sum(year.rows.get(key, none)[:through]), sum(other.rows.get(key, none)[:through]))
        for key in keys
    }
