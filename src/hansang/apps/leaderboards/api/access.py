"""What the routes of the leaderboards share: the board that is asked for, who may read, and how ids stand on the wire."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.requests import Request

from hansang.apps.leaderboards.board_rows import ScoreRow
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.design import LARGEST_ID, wire_id
from hansang.apps.leaderboards.reading import PlacedRow
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import FIRST
from hansang.parts.permissions import Action, Principal
from hansang.surfaces.api.parameters import Exported, Spoken
from hansang.surfaces.api.rules import Allow, Gate, Public, Rule
from hansang.surfaces.shell import Shell

AREA = "leaderboards"
PATH = "/api/leaderboards"

GivenId = Annotated[int, Field(ge=0, le=LARGEST_ID)] | Annotated[str, Field(pattern=r"^[0-9]{1,19}$")]
ShownId = int | str
PlayerInPath = Annotated[int, InPath(alias="id", ge=0, le=LARGEST_ID, examples=[2])]
OtherInPath = Annotated[int, InPath(alias="other", ge=0, le=LARGEST_ID, examples=[3])]
WeekInPath = Annotated[str, InPath(alias="week", max_length=40, examples=["current"])]
_BoardName = Annotated[str | None, Field(max_length=40, examples=["main"])]
BoardNamed = Annotated[str | None, InAddress(alias="board", max_length=40, examples=["main"])]
asked_board: ContextVar[str] = ContextVar("asked_board", default=FIRST)
"""The board of the request, once it is known that there is one."""


class BoardQuestion(Spoken):
    """What every question may say: which board; the rule of its route looks at that."""

    board: _BoardName = None


class BoardListQuestion(Exported):
    """The same of a list."""

    board: _BoardName = None


BoardListed = Annotated[BoardListQuestion, InAddress()]


@dataclass(frozen=True, slots=True)
class OnBoard(Allow):
    """Whoever has the scope may, on the board that the address names."""

    boards: GameBoards | None = None

    async def __call__(self, request: Request, board: BoardNamed = None) -> Principal:
        """Who is asking, if that one may, and there is such a board."""
        principal = await Allow.__call__(self, request)
        assert self.boards is not None
        asked_board.set(self.boards.get(board or FIRST))
        return principal


@dataclass(frozen=True, slots=True)
class PublicOnBoard(Public):
    """Everyone may, on the board that the address names."""

    boards: GameBoards

    async def __call__(self, request: Request, board: BoardNamed = None) -> None:
        """Nobody is asked, and there is such a board."""
        asked_board.set(self.boards.get(board or FIRST))


class LeaderboardRoutes:
    """What every group of routes has: its rules, and the application on the board that is asked for."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        settings: LeaderboardsSettings | None = shell.chosen.get(AREA)
        self._shell, self._gate = shell, gate
        self._every = GameBoards(shell.database, shell.clock, settings, publish=shell.topics.publish)

    @property
    def _boards(self) -> Leaderboards:
        return self._every.open(asked_board.get())

    def _allow(self, action: Action) -> OnBoard:
        return OnBoard(self._gate, AREA, action, self._every)

    def _readable(self) -> Rule:
        """Everyone may read if the setting says so, else whoever has the scope."""
        return PublicOnBoard(self._every) if self._every.settings.public else self._allow("read")

    def _file(self, name: str) -> str:
        """What a list is called as a file; of another board than the first, with its name in front."""
        board = asked_board.get()
        return f"{board}-{name}" if board else name

    def _request(self, text: str) -> bytes:
        """What is asked for, as its receipt knows it: the same on another board is something else."""
        board = asked_board.get()
        return (f"{text}\nboard={board}" if board else text).encode()


class RivalShown(BaseModel):
    """Whoever is to be beaten next, and by how many points."""

    id: ShownId
    name: str
    score: int
    gap: int


class PlacedRowShown(BaseModel):
    """A row of a board."""

    rank: int
    id: ShownId
    name: str
    score: int


def rival_shown(rival: ScoreRow | None, score: int) -> RivalShown | None:
    if rival is None:
        return None
    return RivalShown(id=wire_id(rival.id), name=rival.name, score=rival.score, gap=rival.score - score)


def row_shown(row: PlacedRow) -> PlacedRowShown:
    return PlacedRowShown(rank=row.rank, id=wire_id(row.id), name=row.name, score=row.score)


def itself(row: BaseModel) -> BaseModel:
    """A row that is answered as it is stored."""
    return row
