"""Writers in a queue: those that wait together are committed together, and nobody waits for ever."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import sleep
from typing import TYPE_CHECKING, TypeVar

from hansang.engine.file_lock import FileLock
from hansang.engine.patience import Patience
from hansang.engine.shared_commit import CommitSpoiled, SharedCommit
from hansang.engine.waiting_line import PendingJob, WaitingLine
from hansang.errors import StoreBusy, StoreError

if TYPE_CHECKING:
    from hansang.engine.sql.writer import Writer

T = TypeVar("T")

WAIT_SECONDS = 5.0
"""How long a write waits for its turn, unless it is said otherwise."""
MOST_WAITING = 1000
"""How many writes of a process may wait at a time, unless it is said otherwise."""

_MOMENT = 0.00005


class _ThreadState(threading.local):
    """What holds for one thread."""

    waits = True
    shared: SharedCommit | None = None


class WriteQueue:
    """Runs jobs in transactions, in the order of asking, on behalf of all threads of the process.

    Whoever gets the lock runs everything that waits, so while one commit goes to disk the next one
    gathers. Large jobs and small ones take turns. A job that is given up never runs. Ctrl+C, at any moment,
    stops the thread that it comes in and no other: jobs that it was running for others are run by one of them.
    """

    def __init__(
        self,
        writer: Writer,
        file: FileLock | None,
        broken: type[BaseException],
        translated: Callable[[BaseException], BaseException],
        *,
        wait_seconds: float = WAIT_SECONDS,
        most_waiting: int = MOST_WAITING,
        after: Callable[[], object] = lambda: None,
    ) -> None:
        """`after` is called after each transaction, while nobody else writes."""
        self.lock = threading.RLock()
        self._writer, self._file = writer, file
        self._broken, self._translated = broken, translated
        self._wait_seconds, self._most_waiting, self._after = wait_seconds, most_waiting, after
        self._queue = WaitingLine()
        self._door = threading.Lock()
        self._leader: PendingJob | None = None
        self._batch: list[PendingJob] = []
        self._ends = False
        """Whether the transaction of the batch was told to end: if it is over, not because of an error."""
        self._company = 1
        self._closed = False
        self._thread = _ThreadState()

    def run(self, job: Callable[[Writer], T], weight: int = 1, *, decides_first: bool = False) -> T:
        """The result of the job, when it is on disk; StoreBusy if its turn does not come in time."""
        if self._thread.shared is not None:
            return self._thread.shared.run(job)
        pending = PendingJob(job, weight, decides_first=decides_first)
        patience = Patience(self._wait_seconds if self._thread.waits else 0)
        try:
            if not self._enters_as_leader(pending):
                self._await_turn(pending, patience)
            if not pending.done:
                self._lead(pending, patience)
        except BaseException:  # Ctrl+C
            self._leave(pending)
            raise
        if pending.error is not None:
            try:
                raise pending.error
            finally:
                # Its traceback leads back to `pending`; together they would stay until the collector comes.
                pending.error = None
        result: T = pending.result
        return result

    def share(self, calls: Sequence[Callable[[], T]]) -> list[T] | None:
        """What calls answer that run jobs, when all of these are on disk with one commit.

        None if a job failed halfway: then nothing of any is kept, and each call is to be made by itself. So it is behind
        a change of the catalog in the same commit: calls see the tables before it, and their jobs those behind it.
        """

        # Whichever thread leads runs it, so what the calls find is set there.
        def together(writer: Writer) -> list[T]:
            if writer.catalog_changed:
                raise CommitSpoiled
            shared = SharedCommit(writer, self._broken)
            try:
                self._thread.shared = shared
                return [shared.answer(each) for each in calls]
            finally:
                self._thread.shared = None

        try:
            return self.run(together, decides_first=True)
        except CommitSpoiled:
            return None

    @contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Let no job of this thread wait for its turn: it is StoreBusy at once."""
        # A generator: where Ctrl+C comes before it is asked to end, it is ended when it is let go.
        self._thread.waits = False
        try:
            yield
        finally:
            self._thread.waits = True

    def close(self) -> None:
        self._closed = True

    # ── waiting ───────────────────────────────────────────────────────────────────────────────────

    def _enters_as_leader(self, pending: PendingJob) -> bool:
        """Join the queue; say whether nobody else runs it."""
        with self._door:
            if self._leader is not None:
                if len(self._queue) >= self._most_waiting:
                    raise self._too_many()
                # Before it can be seen: whoever leads takes it from the queue without asking its thread.
                pending.gate = threading.Lock()
                pending.gate.acquire()
            self._queue.add(pending)
            if self._leader is None:
                self._leader = pending
            return self._leader is pending

    def _await_turn(self, pending: PendingJob, patience: Patience) -> None:
        """Return when the job is done, or is to lead."""
        assert pending.gate is not None
        while not pending.gate.acquire(timeout=patience.step):
            if not patience.lasts():
                if self._gives_up(pending):
                    raise self._busy()
                pending.gate.acquire()
                return

    def _gives_up(self, pending: PendingJob) -> bool:
        """Leave the queue, unless the job is being run or is to lead by now."""
        with self._door:
            waits = not pending.is_taken and pending is not self._leader
            if waits:
                self._queue.discard(pending)
        return waits

    def _leave(self, pending: PendingJob) -> None:
        """Be in the queue no more, and hand the lead to whoever came in between; do so twice, and nothing changes."""
        with self._door:
            if not pending.is_taken:
                self._queue.discard(pending)
                pending.is_taken = True
            if self._leader is pending:
                self._leader = self._queue.first()
            if self._leader is not None:
                self._leader.wake()

    # ── leading ───────────────────────────────────────────────────────────────────────────────────

    def _lead(self, leader: PendingJob, patience: Patience) -> None:
        """Run what waits, tell whom it was for, and leave."""
        try:
            if self._company > 1:
                self._gather(leader)
            with self.lock:
                try:
                    self._run_queue(leader, patience)
                except BaseException:
                    self._break_off(leader)
                    raise
        finally:
            self._leave(leader)

    def _gather(self, leader: PendingJob) -> None:
        """Wait a moment for those who shared the last commit, as long as they keep coming."""
        came = self._queue.beside(leader)
        while came < self._company:
            sleep(_MOMENT)
            before, came = came, self._queue.beside(leader)
            if came == before:
                return

    def _run_queue(self, leader: PendingJob, patience: Patience) -> None:
        if self._closed:
            leader.error = StoreError("This store is closed. Open the file again to use it.")
            return
        try:
            if self._file is not None and not self._file.acquire(patience):
                leader.error = self._busy()
                return
            with self._door:
                self._batch, self._ends = [], False
                self._queue.take(leader, self._batch)
            self._run_batch(self._batch)
            self._after()
        finally:
            if self._file is not None:
                self._file.release()

    def _run_batch(self, batch: list[PendingJob]) -> None:
        try:
            self._transact(batch)
        except self._broken as reason:
            self._fail(batch, self._translated(reason))
        except Exception as reason:
            self._fail(batch, reason)
        self._company = len(batch)
        self._end_batch()

    def _end_batch(self) -> None:
        for pending in self._batch:
            pending.done = True
            if pending.gate is not None:
                pending.wake()
        self._batch = []

    def _break_off(self, leader: PendingJob) -> None:
        """Ctrl+C came: jobs that were committed have ended, and the others of the batch wait on."""
        self._thread.shared = None
        if self._ends and not self._writer.connection.in_transaction:
            self._end_batch()
        self._undo()
        if self._file is not None:
            self._file.release()
        with self._door:
            for pending in reversed(self._batch):
                if pending is not leader and not pending.done:
                    self._queue.put_back(pending)

    def _transact(self, batch: list[PendingJob]) -> None:
        writer = self._writer
        # Those who share the commit of one that does not wait have time.
        writer.begin(waits=self._thread.waits or len(batch) > 1)
        try:
            self._read_version()
            keep = self._run_alone(*batch) if len(batch) == 1 else self._run_together(batch)
            has_changed = writer.catalog_changed
            if has_changed:
                self._announce()
            # Not before: of an error in a job SQLite may have rolled back by itself.
            self._ends = True
            if keep:
                writer.commit()
            else:
                writer.roll_back()
        except Exception:
            # Before any call, in which Ctrl+C might come.
            self._ends = False
            self._undo()
            raise
        if has_changed and self._file is not None:
            self._file.confirm()

    def _undo(self) -> None:
        """Undo what the transaction has done, if there is one."""
        self._ends = False
        self._writer.catalog_changed = False
        self._writer.version = -1
        self._writer.roll_back()

    def _read_version(self) -> None:
        """Whatever the lock file says or whoever has lost it: the data have the catalog's version."""
        writer = self._writer
        if self._file is not None or writer.version < 0:
            writer.version = writer.catalog_version()
            if self._file is not None and self._file.announced() != writer.version:
                self._file.announce(writer.version)

    def _announce(self) -> None:
        """Tell of a changed catalog before it is committed: whoever looks too early looks again.

        A process that dies between the two leaves a version that nobody has, so everybody looks.
        """
        writer = self._writer
        writer.catalog_changed = False
        writer.version = writer.catalog_version()
        if self._file is not None:
            self._file.announce(writer.version)

    def _run_alone(self, pending: PendingJob) -> bool:
        """Run one job; say whether there is anything to keep."""
        writer = self._writer
        try:
            pending.result = pending.job(writer)
            writer.settle()
        except self._broken:
            raise
        except Exception as error:
            pending.error = error
            writer.forget()
            writer.catalog_changed = False
            return False
        return True

    def _run_together(self, batch: list[PendingJob]) -> bool:
        """Run several jobs; one that fails is undone alone."""
        writer = self._writer
        if all(pending.decides_first for pending in batch) and self._run_unmarked(batch):
            return True
        for pending in batch:
            if pending.error is not None:
                continue
            changed = writer.catalog_changed
            writer.mark()
            if not self._run_alone(pending):
                writer.undo()
            writer.release()
            writer.catalog_changed |= changed
            if writer.catalog_changed:
                writer.version = writer.catalog_version()
        return True

    def _run_unmarked(self, batch: list[PendingJob]) -> bool:
        """Run jobs that decide before they write, with nothing to undo one alone, and count once for all of them.

        One that fails in the middle nevertheless undoes all, and the others are to be run again.
        """
        writer = self._writer
        for pending in batch:
            before = writer.connection.total_changes
            try:
                pending.result = pending.job(writer)
            except self._broken:
                raise
            except Exception as error:
                pending.error = error
                if not writer.is_as_with(before):
                    self._undo()
                    writer.begin()
                    self._read_version()
                    return False
        writer.settle()
        return True

    @staticmethod
    def _fail(batch: list[PendingJob], reason: BaseException) -> None:
        for pending in batch:
            pending.error = reason

    # ── giving up ─────────────────────────────────────────────────────────────────────────────────

    def _busy(self) -> StoreBusy:
        owner = self._file.owner() if self._file is not None else None
        if owner is None or owner.process == os.getpid():
            return StoreBusy(
                f"The data file was written by others for {self._wait_seconds:g} s. "
                "Nothing of this request was kept; try again in a moment.",
                retry_after=self._wait_seconds,
            )
        return StoreBusy(
            f"The data file is being written by {owner}, for {owner.seconds:.0f} s now, and was not let go. "
            "Nothing of this request was kept. If that process was stopped with Ctrl+Z, continue it with `fg` "
            "or end it.",
            str(owner),
            self._wait_seconds,
        )

    def _too_many(self) -> StoreBusy:
        return StoreBusy(
            f"{self._most_waiting} writes wait for the data file already. "
            "Nothing of this request was kept; try again in a moment.",
        )
