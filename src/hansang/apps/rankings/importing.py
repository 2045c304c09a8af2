"""Importing a day: rows come in parts, each written once, and the day is open until it is finished."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from hansang.apps.rankings.days import Days, closed
from hansang.apps.rankings.design import (
    ImportPart,
    ImportPartKey,
    NamedPlayer,
    ProfileKey,
    RejectedRow,
    Snapshot,
    SnapshotDay,
    SnapshotDayKey,
)
from hansang.apps.rankings.rows import BadRow, PlayerRow, fingerprint, packed_sums, player_digest, row_of
from hansang.design import Database, all_of, attr
from hansang.errors import AlreadyExists, Busy, Conflict, StoreBusy, Throttled, Unavailable
from hansang.parts.hands import Hands
from hansang.parts.hangul import lowered
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry

T = TypeVar("T")

PART = 500
"""How many rows of a list are written and noted at a time."""
LARGEST_PART = 5_000
"""How many rows may be sent at a time."""
_REJECTED_KEPT = 200
THREADS = 8
"""How many batches are under way at a time: on a file they share a commit, on AWS they share the waiting."""
_AT_ONCE = 25

_TWICE = BadRow("The player is in this part twice, and the first row was taken.", code="rankings.row-twice")

Progress = Callable[[int], object]
"""Told how many rows were dealt with since the last time."""


class Importer:
    """Takes the rows of a day."""

    def __init__(
        self,
        database: Database,
        days: Days,
        *,
        threads: int = THREADS,
        pace: int | None = None,
        sleep: Sleep = time.sleep,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`pace` is how many players a second are written at the most."""
        self._database, self._days, self._threads = database, days, threads
        self._pace, self._sleep, self._timer = pace, sleep, timer

    def load(
        self,
        day: date,
        given: Iterable[Any],
        *,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> bool:
        """Take a whole list; the same list again goes on where it was left. False if it was stopped.

        What cannot be written in spite of every retry is Busy, which says how to go on.
        """
        run = self._days.open(day).revision
        rows = 0
        with self._writers() as pool:
            for number, given_part in enumerate(_pieces(enumerate(given, 1), PART)):
                if stop is not None and stop.is_set():
                    return False
                began = self._timer()
                key = ImportPartKey(day=day, run=run, part=f"{number:08d}")
                try:
                    fresh = self._add(key, given_part, pool)
                except (StoreBusy, Throttled, Unavailable) as reason:
                    raise _stopped(day, rows) from reason
                rows += len(given_part)
                if progress is not None:
                    progress(len(given_part))
                if fresh and self._pace:
                    self._sleep(max(0.0, len(given_part) / self._pace - (self._timer() - began)))
        return True

    def add(self, day: date, given: Sequence[Any], *, beside: Beside[ImportPart] = alone) -> ImportPart:
        """Take some rows of a day; the same rows again change nothing.

        What is `beside` it is written in one transaction with the note that the rows are written.
        """
        run = self._days.open(day).revision
        part, rows = self._read(ImportPartKey(day=day, run=run, part="-"), enumerate(given, 1))
        # Named after what it holds, a part that is sent again is the same part.
        named = part.model_copy(update={"part": part.fingerprint})
        with self._writers() as pool:
            return self._written(named, rows, pool, beside)

    @contextmanager
    def _writers(self) -> Iterator[Hands]:
        with Hands(self._threads, "rankings") as pool:
            yield pool

    def _add(self, key: ImportPartKey, given: list[tuple[int, Any]], pool: Hands) -> bool:
        """Write a part of a list unless it is written; whether it had to be."""
        part, rows = self._read(key, given)
        before = self._retry(partial(self._database.find, key, consistent=True))
        if before is not None and before.fingerprint != part.fingerprint:
            raise Conflict(
                "The list is not the one that the import of {day} began with: rows {first} to {last} are "
                "different. Reopen the day to begin again.",
                before,
                code="rankings.other-list",
                values={"day": key.day, "first": given[0][0], "last": given[-1][0]},
            )
        if before is not None and before.state == "written":
            return False
        self._written(part, rows, pool, alone)
        return True

    # ── one part ──────────────────────────────────────────────────────────────────────────────────

    def _written(
        self, part: ImportPart, rows: list[PlayerRow], pool: Hands, beside: Beside[ImportPart]
    ) -> ImportPart:
        begun = self._begin(part)
        if begun.state == "written":
            with self._database.transaction(name="ImportPart.again") as transaction:
                beside(transaction, begun)
            return begun
        snapshots = [_snapshot(part.day, row) for row in rows]
        # In the order of the digests, so that neighbours of a board are not written together (X5-12).
        snapshots.sort(key=lambda each: player_digest(each.uuid))
        batches = [snapshots[at : at + _AT_ONCE] for at in range(0, len(snapshots), _AT_ONCE)]
        list(pool.map(lambda batch: self._retry(partial(self._database.batch_write, batch)), batches))
        return self._retry(partial(self._note, part, beside))

    def _begin(self, part: ImportPart) -> ImportPart:
        """Say that a part is being written; from now on the day is not finished without it."""
        try:
            with self._database.transaction(name="ImportPart.begin") as transaction:
                transaction.create(part)
                is_open = all_of(SnapshotDay.status == "running", SnapshotDay.revision == part.run)
                transaction.check(SnapshotDayKey(day=part.day), is_open)
        except AlreadyExists as there:
            found: ImportPart = there.item
            return found
        except Conflict as state:
            if isinstance(state.item, SnapshotDay):
                raise closed(state.item) from state
            raise
        return part

    def _note(self, part: ImportPart, beside: Beside[ImportPart]) -> ImportPart:
        written = part.model_copy(update={"state": "written"})
        key = ImportPartKey(day=part.day, run=part.run, part=part.part)
        try:
            with self._database.transaction(name="ImportPart.end") as transaction:
                beside(transaction, written)
                transaction.update(
                    key, attr(ImportPart.state).set("written"), when=ImportPart.state == "writing"
                )
                transaction.update(
                    SnapshotDayKey(day=part.day),
                    attr(SnapshotDay.players).add(part.rows),
                    attr(SnapshotDay.rejected).add(part.rejected),
                )
        except Conflict as there:
            # The answer was lost, or another process has written the same part.
            if isinstance(there.item, ImportPart) and there.item.state == "written":
                return written
            raise
        return written

    # ── rows ──────────────────────────────────────────────────────────────────────────────────────

    def _read(
        self, key: ImportPartKey, given: Iterable[tuple[int, Any]]
    ) -> tuple[ImportPart, list[PlayerRow]]:
        rows: dict[str, PlayerRow] = {}
        rejected: list[RejectedRow] = []
        for line, each in given:
            try:
                row = self._with_uuid(row_of(line, each))
            except BadRow as bad:
                rejected.append(bad.rejected(line, _name_in(each)))
                continue
            if row.uuid in rows:
                rejected.append(_TWICE.rejected(line, row.name))
            rows.setdefault(row.uuid, row)
        found = list(rows.values())
        return _part(key, found, rejected), found

    def _with_uuid(self, row: PlayerRow) -> PlayerRow:
        """The row with its player; one without a uuid is found by the name, if nobody else has it (X5-16)."""
        if row.uuid:
            return row
        found = [each.uuid for each in self._database.all(NamedPlayer.called(row.name))]
        present = self._database.batch_get((ProfileKey(uuid=uuid) for uuid in found), consistent=True)
        players = [each.uuid for each in present if lowered(each.name) == lowered(row.name)]
        if not players:
            raise BadRow(
                "No player is called {name}. Give the uuid.",
                code="rankings.row-unknown",
                values={"name": row.name},
            )
        if len(players) > 1:
            raise BadRow(
                "{name} is the name of {count} players: {players}. Give the uuid.",
                code="rankings.row-ambiguous",
                values={
                    "name": row.name,
                    "count": len(players),
                    "players": ", ".join(sorted(players)[:5]),
                },
            )
        return replace(row, uuid=players[0])

    def _retry(self, work: Callable[[], T]) -> T:
        return retry(work, self._sleep, PATIENT)


def _part(key: ImportPartKey, rows: list[PlayerRow], rejected: list[RejectedRow]) -> ImportPart:
    return ImportPart(
        day=key.day,
        run=key.run,
        part=key.part,
        state="writing",
        fingerprint=fingerprint(rows, rejected),
        rows=len(rows),
        sums=packed_sums(rows),
        level_ranks={row.uuid: row.level_rank for row in rows if row.level_rank is not None},
        power_ranks={row.uuid: row.power_rank for row in rows if row.power_rank is not None},
        rejected=len(rejected),
        rejected_rows=rejected[:_REJECTED_KEPT],
    )


def _snapshot(day: date, row: PlayerRow) -> Snapshot:
    return Snapshot(
        uuid=row.uuid,
        day=day,
        name=row.name,
        level=row.level,
        power=row.power,
        level_rank=row.level_rank,
        power_rank=row.power_rank,
    )


def _stopped(day: date, rows: int) -> Busy:
    return Busy(
        "The import of {day} stopped after {rows} rows, because the data could not be written for minutes. "
        "Those rows are kept. Import the same list again, and it goes on behind them.",
        60.0,
        code="rankings.import-stopped",
        values={"day": day, "rows": rows},
    )


def _name_in(given: Any) -> str:
    name = given.get("name") if isinstance(given, dict) else None
    return name if isinstance(name, str) else ""


def _pieces(things: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(things)
    while piece := list(islice(rest, size)):
        yield piece
