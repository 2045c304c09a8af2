"""What the players see first: the best three of this week."""

from __future__ import annotations

from typing import Any

from hansang.apps.leaderboards.design import WeeklyBest
from hansang.apps.leaderboards.rules import week_of
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayLine, seoul_day


def today(database: Database, clock: Clock, settings: Any) -> Today:
    """The best three of the week that it is."""
    week = week_of(seoul_day(clock))
    best = database.page(WeeklyBest.overall(*week.days), MOST_LINES)
    return Today(
        "leaderboards.today.about",
        {"start": week.start, "end": week.end},
        lines=tuple(TodayLine(each.name, each.top_score) for each in best),
        is_ranked=True,
        nothing="leaderboards.today.nothing",
    )
