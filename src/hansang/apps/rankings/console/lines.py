"""Lines of a board as pages show them: the rank, its movement, both scores, and how much the one of the board grew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.design import Board, Snapshot, SnapshotDay
from hansang.apps.rankings.histories import Move
from hansang.apps.rankings.reports import OfficialBoard
from hansang.apps.rankings.service import Rankings

Moved = int | Literal["new", "out"] | None
"""By how many ranks; None where nobody can tell."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One player on a board."""

    rank: int
    moved: Moved
    uuid: str
    name: str
    level: int
    power: int
    grown: int | None
    """Of the score of the board, since the finished day before."""

    def score(self, board: Board) -> int:
        return self.level if board == "level" else self.power


def official_lines(board: Board, found: OfficialBoard) -> list[BoardLine]:
    """The official first hundred as lines."""
    lines = []
    for each in found.page.items:
        moved: Moved = "new" if each.before is None else each.before - each.row.rank
        today = found.snapshots.get(each.row.uuid)
        if today is not None:
            before = found.before.get(each.row.uuid)
            is_first = found.page.against is None
            lines.append(_line(board, each.row.rank, None if is_first else moved, today, before))
    return lines


def page_lines(
    board: Board, moves: Sequence[Move], snapshots: Mapping[str, Snapshot], has_before: bool
) -> list[BoardLine]:
    """A page of everyone as lines; whoever has no snapshot any more is left out."""
    return [
        BoardLine(
            each.row.rank,
            _moved(each) if has_before else None,
            each.row.uuid,
            each.row.name,
            snapshots[each.row.uuid].level,
            snapshots[each.row.uuid].power,
            each.grown if each.score_before is not None else None,
        )
        for each in moves
        if each.row.uuid in snapshots
    ]


def _moved(move: Move) -> Moved:
    return "new" if move.rank_before is None else move.climbed


def player_line(
    rankings: Rankings, board: Board, uuid: str, day: SnapshotDay, against: SnapshotDay | None
) -> BoardLine | None:
    """One player as a line, the official rank first; None for whoever has no snapshot of the day."""
    snapshots = rankings.reports.snapshots([uuid], day.day)
    if uuid not in snapshots:
        return None
    rank = _rank(rankings, board, snapshots[uuid], day)
    before = None if against is None else rankings.reports.snapshots([uuid], against.day).get(uuid)
    moved: Moved = None if against is None else "new"
    if against is not None and before is not None:
        moved = _rank(rankings, board, before, against) - rank
    return _line(board, rank, moved, snapshots[uuid], before)


def _rank(rankings: Rankings, board: Board, snapshot: Snapshot, day: SnapshotDay) -> int:
    """The official rank of whoever has one, else the computed one."""
    return DESIGNS[board].rank(snapshot) or rankings.reading.rank_of(snapshot, board, day).rank


def _line(board: Board, rank: int, moved: Moved, today: Snapshot, before: Snapshot | None) -> BoardLine:
    grown = None if before is None else DESIGNS[board].score(today) - DESIGNS[board].score(before)
    return BoardLine(rank, moved, today.uuid, today.name, today.level, today.power, grown)
