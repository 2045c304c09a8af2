"""Reads of rows, of the catalog and of streams, through one connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from hansang.engine.sql.statements import SQL
from hansang.errors import StoreError

Row = tuple[bytes, int]
"""The stored form of an item, and its size by DynamoDB's rule."""

_COPIED_AT_ONCE = 1024


class Reader:
    """Reads through one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute

    def wait_at_most(self, seconds: float) -> None:
        """How long a statement waits for the locks of others."""
        self.execute(f"PRAGMA busy_timeout = {round(seconds * 1000):d}")

    def stand_still(self) -> None:
        """Let all that is read from now on be of one moment."""
        self.execute("BEGIN")

    def move_on(self) -> None:
        self.execute("COMMIT")

    def get(self, rows: int, key: bytes) -> Row | None:
        row: Row | None = self.execute(SQL[rows]["get"], (key,)).fetchone()
        return row

    def range(self, rows: int, low: bytes, high: bytes, *, backward: bool) -> sqlite3.Cursor:
        """The rows from `low` up to `high`, to be fetched as far as they are needed."""
        return self.execute(SQL[rows]["backward" if backward else "forward"], (low, high))

    def joined(
        self, rows: int, low: bytes, high: bytes, limit: int, *, backward: bool
    ) -> tuple[bytes | None, float, int]:
        """The first rows from `low` up to `high` as one: values with commas between, size, number."""
        sql = SQL[rows]["joined backward" if backward else "joined forward"]
        joined: tuple[bytes | None, float, int] = self.execute(sql, (low, high, limit)).fetchone()
        return joined

    def keys(self, rows: int, low: bytes, high: bytes, limit: int) -> list[bytes]:
        return [key for (key,) in self.execute(SQL[rows]["keys"], (low, high, limit))]

    def entries(self, rows: int, low: bytes, high: bytes, limit: int) -> list[tuple[bytes, bytes, int]]:
        return self.execute(SQL[rows]["entries"], (low, high, limit)).fetchall()

    def total(self, rows: int, low: bytes, high: bytes) -> int:
        return int(self.execute(SQL[rows]["total"], (low, high)).fetchone()[0])

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
        items, size_bytes = self.execute(SQL[rows]["measure"]).fetchone()
        return int(items), int(size_bytes)

    # ── catalog ───────────────────────────────────────────────────────────────────────────────────

    def has_catalog(self) -> bool:
        """Whether the tables of the catalog are there, whatever rows are."""
        known = {name for (name,) in self.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        return {"meta", "tables"} <= known

    def catalog_version(self) -> int:
        return int(self.execute("SELECT value FROM meta WHERE name = 'catalog'").fetchone()[0])

    def tables(self) -> list[tuple[str, str]]:
        """The names of the tables and their definitions, as text."""
        return self.execute("SELECT name, definition FROM tables ORDER BY name").fetchall()

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
