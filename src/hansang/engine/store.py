"""The file: rows under keys, the catalog, and the one place where SQL is written.

One SQLite file in WAL mode. Every DynamoDB table and every index is one `WITHOUT ROWID` table of
(key, value, size). Readers take a connection from a pool and never wait; writers queue, and those
that wait together are committed together.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson

from hansang.engine import file
from hansang.engine.file import APPLICATION_ID, FileLock, check, create
from hansang.engine.write_queue import WriteQueue
from hansang.errors import DamagedFile, StoreError

T = TypeVar("T")
Durability = Literal["full", "normal"]
Row = tuple[bytes, int]
"""The stored form of an item, and its size by DynamoDB's rule."""

_MEMORY = ":memory:"
_BUSY_SECONDS = 60.0
# Rows stand in the order of a hash, so new ones come anywhere; larger pages are split less often.
_PAGE_SIZE = 8192

_CATALOG = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (rows INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE streams (number INTEGER PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE records (
    stream INTEGER NOT NULL, sequence INTEGER NOT NULL, at REAL NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (stream, sequence)
) WITHOUT ROWID;
CREATE TABLE tokens (
    token TEXT PRIMARY KEY, at REAL NOT NULL, digest BLOB NOT NULL, sizes TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_at ON tokens (at);
INSERT INTO meta VALUES ('catalog', 0), ('number', 0), ('sequence', 0);
"""


class RowsGone(Exception):
    """The rows were dropped by another process since the catalog was read."""


def _joined(ordered: str) -> str:
    # Rows under a LIMIT reach the aggregate in their order; one value is handed over faster than many.
    inner = f"SELECT value, size {ordered}"
    return f"SELECT CAST(group_concat(value, ',') AS BLOB), total(size), count(*) FROM ({inner})"


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
            "joined forward": _joined(f"{bounded} ORDER BY key {limited}"),
            "joined backward": _joined(f"{bounded} ORDER BY key DESC {limited}"),
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
        row: Row | None = self.execute(_SQL[rows]["get"], (key,)).fetchone()
        return row

    def range(self, rows: int, low: bytes, high: bytes, *, backward: bool) -> sqlite3.Cursor:
        """The rows from `low` up to `high`, to be fetched as far as they are needed."""
        return self.execute(_SQL[rows]["backward" if backward else "forward"], (low, high))

    def joined(
        self, rows: int, low: bytes, high: bytes, limit: int, *, backward: bool
    ) -> tuple[bytes | None, float, int]:
        """The first rows from `low` up to `high` as one: values with commas between, size, number."""
        sql = _SQL[rows]["joined backward" if backward else "joined forward"]
        joined: tuple[bytes | None, float, int] = self.execute(sql, (low, high, limit)).fetchone()
        return joined

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

    def records(self, stream: int, after: int, since: float, limit: int) -> list[tuple[int, bytes]]:
        """The records behind a number that are not older than `since`, with their numbers."""
        return self.execute(
            "SELECT sequence, record FROM records WHERE stream = ? AND sequence > ? AND at >= ? "
            "ORDER BY sequence LIMIT ?",
            (stream, after, since, limit),
        ).fetchall()

    def last_sequence(self) -> int:
        return int(self.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()[0])

    def trimmed(self, stream: int, since: float) -> int:
        """The number up to which records are deleted or older than `since`; 0 when none is."""
        sql = (
            "SELECT max(sequence) FROM records WHERE stream = ?1 AND sequence < ifnull((SELECT sequence "
            "FROM records WHERE stream = ?1 AND at >= ?2 ORDER BY sequence LIMIT 1), 1 << 62) "
            "UNION ALL SELECT value FROM meta WHERE name = 'trimmed ' || ?1"
        )
        return max(number or 0 for (number,) in self.execute(sql, (stream, since)))

    def token(self, token: str, since: float) -> tuple[bytes, list[int]] | None:
        """The digest of the request that used this token, and the size that each of its items had."""
        sql = "SELECT digest, sizes FROM tokens WHERE token = ? AND at >= ?"
        row = self.execute(sql, (token, since)).fetchone()
        return None if row is None else (bytes(row[0]), orjson.loads(row[1]))


class Writer(Reader):
    """Reads and writes inside a transaction. What it counts is written when the transaction ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._changes: dict[int, list[int]] = {}
        self._sequence: int | None = None
        self.catalog_changed = False
        self.version = 0
        """The version of the catalog that this transaction sees."""

    # ── transactions ──────────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.execute("COMMIT")

    def roll_back(self) -> None:
        self.forget()
        with suppress(sqlite3.OperationalError):  # SQLite may have rolled back by itself.
            self.execute("ROLLBACK")

    def mark(self) -> None:
        """Remember this moment; what comes now can be undone alone."""
        self.execute("SAVEPOINT job")

    def undo(self) -> None:
        self.execute("ROLLBACK TO job")

    def release(self) -> None:
        self.execute("RELEASE job")

    # ── rows ──────────────────────────────────────────────────────────────────────────────────────

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
        self.execute("DELETE FROM meta WHERE name = 'trimmed ' || ?", (number,))
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
        """Delete the oldest records of a stream, and keep in mind up to where."""
        last = self.trimmed(stream, before)
        sql = (
            "DELETE FROM records WHERE stream = ?1 AND sequence IN (SELECT sequence FROM records "
            "WHERE stream = ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3)"
        )
        gone = self.execute(sql, (stream, last, limit)).rowcount
        if gone:
            self.execute("INSERT OR REPLACE INTO meta VALUES ('trimmed ' || ?, ?)", (stream, last))
        return gone

    def save_token(self, token: str, at: float, digest: bytes, sizes: list[int], expired: float) -> None:
        self.execute("DELETE FROM tokens WHERE at < ?", (expired,))
        saved = (token, at, digest, orjson.dumps(sizes).decode())
        self.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", saved)


class Store:
    """An open file, or a store in memory. Safe to use from many threads."""

    def __init__(self, path: str | Path, durability: Durability = "full") -> None:
        self.in_memory = str(path) == _MEMORY
        self.path = _MEMORY if self.in_memory else str(Path(path).absolute())
        self._durability = durability
        self._readers: deque[Reader] = deque()
        self._closed = False
        self._file: FileLock | None = None
        if self.in_memory:
            self._writer = Writer(_connect(_MEMORY, durability))
            self._writer.connection.executescript(_CATALOG)
        else:
            self._writer = self._opened()
            self._file = self._locked()
        self._queue = WriteQueue(self._writer, self._file, sqlite3.DatabaseError, self.fault)
        self._lock = self._queue.lock

    def _opened(self) -> Writer:
        target = Path(self.path)
        if not target.exists() or (target.is_file() and target.stat().st_size == 0):
            create(self.path, _write_new)
        version = check(self.path)
        connection = None
        try:
            connection = _connect(self.path, self._durability)
            upgrade(connection, version)
            writer = Writer(connection)
            writer.catalog_version()
        except BaseException as reason:
            if connection is not None:
                connection.close()
            raise self.fault(reason) from reason
        return writer

    def _locked(self) -> FileLock:
        try:
            lock = FileLock(self.path)
        except BaseException:
            self._writer.connection.close()
            raise
        with lock:
            lock.announce(self._writer.catalog_version())
        return lock

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
        if self._closed:
            self._refuse_closed()
        return self._file.announced() if self._file else self._writer.version

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def write(self, job: Callable[[Writer], T]) -> T:
        """Run the job in a transaction and return when it is on disk.

        Jobs that wait at the same time share a commit; each keeps its own outcome, and a job that
        fails leaves nothing behind.
        """
        return self._queue.run(job)

    # ── end ───────────────────────────────────────────────────────────────────────────────────────

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open the file again to use it.")

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.close()
            while self._readers:
                self._readers.pop().connection.close()
            self._writer.connection.close()
            if self._file:
                self._file.close()

    def fault(self, reason: BaseException) -> BaseException:
        """What to raise for an error of SQLite, or of a row that cannot be read."""
        if isinstance(reason, orjson.JSONDecodeError):
            return _damaged(self.path, reason)
        if not isinstance(reason, sqlite3.DatabaseError):
            return reason
        if "no such table: rows_" in str(reason):
            return RowsGone()
        return _translated(self.path, reason)


def _write_new(draft: Path) -> None:
    """Write the catalog of an empty store into a new file."""
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE:d}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        connection.execute(f"PRAGMA user_version = {file.FORMAT:d}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(f"BEGIN; {_CATALOG} COMMIT;")
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as reason:
        raise OSError(str(reason)) from reason
    finally:
        connection.close()


UPGRADES: dict[int, Callable[[sqlite3.Connection], None]] = {}
"""What turns a file of one format into one of the next; each step runs in its own transaction."""


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an older format up to the present one."""
    for step in range(version, file.FORMAT):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == step:
                UPGRADES[step](connection)
                connection.execute(f"PRAGMA user_version = {step + 1:d}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _connect(path: str, durability: Durability) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    try:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        connection.execute("PRAGMA wal_autocheckpoint = 5000")
        connection.execute("PRAGMA cache_size = -16384")
        if path == _MEMORY:
            connection.execute(f"PRAGMA page_size = {_PAGE_SIZE:d}")
    except BaseException:
        connection.close()
        raise
    return connection


BROKEN = (sqlite3.DatabaseError, orjson.JSONDecodeError)
"""What a file that is damaged, full or gone makes of a request; `Store.fault` says it in our words."""


def _translated(path: str, reason: BaseException) -> StoreError:
    name = getattr(reason, "sqlite_errorname", "")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "no such table" in str(reason):
        return _damaged(path, reason)
    return StoreError(f"{path} could not be used: {reason}. Nothing of this request was kept.")


def _damaged(path: str, reason: BaseException) -> DamagedFile:
    return DamagedFile(
        f"{path} is damaged and was left as it is ({reason}). Restore it from a backup, or give another file."
    )
