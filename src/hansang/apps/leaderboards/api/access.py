"""What the routes of the leaderboards share: who may read, and how ids and weeks stand on the wire."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path as InPath
from pydantic import BaseModel, Field

from hansang.apps.leaderboards.board_rows import ScoreRow
from hansang.apps.leaderboards.design import LARGEST_ID
from hansang.apps.leaderboards.reading import PlacedRow
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.surfaces.api.rules import Gate, Public, Rule
from hansang.surfaces.shell import Shell

AREA = "leaderboards"
PATH = "/api/leaderboards"
EXACT = 2**53
"""As far as whole numbers are exact in JavaScript; ids above are strings on the wire (X2-25)."""

GivenId = Annotated[int, Field(ge=0, le=LARGEST_ID)] | Annotated[str, Field(pattern=r"^[0-9]{1,19}$")]
ShownId = int | str
PlayerInPath = Annotated[int, InPath(alias="id", ge=0, le=LARGEST_ID, examples=[2])]
OtherInPath = Annotated[int, InPath(alias="other", ge=0, le=LARGEST_ID, examples=[3])]
WeekInPath = Annotated[str, InPath(alias="week", max_length=40, examples=["current"])]


def leaderboards_of(shell: Shell) -> Leaderboards:
    """The application of a shell."""
    return Leaderboards(shell.database, shell.clock, settings_in(shell), publish=shell.topics.publish)


def settings_in(shell: Shell) -> LeaderboardsSettings:
    found: LeaderboardsSettings = shell.chosen.get(AREA) or LeaderboardsSettings()
    return found


def reading_rule(shell: Shell, gate: Gate) -> Rule:
    """Everyone may read if the setting says so, else whoever has the scope."""
    return Public() if settings_in(shell).public else gate.allow(AREA, "read")


def wire_id(player: int) -> ShownId:
    """An id as it is answered."""
    return player if player <= EXACT else str(player)


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
