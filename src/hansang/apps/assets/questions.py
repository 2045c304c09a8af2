"""Questions about a household that take more than one request, because a query asks one partition."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.assets.design import (
    BalancesKey,
    FixedExpense,
    Investment,
    LivingExpense,
    MonthItem,
    Savings,
    Totals,
    TotalsKey,
)
from hansang.apps.assets.rules import months
from hansang.design import Query


def expenses(month: str) -> tuple[Query[FixedExpense], Query[LivingExpense]]:
    """The expenses of a month: the fixed ones, and those of living (X1-02)."""
    return FixedExpense.of_month(month), LivingExpense.of_month(month)


def put_by(month: str) -> tuple[Query[Savings], Query[Investment]]:
    """What was saved in a month, and what was invested (X1-02)."""
    return Savings.of_month(month), Investment.of_month(month)


def dashboard(wanted: Iterable[str]) -> list[TotalsKey | BalancesKey]:
    """The keys of the totals and of the balances of these months, for one batch."""
    return [key for month in wanted for key in (TotalsKey(year_month=month), BalancesKey(year_month=month))]


def whole(wanted: Iterable[str]) -> list[Query[MonthItem]]:
    """All that is stored of these months: one question a month (X1-01)."""
    return [Totals.with_everything(month) for month in wanted]


def period(first: str, last: str) -> list[Query[MonthItem]]:
    """All that is stored of the months from first to last."""
    return whole(months(first, last))
