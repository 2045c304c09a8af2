"""Connections to a file or to memory: new, upgraded, only looking, or holding everybody else out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from hansang.engine import file
from hansang.engine.file import APPLICATION_ID, OPEN
from hansang.engine.sql import archives
from hansang.engine.sql.checksums import count_mark
from hansang.engine.sql.errors import BROKEN, translated
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer
from hansang.errors import StoreError

Durability = Literal["full", "normal"]

MEMORY = ":memory:"
"""Where a store is that keeps nothing."""
_BUSY_SECONDS = 60.0
# Rows stand in the order of a hash, so new ones come anywhere; larger pages are split less often.
_PAGE_SIZE = 8192
_A_WHILE = 1_000_000

_CATALOG = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (rows INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL, mark INTEGER);
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
_CATALOG += archives.SCHEMA


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


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Format 2 has a checksum in every row; those that are there get theirs when they are written or sealed."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('plain', 1)")
    connection.execute("ALTER TABLE counts ADD COLUMN mark INTEGER")
    for rows in Reader(connection).all_rows():
        connection.execute("INSERT OR IGNORE INTO counts VALUES (?, 0, 0, 0)", (rows,))
    counted = connection.execute("SELECT rows, items, bytes FROM counts").fetchall()
    marks = [(count_mark(*each), each[0]) for each in counted]
    connection.executemany("UPDATE counts SET mark = ? WHERE rows = ?", marks)


def _add_archives(connection: sqlite3.Connection) -> None:
    """Format 3 has backups and logs of changes, which an older Hansang would not keep."""
    connection.execute(archives.SCHEMA)


UPGRADES: dict[int, Callable[[sqlite3.Connection], None]] = {1: _add_checksums, 2: _add_archives}
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


def open_file(path: str, durability: Durability, version: int, wal_limit_bytes: int) -> Writer:
    """The writer of a file of this format, brought up to the present one; it cuts a log that has grown longer."""
    connection = _connect(path, durability)
    try:
        connection.execute(f"PRAGMA journal_size_limit = {wal_limit_bytes:d}")
        upgrade(connection, version)
        writer = Writer(connection)
        writer.catalog_version()
    except BaseException:
        connection.close()
        raise
    return writer


def open_reader(path: str, durability: Durability, wait_seconds: float) -> Reader:
    """One more reader of a file that is open."""
    reader = Reader(_connect(path, durability))
    reader.wait_at_most(wait_seconds)
    return reader


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
        f"Cannot tell whether {path} is in use ({reason}). Make sure that it is not, move it away "
        f"together with {path}-wal, and try again."
    )
