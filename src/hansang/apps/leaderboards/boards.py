"""The boards of a game, such as its modes: each on tables of its own, with its name in front of theirs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from threading import Lock

from hansang.apps.leaderboards.board_names import BoardNames
from hansang.apps.leaderboards.design import FriendsLeaderboard, UsersLeaderboard
from hansang.apps.leaderboards.ranks_table import LeaderboardRanks
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import FIRST
from hansang.apps.leaderboards.weeks import unknown_player
from hansang.apps.leaderboards.work import LeaderboardWork
from hansang.apps.table_names import copied
from hansang.blueprint.table_status import table_status
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep
from hansang.parts.topics import Publish, unheard

TABLES = (UsersLeaderboard, FriendsLeaderboard, LeaderboardRanks, LeaderboardWork)


class GameBoards:
    """Every board of a server, each with the application on its own tables."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings | None = None,
        *,
        sleep: Sleep = time.sleep,
        publish: Publish = unheard,
    ) -> None:
        self._database, self._clock, self._sleep, self._publish = database, clock, sleep, publish
        self.settings = settings or LeaderboardsSettings()
        self.kept = BoardNames(database, self.settings)
        self._lock = Lock()
        self._open: dict[str, Leaderboards] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What the boards are called, the first one first."""
        return self.settings.boards

    def name_of(self, boards: Leaderboards) -> str:
        """What a board is called, the first one too."""
        return boards.board or self.names[0]

    def get(self, name: str) -> str:
        """The board of a name, or NotFound; without a name the first."""
        if name and name not in self.names:
            raise NotFound(
                "Board {board} not found. The boards are {known}.",
                code="leaderboards.no-board",
                values={"board": name[:40], "known": ", ".join(self.names)},
            )
        return FIRST if name == self.names[0] else name

    def open(self, name: str = FIRST) -> Leaderboards:
        """The application on the tables of a board."""
        board = self.get(name)
        with self._lock:
            if board not in self._open:
                self._open[board] = self._made(board)
            return self._open[board]

    def each(self) -> Iterator[Leaderboards]:
        """Every board, the first one first."""
        return map(self.open, self.names)

    def erase(self, player: int, *, beside: Beside[int] = alone) -> int:
        """Erase a player on every board, those too that are no longer named; how many weeks that were.

        It is noted on each of them first: broken off, it goes on when it is done again, or with the next repair.
        """
        there = [each for each in self._each_kept() if each.erasing.begin(player)]
        if not there:
            raise unknown_player(player)
        *others, last = there
        weeks = sum(each.erasing.erase(player) for each in others)
        return weeks + last.erasing.erase(
            player, beside=lambda transaction, more: beside(transaction, weeks + more)
        )

    def boards_with(self, player: int) -> list[str]:
        """The boards on which there is anything of a player, those too that are no longer named; or NotFound."""
        there = [each.board for each in self._each_kept() if each.erasing.has(player)]
        if not there:
            raise unknown_player(player)
        return there

    def _each_kept(self) -> Iterator[Leaderboards]:
        yield from self.each()
        for name in self.kept.unserved():
            boards = self._made(name)
            if all(table_status(boards.database, each).is_there for each in TABLES):
                yield boards

    def _made(self, board: str) -> Leaderboards:
        database = self._database
        if board != FIRST:
            database = database.renamed(copied(board, TABLES, database.name))
        return Leaderboards(
            database,
            self._clock,
            self.settings,
            board=board,
            begin=partial(self.kept.note, board),
            sleep=self._sleep,
            publish=self._publish,
        )
