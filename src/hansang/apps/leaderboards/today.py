"""What the players see first: the best three of this week, or whoever leads each board of the game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayFigure, TodayLine

HOME = "/leaderboards"
_MOST_READS = 20
"""As many reads as the home page has for an application, and a few less."""


def today(database: Database, clock: Clock, settings: LeaderboardsSettings) -> Today:
    """The week that it is; of several boards the first player of each, as far as there is room."""
    every = GameBoards(database, clock, settings)
    first = every.open()
    week = first.weeks.current
    days = {"start": week.start, "end": week.end}
    if (boards := len(every.names)) > 1:
        lines = tuple(islice(_leaders(every), MOST_LINES))
        figure = TodayFigure("leaderboards.today.boards", boards, href=HOME)
        return Today(
            "leaderboards.today.boards_about",
            {**days, "boards": boards},
            figures=(figure,) if len(lines) < boards else (),
            lines=lines,
            nothing="leaderboards.today.nothing",
        )
    best = first.rows.down(week, MOST_LINES)[:MOST_LINES]
    return Today(
        "leaderboards.today.about",
        days,
        lines=tuple(TodayLine(each.name, each.score) for each in best),
        is_ranked=True,
        nothing="leaderboards.today.nothing",
    )


def _leaders(every: GameBoards) -> Iterator[TodayLine]:
    for name in every.names[: max(1, _MOST_READS // max(1, every.settings.read_shards))]:
        boards = every.open(name)
        for row in boards.rows.down(boards.weeks.current, 1)[:1]:
            href = f"{HOME}?board={name}" if boards.board else HOME
            yield TodayLine(f"{name} · {row.name}", row.score, href=href)
