"""What the pages show of finished days: the official board with growth, the first ten over days, spreads, cut-lines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from threading import Lock

from hansang.apps.rankings.boards import DESIGNS, BoardRow, OfficialRow
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import Board, Snapshot, SnapshotDay, SnapshotKey
from hansang.apps.rankings.reading import BoardReading, OfficialPage, RankedRow
from hansang.apps.rankings.revisions import settled
from hansang.apps.rankings.trees import DayTrees
from hansang.design import Database

BARS = 26
MOST_BARS = 100
FIRST = 10
"""How many players the course of the first has."""
_KEPT_DAYS = 400
_LOG_FROM = 50
"""Scores that lie so many times apart are told in steps that grow."""
_SHARES = (
    Fraction(1, 100),
    Fraction(1, 10),
    Fraction(1),
    Fraction(5),
    Fraction(10),
    Fraction(25),
    Fraction(50),
)
"""Of a hundred."""


@dataclass(frozen=True, slots=True)
class OfficialBoard:
    """The official first hundred with their whole snapshots, of the day and of the one before."""

    page: OfficialPage
    snapshots: dict[str, Snapshot]
    before: dict[str, Snapshot]


@dataclass(frozen=True, slots=True)
class FirstCourse:
    """Who stood where among the first, day by day; a day is None where none was finished."""

    days: list[date]
    rows: list[list[OfficialRow] | None]

    @property
    def missing(self) -> list[date]:
        return [day for day, rows in zip(self.days, self.rows, strict=True) if rows is None]

    @property
    def reign(self) -> int:
        """For how many of these days the present first has been first without a break; missing days break nothing."""
        found = [rows[0].uuid for rows in reversed(self.rows) if rows]
        return next((place for place, uuid in enumerate(found) if uuid != found[0]), len(found))


@dataclass(frozen=True, slots=True)
class SpreadBar:
    """How many players have a score from low to high, and the rank of the first of them."""

    low: int
    high: int
    count: int
    rank: int


@dataclass(frozen=True, slots=True)
class CutLine:
    """The score that a share of the players has reached, and the rank of the last of them."""

    share: Fraction
    """Of a hundred."""
    rank: int
    score: int


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An official rank that is not where the score would put it (X5-07)."""

    row: OfficialRow
    rank: int
    equal: int


class RankingReports:
    """Reads for pages; each costs a few reads more than the question behind it."""

    def __init__(self, database: Database, days: Days, reading: BoardReading, trees: DayTrees) -> None:
        self._database, self._days, self._reading, self._trees = database, days, reading, trees
        self._first: OrderedDict[tuple[object, ...], list[OfficialRow]] = OrderedDict()
        self._lock = Lock()

    # ── the official first hundred ────────────────────────────────────────────────────────────────

    @settled
    def official(self, board: Board, day: date | None = None) -> OfficialBoard:
        """The official board with level, power and growth of each, for two batches of reads more."""
        page = self._reading.official_moves(board, day)
        uuids = [each.row.uuid for each in page.items]
        before = {} if page.against is None else self.snapshots(uuids, page.against.day)
        return OfficialBoard(page, self.snapshots(uuids, page.day.day), before)

    def snapshots(self, uuids: Iterable[str], day: date) -> dict[str, Snapshot]:
        """The snapshots of some players on one day, of those who have one."""
        keys = (SnapshotKey(uuid=uuid, day=day) for uuid in uuids)
        return {each.uuid: each for each in self._database.batch_get(keys)}

    @settled
    def first_course(self, board: Board, until: date, count: int = 14) -> FirstCourse:
        """The first ten of each of some days, from the first that is finished to the last."""
        finished = self._days.finished_between(until - timedelta(days=count - 1), until)
        since = min(finished, default=until)
        days = [since + timedelta(days=each) for each in range((until - since).days + 1)]
        return FirstCourse(
            days, [self._first_of(board, finished[day]) if day in finished else None for day in days]
        )

    def _first_of(self, board: Board, day: SnapshotDay) -> list[OfficialRow]:
        key = (board, day.day, day.revision)
        with self._lock:
            if key in self._first:
                self._first.move_to_end(key)
                return self._first[key]
        found = DESIGNS[board].official_rows(self._database, day.day, FIRST)
        with self._lock:
            self._first[key] = found
            if len(self._first) > _KEPT_DAYS:
                self._first.popitem(last=False)
        return found

    def mismatches(self, board: Board, day: SnapshotDay) -> list[Mismatch]:
        """The official ranks of a day that are not where the scores would put them (X5-07)."""
        found = []
        for row in DESIGNS[board].official_rows(self._database, day.day):
            standing = self._trees.standing(board, day, row.score)
            if not standing.above < row.rank <= standing.above + standing.equal:
                found.append(Mismatch(row, standing.rank, standing.equal))
        return found

    # ── everyone ──────────────────────────────────────────────────────────────────────────────────

    def histogram(self, board: Board, day: SnapshotDay, bars: int = BARS) -> list[SpreadBar]:
        """How many players have how much, from the lowest score to the highest, in bars of round ends."""
        total = self._trees.total(board, day)
        if not total:
            return []
        lowest, highest = (self._trees.score_at(board, day, place) for place in (total - 1, 0))
        ends = _ends(lowest, highest, bars)
        above = [self._trees.standing(board, day, end).above for end in ends]
        reached, lows = [total, *above[:-1]], [lowest, *(end + 1 for end in ends[:-1])]
        return [
            SpreadBar(low, high, under - over, over + 1)
            for low, high, under, over in zip(lows, ends, reached, above, strict=True)
        ]

    def cut_lines(self, board: Board, day: SnapshotDay) -> list[CutLine]:
        """The scores of round shares of the players, the highest first; a share of less than one player is left out."""
        total = self._trees.total(board, day)
        ranks = [(share, int(total * share / 100)) for share in _SHARES]
        return [
            CutLine(share, rank, self._trees.score_at(board, day, rank - 1)) for share, rank in ranks if rank
        ]

    def neighbours(
        self, board: Board, day: SnapshotDay, snapshot: Snapshot, around: int = 1
    ) -> list[RankedRow]:
        """A player with those just above and just below, in the order of everyone."""
        position = self._trees.position(board, day, snapshot)
        first = max(0, position - around)
        _, rows = self._trees.rows(board, day, first, position - first + around + 1)
        return [self._standing(board, day, first + place, row) for place, row in enumerate(rows)]

    def _standing(self, board: Board, day: SnapshotDay, place: int, row: BoardRow) -> RankedRow:
        shared = self._trees.standing(board, day, row.score).rank
        return RankedRow(place + 1, shared, row.uuid, row.name, row.score)


def _ends(lowest: int, highest: int, bars: int) -> Sequence[int]:
    """The highest scores of the bars, rising, the last one the highest of all."""
    span = highest - lowest + 1
    count = max(1, min(bars, span))
    if highest >= _LOG_FROM * max(1, lowest):
        start, ratio = max(1, lowest), Fraction(max(2, highest), max(1, lowest))
        grown = [int(start * float(ratio) ** (place / count)) for place in range(1, count)]
        ends = [_rounded(each) - 1 for each in grown]
    else:
        ends = [lowest + span * place // count - 1 for place in range(1, count)]
    return sorted({each for each in ends if lowest <= each < highest} | {highest})


def _rounded(value: int) -> int:
    """A number of two digits that count."""
    unit: int = 10 ** max(0, len(str(value)) - 2)
    return value // unit * unit
