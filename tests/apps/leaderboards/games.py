"""The leaderboards on a database in memory, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay, Submitted
from hansang.design import Database
from tests.storing import opened

FRIDAY = 1_399_561_200.0
"""2014-05-09 00:00 in Seoul, when the week of the source begins."""
DAY = 86_400.0
WEEK = Week.parse("2014-05-09, 2014-05-15")


class Game:
    """The application and its clock."""

    def __init__(self, database: Database, **settings: Any) -> None:
        self.now = FRIDAY + 3600
        self.database = database
        self.boards = self.another(**{"plays_a_minute": 0, **settings})

    def another(self, **settings: Any) -> Leaderboards:
        """The application as another process has it."""
        return Leaderboards(
            self.database, lambda: self.now, LeaderboardsSettings(**settings), sleep=lambda seconds: None
        )

    def play(self, player: int, score: int, name: str | None = None, **more: Any) -> Submitted:
        self.now += 1
        return self.boards.submitter.submit(GivenPlay(player, name or f"P{player}", score, **more))

    def board(self, **asked: Any) -> list[tuple[int, int, int]]:
        """Rank, player and score of the whole board."""
        found = self.boards.reading.page(self.boards.weeks.current, 0, 1000, **asked)
        return [(row.rank, row.id, row.score) for row in found.items]

    def friends_of(self, player: int) -> list[tuple[int, int]]:
        found = self.boards.reading.friends_board(self.boards.weeks.current, player)
        return [(row.id, row.score) for row in found.items]


@contextmanager
def a_game(**settings: Any) -> Iterator[Game]:
    with opened(*APPLICATION.tables) as database:
        yield Game(database, **settings)
