"""What the players see first: the best three of this week."""

from __future__ import annotations

from hansang.apps.leaderboards.board_rows import BoardRows
from hansang.apps.leaderboards.rules import week_of
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayLine, seoul_day


def today(database: Database, clock: Clock, settings: LeaderboardsSettings) -> Today:
    """The best three of the week that it is."""
    week = week_of(seoul_day(clock))
    best = BoardRows(database, settings.read_shards).down(week, MOST_LINES)[:MOST_LINES]
    return Today(
        "leaderboards.today.about",
        {"start": week.start, "end": week.end},
        lines=tuple(TodayLine(each.name, each.score) for each in best),
        is_ranked=True,
        nothing="leaderboards.today.nothing",
    )
