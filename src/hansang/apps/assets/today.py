"""What the household sees first: this month's totals, and what living has cost most."""

from __future__ import annotations

from typing import Any

from hansang.apps.assets.design import LivingExpense, TotalsKey
from hansang.apps.assets.rules import month_of
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayFigure, TodayLine, seoul_day


def today(database: Database, clock: Clock, settings: Any) -> Today:
    """The totals of this month."""
    day = seoul_day(clock)
    month = month_of(day.year, day.month)
    totals = database.find(TotalsKey(year_month=month))
    spent = sorted(database.all(LivingExpense.of_month(month)), key=lambda each: -each.amount)
    figures = (
        ()
        if totals is None
        else (
            TodayFigure("assets.today.income", totals.total_income, "won"),
            TodayFigure("assets.today.expense", totals.total_income - totals.net_asset, "won"),
            TodayFigure(
                "assets.today.left", totals.net_asset, "won", "bad" if totals.net_asset < 0 else "plain"
            ),
        )
    )
    return Today(
        "assets.today.about",
        figures=figures,
        lines=tuple(TodayLine(each.category, each.amount, "won") for each in spent[:MOST_LINES]),
        nothing="assets.today.nothing",
    )
