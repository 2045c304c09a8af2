"""Privacy: a player is erased from every day, or hidden and still counted (X5-30)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import takewhile
from threading import Lock
from typing import TypeVar

from hansang.apps.rankings.boards import DESIGNS, BoardDesign
from hansang.apps.rankings.design import (
    BOARDS,
    DayOfficials,
    ErasedDay,
    Erasure,
    ErasureKey,
    HiddenPlayer,
    HiddenPlayerKey,
    ProfileKey,
    Snapshot,
    SnapshotDay,
    SnapshotDayKey,
    SnapshotKey,
)
from hansang.apps.rankings.movement import movers_of
from hansang.apps.rankings.trees import DayTrees
from hansang.clock import Clock
from hansang.design import Database, all_of, attr
from hansang.errors import Conflict, NotFound
from hansang.parts.ranks.building import remark
from hansang.parts.ranks.changes import rank_change
from hansang.parts.ranks.folding import Folder
from hansang.parts.ranks.table import STEP
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

T = TypeVar("T")

REMEMBERED_SECONDS = 30
"""How long a process goes by the list of the hidden that it has read."""


class Privacy:
    """Erasing and hiding players."""

    def __init__(
        self, database: Database, clock: Clock, trees: DayTrees, *, sleep: Sleep = time.sleep
    ) -> None:
        self._database, self._clock, self._trees, self._sleep = database, clock, trees, sleep
        self._lock = Lock()
        self._hidden: frozenset[str] = frozenset()
        self._read_at: float | None = None

    # ── erasing ───────────────────────────────────────────────────────────────────────────────────

    def erase(self, uuid: str, *, beside: Beside[int] = alone) -> int:
        """Delete a player and every snapshot, and take each out of its day's trees; how many days that were.

        What is to be done is noted first: broken off, it goes on when it is done again. What is `beside` it is
        written with the end.
        """
        noted = self._noted(uuid)
        for each in noted.days:
            self._retry(partial(self._erase_day, uuid, each))
        with self._database.transaction(name="Profile.erase") as transaction:
            beside(transaction, len(noted.days))
            transaction.delete(ProfileKey(uuid=uuid))
            transaction.delete(HiddenPlayerKey(uuid=uuid))
            transaction.delete(ErasureKey(uuid=uuid))
        return len(noted.days)

    def go_on(self) -> int:
        """Go on with whoever was being erased when a process ended; how many there were."""
        return sum(1 for each in self._database.all(Erasure.open()) if self.erase(each.uuid) >= 0)

    def _noted(self, uuid: str) -> Erasure:
        key = ErasureKey(uuid=uuid)
        found = self._database.find(key, consistent=True)
        if found is not None:
            return found
        days = [
            ErasedDay(day=each.day, level=each.level, power=each.power)
            for each in self._database.each(Snapshot.history(uuid))
        ]
        if not days and self._database.find(ProfileKey(uuid=uuid), consistent=True) is None:
            raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})
        return self._database.put(Erasure(uuid=uuid, days=days))

    def _erase_day(self, uuid: str, erased: ErasedDay) -> None:
        """Take one snapshot away; of a finished day together with what its trees have to count."""
        day = self._database.find(SnapshotDayKey(day=erased.day), consistent=True)
        key = SnapshotKey(uuid=uuid, day=erased.day)
        if day is None or day.status in ("running", "failed", "removing", "removed"):
            self._database.delete(key)
            return
        if day.status == "finishing":
            raise Conflict(
                "The day {day} is being finished. Erase the player when that is done.",
                day,
                code="rankings.erase-later",
                values={"day": day.day},
            )
        with suppress(NotFound), self._database.transaction(name="Snapshot.erase") as transaction:
            transaction.delete(key, when=attr(Snapshot.name).exists())
            for board in BOARDS:
                transaction.create(rank_change(DESIGNS[board].tree(day), erased.score(board), None))
            transaction.update(
                SnapshotDayKey(day=day.day),
                attr(SnapshotDay.players).add(-1),
                attr(SnapshotDay.revision).add(1),
                when=all_of(SnapshotDay.status == "finished", SnapshotDay.generation == day.generation),
            )
        self._settle(erased)

    def _settle(self, erased: ErasedDay) -> None:
        """Bring what was erased from a day into its trees, marks and official positions."""
        day = erased.day
        self._database.batch_write(deletes=movers_of(day))
        found = self._database.get(SnapshotDayKey(day=day), consistent=True)
        for board in BOARDS:
            Folder(self._database, DESIGNS[board].tree(found)).drain()
        found = self._renewed(found)
        for board in BOARDS:
            design = DESIGNS[board]
            self._remark(design, found, erased.score(board))
            officials = design.official_rows(self._database, day)
            snapshots = self._database.batch_get(SnapshotKey(uuid=row.uuid, day=day) for row in officials)
            positions = sorted(self._trees.position(board, found, each) for each in snapshots)
            self._database.put(DayOfficials(day=day, board=board, positions=positions))
        self._renewed(found)

    def _renewed(self, day: SnapshotDay) -> SnapshotDay:
        """A finished day under another revision: what anyone has kept of it until now is out of date."""
        as_finished = all_of(SnapshotDay.status == "finished", SnapshotDay.generation == day.generation)
        return self._database.update(
            SnapshotDayKey(day=day.day), attr(SnapshotDay.revision).add(1), when=as_finished
        )

    def _remark(self, design: BoardDesign, day: SnapshotDay, score: int) -> None:
        if self._trees.standing(design.name, day, score).equal >= STEP:
            keys = (f"USER#{uuid}" for uuid in self._equals(design, day, score))
            remark(self._database, design.tree(day), score, keys)

    def _equals(self, design: BoardDesign, day: SnapshotDay, score: int) -> Iterator[str]:
        """The players of one score, in the order of the index."""
        start = None
        while True:
            rows = design.take(self._database, day.day, 1000, highest=score, start=start)
            yield from (row.uuid for row in takewhile(lambda row: row.score == score, rows))
            if len(rows) < 1000 or rows[-1].score != score:
                return
            start = design.start_behind(day.day, f"USER#{rows[-1].uuid}", score)

    # ── hiding ────────────────────────────────────────────────────────────────────────────────────

    def hide(self, uuid: str, *, beside: Beside[str] = alone) -> None:
        """Neither name nor find a player from now on; other processes follow in half a minute."""
        with self._database.transaction(name="HiddenPlayer.hide") as transaction:
            beside(transaction, uuid)
            transaction.put(HiddenPlayer(uuid=uuid, since=to_whole_second(self._clock())))
        self._read_at = None

    def show(self, uuid: str, *, beside: Beside[str] = alone) -> None:
        """Show a player again."""
        with self._database.transaction(name="HiddenPlayer.show") as transaction:
            beside(transaction, uuid)
            transaction.delete(HiddenPlayerKey(uuid=uuid))
        self._read_at = None

    def hidden(self) -> frozenset[str]:
        """Who is hidden, as this process knows it."""
        with self._lock:
            now = self._clock()
            if self._read_at is None or not 0 <= now - self._read_at < REMEMBERED_SECONDS:
                self._hidden = frozenset(each.uuid for each in self._database.each(HiddenPlayer.everyone()))
                self._read_at = now
            return self._hidden

    def is_hidden(self, uuid: str) -> bool:
        return uuid in self.hidden()

    def _retry(self, work: Callable[[], T]) -> T:
        return retry(work, self._sleep, PATIENT)
