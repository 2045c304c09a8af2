"""What the players see first: the official first three of the newest day that is whole."""

from __future__ import annotations

from typing import Any

from hansang.apps.rankings.design import OfficialLevelRow, SnapshotDay
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayFigure, TodayLine


def today(database: Database, clock: Clock, settings: Any) -> Today:
    """The first three by level of the newest day."""
    newest = next(iter(database.page(SnapshotDay.finished(), 1)), None)
    if newest is None:
        return Today("rankings.today.none", nothing="rankings.today.nothing")
    first = database.page(OfficialLevelRow.top(newest.day), MOST_LINES)
    return Today(
        "rankings.today.about",
        {"day": newest.day},
        (TodayFigure("rankings.today.players", newest.players),),
        tuple(TodayLine(each.name, each.level) for each in first),
        is_ranked=True,
        nothing="rankings.today.nothing",
    )
