"""Boards as routes: pages, around a player, histograms, a player's rank and scores."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    BoardQuestion,
    LeaderboardRoutes,
    PlacedRowShown,
    PlayerInPath,
    RivalShown,
    ShownId,
    WeekInPath,
    rival_shown,
    row_shown,
)
from hansang.apps.leaderboards.design import wire_id
from hansang.apps.leaderboards.reading import LARGEST_PAGE, MOST_AROUND, TieRule, WeekBoard, WeekScore
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell


class TiesAsked(BoardQuestion):
    """How equals are ranked."""

    ties: TieRule = "competition"


class WeekPageAsked(TiesAsked):
    """Which page of a board is asked for."""

    page: Annotated[int, Field(ge=0, le=10**9)] = 0
    size: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 50


class AroundAsked(TiesAsked):
    """How many players to either side."""

    k: Annotated[int, Field(ge=0, le=MOST_AROUND)] = 5


class BarsAsked(BoardQuestion):
    """How many bars a histogram has."""

    bars: Annotated[int, Field(ge=2, le=100)] = 20


class WeekAsked(TiesAsked):
    """Which week is asked for."""

    week: Annotated[str, Field(max_length=40)] = CURRENT


class ScoresAsked(BoardQuestion):
    """How many weeks are asked for."""

    limit: Annotated[int, Field(ge=1, le=200)] = 20


class WeekBoardShown(BaseModel):
    """Some rows of a week's board."""

    week: str
    total: int
    items: list[PlacedRowShown]


class WeekBarShown(BaseModel):
    """How many players have a score from low to high."""

    low: int
    high: int
    players: int


class WeekHistogramShown(BaseModel):
    """The scores of a week, the highest first."""

    week: str
    items: list[WeekBarShown]


class WeekRankShown(BaseModel):
    """Where a player stands in a week; without a score the rank is null."""

    week: str
    id: ShownId
    name: str | None
    score: int | None
    rank: int | None
    equal: int
    of: int
    percentile: float | None
    next: RivalShown | None


class RecentPlayShown(BaseModel):
    """A play that is remembered."""

    at: str
    score: int


class WeekScoreShown(BaseModel):
    """The best of a player in a week."""

    week: str
    name: str
    score: int
    at: str | None
    plays: list[RecentPlayShown]


class WeekScoresShown(BaseModel):
    """The weeks of a player, the last one first."""

    id: ShownId
    items: list[WeekScoreShown]


class BestScoreShown(BaseModel):
    """The best of a player in any week, null without one."""

    id: ShownId
    best: WeekScoreShown | None


class WeekRoutes(LeaderboardRoutes):
    """Reading the boards."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, f"{AREA}.boards", self._readable())

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/weeks/{week}/board", self.board, WeekBoardShown),
            self._group.route("GET", "/weeks/{week}/around/{id}", self.around, WeekBoardShown),
            self._group.route("GET", "/weeks/{week}/histogram", self.histogram, WeekHistogramShown),
            self._group.route("GET", "/players/{id}/rank", self.rank, WeekRankShown),
            self._group.route("GET", "/players/{id}/best", self.best, BestScoreShown),
            self._group.route("GET", "/players/{id}/scores", self.scores, WeekScoresShown),
        ]

    def board(self, week: WeekInPath, asked: Annotated[WeekPageAsked, InAddress()]) -> Response:
        """Any page of everyone in a week; `week` is current, or its first day."""
        named = self._boards.weeks.named(week)
        return answered(_board(self._boards.reading.page(named, asked.page, asked.size, asked.ties)))

    def around(
        self,
        week: WeekInPath,
        id: PlayerInPath,  # noqa: A002
        asked: Annotated[AroundAsked, InAddress()],
    ) -> Response:
        """A player, and k players to either side."""
        named = self._boards.weeks.named(week)
        return answered(_board(self._boards.reading.around(named, id, asked.k, asked.ties)))

    def histogram(self, week: WeekInPath, asked: Annotated[BarsAsked, InAddress()]) -> Response:
        """How many players have which scores in a week."""
        named = self._boards.weeks.named(week)
        bars = self._boards.reading.histogram(named, asked.bars)
        items = [WeekBarShown(low=each.low, high=each.high, players=each.players) for each in bars]
        return answered(WeekHistogramShown(week=str(named), items=items))

    def rank(self, id: PlayerInPath, asked: Annotated[WeekAsked, InAddress()]) -> Response:  # noqa: A002
        """A player's exact rank in a week, and whom to beat next."""
        found = self._boards.reading.rank(self._boards.weeks.named(asked.week), id, asked.ties)
        shown = WeekRankShown(
            week=str(found.week),
            id=wire_id(found.id),
            name=found.name,
            score=found.score,
            rank=found.rank,
            equal=found.equal,
            of=found.of,
            percentile=None if found.percentile is None else float(found.percentile),
            next=rival_shown(found.next, found.score or 0),
        )
        return answered(shown)

    def best(self, id: PlayerInPath) -> Response:  # noqa: A002
        """The best of a player in any week."""
        found = self._boards.reading.best(id)
        return answered(BestScoreShown(id=wire_id(id), best=None if found is None else _score(found)))

    def scores(self, id: PlayerInPath, asked: Annotated[ScoresAsked, InAddress()]) -> Response:  # noqa: A002
        """The weekly bests of a player, the last week first, with the plays that are remembered."""
        found = self._boards.reading.scores(id, asked.limit)
        return answered(WeekScoresShown(id=wire_id(id), items=[_score(each) for each in found]))


def _board(found: WeekBoard) -> WeekBoardShown:
    return WeekBoardShown(
        week=str(found.week), total=found.total, items=[row_shown(each) for each in found.items]
    )


def _score(found: WeekScore) -> WeekScoreShown:
    return WeekScoreShown(
        week=str(found.week),
        name=found.name,
        score=found.score,
        at=found.at or None,
        plays=[RecentPlayShown(at=at, score=score) for at, score in found.plays],
    )
