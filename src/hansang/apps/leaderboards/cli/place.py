"""What the commands of the leaderboards share: where they find them, and how what is done is noted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

import typer

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.reading import PlacedRow, TieRule
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import FIRST
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.clock import system_clock
from hansang.parts.history import Actor, History
from hansang.parts.topics import Topics
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import open_application, print_rows

PlayerNumber = Annotated[int, typer.Argument(min=0, metavar="ID", help="The id of the player.")]
WeekNamed = Annotated[
    str, typer.Option("--week", metavar="WEEK", help="current, or the first day of the week.")
]
WeekGiven = Annotated[str, typer.Argument(metavar="WEEK", help="current, or the first day of the week.")]
Ties = Annotated[TieRule, typer.Option(help="How equals rank: 1224, 1223 or 1234.")]
THIS_WEEK = CURRENT
chosen: ContextVar[str] = ContextVar("chosen_board", default=FIRST)
"""The board that a command is about."""


@dataclass(frozen=True, slots=True)
class OpenBoards:
    """The application at a place, and the history of what is done there."""

    boards: Leaderboards
    every: GameBoards
    history: History
    actor: Actor

    @property
    def recorded(self) -> RecordedBoards:
        """The verbs, each with its line of history."""
        return RecordedBoards(self.boards, self.history, self.actor)


def choose(
    board: Annotated[
        str,
        typer.Option(metavar="NAME", help="The board; without it the first of HANSANG_LEADERBOARDS_BOARDS."),
    ] = FIRST,
) -> None:
    """The weekly leaderboards of a game: submit scores, read boards, close weeks."""
    chosen.set(board)


@contextmanager
def open_boards(place: str | None) -> Iterator[OpenBoards]:
    """The application at a place; its tables are made in a data file that has none."""
    settings: LeaderboardsSettings = settings_of(APPLICATION)
    with open_application(place, APPLICATION) as database:
        topics = Topics(database, system_clock)
        every = GameBoards(database, system_clock, settings, publish=topics.publish)
        boards, history = every.open(chosen.get()), History(database, system_clock)
        yield OpenBoards(boards, every, history, Actor.of(operator()))
        topics.flush()


def print_board(rows: list[PlacedRow]) -> None:
    cells = [(row.rank, row.name, row.score, str(row.id)) for row in rows]
    print_rows(("rank", "name", "score", "id"), cells, unbroken=("rank",))


def board_rows(rows: list[PlacedRow]) -> list[dict[str, object]]:
    """Rows for programs, as the API has them."""
    return [{"rank": row.rank, "id": row.id, "name": row.name, "score": row.score} for row in rows]
