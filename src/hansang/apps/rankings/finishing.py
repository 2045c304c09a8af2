"""Finishing a day: its indexes are complete, its official ranks are right, and its trees are built."""

from __future__ import annotations

import logging
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import pairwise
from typing import TypeVar

from hansang.apps.rankings.boards import DESIGNS, BoardDesign, BoardRow
from hansang.apps.rankings.days import Days, as_seen, closed
from hansang.apps.rankings.design import (
    BOARDS,
    Board,
    DayOfficials,
    DayOfficialsKey,
    DayRejected,
    DayRejectedKey,
    ImportPart,
    ImportPartKey,
    RejectedRow,
    SnapshotDay,
    SnapshotKey,
)
from hansang.apps.rankings.movement import movers_of
from hansang.apps.rankings.rows import player_digest, row_sum, unpacked_sums
from hansang.apps.rankings.rules import OFFICIAL
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.errors import Busy, Conflict, NotFound
from hansang.parts.ranks.building import Row, TreeBuilder, clear_tree
from hansang.parts.ranks.reading import RankTree
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

T = TypeVar("T")

_WAITS = (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""How long, in seconds, an index that lags behind is waited for; then the day stays open."""
_OLDER_TREES = 5
_REJECTED_KEPT = 1000
_log = logging.getLogger("hansang.rankings")

Tell = Callable[[str, int], object]
"""Told which step goes on, and how many rows it has seen."""


@dataclass(slots=True)
class _Imported:
    """What the parts of a day come to."""

    digests: array[int]
    """Of each player, in order and once."""
    sums: dict[Board, int]
    ranks: dict[Board, dict[str, int]]
    repeated: frozenset[int]
    """Players who are in several parts; which row came last is not known, so they are not in the sums."""
    rejected: int
    rejected_rows: list[RejectedRow]

    @property
    def players(self) -> int:
        return len(self.digests)

    def has(self, uuid: str) -> bool:
        digest = player_digest(uuid)
        place = bisect_left(self.digests, digest)
        return place < len(self.digests) and self.digests[place] == digest


@dataclass(slots=True)
class _Walk:
    """What one walk of a board has seen on the way."""

    rows: int = 0
    sum: int = 0
    first: list[BoardRow] = field(default_factory=list)
    positions: dict[str, int] = field(default_factory=dict)
    """Where each of the delivered officials stands, from 0."""
    scores: dict[str, int] = field(default_factory=dict)
    repeated: list[BoardRow] = field(default_factory=list)


class Finisher:
    """Closes days, and takes them back."""

    def __init__(self, database: Database, days: Days, clock: Clock, *, sleep: Sleep = time.sleep) -> None:
        self._database, self._days, self._clock, self._sleep = database, days, clock, sleep

    def finish(
        self, day: date, *, tell: Tell | None = None, beside: Beside[SnapshotDay] = alone
    ) -> SnapshotDay:
        """Finish a day whose parts are all written; a day that is finished stays as it is.

        Whatever stops it, it can be done again. Only the last one who began to finish a day finishes it.
        """
        found = self._days.get(day)
        if found.status == "finished":
            return found
        claimed = self._days.claim(day)
        try:
            imported = self._imported(claimed)
        except Conflict:
            self._days.move(claimed, "running")
            raise
        try:
            removed, mismatches = self._settle(claimed, imported, tell or _unheard)
        except Busy:
            self._days.move(claimed, "failed")
            raise
        self._clear_older_trees(claimed)
        done = self._close(claimed, imported, removed, mismatches, beside)
        # Parts that a crash leaves here are of an earlier revision, and are never read again.
        self._forget_parts(day, done.revision)
        return done

    def _settle(self, day: SnapshotDay, imported: _Imported, tell: Tell) -> tuple[int, dict[Board, int]]:
        """Build the trees and settle the official ranks; how many rows were removed, and ranks are out of place."""
        removed, mismatches = 0, dict[Board, int]()
        for board in BOARDS:
            walk, gone = self._built(DESIGNS[board], day, imported, tell)
            removed += gone
            mismatches[board] = self._settle_officials(DESIGNS[board], day, imported, walk)
        return removed, mismatches

    def reopen(self, day: date, beside: Beside[SnapshotDay] = alone) -> SnapshotDay:
        """Open a day for another import; what it held stays until that is finished (X5-11)."""
        found = self._days.reopen(day, beside)
        self._forget_parts(day, found.revision)
        return found

    def begin_roll_back(self, day: date, beside: Beside[SnapshotDay] = alone) -> SnapshotDay:
        """Take a day from its readers at once; whoever works in the background removes it."""
        found = self._days.get(day)
        if found.status == "removing":
            return found
        removing = found.model_copy(update={"status": "removing"})
        with self._database.transaction(name="SnapshotDay.begin_roll_back") as transaction:
            beside(transaction, removing)
            transaction.put(removing, when=as_seen(found))
        return removing

    def roll_back(self, day: date, *, tell: Tell | None = None, beside: Beside[date] = alone) -> None:
        """Remove a day whole: its rows, trees and notes; broken off, it is done again from where it was.

        Its numbers stay: imported again it has other ones, and nobody takes what was kept of the first for the second.
        """
        found = self._days.get(day)
        if found.status != "removing":
            found = self._days.move(found, "removing")
        self._remove_rows(day, tell or _unheard)
        for board in BOARDS:
            for generation in range(max(1, found.generation - _OLDER_TREES), found.generation + 1):
                tree = DESIGNS[board].tree(found.model_copy(update={"generation": generation}))
                clear_tree(self._database, tree)
            self._database.delete(DayOfficialsKey(day=day, board=board))
        self._database.batch_write(deletes=movers_of(day))
        self._forget_parts(day, None)
        self._database.delete(DayRejectedKey(day=day))
        with self._database.transaction(name="SnapshotDay.roll_back") as transaction:
            beside(transaction, day)
            transaction.put(
                SnapshotDay(
                    day=day,
                    status="removed",
                    started_at=found.started_at,
                    generation=found.generation,
                    revision=found.revision,
                )
            )

    def _remove_rows(self, day: date, tell: Tell) -> None:
        """Delete until the index shows none; it may lag behind, and show some that are gone."""
        removed = 0
        for wait in (*_WAITS, None):
            keys = [
                SnapshotKey(uuid=row.uuid, day=day)
                for row in DESIGNS["level"].take(self._database, day, 1000)
            ]
            while keys:
                self._retry(partial(self._database.batch_write, deletes=keys))
                removed += len(keys)
                tell("removing", removed)
                rows = DESIGNS["level"].take(self._database, day, 1000)
                fresh = [SnapshotKey(uuid=row.uuid, day=day) for row in rows]
                if fresh == keys:
                    break
                keys = fresh
            if not keys:
                return
            if wait is not None:
                self._sleep(wait)
        raise _lagging(day)

    # ── what was imported ─────────────────────────────────────────────────────────────────────────

    def _imported(self, day: SnapshotDay) -> _Imported:
        """The sums of all parts; a part that was begun and not written keeps the day open."""
        digests, levels, powers = array("Q"), array("I"), array("I")
        ranks: dict[Board, dict[str, int]] = {"level": {}, "power": {}}
        rejected, rejected_rows = 0, list[RejectedRow]()
        for part in self._database.each(ImportPart.of_run(day.day, day.revision)):
            if part.state != "written":
                raise Conflict(
                    "A part of {day} was begun and is not written: {part}. Send it again, then finish the day.",
                    part,
                    code="rankings.part-missing",
                    values={"day": day.day, "part": part.part},
                )
            for digest, level, power in unpacked_sums(part.sums):
                digests.append(digest)
                levels.append(level)
                powers.append(power)
            ranks["level"] |= part.level_ranks
            ranks["power"] |= part.power_ranks
            rejected += part.rejected
            rejected_rows += part.rejected_rows[: _REJECTED_KEPT - len(rejected_rows)]
        if not digests:
            raise Conflict(
                "The day {day} has no rows yet. Import some before it is finished.",
                code="rankings.empty-day",
                values={"day": day.day},
            )
        ordered = array("Q", sorted(digests))
        repeated = frozenset(before for before, after in pairwise(ordered) if before == after)
        sums: dict[Board, int] = {"level": sum(levels), "power": sum(powers)}
        if repeated:
            ordered = array("Q", sorted(set(ordered)))
            again = [place for place, digest in enumerate(digests) if digest in repeated]
            sums["level"] -= sum(levels[place] for place in again)
            sums["power"] -= sum(powers[place] for place in again)
        return _Imported(ordered, sums, ranks, repeated, rejected, rejected_rows)

    # ── the index and the tree ────────────────────────────────────────────────────────────────────

    def _built(
        self, design: BoardDesign, day: SnapshotDay, imported: _Imported, tell: Tell
    ) -> tuple[_Walk, int]:
        """Build the tree of a board from its index, once that shows exactly what was imported."""
        removed = 0
        for wait in (*_WAITS, None):
            walk = _Walk()
            builder = TreeBuilder(self._database, design.tree(day))
            builder.build(self._walked(design, day.day, imported, walk, tell))
            is_whole = (walk.rows, walk.sum) == (imported.players, imported.sums[design.name])
            if is_whole and self._are_newest(design, day.day, walk.repeated):
                return walk, removed
            removed += self._remove_strangers(design, day.day, imported)
            if wait is not None:
                self._sleep(wait)
        raise _lagging(day.day)

    def _walked(
        self, design: BoardDesign, day: date, imported: _Imported, walk: _Walk, tell: Tell
    ) -> Iterator[Row]:
        officials, repeated = imported.ranks[design.name], imported.repeated
        for position, row in enumerate(design.each(self._database, day)):
            if repeated and player_digest(row.uuid) in repeated:
                walk.repeated.append(row)
            else:
                walk.sum += row_sum(row.uuid, row.name, row.score)
            if position < OFFICIAL:
                walk.first.append(row)
            if row.uuid in officials:
                walk.positions[row.uuid], walk.scores[row.uuid] = position, row.score
            walk.rows += 1
            if walk.rows % 10_000 == 0:
                tell(design.name, walk.rows)
            yield row.score, f"USER#{row.uuid}"

    def _are_newest(self, design: BoardDesign, day: date, rows: list[BoardRow]) -> bool:
        """Whether the index shows these rows as they are in the table."""
        keys = (SnapshotKey(uuid=row.uuid, day=day) for row in rows)
        found = {each.uuid: each for each in self._database.batch_get(keys, consistent=True)}
        return all(
            row.uuid in found
            and (found[row.uuid].name, design.score(found[row.uuid])) == (row.name, row.score)
            for row in rows
        )

    def _remove_strangers(self, design: BoardDesign, day: date, imported: _Imported) -> int:
        """Delete the rows of an earlier import whose players are not in this one (X5-11)."""
        rows = design.each(self._database, day)
        strangers = [SnapshotKey(uuid=row.uuid, day=day) for row in rows if not imported.has(row.uuid)]
        self._retry(partial(self._database.batch_write, deletes=strangers))
        return len(strangers)

    # ── official ranks ────────────────────────────────────────────────────────────────────────────

    def _settle_officials(
        self, design: BoardDesign, day: SnapshotDay, imported: _Imported, walk: _Walk
    ) -> int:
        """Give the day the official ranks that were delivered, or the first hundred; how many are out of place."""
        wanted = imported.ranks[design.name]
        if not wanted:
            wanted = {row.uuid: rank for rank, row in enumerate(walk.first, 1)}
            walk.positions = {row.uuid: place for place, row in enumerate(walk.first)}
            walk.scores = {row.uuid: row.score for row in walk.first}
        self._reconcile(design, day.day, wanted)
        positions = sorted(walk.positions[uuid] for uuid in wanted)
        self._database.put(DayOfficials(day=day.day, board=design.name, positions=positions))
        tree = RankTree(self._database, design.tree(day))
        standings = {score: tree.standing(score) for score in set(walk.scores.values())}
        return sum(
            not standings[walk.scores[uuid]].above
            < rank
            <= standings[walk.scores[uuid]].above + standings[walk.scores[uuid]].equal
            for uuid, rank in wanted.items()
        )

    def _reconcile(self, design: BoardDesign, day: date, wanted: dict[str, int]) -> None:
        """Make the official index say exactly this, and wait until it does (X5-11)."""
        for wait in (*_WAITS, None):
            held = {row.uuid: row.rank for row in design.official_rows(self._database, day)}
            if held == wanted:
                return
            for uuid in held.keys() - wanted.keys():
                self._set_rank(design, SnapshotKey(uuid=uuid, day=day), None)
            for uuid, rank in wanted.items():
                if held.get(uuid) != rank:
                    self._set_rank(design, SnapshotKey(uuid=uuid, day=day), rank)
            if wait is not None:
                self._sleep(wait)
        raise _lagging(day)

    def _set_rank(self, design: BoardDesign, key: SnapshotKey, rank: int | None) -> None:
        field = attr(design.rank_field)
        update = field.remove() if rank is None else field.set(rank)
        try:
            self._retry(partial(self._database.update, key, update))
        except NotFound:
            _log.info("The index still shows %s, who is no longer there", key.uuid)

    # ── the end ───────────────────────────────────────────────────────────────────────────────────

    def _close(
        self,
        claimed: SnapshotDay,
        imported: _Imported,
        removed: int,
        mismatches: dict[Board, int],
        beside: Beside[SnapshotDay],
    ) -> SnapshotDay:
        officials = {
            board: self._database.get(DayOfficialsKey(day=claimed.day, board=board), consistent=True)
            for board in BOARDS
        }
        done = claimed.model_copy(
            update={
                "status": "finished",
                "players": imported.players,
                "level_ranked": len(officials["level"].positions),
                "power_ranked": len(officials["power"].positions),
                "finished_at": to_whole_second(self._clock()),
                "revision": claimed.revision + 1,
                "level_mismatches": mismatches["level"],
                "power_mismatches": mismatches["power"],
                "rejected": imported.rejected,
                "removed": removed,
            }
        )
        try:
            with self._database.transaction(name="SnapshotDay.finish") as transaction:
                beside(transaction, done)
                transaction.put(done, when=as_seen(claimed))
                transaction.put(DayRejected(day=done.day, rows=imported.rejected_rows))
        except Conflict as lost:
            if isinstance(lost.item, SnapshotDay):
                raise closed(lost.item) from lost
            raise
        return done

    def _clear_older_trees(self, day: SnapshotDay) -> None:
        """Delete the trees of earlier times; whoever was at them cannot finish the day any more."""
        for generation in range(max(1, day.generation - _OLDER_TREES), day.generation):
            older = day.model_copy(update={"generation": generation})
            for board in BOARDS:
                clear_tree(self._database, DESIGNS[board].tree(older))

    def _forget_parts(self, day: date, before: int | None) -> None:
        """Delete the parts of imports before a revision, or of all of them."""
        parts = self._database.each(ImportPart.of_day(day))
        old = (part for part in parts if before is None or part.run < before)
        self._database.batch_write(
            deletes=[ImportPartKey(day=day, run=part.run, part=part.part) for part in old]
        )

    def _retry(self, work: Callable[[], T]) -> T:
        return retry(work, self._sleep, PATIENT)


def _lagging(day: date) -> Busy:
    return Busy(
        "The indexes of {day} do not show yet what was written. Finish the day again in a moment.",
        10.0,
        code="rankings.index-lags",
        values={"day": day},
    )


def _unheard(step: str, rows: int) -> None:
    """Tell nobody."""
