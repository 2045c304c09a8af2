"""The file: rows under keys, the catalog, and the one place where SQL is written.

One SQLite file in WAL mode. Every DynamoDB table and every index is one `WITHOUT ROWID` table of
(key, value, size). `store.py` hands its connections out: readers never wait, and writers that wait
together are committed together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import orjson

from hansang.engine import file
from hansang.engine.file import APPLICATION_ID, OPEN
from hansang.errors import DamagedFile, StoreError

Durability = Literal["full", "normal"]
Row = tuple[bytes, int]
"""The stored form of an item, and its size by DynamoDB's rule."""

MEMORY = ":memory:"
"""Where a store is that keeps nothing."""
_BUSY_SECONDS = 60.0
# Rows stand in the order of a hash, so new ones come anywhere; larger pages are split less often.
_PAGE_SIZE = 8192
_COPIED_AT_ONCE = 1024
_A_WHILE = 1_000_000

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
            "measure": f"SELECT count(*), total(size) FROM {table}",
        }
        return self[rows]


_SQL = _Statements()


class Reader:
    """Reads through one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute

    def stand_still(self) -> None:
        """Let all that is read from now on be of one moment."""
        self.execute("BEGIN")

    def move_on(self) -> None:
        self.execute("COMMIT")

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

    # ── the whole file ────────────────────────────────────────────────────────────────────────────

    def copy_to(self, target: Path, progress: Callable[[int, int], object]) -> None:
        """Copy every page into a new file; `progress` hears how many are done, of how many."""
        try:
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                # Nobody sees the copy before it is finished and synchronised.
                copy.execute("PRAGMA synchronous = OFF")
                copy.execute("PRAGMA journal_mode = OFF")
                self.connection.backup(
                    copy, pages=_COPIED_AT_ONCE, progress=lambda _, left, total: progress(total - left, total)
                )
        except sqlite3.DatabaseError as reason:
            raise StoreError(f"The copy to {target} failed and was given up: {reason}.") from reason

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file, if anything; a few things at most."""
        return [text for (text,) in self.execute("PRAGMA integrity_check(5)") if text != "ok"]

    def measured(self, rows: int) -> tuple[int, int]:
        """The number and the size of the rows that are there, which `counts` keeps."""
        items, size_bytes = self.execute(_SQL[rows]["measure"]).fetchone()
        return int(items), int(size_bytes)

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

    def _count(self, rows: int, items: int, size_bytes: int) -> None:
        change = self._changes.get(rows)
        if change is None:
            self._changes[rows] = [items, size_bytes]
        else:
            change[0] += items
            change[1] += size_bytes

    def settle(self) -> None:
        """Write what was counted since the last time."""
        if self._changes:
            self.connection.executemany(
                "INSERT INTO counts VALUES (?1, ?2, ?3) "
                "ON CONFLICT (rows) DO UPDATE SET items = items + ?2, bytes = bytes + ?3",
                [(rows, items, size_bytes) for rows, (items, size_bytes) in self._changes.items()],
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


def write_new(draft: Path) -> None:
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


def open_memory(durability: Durability) -> Writer:
    """The writer of a new store in memory."""
    writer = Writer(_connect(MEMORY, durability))
    writer.connection.executescript(_CATALOG)
    return writer


def open_file(path: str, durability: Durability, version: int) -> Writer:
    """The writer of a file of this format, brought up to the present one."""
    connection = _connect(path, durability)
    try:
        upgrade(connection, version)
        writer = Writer(connection)
        writer.catalog_version()
    except BaseException:
        connection.close()
        raise
    return writer


def open_reader(path: str, durability: Durability) -> Reader:
    """One more reader of a file that is open."""
    return Reader(_connect(path, durability))


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
        if path == MEMORY:
            connection.execute(f"PRAGMA page_size = {_PAGE_SIZE:d}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _visited(path: str | Path, mode: str, patience: float) -> Iterator[sqlite3.Connection]:
    address = f"{Path(path).absolute().as_uri()}?{mode}"
    with (
        OPEN.using(path),
        closing(sqlite3.connect(address, patience, isolation_level=None, uri=True)) as opened,
    ):
        yield opened


@contextmanager
def looking(path: str | Path, *, at_rest: bool) -> Iterator[Reader]:
    """A reader for which a file stands still, and that changes nothing in it.

    With `at_rest` the file is one that nobody has open, and no other file is made beside it.
    """
    try:
        with _visited(path, "immutable=1" if at_rest else "mode=rw", _BUSY_SECONDS) as opened:
            # During a long statement Python hears of Ctrl+C only when some Python is run.
            opened.set_progress_handler(lambda: 0, _A_WHILE)
            reader = Reader(opened)
            reader.stand_still()
            reader.catalog_version()
            yield reader
    except BROKEN as reason:
        if getattr(reason, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise KeyboardInterrupt from reason
        raise translated(str(path), reason) from reason


@contextmanager
def held(path: str | Path) -> Iterator[None]:
    """Keep everybody else out of a file, once its log is written into it; refused while somebody is in it."""
    with _visited(path, "mode=rw", 0) as opened:
        try:
            # SQLite refuses to look at a file that was cut, unless it may be written freely.
            opened.execute("PRAGMA writable_schema = ON")
            opened.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Whoever has the file open holds a shared lock on it, as its journal is a WAL; the first read
            # in this mode asks for the exclusive one.
            opened.execute("PRAGMA user_version").fetchone()
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as reason:
            raise _not_held(str(path), reason) from reason
        yield


def _not_held(path: str, reason: sqlite3.DatabaseError) -> StoreError:
    if reason.sqlite_errorname.startswith("SQLITE_BUSY"):
        return StoreError(
            f"{path} is open in another process. Stop that first: hansang up, or hansang dynamodb."
        )
    return StoreError(
        f"It cannot be seen whether {path} is in use ({reason}). Make sure that it is not, move it away "
        f"together with {path}-wal, and try again."
    )


DATABASE_ERROR = sqlite3.DatabaseError
"""What SQLite raises."""
BROKEN = (DATABASE_ERROR, orjson.JSONDecodeError)
"""What a file that is damaged, full or gone makes of a request; `Store.fault` says it in our words."""


def translated(path: str, reason: BaseException) -> StoreError:
    """The error of SQLite in our own words."""
    name = getattr(reason, "sqlite_errorname", "")
    unreadable = isinstance(reason, orjson.JSONDecodeError) or "no such table" in str(reason)
    if unreadable or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return damaged(path, reason)
    return StoreError(f"{path} could not be used: {reason}. Nothing of this request was kept.")


def damaged(path: str, reason: BaseException) -> DamagedFile:
    """The error for a file that cannot be read."""
    return DamagedFile(
        f"{path} is damaged and was left as it is ({reason}). Restore it from a backup, or give another file."
    )
