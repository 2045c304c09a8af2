"""What the entries of a month add up to."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.assets.design import (
    Entry,
    FixedExpense,
    Income,
    Investment,
    LivingExpense,
    Savings,
    ShortSavings,
)
from hansang.apps.assets.rules import surplus


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
