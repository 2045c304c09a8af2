"""What is told of the boards while they change: a topic for each week's board, and one for each player."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.leaderboards.rules import Week
from hansang.parts.topics import Publish, unheard

FIRST = ""
"""The board that was there first, in the tables of the document's names."""


def board_topic(week: Week, board: str = FIRST) -> str:
    """The topic of a week's board: told when its ranks have changed."""
    return f"leaderboards.board.{_of(board)}{week.start}"


def player_topic(player: int, board: str = FIRST) -> str:
    """The topic of a player: told when a score, the name, the friends or a hiding have changed."""
    return f"leaderboards.player.{_of(board)}{player}"


def _of(board: str) -> str:
    return f"{board}." if board else ""


class BoardTopics:
    """Tells whoever watches; a message says that something is new, and its reader asks for the rest."""

    def __init__(self, publish: Publish = unheard, board: str = FIRST) -> None:
        self._publish, self._board = publish, board

    def board(self, week: Week, changes: int = 1, *, at_once: bool = False) -> None:
        """Tell that so many rows of a board are others now."""
        self._publish(
            board_topic(week, self._board), {"week": str(week), "changes": changes}, at_once=at_once
        )

    def players(self, week: Week, players: Iterable[int]) -> None:
        """Tell that something of these players has changed, and with it their boards."""
        for player in players:
            self._publish(player_topic(player, self._board), {"week": str(week)})

    def player(self, week: Week, player: int) -> None:
        """Tell that a player's row is another one now: to the player's topic, and to the board's."""
        self.players(week, (player,))
        self.board(week)


UNHEARD = BoardTopics()
