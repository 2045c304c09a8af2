"""What the entries of a month add up to, and what that makes of the balances; decided without reading anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from hansang.apps.assets.design import (
    Balances,
    Entry,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    Savings,
    ShortSavings,
    Totals,
)
from hansang.apps.assets.rules import surplus

TOTAL_FIELDS = (
    "total_income",
    "total_expense",
    "total_savings",
    "total_investment",
    "total_short_savings",
    "net_asset",
)
NOTHING: Mapping[str, int] = dict.fromkeys(TOTAL_FIELDS, 0)


def sums(entries: Iterable[Entry]) -> dict[str, int]:
    """The amounts of totals by their fields; of what was put by, what went in and not what was used (X1-06)."""
    found = list(entries)
    amounts = {
        "income": _sum(found, Income),
        "expense": _sum(found, FixedExpense, LivingExpense),
        "savings": _sum(found, Savings),
        "investment": _sum(found, Investment),
        "short_savings": sum(put_by(found).values()),
    }
    return {f"total_{name}": amount for name, amount in amounts.items()} | {"net_asset": surplus(**amounts)}


def put_by(entries: Iterable[Entry], kind: str = "적립") -> dict[str, int]:
    """What was put by for each purpose, or used of it."""
    return {
        entry.account_name: entry.amount
        for entry in entries
        if isinstance(entry, ShortSavings) and entry.transaction_type == kind
    }


def _sum(entries: Iterable[Entry], *kinds: type[Entry]) -> int:
    return sum(entry.amount for entry in entries if isinstance(entry, kinds))


def totals_of(month: str, entries: Iterable[Entry]) -> Totals:
    """The totals of a month, written when its entries were."""
    found = list(entries)
    return Totals(
        year_month=month,
        **sums(found),
        created_at=min(entry.created_at for entry in found),
        updated_at=max(entry.updated_at for entry in found),
    )


# ── balances ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Effect:
    """What entries add to the totals and to the balances."""

    totals: Mapping[str, int]
    short: Mapping[str, int]
    """What each purpose has more: what was put by without what was used (X1-06)."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Effect:
        found = list(entries)
        saved, used = put_by(found), put_by(found, "사용")
        names = dict.fromkeys([*saved, *used])
        return cls(sums(found), {name: saved.get(name, 0) - used.get(name, 0) for name in names})

    def less(self, other: Effect) -> Effect:
        """What this one adds beyond another."""
        names = dict.fromkeys([*self.short, *other.short])
        return Effect(
            {name: self.totals[name] - other.totals[name] for name in TOTAL_FIELDS},
            {name: self.short.get(name, 0) - other.short.get(name, 0) for name in names},
        )


def no_balances(month: str, at: datetime) -> Balances:
    """The balances of a household that had nothing."""
    return Balances(
        year_month=month,
        cash_accumulated=0,
        investment_accumulated=0,
        short_savings_balances={},
        surplus_accumulated=0,
        created_at=at,
        updated_at=at,
    )


def moved(before: Balances, effect: Effect, *, cash_includes_surplus: bool = False) -> dict[str, object]:
    """The amounts of balances when entries have had their effect on them (X1-07)."""
    left = effect.totals["net_asset"]
    short = dict(before.short_savings_balances)
    for account, amount in effect.short.items():
        short[account] = short.get(account, 0) + amount
    return {
        "cash_accumulated": before.cash_accumulated
        + effect.totals["total_savings"]
        + (left if cash_includes_surplus else 0),
        "investment_accumulated": before.investment_accumulated + effect.totals["total_investment"],
        "short_savings_balances": short,
        "surplus_accumulated": (before.surplus_accumulated or 0) + left,
    }


def balances_after(
    before: Balances,
    month: str,
    effect: Effect,
    at: datetime,
    stored: Balances | None = None,
    *,
    cash_includes_surplus: bool = False,
) -> Balances:
    """The balances at the end of a month; what is stored keeps its valuation and its beginning (X1-09, X1-24)."""
    amounts = moved(before, effect, cash_includes_surplus=cash_includes_surplus)
    if stored is None:
        return Balances.model_validate(
            {"year_month": month, "created_at": at, "updated_at": at, **amounts}, strict=False
        )
    if all(getattr(stored, name) == amount for name, amount in amounts.items()):
        return stored
    return stored.model_copy(update={**amounts, "updated_at": at})


def net_worth(balances: Balances) -> int:
    """What the household has put by: cash, what was paid into investments, and what is put by (X1-05)."""
    return (
        balances.cash_accumulated
        + balances.investment_accumulated
        + sum(balances.short_savings_balances.values())
    )
