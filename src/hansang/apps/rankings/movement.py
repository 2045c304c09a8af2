"""Who moved most between two days, of all players: both boards are walked once, and compared in pieces on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from heapq import heappush, heappushpop
from struct import Struct
from tempfile import TemporaryFile
from types import TracebackType
from typing import BinaryIO, Self
from zlib import crc32

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import (
    BOARDS,
    Board,
    DayMovers,
    DayMoversKey,
    Period,
    SnapshotDay,
    SnapshotDayKey,
)
from hansang.apps.rankings.rules import MOVERS_AMONG, PERIODS
from hansang.design import Database, all_of
from hansang.errors import Conflict

KEPT = 100
"""How many of each kind are kept for a day."""
AT_ONCE = 50_000
"""About how many players of a day are in memory at once."""
_MOST_PIECES = 200
_TOLD_EVERY = 10_000
_HEAD = Struct(">HQ16s")

Tell = Callable[[str, int], object]


class DayMovement:
    """Finds who moved most until the newest day, and keeps it beside the day."""

    def __init__(self, database: Database, days: Days, *, at_once: int = AT_ONCE) -> None:
        self._database, self._days, self._at_once = database, days, at_once

    def find(self, board: Board, period: Period, day: SnapshotDay, against: SnapshotDay) -> DayMovers | None:
        """What is kept, if it is of these two days as they are now."""
        found = self._database.find(DayMoversKey(day=day.day, board=board, period=period))
        if found is None or found.revision != day.revision:
            return None
        is_same = (found.against, found.against_revision) == (against.day, against.revision)
        return found if is_same else None

    def is_wanted(self) -> bool:
        """Whether anything is missing of the newest day."""
        day = self._days.find_newest()
        return day is not None and any(self._missing(day, board) for board in BOARDS)

    def keep(self, tell: Tell) -> int:
        """Find what is missing of the newest day; how many comparisons that were.

        A board of the newest day is walked once, and once that of each day it is compared with.
        """
        day = self._days.find_newest()
        return 0 if day is None else sum(self._keep(board, day, tell) for board in BOARDS)

    def _missing(self, day: SnapshotDay, board: Board) -> dict[Period, SnapshotDay]:
        """The periods to be compared, and with which day; a small day is compared when it is asked for."""
        if day.players <= MOVERS_AMONG:
            return {}
        days = {period: self._days.at_or_before(day.day - back) for period, back in PERIODS.items()}
        return {
            period: against
            for period, against in days.items()
            if against is not None and self.find(board, period, day, against) is None
        }

    def _keep(self, board: Board, day: SnapshotDay, tell: Tell) -> int:
        missing = self._missing(day, board)
        if not missing:
            return 0
        most = max(day.players, *(each.players for each in missing.values()))
        pieces = min(_MOST_PIECES, -(-most // self._at_once))
        with _SpilledBoard(pieces) as now:
            now.fill(self._walked(board, day, tell))
            for period, against in missing.items():
                with _SpilledBoard(pieces) as before:
                    before.fill(self._walked(board, against, tell))
                    moved = _compared(now, before)
                self._put(DayMoversKey(day=day.day, board=board, period=period), moved, day, against)
        return len(missing)

    def _walked(self, board: Board, day: SnapshotDay, tell: Tell) -> Iterator[tuple[str, int, int]]:
        """Every player with the rank that equals share, and the score."""
        rank, last = 0, None
        for place, row in enumerate(DESIGNS[board].each(self._database, day.day), 1):
            if row.score != last:
                rank, last = place, row.score
            if place % _TOLD_EVERY == 0:
                tell(f"{board} {day.day}", place)
            yield row.uuid, rank, row.score

    def _put(self, key: DayMoversKey, moved: _Moved, day: SnapshotDay, against: SnapshotDay) -> None:
        """Keep it if the day is still the one that was walked; otherwise it is found again."""
        found = DayMovers(
            **key.__dict__,
            revision=day.revision,
            against=against.day,
            against_revision=against.revision,
            climbed=moved.climbed.uuids(),
            fallen=moved.fallen.uuids(),
            grown=moved.grown.uuids(),
            new=moved.new.uuids(),
        )
        is_same = all_of(SnapshotDay.status == "finished", SnapshotDay.revision == day.revision)
        try:
            with self._database.transaction(name="DayMovers.keep") as transaction:
                transaction.check(SnapshotDayKey(day=day.day), is_same)
                transaction.put(found)
        except Conflict:
            return


def movers_of(day: date) -> list[DayMoversKey]:
    """What may be kept of a day; who is erased, or a day that is rolled back, takes it along."""
    return [DayMoversKey(day=day, board=board, period=period) for board in BOARDS for period in PERIODS]


# ── comparing ─────────────────────────────────────────────────────────────────────────────────────


class _SpilledBoard:
    """A board in temporary files; a player is in the piece of the same number on every day."""

    def __init__(self, pieces: int) -> None:
        self.pieces = pieces
        self._stack, self._files = ExitStack(), list[BinaryIO]()

    def __enter__(self) -> Self:
        for _ in range(self.pieces):
            self._files.append(self._stack.enter_context(TemporaryFile()))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def fill(self, rows: Iterator[tuple[str, int, int]]) -> None:
        for uuid, rank, score in rows:
            name = uuid.encode()
            self._files[crc32(name) % self.pieces].write(
                _HEAD.pack(len(name), rank, score.to_bytes(16)) + name
            )

    def piece(self, number: int) -> Iterator[tuple[bytes, int, int]]:
        file = self._files[number]
        file.seek(0)
        blob, at = file.read(), 0
        while at < len(blob):
            length, rank, score = _HEAD.unpack_from(blob, at)
            at += _HEAD.size + length
            yield blob[at - length : at], rank, int.from_bytes(score)


class _Largest:
    """The players with the largest values, of any number; of equals the one with the better rank."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, bytes]] = []

    def add(self, value: int, rank: int, uuid: bytes) -> None:
        entry = value, -rank, uuid
        if len(self._heap) < KEPT:
            heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heappushpop(self._heap, entry)

    def uuids(self) -> list[str]:
        return [uuid.decode() for _, _, uuid in sorted(self._heap, reverse=True)]


class _Moved:
    """Who moved most."""

    def __init__(self) -> None:
        self.climbed, self.fallen, self.grown, self.new = _Largest(), _Largest(), _Largest(), _Largest()

    def add(self, uuid: bytes, rank: int, score: int, before: tuple[int, int] | None) -> None:
        if before is None:
            self.new.add(-rank, rank, uuid)
            return
        climbed, grown = before[0] - rank, score - before[1]
        if climbed > 0:
            self.climbed.add(climbed, rank, uuid)
        elif climbed < 0:
            self.fallen.add(-climbed, rank, uuid)
        if grown > 0:
            self.grown.add(grown, rank, uuid)


def _compared(now: _SpilledBoard, before: _SpilledBoard) -> _Moved:
    moved = _Moved()
    for number in range(now.pieces):
        held = {uuid: (rank, score) for uuid, rank, score in before.piece(number)}
        for uuid, rank, score in now.piece(number):
            moved.add(uuid, rank, score, held.get(uuid))
    return moved
