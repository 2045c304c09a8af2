"""BoardReading the boards of finished days: official, everyone by page, one player's rank, ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import islice
from typing import Literal, NamedTuple

from hansang.apps.rankings.boards import DESIGNS, BoardRow, OfficialRow
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import Board, Snapshot, SnapshotDay, SnapshotKey
from hansang.apps.rankings.revisions import day_changes, settled
from hansang.apps.rankings.rules import expect_span, other_position, others_before, rank_at
from hansang.apps.rankings.trees import DayTrees
from hansang.design import Database
from hansang.errors import InvalidInput, NotFound

Mode = Literal["all", "below_official"]
MODES: tuple[Mode, ...] = ("all", "below_official")
LARGEST_PAGE = 1000


class RankedRow(NamedTuple):
    """A row with its rank by the formula, in which equals follow each other, and the one that equals share (X5-09)."""

    rank: int
    shared_rank: int | None
    uuid: str
    name: str
    score: int
    official: bool = False


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of a board."""

    day: SnapshotDay
    total: int
    items: list[RankedRow]


@dataclass(frozen=True, slots=True)
class RangePage:
    """The players of a range, and the day that they are of: the newest if the one asked for is not there."""

    day: SnapshotDay
    is_other_day: bool
    total: int
    items: list[RankedRow]
    cursor: str | None


class PlayerRank(NamedTuple):
    """How a player stands on one day."""

    day: date
    score: int
    rank: int
    equal: int
    of: int
    official: int | None

    @property
    def percentile(self) -> Fraction:
        """Which part of the players is not above, of 100."""
        return Fraction(100 * (self.of - self.rank + 1), self.of)


@dataclass(frozen=True, slots=True)
class OfficialMove:
    """A line of the official ranking and the rank it had on the day before; None for a new one."""

    row: OfficialRow
    before: int | None


@dataclass(frozen=True, slots=True)
class OfficialPage:
    """The official first hundred of a day against the finished day before, with those who left them."""

    day: SnapshotDay
    against: SnapshotDay | None
    items: list[OfficialMove]
    out: list[OfficialRow]
    before: list[OfficialRow]


