"""Boards as routes: official, everyone by page, ranges, movers, search."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date as Date  # noqa: N812 - `date` is the name of a field
from typing import Annotated, Any

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.responses import Response

from hansang.apps.rankings.api.access import AREA, PATH, SAME, rankings_of, tagged
from hansang.apps.rankings.boards import OfficialRow
from hansang.apps.rankings.design import Board, Period, SnapshotDay, SnapshotKey
from hansang.apps.rankings.histories import Move
from hansang.apps.rankings.reading import LARGEST_PAGE, Mode, RankedRow
from hansang.apps.rankings.reports import BARS, MOST_BARS
from hansang.apps.rankings.revisions import settled
from hansang.apps.rankings.rows import GivenScore
from hansang.surfaces.api.endpoints import RouteGroup
from hansang.surfaces.api.parameters import Cursor, Limit, Spoken
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfNoneMatch
from hansang.surfaces.shell import Shell

BoardName = Annotated[Board, InPath()]


class DateAsked(Spoken):
    """Which finished day is asked for; the newest by default."""

    date: Date | None = None


class BoardAsked(DateAsked):
    """Which page of everyone is asked for."""

    page: Annotated[int, Field(ge=0, le=10**9)] = 0
    size: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 100
    mode: Mode = "all"
    both: bool = False
    movement: bool = False


class HistogramAsked(DateAsked):
    """In how many bars the players are counted, at the most."""

    bars: Annotated[int, Field(ge=1, le=MOST_BARS)] = BARS


class RangeAsked(DateAsked):
    """Which scores are asked for, both ends included."""

    low: Annotated[GivenScore, Field(examples=[100_000])]
    high: Annotated[GivenScore, Field(examples=[200_000])]
    limit: Limit = 100
    cursor: Cursor = None


class MoversAsked(DateAsked):
    """Over which period, and how many of each."""

    period: Period = "day"
    count: Annotated[int, Field(ge=1, le=100)] = 10


class NamesAsked(Spoken):
    """What is typed, and how many names are wanted."""

    q: Annotated[str, Field(min_length=1, max_length=100, examples=["Hello"])]
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class RowShown(BaseModel):
    """A row of a board; of a hidden player only where it stands."""

    rank: int
    shared_rank: int | None = None
    uuid: str | None
    name: str | None
    level: int | None = None
    power: int | None = None
    rank_before: int | None = None


class BoardShown(BaseModel):
    """A page of everyone on one day."""

    date: Date
    total: int
    items: list[RowShown]
    against: Date | None = None


class OfficialRowShown(BaseModel):
    """A line of an official ranking, and the rank of the day before; none for a new one."""

    rank: int
    rank_before: int | None
    uuid: str | None
    name: str | None
    level: int | None = None
    power: int | None = None


class OfficialShown(BaseModel):
    """The official first hundred of a day, and who left them since the finished day before."""

    date: Date
    against: Date | None
    items: list[OfficialRowShown]
    out: list[OfficialRowShown]


class RangeShown(BaseModel):
    """The players of a range; `is_other_day` when the day asked for is not there."""

    date: Date
    is_other_day: bool
    total: int
    items: list[RowShown]
    cursor: str | None


class SpreadBarShown(BaseModel):
    """How many players have a score from low to high, both included, and the rank of the first of them."""

    low: int
    high: int
    count: int
    rank: int


class SpreadShown(BaseModel):
    """How the scores of a board are spread, the lowest first."""

    date: Date
    total: int
    items: list[SpreadBarShown]


class MoveShown(BaseModel):
    """How a player moved."""

    rank: int
    rank_before: int | None
    climbed: int
    score: int
    grown: int
    uuid: str
    name: str


class MoversShown(BaseModel):
    """Who climbed, fell and grew most, and who is new, among so many players from the top of a board on."""

    date: Date
    against: Date | None
    among: int
    climbed: list[MoveShown]
    fallen: list[MoveShown]
    grown: list[MoveShown]
    new: list[RowShown]


class NameShown(BaseModel):
    """A player whose name matches."""

    uuid: str
    name: str
    level: int


class NamesShown(BaseModel):
    """Names of the last finished day that match what is typed."""

    date: Date
    items: list[NameShown]


class BoardRoutes:
    """BoardReading the boards of finished days."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._database, self._rankings = shell.database, rankings_of(shell)
        self._days = self._rankings.days
        self._group = RouteGroup(PATH, AREA, gate.readable(AREA))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/official/{board}", self.official, OfficialShown, extra=SAME),
            self._group.route("GET", "/boards/{board}", self.board, BoardShown, extra=SAME),
            self._group.route("GET", "/boards/{board}/histogram", self.histogram, SpreadShown, extra=SAME),
            self._group.route("GET", "/range/{board}", self.range, RangeShown, extra=SAME),
            self._group.route("GET", "/movers/{board}", self.movers, MoversShown, extra=SAME),
            self._group.route("GET", "/search", self.search, NamesShown, extra=SAME),
        ]

    @settled
    def official(
        self, board: BoardName, asked: Annotated[DateAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """The official first hundred of a day, with what changed since the finished day before."""
        found = self._rankings.reading.official_moves(board, asked.date)
        hidden = self._rankings.privacy.hidden()

        def row(each: OfficialRow, before: int | None) -> OfficialRowShown:
            return OfficialRowShown(rank=each.rank, rank_before=before, **_who(board, each, hidden))

        shown = OfficialShown(
            date=found.day.day,
            against=None if found.against is None else found.against.day,
            items=[row(each.row, each.before) for each in found.items],
            out=[row(each, each.rank) for each in found.out],
        )
        return tagged(shown, seen, self._rankings, found.day, found.against)

    @settled
    def board(
        self, board: BoardName, asked: Annotated[BoardAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """Any page of everyone: rank = page × size + index + 1, with the page from 0."""
        found = self._rankings.reading.page(board, asked.date, asked.page, asked.size, asked.mode)
        against = self._rankings.days.before(found.day) if asked.movement else None
        items = self._rows(board, found.items)
        if asked.both:
            self._add_other(board, found.day, found.items, items)
        if against is not None:
            moves = self._rankings.histories.moves(board, found.items, against)
            for shown, move in zip(items, moves, strict=True):
                shown.rank_before = move.rank_before
        page = BoardShown(
            date=found.day.day,
            total=found.total,
            items=items,
            against=None if against is None else against.day,
        )
        return tagged(page, seen, self._rankings, found.day, against)

    @settled
    def histogram(
        self, board: BoardName, asked: Annotated[HistogramAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """How many players have how much, in bars of round ends."""
        day = self._rankings.days.finished(asked.date)
        bars = self._rankings.reports.histogram(board, day, asked.bars)
        items = [SpreadBarShown(low=bar.low, high=bar.high, count=bar.count, rank=bar.rank) for bar in bars]
        shown = SpreadShown(date=day.day, total=sum(bar.count for bar in bars), items=items)
        return tagged(shown, seen, self._rankings, day)

    @settled
    def range(
        self, board: BoardName, asked: Annotated[RangeAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """Who had a level or a power from low to high, the highest first."""
        found = self._rankings.reading.range(
            board, asked.low, asked.high, asked.date, asked.limit, asked.cursor
        )
        page = RangeShown(
            date=found.day.day,
            is_other_day=found.is_other_day,
            total=found.total,
            items=self._rows(board, found.items),
            cursor=found.cursor,
        )
        return tagged(page, seen, self._rankings, found.day)

    @settled
    def movers(
        self, board: BoardName, asked: Annotated[MoversAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """Who moved most since the last finished day that is a period ago.

        Among all players; until a new day is compared, and of older days, among the first 1,000: `among` says which.
        """
        found = self._rankings.histories.movers(board, asked.period, asked.date, asked.count)
        hidden = self._rankings.privacy.hidden()
        shown = MoversShown(
            date=found.day.day,
            against=None if found.against is None else found.against.day,
            among=found.among,
            climbed=_moves(found.climbed, hidden),
            fallen=_moves(found.fallen, hidden),
            grown=_moves(found.grown, hidden),
            new=self._rows(board, found.new),
        )
        return tagged(shown, seen, self._rankings, found.day, found.against)

    @settled
    def search(self, asked: Annotated[NamesAsked, InAddress()], seen: IfNoneMatch) -> Response:
        """Names by any part of them, and by Hangul initials, on the last finished day."""
        hidden = self._rankings.privacy.hidden()
        day, found = self._rankings.search.search(asked.q, asked.limit + len(hidden))
        names = [each for each in found if each.uuid not in hidden][: asked.limit]
        items = [NameShown(uuid=each.uuid, name=each.name, level=each.level) for each in names]
        return tagged(NamesShown(date=day.day, items=items), seen, self._rankings, day)

    # ── rows ──────────────────────────────────────────────────────────────────────────────────────

    def _rows(self, board: Board, rows: Iterable[RankedRow]) -> list[RowShown]:
        hidden = self._rankings.privacy.hidden()
        return [
            RowShown(rank=row.rank, shared_rank=row.shared_rank, **_who(board, row, hidden)) for row in rows
        ]

    def _add_other(
        self, board: Board, day: SnapshotDay, rows: Iterable[RankedRow], shown: list[RowShown]
    ) -> None:
        """The column that the index of the board does not have (X5-21)."""
        keys = (SnapshotKey(uuid=row.uuid, day=day.day) for row in rows)
        found = {each.uuid: each for each in self._database.batch_get(keys)}
        for row, item in zip(rows, shown, strict=True):
            snapshot = found.get(row.uuid)
            if snapshot is not None and board == "level":
                item.power = snapshot.power
            elif snapshot is not None:
                item.level = snapshot.level


def _who(board: Board, row: RankedRow | OfficialRow, hidden: frozenset[str]) -> dict[str, Any]:
    """Who stands there, and with which score; of a hidden player the score alone."""
    is_hidden = row.uuid in hidden
    return {
        "uuid": None if is_hidden else row.uuid,
        "name": None if is_hidden else row.name,
        board: row.score,
    }


def _moves(moves: Iterable[Move], hidden: frozenset[str]) -> list[MoveShown]:
    return [
        MoveShown(
            rank=each.row.shared_rank or each.row.rank,
            rank_before=each.rank_before,
            climbed=each.climbed,
            score=each.row.score,
            grown=each.grown,
            uuid=each.row.uuid,
            name=each.row.name,
        )
        for each in moves
        if each.row.uuid not in hidden
    ]
