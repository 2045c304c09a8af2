"""An open file: connections for its readers, and one for its writers, who queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from hansang.engine.catalog import Catalog
from hansang.engine.file import OPEN, check, create, identity
from hansang.engine.file_lock import FileLock
from hansang.engine.sql.connections import MEMORY, Durability, open_file, open_memory, open_reader, write_new
from hansang.engine.sql.errors import (
    BROKEN,
    DATABASE_ERROR,
    DamagedRow,
    RowsGone,
    damaged_in,
    is_about_schema,
    translated,
)
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer
from hansang.engine.write_ahead_log import WAL_LIMIT_BYTES, WriteAheadLog
from hansang.engine.write_queue import MOST_WAITING, WAIT_SECONDS, WriteQueue
from hansang.errors import StoreError

T = TypeVar("T")


class Store:
    """An open file, or a store in memory. Safe to use from many threads."""

    def __init__(
        self,
        path: str | Path,
        durability: Durability = "full",
        *,
        wait_seconds: float = WAIT_SECONDS,
        most_waiting: int = MOST_WAITING,
        wal_limit_bytes: int = WAL_LIMIT_BYTES,
    ) -> None:
        """A write waits for its turn up to `wait_seconds`, beside at most `most_waiting` others of this process.

        The log is emptied when it has more than `wal_limit_bytes`, as soon as its readers allow it.
        """
        self.in_memory = str(path) == MEMORY
        self.path = MEMORY if self.in_memory else str(Path(path).absolute())
        self._durability, self._wait_seconds = durability, wait_seconds
        self._readers: deque[Reader] = deque()
        self._closed = False
        self._file: FileLock | None = None
        self._use = ExitStack()
        self._log = WriteAheadLog(self.path, wal_limit_bytes)
        self._wal_limit_bytes = wal_limit_bytes
        if self.in_memory:
            self._writer = open_memory(durability)
        else:
            with OPEN.door:
                self._writer = self._opened()
                self._file = self._locked()
                self._use.enter_context(OPEN.using(self.path))
        self._queue = WriteQueue(
            self._writer,
            self._file,
            DATABASE_ERROR,
            self.fault,
            wait_seconds=wait_seconds,
            most_waiting=most_waiting,
            after=(lambda: None) if self.in_memory else partial(self._log.keep_short, self._writer),
        )
        self._lock = self._queue.lock

    def _opened(self) -> Writer:
        """The writer of the file that stands there now, even if a restore has just replaced it."""
        target = Path(self.path)
        while True:
            if not target.exists() or (target.is_file() and target.stat().st_size == 0):
                create(self.path, write_new)
            version, before = check(self.path), identity(self.path)
            try:
                writer = open_file(self.path, self._durability, version, self._wal_limit_bytes)
            except BROKEN as reason:
                raise translated(self.path, reason) from reason
            if identity(self.path) == before:
                writer.wait_at_most(self._wait_seconds)
                return writer
            writer.connection.close()

    def _locked(self) -> FileLock:
        try:
            return FileLock(self.path)
        except BaseException:
            self._writer.connection.close()
            raise

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def acquire(self) -> Reader:
        """A reader for the caller alone, until it is released."""
        if self.in_memory:
            self._lock.acquire()
            if not self._closed:
                return self._writer
            self._lock.release()
        try:
            return self._readers.pop()
        except IndexError:
            self._refuse_closed()
            return open_reader(self.path, self._durability, self._wait_seconds)

    def release(self, reader: Reader) -> None:
        if self.in_memory:
            self._lock.release()
        elif self._closed:
            reader.connection.close()
        else:
            self._readers.append(reader)

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """A reader for which the file stands still."""
        reader = self.acquire()
        try:
            if self.in_memory:
                yield reader
            else:
                try:
                    reader.stand_still()
                    yield reader
                finally:
                    reader.move_on()
        finally:
            self.release(reader)

    def catalog_version(self) -> int:
        """The version of the catalog, as the last process to change it announced it, if that is known."""
        if self._closed:
            self._refuse_closed()
        try:
            return self._file.announced() if self._file else self._writer.version
        except ValueError:
            self._refuse_closed()  # in between
            raise

    def look(self) -> None:
        """Notice that the lock file was lost, and with it what others announce."""
        if self._file is not None and not self._closed:
            self._file.look()

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def write(self, job: Callable[[Writer], T], weight: int = 1, *, decides_first: bool = False) -> T:
        """Run the job in a transaction and return when it is on disk; StoreBusy when its turn does not come.

        Jobs that wait at the same time share a commit; each keeps its own outcome, and a job that
        fails leaves nothing behind. One that writes many items weighs as much. One that decides first, so that
        it fails before it has written anything or not at all, is spared what would undo it alone.
        """
        return self._queue.run(job, weight, decides_first=decides_first)

    def share(self, calls: Sequence[Callable[[], T]]) -> list[T] | None:
        """What calls answer that write, with one commit for all; None if each is to be made by itself."""
        try:
            return self._queue.share(calls)
        except RowsGone:  # It tells of one call, and each alone finds out whether it is the one.
            return None

    def without_waiting(self) -> AbstractContextManager[None]:
        """Let no write of this thread wait for its turn: it is StoreBusy at once."""
        return self._queue.without_waiting()

    # ── the log ───────────────────────────────────────────────────────────────────────────────────

    def wal_bytes(self) -> int:
        """The size of SQLite's write-ahead log; 0 in memory."""
        return 0 if self.in_memory else self._log.size()

    def shorten_log(self) -> None:
        """Empty a log that is over its limit, if nobody writes who would do it."""
        if not self.in_memory and self._log.is_over:
            self.write(lambda writer: None)

    # ── end ───────────────────────────────────────────────────────────────────────────────────────

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open the file again to use it.")

    def close(self) -> None:
        self._queue.close()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            while self._readers:
                self._readers.pop().connection.close()
            self._writer.connection.close()
            if self._file:
                self._file.close()
            self._use.close()

    def fault(self, reason: BaseException) -> BaseException:
        """What to raise for an error of SQLite, or of a row that cannot be read."""
        if not isinstance(reason, BROKEN):
            return reason
        if isinstance(reason, DamagedRow) and (place := self._place(reason.rows)):
            return damaged_in(self.path, *place)
        if is_about_schema(reason) and self._has_catalog():
            return RowsGone()
        return translated(self.path, reason)

    def _has_catalog(self) -> bool:
        # Not by the writer's connection: that may be waiting for another process.
        reader = self.acquire()
        try:
            return reader.has_catalog()
        finally:
            self.release(reader)

    def _place(self, rows: int | None) -> tuple[str, str | None] | None:
        """The table that rows belong to and the index, if they are of one, as far as the catalog can be read."""
        with suppress(*BROKEN), ExitStack() as stack:
            reader = self._writer if self.in_memory else stack.enter_context(self.snapshot())
            for table in Catalog.load(reader):
                if rows in table.places:
                    return table.name, table.places[rows]
        return None