class BoardReading:
    """Questions about finished days; no other day is ever read."""

    def __init__(self, database: Database, days: Days, trees: DayTrees) -> None:
        self._database, self._days, self._trees = database, days, trees

    # ── the official first hundred ────────────────────────────────────────────────────────────────

    @settled
    def official(self, board: Board, day: date | None = None) -> list[OfficialRow]:
        """The official first hundred of a day, as delivered (5-13)."""
        return DESIGNS[board].official_rows(self._database, self._days.finished(day).day)

    @settled
    def official_moves(self, board: Board, day: date | None = None) -> OfficialPage:
        """The same with what has changed since the finished day before (X5-25, X5-26)."""
        design, found = DESIGNS[board], self._days.finished(day)
        rows = design.official_rows(self._database, found.day)
        against = self._days.before(found)
        before = [] if against is None else design.official_rows(self._database, against.day)
        ranks, present = {row.uuid: row.rank for row in before}, {row.uuid for row in rows}
        moves = [OfficialMove(row, ranks.get(row.uuid)) for row in rows]
        out = [row for row in before if row.uuid not in present]
        return OfficialPage(found, against, moves, out, before)

    # ── everyone ──────────────────────────────────────────────────────────────────────────────────

    @settled
    def page(
        self, board: Board, day: date | None = None, page: int = 0, size: int = 100, mode: Mode = "all"
    ) -> BoardPage:
        """A page of everyone, wherever it is: rank = page × size + index + 1 (5-15, X5-08)."""
        if page < 0 or not 1 <= size <= LARGEST_PAGE:
            raise InvalidInput(
                "A page is numbered from 0 and has 1 to {most} players.",
                "page",
                code="rankings.page",
                values={"most": LARGEST_PAGE},
            )
        found = self._days.finished(day)
        first = page * size
        if mode == "all":
            above, rows = self._trees.rows(board, found, first, size)
            return BoardPage(found, found.players, _ranked(rows, first, above))
        return BoardPage(found, found.players, self._below_official(board, found, first, size))

    def _below_official(self, board: Board, day: SnapshotDay, first: int, size: int) -> list[RankedRow]:
        """The official list first, then everyone else in the order of the index; each player once (X5-05, X5-06)."""
        officials = DESIGNS[board].official_rows(self._database, day.day)
        known = {row.uuid for row in officials}
        found = [
            RankedRow(rank_at(first, place), row.rank, row.uuid, row.name, row.score, official=True)
            for place, row in enumerate(officials[first : first + size])
        ]
        wanted = size - len(found)
        if not wanted:
            return found
        positions = self._trees.officials(board, day)
        place = max(0, first - len(officials))
        start = other_position(place, positions)
        between = sum(start <= position for position in positions)
        above, rows = self._trees.rows(board, day, start, wanted + between)
        others = (row for row in _ranked(rows, start, above) if row.uuid not in known)
        offset = len(officials) + place
        return found + [
            RankedRow(rank_at(offset, number), row.shared_rank, row.uuid, row.name, row.score)
            for number, row in enumerate(islice(others, wanted))
        ]

    @settled
    def page_of(
        self, uuid: str, board: Board, day: date | None = None, size: int = 100, mode: Mode = "all"
    ) -> int:
        """On which page of everyone a player stands."""
        found = self._days.finished(day)
        snapshot = self.snapshot(uuid, found)
        position = self._trees.position(board, found, snapshot)
        if mode == "below_official":
            officials = [row.uuid for row in DESIGNS[board].official_rows(self._database, found.day)]
            if uuid in officials:
                return officials.index(uuid) // size
            position = len(officials) + others_before(position, self._trees.officials(board, found))
        return position // size

    def each(self, day: date) -> Iterator[Snapshot]:
        """Every player of a finished day, whole, in the order of levels: a day to be exported.

        It ends in Busy if the day was changed meanwhile.
        """
        found = self._days.finished(day)
        rows = DESIGNS["level"].each(self._database, day)
        while part := list(islice(rows, 100)):
            yield from self._database.batch_get(SnapshotKey(uuid=row.uuid, day=day) for row in part)
        # What was given away already cannot be asked for again.
        if self._days.find(day) != found:
            raise day_changes()

    # ── one player ────────────────────────────────────────────────────────────────────────────────

    def snapshot(self, uuid: str, day: SnapshotDay) -> Snapshot:
        """A player on a finished day, or NotFound."""
        found = self._database.find(SnapshotKey(uuid=uuid, day=day.day))
        if found is None:
            raise _no_snapshot(uuid, day)
        return found

    @settled
    def rank(self, uuid: str, board: Board, day: date | None = None) -> PlayerRank:
        """A player's exact rank on a day, and the part of the players who are not above (X5-10)."""
        found = self._days.finished(day)
        held = DESIGNS[board].find_score(self._database, uuid, found.day)
        if held is None:
            raise _no_snapshot(uuid, found)
        return self._rank(board, found, *held)

    def rank_of(self, snapshot: Snapshot, board: Board, day: SnapshotDay) -> PlayerRank:
        """The same of a snapshot that is known."""
        design = DESIGNS[board]
        return self._rank(board, day, design.score(snapshot), design.rank(snapshot))

    def _rank(self, board: Board, day: SnapshotDay, score: int, official: int | None) -> PlayerRank:
        found = self._trees.standing(board, day, score)
        return PlayerRank(day.day, score, found.above + 1, found.equal, found.total, official)

    # ── ranges ────────────────────────────────────────────────────────────────────────────────────

    @settled
    def range(
        self,
        board: Board,
        low: int,
        high: int,
        day: date | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> RangePage:
        """Who had a score from low to high, both included, the highest first (5-17, X5-29)."""
        expect_span(low, high)
        found = self._days.or_newest(day)
        page = self._database.page(DESIGNS[board].between(found.day, low, high), limit, cursor)
        rows = [BoardRow(row.uuid, row.name, getattr(row, board)) for row in page]
        above = self._trees.standing(board, found, high).above
        total = self._trees.standing(board, found, low - 1).above - above
        first = above + page.offset
        shared = self._trees.standing(board, found, rows[0].score).above if rows else 0
        is_other = day is not None and found.day != day
        return RangePage(found, is_other, total, _ranked(rows, first, shared), page.cursor)


def _no_snapshot(uuid: str, day: SnapshotDay) -> NotFound:
    return NotFound(
        "The player {uuid} has no snapshot of {day}.",
        code="rankings.no-snapshot",
        values={"uuid": uuid, "day": day.day},
    )


def _ranked(rows: Iterable[BoardRow], first: int, above: int) -> list[RankedRow]:
    """Rows from a position on with their ranks; so many stand above the score of the first."""
    found: list[RankedRow] = []
    last: int | None = None
    shared, new = above + 1, tuple.__new__
    for rank, (uuid, name, score) in enumerate(rows, rank_at(first, 0)):
        if score != last:
            shared = rank if last is not None else shared
            last = score
        found.append(new(RankedRow, (rank, shared, uuid, name, score, False)))
    return found
