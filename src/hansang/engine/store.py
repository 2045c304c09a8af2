"""The file: rows under keys, the catalog, and the one place where SQL is written.

One SQLite file in WAL mode. Every DynamoDB table and every index is one `WITHOUT ROWID` table of
(key, value, size). Readers take a connection from a pool and never wait; writers queue, and those
that wait together are committed together.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson

from hansang.engine.file import FileLock, check, create, upgrade
from hansang.errors import DamagedFile, StoreError

T = TypeVar("T")
Durability = Literal["full", "normal"]
Row = tuple[bytes, int]
"""The stored form of an item, and its size by DynamoDB's rule."""

_MEMORY = ":memory:"
_BUSY_SECONDS = 60.0
_SHARED_COMMIT = 256

_CATALOG = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (rows INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE streams (number INTEGER PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE records (
    stream INTEGER NOT NULL, sequence INTEGER NOT NULL, at REAL NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (stream, sequence)
) WITHOUT ROWID;
CREATE TABLE tokens (token TEXT PRIMARY KEY, at REAL NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX tokens_at ON tokens (at);
INSERT INTO meta VALUES ('catalog', 0), ('number', 0), ('sequence', 0);
"""


class RowsGone(Exception):
    """The rows were dropped by another process since the catalog was read."""


class _Statements(dict[int, dict[str, str]]):
    """The SQL for the rows of one table or index."""

    def __missing__(self, rows: int) -> dict[str, str]:
        table = f"rows_{rows:d}"
        limited = "LIMIT ?"
        bounded = f"FROM {table} WHERE key >= ? AND key < ?"
        self[rows] = {
            "get": f"SELECT value, size FROM {table} WHERE key = ?",
            "put": f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            "delete": f"DELETE FROM {table} WHERE key = ?",
            "forward": f"SELECT value, size {bounded} ORDER BY key",
            "backward": f"SELECT value, size {bounded} ORDER BY key DESC",
            "keys": f"SELECT key {bounded} ORDER BY key {limited}",
            "entries": f"SELECT key, value, size {bounded} ORDER BY key {limited}",
            "total": f"SELECT total(size) {bounded}",
        }
        return self[rows]


_SQL = _Statements()


class Reader:
    """Reads through one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute

    def get(self, rows: int, key: bytes) -> Row | None:
        try:
            row: Row | None = self.execute(_SQL[rows]["get"], (key,)).fetchone()
        except sqlite3.OperationalError as reason:
            raise _gone(reason) from reason
        return row

    def range(self, rows: int, low: bytes, high: bytes, *, backward: bool) -> sqlite3.Cursor:
        """The rows from `low` up to `high`, to be fetched as far as they are needed."""
        try:
            return self.execute(_SQL[rows]["backward" if backward else "forward"], (low, high))
        except sqlite3.OperationalError as reason:
            raise _gone(reason) from reason

    def keys(self, rows: int, low: bytes, high: bytes, limit: int) -> list[bytes]:
        return [key for (key,) in self.execute(_SQL[rows]["keys"], (low, high, limit))]

    def entries(self, rows: int, low: bytes, high: bytes, limit: int) -> list[tuple[bytes, bytes, int]]:
        return self.execute(_SQL[rows]["entries"], (low, high, limit)).fetchall()

    def total(self, rows: int, low: bytes, high: bytes) -> int:
        return int(self.execute(_SQL[rows]["total"], (low, high)).fetchone()[0])

    def counts(self, rows: int) -> tuple[int, int]:
        found = self.execute("SELECT items, bytes FROM counts WHERE rows = ?", (rows,)).fetchone()
        return (int(found[0]), int(found[1])) if found else (0, 0)

    # ── catalog ───────────────────────────────────────────────────────────────────────────────────

    def catalog_version(self) -> int:
        return int(self.execute("SELECT value FROM meta WHERE name = 'catalog'").fetchone()[0])

    def tables(self) -> list[dict[str, Any]]:
        return [orjson.loads(text) for (text,) in self.execute("SELECT definition FROM tables ORDER BY name")]

    def streams(self) -> list[dict[str, Any]]:
        return [
            orjson.loads(text) for (text,) in self.execute("SELECT description FROM streams ORDER BY number")
        ]

    # ── streams ───────────────────────────────────────────────────────────────────────────────────

    def records(self, stream: int, after: int, limit: int) -> list[tuple[int, float, bytes]]:
        return self.execute(
            "SELECT sequence, at, record FROM records WHERE stream = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (stream, after, limit),
        ).fetchall()

    def last_sequence(self) -> int:
        return int(self.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()[0])

    def first_record(self, stream: int) -> int | None:
        row = self.execute("SELECT min(sequence) FROM records WHERE stream = ?", (stream,)).fetchone()
        return None if row[0] is None else int(row[0])

    def token(self, token: str, since: float) -> bytes | None:
        row = self.execute("SELECT digest FROM tokens WHERE token = ? AND at >= ?", (token, since)).fetchone()
        return None if row is None else bytes(row[0])


class Writer(Reader):
    """Reads and writes inside a transaction. What it counts is written when the transaction ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._changes: dict[int, list[int]] = {}
        self._sequence: int | None = None
        self.catalog_changed = False
        self.version = 0
        """The version of the catalog that this transaction sees."""

    def put(self, rows: int, key: bytes, value: bytes, size: int, before: int | None) -> None:
        """Write a row; `before` is the size of the row it replaces, None for a new one."""
        self.execute(_SQL[rows]["put"], (key, value, size))
        if before is None:
            self._count(rows, 1, size)
        elif before != size:
            self._count(rows, 0, size - before)

    def delete(self, rows: int, key: bytes, size: int) -> None:
        self.execute(_SQL[rows]["delete"], (key,))
        self._count(rows, -1, -size)

    def _count(self, rows: int, items: int, octets: int) -> None:
        change = self._changes.get(rows)
        if change is None:
            self._changes[rows] = [items, octets]
        else:
            change[0] += items
            change[1] += octets

    def settle(self) -> None:
        """Write what was counted since the last time."""
        if self._changes:
            self.connection.executemany(
                "INSERT INTO counts VALUES (?1, ?2, ?3) "
                "ON CONFLICT (rows) DO UPDATE SET items = items + ?2, bytes = bytes + ?3",
                [(rows, items, octets) for rows, (items, octets) in self._changes.items()],
            )
        if self._sequence is not None:
            self.execute("UPDATE meta SET value = ? WHERE name = 'sequence'", (self._sequence,))
        self.forget()

    def forget(self) -> None:
        self._changes = {}
        self._sequence = None

    # ── catalog ───────────────────────────────────────────────────────────────────────────────────

    def next_number(self) -> int:
        """A number that no rows and no stream have had."""
        sql = "UPDATE meta SET value = value + 1 WHERE name = 'number' RETURNING value"
        return int(self.execute(sql).fetchone()[0])

    def create_rows(self) -> int:
        rows = self.next_number()
        self.execute(
            f"CREATE TABLE rows_{rows:d} (key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID"
        )
        return rows

    def drop_rows(self, rows: int) -> None:
        self.execute(f"DROP TABLE IF EXISTS rows_{rows:d}")
        self.execute("DELETE FROM counts WHERE rows = ?", (rows,))
        _SQL.pop(rows, None)

    def save_table(self, definition: dict[str, Any]) -> None:
        self.execute(
            "INSERT INTO tables VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
            (definition["TableName"], orjson.dumps(definition).decode()),
        )
        self._change_catalog()

    def delete_table(self, name: str) -> None:
        self.execute("DELETE FROM tables WHERE name = ?", (name,))
        self._change_catalog()

    def save_stream(self, number: int, description: dict[str, Any]) -> None:
        self.execute(
            "INSERT INTO streams VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET description = excluded.description",
            (number, orjson.dumps(description).decode()),
        )
        self._change_catalog()

    def delete_stream(self, number: int) -> None:
        self.execute("DELETE FROM streams WHERE number = ?", (number,))
        self.execute("DELETE FROM records WHERE stream = ?", (number,))
        self._change_catalog()

    def _change_catalog(self) -> None:
        self.execute("UPDATE meta SET value = value + 1 WHERE name = 'catalog'")
        self.catalog_changed = True

    # ── streams and tokens ────────────────────────────────────────────────────────────────────────

    def next_sequence(self) -> int:
        if self._sequence is None:
            self._sequence = self.last_sequence()
        self._sequence += 1
        return self._sequence

    def append_record(self, stream: int, sequence: int, at: float, record: bytes) -> None:
        self.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (stream, sequence, at, record))

    def trim_records(self, stream: int, before: float, limit: int) -> int:
        """Delete the oldest records of a stream; times never run backwards along the sequence."""
        sql = (
            "DELETE FROM records WHERE stream = ?1 AND sequence IN (SELECT sequence FROM records "
            "WHERE stream = ?1 AND at < ?2 ORDER BY sequence LIMIT ?3)"
        )
        return self.execute(sql, (stream, before, limit)).rowcount

    def save_token(self, token: str, at: float, digest: bytes, expired: float) -> None:
        self.execute("DELETE FROM tokens WHERE at < ?", (expired,))
        self.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)", (token, at, digest))


class _Pending:
    """A write that waits for its turn."""

    __slots__ = ("done", "error", "job", "result")

    def __init__(self, job: Callable[[Writer], Any]) -> None:
        self.job = job
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class Store:
    """An open file, or a store in memory. Safe to use from many threads."""

    def __init__(self, path: str | Path, durability: Durability = "full") -> None:
        self.in_memory = str(path) == _MEMORY
        self.path = _MEMORY if self.in_memory else str(Path(path).absolute())
        self._durability = durability
        self._lock = threading.RLock()
        self._queue: deque[_Pending] = deque()
        self._readers: deque[Reader] = deque()
        self._closed = False
        self._file: FileLock | None = None
        if self.in_memory:
            self._writer = Writer(_connect(_MEMORY, durability))
            self._writer.connection.executescript(_CATALOG)
        else:
            self._open()

    def _open(self) -> None:
        target = Path(self.path)
        if not target.exists() or (target.is_file() and target.stat().st_size == 0):
            create(self.path, _CATALOG)
        version = check(self.path)
        connection = _connect(self.path, self._durability)
        try:
            upgrade(connection, version)
            self._writer = Writer(connection)
            self._writer.catalog_version()
        except sqlite3.DatabaseError as reason:
            connection.close()
            raise _translated(self.path, reason) from reason
        self._file = FileLock(self.path)
        with self._file:
            self._file.announce(self._writer.catalog_version())

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def acquire(self) -> Reader:
        """A reader for the caller alone, until it is released."""
        if self.in_memory:
            self._lock.acquire()
            return self._writer
        try:
            return self._readers.pop()
        except IndexError:
            self._refuse_closed()
            return Reader(_connect(self.path, self._durability))

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
                reader.execute("BEGIN")
                try:
                    yield reader
                finally:
                    reader.execute("COMMIT")
        finally:
            self.release(reader)

    def catalog_version(self) -> int:
        """The version of the catalog, as the last process to change it announced it."""
        return self._file.announced() if self._file else self._writer.version

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def write(self, job: Callable[[Writer], T]) -> T:
        """Run the job in a transaction and return when it is on disk.

        Jobs that wait at the same time share a commit; each keeps its own outcome, and a job that
        fails leaves nothing behind.
        """
        pending = _Pending(job)
        self._queue.append(pending)
        with self._lock:
            while not pending.done:
                self._run_queue()
        if pending.error is not None:
            raise pending.error
        result: T = pending.result
        return result

    def _run_queue(self) -> None:
        batch = [self._queue.popleft() for _ in range(min(len(self._queue), _SHARED_COMMIT))]
        try:
            self._refuse_closed()
            if self._file is None:
                self._transact(batch)
            else:
                with self._file:
                    self._transact(batch)
        except sqlite3.DatabaseError as reason:
            self._fail(batch, _translated(self.path, reason))
        except BaseException as reason:
            self._fail(batch, reason)
            raise
        finally:
            for pending in batch:
                pending.done = True

    def _transact(self, batch: list[_Pending]) -> None:
        writer = self._writer
        writer.execute("BEGIN IMMEDIATE")
        try:
            if writer.version < 0 or (self._file and self._file.announced() != writer.version):
                self._announce()
            keep = self._run_alone(*batch) if len(batch) == 1 else self._run_together(batch)
            if writer.catalog_changed:
                self._announce()
            writer.execute("COMMIT" if keep else "ROLLBACK")
        except BaseException:
            self._roll_back()
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

    def _roll_back(self) -> None:
        self._writer.forget()
        self._writer.catalog_changed = False
        self._writer.version = -1
        with suppress(sqlite3.OperationalError):  # SQLite has rolled back by itself.
            self._writer.execute("ROLLBACK")

    def _run_alone(self, pending: _Pending) -> bool:
        """Run one job; say whether there is anything to keep."""
        writer = self._writer
        try:
            pending.result = pending.job(writer)
            writer.settle()
        except sqlite3.DatabaseError:
            raise
        except BaseException as error:
            pending.error = error
            writer.forget()
            writer.catalog_changed = False
            return False
        return True

    def _run_together(self, batch: list[_Pending]) -> bool:
        writer = self._writer
        for pending in batch:
            changed = writer.catalog_changed
            writer.execute("SAVEPOINT job")
            if not self._run_alone(pending):
                writer.execute("ROLLBACK TO job")
            writer.execute("RELEASE job")
            writer.catalog_changed |= changed
            if writer.catalog_changed:
                writer.version = writer.catalog_version()
        return True

    @staticmethod
    def _fail(batch: list[_Pending], reason: BaseException) -> None:
        for pending in batch:
            pending.error = reason

    # ── end ───────────────────────────────────────────────────────────────────────────────────────

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open the file again to use it.")

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            while self._readers:
                self._readers.pop().connection.close()
            self._writer.connection.close()
            if self._file:
                self._file.close()


def _connect(path: str, durability: Durability) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
    connection.execute("PRAGMA wal_autocheckpoint = 5000")
    connection.execute("PRAGMA cache_size = -16384")
    return connection


def _gone(reason: sqlite3.OperationalError) -> Exception:
    return RowsGone() if "no such table" in str(reason) else reason


def _translated(path: str, reason: sqlite3.DatabaseError) -> StoreError:
    name = getattr(reason, "sqlite_errorname", "")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return _damaged(path, reason)
    return StoreError(f"{path} could not be written: {reason}. Nothing of this write was kept.")


def _damaged(path: str, reason: sqlite3.DatabaseError) -> DamagedFile:
    return DamagedFile(
        f"{path} is damaged and was left as it is ({reason}). Restore it from a backup, or give another file."
    )
