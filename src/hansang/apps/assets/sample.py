"""A sample of the asset manager: two years and two months in the life of a couple, Seo-yeon and Jun-ho."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from random import Random
from typing import Any, cast

from hansang.apps.application import Progress
from hansang.apps.assets.design import (
    SAVED,
    SHORT,
    AccountCodes,
    Balances,
    Book,
    CodeKind,
    Codes,
    Detail,
    Entry,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    Savings,
    ShortSavings,
)
from hansang.apps.assets.plans import Budget, Goal, Holding, HoldingValue
from hansang.apps.assets.rules import month_after, month_before, month_of, months
from hansang.apps.assets.totals import Effect, balances_after, totals_of
from hansang.design import Database, Entity
from hansang.parts.sampling import in_seoul, repeatable, store, texts

MONTHS = 26
_SPENDERS = ("서연", "준호")


def fill(database: Database, now: datetime, progress: Progress) -> None:
    """Write the couple's months, up to this moment."""
    store(database, household(now), progress)
    database.put(book(now))
    progress(1)


def household(now: datetime) -> Iterator[Entity]:
    """The codes, the opening balances, and each month with its totals and balances."""
    home = _Home(in_seoul(now), texts("assets"), repeatable("assets"))
    yield from home.codes()
    yield from home.plans()
    balances = home.opening()
    yield balances
    for number, month in enumerate(home.months):
        entries = list(home.entries(number, month))
        totals = totals_of(month, entries)
        worth = {"investment_valuation": home.valuation(balances, entries)}
        moved = balances_after(balances, month, Effect.of(entries), totals.updated_at)
        balances = moved.model_copy(update={**worth, "created_at": totals.created_at})
        yield from (*entries, totals, balances)


def book(now: datetime) -> Book:
    """The book of the couple: all months but the present one are closed."""
    months_kept = _Home(in_seoul(now), texts("assets"), repeatable("assets")).months
    before = month_before(months_kept[-1])
    opening = month_before(months_kept[0])
    return Book(first=months_kept[0], last=months_kept[-1], opening=opening, closed_through=before)


# ── the couple ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Cost:
    """Something that costs between the least and the most, in the months that are named or in all."""

    memo: str
    least: int
    most: int
    step: int = 100
    months: tuple[int, ...] | list[int] = tuple(range(1, 13))
    times: int = 1
    category: str = ""
    account: str = ""
    by: str | None = None

    def amount(self, chance: Random) -> int:
        return chance.randrange(self.least, self.most + 1, self.step)

    def times_in(self, month: int, chance: Random) -> int:
        if month not in self.months:
            return 0
        return self.times + (chance.randint(-1, 1) if self.times > 2 else 0)


