"""The trees of finished days: ranks of scores, positions of players, and rows at positions."""

from __future__ import annotations

from collections import OrderedDict
from datetime import date

from hansang.apps.rankings.boards import DESIGNS, BoardDesign, BoardRow
from hansang.apps.rankings.design import Board, DayOfficialsKey, Snapshot, SnapshotDay
from hansang.design import Database
from hansang.parts.ranks.reading import RankedScore, RankTree, Standing
from hansang.parts.ranks.storage import NodeCache
from hansang.parts.ranks.table import STEP

_KEPT_NODES = 4096
"""Of 4 KB at most: all of a day of a million players, and a bound for any other."""
_KEPT_TREES = 64


class DayTrees:
    """What the trees and the indexes of finished days say together."""

    def __init__(self, database: Database, cache: NodeCache | None = None) -> None:
        self._database, self._cache = database, cache or NodeCache(_KEPT_NODES)
        self._trees: OrderedDict[tuple[Board, date, int, int], RankTree] = OrderedDict()

    def standing(self, board: Board, day: SnapshotDay, score: int) -> Standing:
        """How a score stands on a day."""
        return self._tree(DESIGNS[board], day).standing(score)

    def total(self, board: Board, day: SnapshotDay) -> int:
        return self._tree(DESIGNS[board], day).total

    def score_at(self, board: Board, day: SnapshotDay, position: int) -> int:
        """The score at a position among everyone, from 0."""
        found = self._tree(DESIGNS[board], day).score_at(position)
        assert found is not None
        return found.score

    def officials(self, board: Board, day: SnapshotDay) -> list[int]:
        """Where the official first hundred stand among everyone, from 0."""
        found = self._database.find(DayOfficialsKey(day=day.day, board=board))
        return [] if found is None else found.positions

    # ── rows at positions ─────────────────────────────────────────────────────────────────────────

    def rows(self, board: Board, day: SnapshotDay, first: int, count: int) -> tuple[int, list[BoardRow]]:
        """The rows from a position on, and how many stand above the first one's score."""
        design = DESIGNS[board]
        if first == 0:
            return 0, design.take(self._database, day.day, count)
        tree = self._tree(design, day)
        at = tree.score_at(first)
        if at is None:
            return 0, []
        above = first - at.offset
        return above, self._from(design, day.day, at, count, tree.mark(at, above) if at.is_deep else None)

    def _from(
        self, design: BoardDesign, day: date, at: RankedScore, count: int, mark: tuple[str, int] | None
    ) -> list[BoardRow]:
        """The rows from one inside a group of equals on, which is entered at a mark before it or at its beginning."""
        key, passed = mark or ("", 0)
        skipped = at.offset - passed
        start = design.start_behind(day, key, at.score) if passed else None
        highest = None if passed else at.score
        return design.take(self._database, day, skipped + count, highest=highest, start=start, skip=skipped)

    # ── positions of players ──────────────────────────────────────────────────────────────────────

    def position(self, board: Board, day: SnapshotDay, snapshot: Snapshot) -> int:
        """Where a player stands among everyone, from 0, in the order of the index (X5-09)."""
        design = DESIGNS[board]
        score = design.score(snapshot)
        tree = self._tree(design, day)
        standing = tree.standing(score)
        return standing.above + self._offset(design, tree, day.day, snapshot.uuid, score, standing.equal)

    def _offset(
        self, design: BoardDesign, tree: RankTree, day: date, uuid: str, score: int, equal: int
    ) -> int:
        """How many equals stand before a player: from the row on to the next mark, or to the end of the group."""
        if equal == 1:
            return 0
        start = design.start_behind(day, f"USER#{uuid}", score)
        behind = design.take(self._database, day, STEP, start=start)
        marks = tree.marks(score) if equal > STEP else {}
        if f"USER#{uuid}" in marks:
            return marks[f"USER#{uuid}"] - 1
        for count, row in enumerate(behind, 1):
            if row.score != score:
                return equal - count
            if f"USER#{row.uuid}" in marks:
                return marks[f"USER#{row.uuid}"] - 1 - count
        return equal - 1 - len(behind)

    def _tree(self, design: BoardDesign, day: SnapshotDay) -> RankTree:
        key = design.name, day.day, day.generation, day.revision
        found = self._trees.get(key)
        if found is None:
            found = RankTree(self._database, design.tree(day), self._cache, day.revision)
            self._trees[key] = found
            if len(self._trees) > _KEPT_TREES:
                self._trees.popitem(last=False)
        return found
