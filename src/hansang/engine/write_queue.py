"""Writers in a queue: those that wait together are committed together."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

from hansang.engine.file import FileLock
from hansang.errors import StoreError

if TYPE_CHECKING:
    from hansang.engine.sql.writer import Writer

T = TypeVar("T")

_SHARED_COMMIT = 256
"""How many jobs one commit may carry, so that none waits for too many others."""


_MOMENT = 0.00005


class _Pending:
    """A job that waits for its turn."""

    __slots__ = ("done", "error", "gate", "job", "result")

    def __init__(self, job: Callable[[Writer], Any]) -> None:
        self.job = job
        self.gate: threading.Lock | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class WriteQueue:
    """Runs jobs in transactions, in the order of asking, on behalf of all threads of the process.

    Whoever gets the lock runs everything that waits, so while one commit goes to disk the next one
    gathers.
    """

    def __init__(
        self,
        writer: Writer,
        file: FileLock | None,
        broken: type[BaseException],
        translated: Callable[[BaseException], BaseException],
    ) -> None:
        self.lock = threading.RLock()
        self._writer, self._file = writer, file
        self._broken, self._translated = broken, translated
        self._queue: deque[_Pending] = deque()
        self._door = threading.Lock()
        self._led = False
        self._company = 1
        self._closed = False

    def run(self, job: Callable[[Writer], T]) -> T:
        """The result of the job, when it is on disk."""
        pending = _Pending(job)
        if not self._enters_as_leader(pending):
            assert pending.gate is not None
            pending.gate.acquire()
        if not pending.done:
            self._lead()
        if pending.error is not None:
            try:
                raise pending.error
            finally:
                # Its traceback leads back to `pending`; together they would stay until the collector comes.
                pending.error = None
        result: T = pending.result
        return result

    def _enters_as_leader(self, pending: _Pending) -> bool:
        """Join the queue; say whether nobody else runs it."""
        with self._door:
            if self._led:
                # Before it can be seen: whoever leads takes it from the queue without asking at the door.
                pending.gate = threading.Lock()
                pending.gate.acquire()
            self._queue.append(pending)
            leads, self._led = not self._led, True
        return leads

    def _lead(self) -> None:
        """Run what waits, tell whom it was for, and hand the lead to whoever came in between."""
        try:
            if self._company > 1:
                self._gather()
            with self.lock:
                batch = self._run_queue()
            self._company = len(batch)
            for pending in batch:
                if pending.gate is not None:
                    pending.gate.release()
        finally:
            with self._door:
                if self._queue:
                    heir = self._queue[0].gate
                    assert heir is not None
                    heir.release()
                else:
                    self._led = False

    def _gather(self) -> None:
        """Wait a moment for those who shared the last commit, as long as they keep coming."""
        came = len(self._queue)
        while came < self._company:
            sleep(_MOMENT)
            before, came = came, len(self._queue)
            if came == before:
                return

    def close(self) -> None:
        self._closed = True

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open the file again to use it.")

    def _run_queue(self) -> list[_Pending]:
        batch = [self._queue.popleft() for _ in range(min(len(self._queue), _SHARED_COMMIT))]
        try:
            self._refuse_closed()
            with self._file or nullcontext():
                self._transact(batch)
        except self._broken as reason:
            self._fail(batch, self._translated(reason))
        except BaseException as reason:
            self._fail(batch, reason)
        finally:
            for pending in batch:
                pending.done = True
        return batch

    def _transact(self, batch: list[_Pending]) -> None:
        writer = self._writer
        writer.begin()
        try:
            if writer.version < 0 or (self._file and self._file.announced() != writer.version):
                self._announce()
            keep = self._run_alone(*batch) if len(batch) == 1 else self._run_together(batch)
            if writer.catalog_changed:
                self._announce()
            if keep:
                writer.commit()
            else:
                writer.roll_back()
        except BaseException:
            writer.catalog_changed = False
            writer.version = -1
            writer.roll_back()
            raise

    def _announce(self) -> None:
        """Tell of a changed catalog before it is committed: whoever looks too early looks again.

        A process that dies between the two leaves a version that nobody has, so everybody looks.
        """
        writer = self._writer
        writer.catalog_changed = False
        writer.version = writer.catalog_version()
        if self._file:
            self._file.announce(writer.version)

    def _run_alone(self, pending: _Pending) -> bool:
        """Run one job; say whether there is anything to keep."""
        writer = self._writer
        try:
            pending.result = pending.job(writer)
            writer.settle()
        except self._broken:
            raise
        except BaseException as error:
            pending.error = error
            writer.forget()
            writer.catalog_changed = False
            return False
        return True

    def _run_together(self, batch: list[_Pending]) -> bool:
        """Run several jobs; one that fails is undone alone."""
        writer = self._writer
        for pending in batch:
            changed = writer.catalog_changed
            writer.mark()
            if not self._run_alone(pending):
                writer.undo()
            writer.release()
            writer.catalog_changed |= changed
            if writer.catalog_changed:
                writer.version = writer.catalog_version()
        return True

    @staticmethod
    def _fail(batch: list[_Pending], reason: BaseException) -> None:
        for pending in batch:
            pending.error = reason