class _Home:
    """What the couple earns, pays and puts by, drawn month by month."""

    def __init__(self, now: datetime, words: Mapping[str, Any], chance: Random) -> None:
        self._now, self._words, self._chance = now, words, chance
        self._purchases = [_Cost(**each) for each in words["purchases"]]
        self._uses = [_Cost(**each) for each in words["uses"]]
        self._saved = dict(words["opening"]["short"])
        first = last = month_of(now.year, now.month)
        for _ in range(MONTHS - 1):
            first = month_before(first)
        self.months = list(months(first, last))

    def codes(self) -> Iterator[Entity]:
        at = self._first_of(self.months[0])
        following = list(months(self.months[0], month_of(self._now.year + 1, 12)))
        for kind, codes in {"YEAR_MONTH": following, **self._words["codes"]}.items():
            yield Codes(kind=cast(CodeKind, kind), codes=codes, updated_at=at)
        accounts = self._words["accounts"]
        yield AccountCodes(codes=accounts, group_order=list(accounts), updated_at=at)

    def plans(self) -> Iterator[Entity]:
        """What the couple owns and owes, what may be spent, and what is saved for."""
        at, last = self._first_of(self.months[-1]), self.months[-1]
        for each in self._words["holdings"]:
            past = [
                HoldingValue(month=month_after(last, back), amount=amount, memo=memo)
                for back, amount, memo in each.get("past", ())
            ]
            yield Holding(
                name=each["name"],
                kind=each["kind"],
                amount=each["amount"],
                values=past or None,
                updated_at=at,
            )
        for code, amount in self._words["budgets"].items():
            yield Budget(kind="living-expense", code=code, amount=amount, updated_at=at)
        for each in self._words["goals"]:
            yield Goal(
                account=each["account"],
                amount=each.get("amount"),
                due=month_after(last, each["ahead"]),
                started=month_after(last, each["started"]) if "started" in each else None,
                monthly=each.get("monthly"),
                rate=each.get("rate", 0),
                updated_at=at,
            )

    def opening(self) -> Balances:
        """What the couple had before the first month, in the month before it (X1-07)."""
        had, at = self._words["opening"], self._first_of(self.months[0])
        return Balances(
            year_month=month_before(self.months[0]),
            cash_accumulated=had["cash"],
            investment_accumulated=sum(had["investment"].values()),
            short_savings_balances=had["short"],
            investment_valuation=had["investment"],
            surplus_accumulated=0,
            created_at=at,
            updated_at=at,
        )

    def valuation(self, before: Balances, entries: Iterable[Entry]) -> dict[str, int]:
        """What the investments are worth: what they were, moved by the markets, and what was paid in."""
        paid = {each.account_name: each.amount for each in entries if isinstance(each, Investment)}
        # In tenths of a percent of a month: what each can lose and gain.
        moves = {"청약": (1, 2), "연금저축": (-18, 26), "주식": (-45, 62), "코인": (-150, 190)}
        return {
            account: worth * (1000 + self._chance.randint(*moves[account])) // 1000 + paid.get(account, 0)
            for account, worth in (before.investment_valuation or {}).items()
        }

    def entries(self, number: int, month: str) -> Iterator[Entry]:
        """The entries of the nth month."""
        yield from self._income(number, month)
        yield from self._fixed(number, month)
        yield from self._living(month)
        yield from self._deposits(month)
        yield from self._used(month)

    # ── income and expenses ───────────────────────────────────────────────────────────────────────

    def _income(self, number: int, month: str) -> Iterator[Entry]:
        for each in self._words["salaries"]:
            raises = sum(_calendar(past) == each["raised_in"] for past in self.months[1 : number + 1])
            amount = each["amount"] + raises * each["raise"]
            key = {"year_month": month, "name": each["name"], "income_type": "월급"}
            yield Income(**key, amount=amount, **self._written(month))
        for each in self._words["extras"]:
            amount = self._chance.randrange(each["least"], each["most"] + 1, 10_000)
            paid = [Detail(date=_day(month, each["day"]), amount=amount, memo=each["memo"], by=each["name"])]
            if each["month"] == _calendar(month) and (happened := self._happened(paid)):
                key = {"year_month": month, "name": each["name"], "income_type": each["type"]}
                yield Income(**key, **self._detailed(happened))

    def _fixed(self, number: int, month: str) -> Iterator[Entry]:
        for each in self._words["fixed"]:
            if "year" in each:
                amount = each["year"][_calendar(month) - 1] + self._chance.randrange(-90, 91) * 100
            else:
                amount = max((step for step in each["steps"] if step[0] <= number), key=lambda s: s[0])[1]
            yield FixedExpense(
                year_month=month, expense_type=each["type"], amount=amount, **self._written(month)
            )

    def _living(self, month: str) -> Iterator[Entry]:
        for category in self._words["codes"]["LIVING_EXPENSE_CATEGORY"]:
            costs = [cost for cost in self._purchases if cost.category == category]
            if happened := self._happened(self._paid(costs, month)):
                yield LivingExpense(year_month=month, category=category, **self._detailed(happened))

    # ── what is put by ────────────────────────────────────────────────────────────────────────────

    def _deposits(self, month: str) -> Iterator[Entry]:
        family = {account: kind for kind, members in self._words["accounts"].items() for account in members}
        for each in self._words["deposits"]:
            amount = self._chance.randrange(each["least"], each["most"] + 1, each.get("step", 1))
            if self._chance.randrange(100) < each.get("chance", 100):
                yield self._deposit(month, family[each["account"]], each["account"], amount)

    def _deposit(self, month: str, family: str, account: str, amount: int) -> Entry:
        shared: dict[str, Any] = {"year_month": month, "account_name": account, "amount": amount}
        shared |= self._written(month)
        if family == SHORT:
            self._saved[account] += amount
            return ShortSavings(**shared, transaction_type="적립")
        kind = Savings if family == SAVED else Investment
        return kind(**shared, account_type=family)

    def _used(self, month: str) -> Iterator[Entry]:
        for account in self._words["accounts"][SHORT]:
            costs = [cost for cost in self._uses if cost.account == account]
            happened = self._happened(self._paid(costs, month))
            if happened and (spent := sum(each.amount for each in happened)) <= self._saved[account]:
                self._saved[account] -= spent
                key = {"year_month": month, "account_name": account}
                yield ShortSavings(**key, transaction_type="사용", **self._detailed(happened))

    # ── payments ──────────────────────────────────────────────────────────────────────────────────

    def _paid(self, costs: Iterable[_Cost], month: str) -> list[Detail]:
        chance = self._chance
        return [
            Detail(
                date=_day(month, chance.randint(1, 31)),
                amount=cost.amount(chance),
                memo=cost.memo,
                by=cost.by or chance.choice(_SPENDERS),
            )
            for cost in costs
            for _ in range(cost.times_in(_calendar(month), chance))
        ]

    def _happened(self, details: Iterable[Detail]) -> list[Detail]:
        """What was paid until today; nothing is paid back before it was paid."""
        happened: list[Detail] = []
        for each in sorted(details, key=lambda detail: detail.date):
            if each.date <= self._now.date() and sum(past.amount for past in happened) + each.amount >= 0:
                happened.append(each)
        return happened

    def _detailed(self, details: list[Detail]) -> dict[str, Any]:
        return {
            "amount": sum(each.amount for each in details),
            "entries": details,
            "created_at": self._evening(details[0].date),
            "updated_at": self._evening(details[-1].date),
        }

    def _written(self, month: str) -> dict[str, Any]:
        at = self._first_of(month)
        return {"created_at": at, "updated_at": at}

    def _first_of(self, month: str) -> datetime:
        return min(self._now, self._at(_day(month, 1), time(9)))

    def _evening(self, day: date) -> datetime:
        return min(self._now, self._at(day, time(21)))

    def _at(self, day: date, hour: time) -> datetime:
        return datetime.combine(day, hour, self._now.tzinfo)


def _calendar(month: str) -> int:
    return int(month[5:])


def _day(month: str, day: int) -> date:
    """A day of a month, or the last if it is shorter."""
    year, number = int(month[:4]), _calendar(month)
    return date(year, number, min(day, monthrange(year, number)[1]))
