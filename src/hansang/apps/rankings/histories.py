"""What became of players over the days: history with ranks, names, milestones, comparison, movers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from threading import Lock

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import (
    BOARDS,
    Board,
    DayMovers,
    Period,
    Snapshot,
    SnapshotDay,
    SnapshotKey,
)
from hansang.apps.rankings.movement import DayMovement
from hansang.apps.rankings.reading import BoardReading, PlayerRank, RankedRow
from hansang.apps.rankings.revisions import settled
from hansang.apps.rankings.rules import MOVERS_AMONG, PERIODS, Milestone, round_levels, round_powers
from hansang.apps.rankings.trees import DayTrees
from hansang.design import Database
from hansang.errors import InvalidInput

LONGEST_HISTORY = 400
"""In days."""
MOST_COMPARED = 5
_LEAST_CLIMB = 5
"""How many ranks at once are worth to be told."""
_KEPT_MOVERS = 48


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """A player on one day, with the exact ranks."""

    snapshot: Snapshot
    ranks: dict[Board, PlayerRank]


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name, and the first and the last snapshot that has it (X5-22)."""

    name: str
    since: date
    until: date


@dataclass(frozen=True, slots=True)
class PlayerHistory:
    """The days of a player, the newest first, and the finished days without one (X5-26)."""

    days: list[HistoryDay]
    missing: list[date]


@dataclass(frozen=True, slots=True)
class Move:
    """How a player stands against an earlier day; None where there was no snapshot then."""

    row: RankedRow
    rank_before: int | None
    score_before: int | None

    @property
    def climbed(self) -> int:
        """By how many ranks; negative for a fall."""
        return 0 if self.rank_before is None else self.rank_before - (self.row.shared_rank or 0)

    @property
    def grown(self) -> int:
        return 0 if self.score_before is None else self.row.score - self.score_before


@dataclass(frozen=True, slots=True)
class Movers:
    """Who moved most against an earlier day, among so many players from the top of a board on."""

    day: SnapshotDay
    against: SnapshotDay | None
    among: int
    climbed: list[Move]
    fallen: list[Move]
    grown: list[Move]
    new: list[RankedRow]


class Histories:
    """Questions over several days."""

    def __init__(
        self,
        database: Database,
        days: Days,
        reading: BoardReading,
        trees: DayTrees,
        movement: DayMovement,
    ) -> None:
        self._database, self._days, self._reading, self._trees = database, days, reading, trees
        self._movement = movement
        self._movers: dict[tuple[object, ...], Movers] = {}
        self._lock = Lock()

    # ── one player ────────────────────────────────────────────────────────────────────────────────

    @settled
    def history(
        self, uuid: str, since: date, until: date, boards: tuple[Board, ...] = BOARDS
    ) -> PlayerHistory:
        """A player's days in a span with the exact rank of each, the newest first (X5-10)."""
        if until < since or (until - since).days >= LONGEST_HISTORY:
            raise InvalidInput(
                "A history goes from one day to a later one, at most {most} days on.",
                "from",
                code="rankings.history-span",
                values={"most": LONGEST_HISTORY},
            )
        days = self._days.finished_between(since, until)
        found = [each for each in self._snapshots(uuid, since, until) if each.day in days]
        shown = [HistoryDay(each, self._ranks(each, days[each.day], boards)) for each in found]
        seen = {each.day for each in found}
        return PlayerHistory(shown, [day for day in days if day not in seen])

    def _snapshots(self, uuid: str, since: date, until: date) -> list[Snapshot]:
        return self._database.all(Snapshot.history_between(uuid, since, until))

    def _ranks(
        self, snapshot: Snapshot, day: SnapshotDay, boards: tuple[Board, ...]
    ) -> dict[Board, PlayerRank]:
        return {board: self._reading.rank_of(snapshot, board, day) for board in boards}

    @settled
    def names(self, uuid: str) -> list[NameSpan]:
        """The names of a player by the snapshots of finished days, the newest first (X5-22, X5-12)."""
        found = [(each.day, each.name) for each in self._database.each(Snapshot.history(uuid))]
        # A day inside a span changes nothing, so the days at the ends are looked at alone.
        while unfinished := self._days.unfinished_of(_ends(_spans(found))):
            found = [each for each in found if each[0] not in unfinished]
        return _spans(found)

    @settled
    def milestones(self, uuid: str, since: date, until: date) -> list[Milestone]:
        """The first time in the official first hundred, round levels, and the best rank of a span, the newest first."""
        return milestones_of(self.history(uuid, since, until).days)

    @settled
    def compare(self, uuids: Sequence[str], since: date, until: date) -> dict[str, PlayerHistory]:
        """Up to five players side by side, over the same days."""
        wanted = list(dict.fromkeys(uuids))
        if not 1 <= len(wanted) <= MOST_COMPARED:
            raise InvalidInput(
                "Compare 1 to {most} players.",
                "uuids",
                code="rankings.compare",
                values={"most": MOST_COMPARED},
            )
        return {uuid: self.history(uuid, since, until) for uuid in wanted}

    # ── movement ──────────────────────────────────────────────────────────────────────────────────

    def moves(self, board: Board, rows: Iterable[RankedRow], against: SnapshotDay) -> list[Move]:
        """How the rows of a page stand against an earlier day (X5-25)."""
        page, design = list(rows), DESIGNS[board]
        keys = [SnapshotKey(uuid=row.uuid, day=against.day) for row in page]
        before = {each.uuid: design.score(each) for each in self._database.batch_get(keys)}
        ranks = {score: self._trees.standing(board, against, score).rank for score in {*before.values()}}
        return [Move(row, ranks.get(before.get(row.uuid, -1)), before.get(row.uuid)) for row in page]

    @settled
    def movers(
        self, board: Board, period: Period = "day", day: date | None = None, count: int = 10
    ) -> Movers:
        """Who climbed, fell and grew most since the last finished day that is a period ago or more."""
        found = self._days.finished(day)
        against = self._days.at_or_before(found.day - PERIODS[period])
        if against is None:
            return Movers(found, None, found.players, [], [], [], [])
        kept = self._movement.find(board, period, found, against)
        key = (board, found.day, found.revision, against.day, against.revision, count, kept is None)
        with self._lock:
            if key not in self._movers:
                if len(self._movers) >= _KEPT_MOVERS:
                    self._movers.clear()
                self._movers[key] = (
                    self._first_movers(board, found, against, count)
                    if kept is None
                    else self._all_movers(board, found, against, kept, count)
                )
            return self._movers[key]

    def _first_movers(self, board: Board, day: SnapshotDay, against: SnapshotDay, count: int) -> Movers:
        """Those among the first of a board: of a small day, and until all players were compared."""
        rows = self._reading.page(board, day.day, 0, MOVERS_AMONG).items
        moves = self.moves(board, rows, against)
        old = [each for each in moves if each.rank_before is not None]
        climbed = sorted(old, key=lambda each: -each.climbed)[:count]
        fallen = sorted(old, key=lambda each: each.climbed)[:count]
        grown = sorted(old, key=lambda each: -each.grown)[:count]
        return Movers(
            day,
            against,
            min(MOVERS_AMONG, day.players),
            [each for each in climbed if each.climbed > 0],
            [each for each in fallen if each.climbed < 0],
            [each for each in grown if each.grown > 0],
            [each.row for each in moves if each.rank_before is None][:count],
        )

    def _all_movers(
        self, board: Board, day: SnapshotDay, against: SnapshotDay, kept: DayMovers, count: int
    ) -> Movers:
        """Those that were found in the background, as they stand on the two days."""
        lists = [uuids[:count] for uuids in (kept.climbed, kept.fallen, kept.grown, kept.new)]
        moves = {each.row.uuid: each for each in self._moves_of(board, day, against, lists)}
        climbed, fallen, grown, new = ([moves[uuid] for uuid in uuids if uuid in moves] for uuids in lists)
        return Movers(day, against, day.players, climbed, fallen, grown, [each.row for each in new])

    def _moves_of(
        self, board: Board, day: SnapshotDay, against: SnapshotDay, lists: Iterable[Sequence[str]]
    ) -> list[Move]:
        design = DESIGNS[board]
        uuids = dict.fromkeys(uuid for uuids in lists for uuid in uuids)
        snapshots = self._database.batch_get(SnapshotKey(uuid=uuid, day=day.day) for uuid in uuids)
        rows = []
        for each in snapshots:
            rank = self._trees.standing(board, day, design.score(each)).rank
            rows.append(RankedRow(rank, rank, each.uuid, each.name, design.score(each)))
        return self.moves(board, rows, against)


def _spans(names: Iterable[tuple[date, str]]) -> list[NameSpan]:
    """Names of days, the newest first, as spans."""
    spans: list[NameSpan] = []
    for day, name in names:
        if spans and spans[-1].name == name:
            spans[-1] = NameSpan(name, day, spans[-1].until)
        else:
            spans.append(NameSpan(name, day, day))
    return spans


def _ends(spans: Iterable[NameSpan]) -> set[date]:
    return {day for each in spans for day in (each.since, each.until)}


def milestones_of(newest_first: Sequence[HistoryDay]) -> list[Milestone]:
    """What happened for the first time in some days, the newest first."""
    days, found = newest_first[::-1], list[Milestone]()
    for board in BOARDS:
        found += _first_official(board, days)
        found += _best(board, days)
        found += _climb(board, days)
    for before, after in pairwise(days):
        levels = round_levels(before.snapshot.level, after.snapshot.level)
        powers = round_powers(before.snapshot.power, after.snapshot.power)
        found += [Milestone(after.snapshot.day, "level", "level", level) for level in levels]
        found += [Milestone(after.snapshot.day, "power", "power", power) for power in powers]
    return sorted(found, key=lambda each: (each.day, each.kind, each.board), reverse=True)


def _first_official(board: Board, days: Sequence[HistoryDay]) -> list[Milestone]:
    for each in days:
        rank = DESIGNS[board].rank(each.snapshot)
        if rank is not None:
            return [Milestone(each.snapshot.day, "official", board, rank)]
    return []


def _best(board: Board, days: Sequence[HistoryDay]) -> list[Milestone]:
    if not days:
        return []
    best = min(days, key=lambda each: each.ranks[board].rank)
    return [Milestone(best.snapshot.day, "best", board, best.ranks[board].rank)]


def _climb(board: Board, days: Sequence[HistoryDay]) -> list[Milestone]:
    """The biggest climb from one snapshot to the next."""
    climbs = [
        (before.ranks[board].rank - after.ranks[board].rank, after.snapshot.day)
        for before, after in pairwise(days)
    ]
    most, day = max(climbs, default=(0, date.min))
    return [Milestone(day, "climb", board, most)] if most >= _LEAST_CLIMB else []
