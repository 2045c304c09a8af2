"""Writes of rows, of the catalog and of streams, inside a transaction."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

import orjson

from hansang.engine.sql.checksums import SIZE, count_mark, mark_of, sealed
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.statements import SQL


class Writer(Reader):
    """Reads and writes inside a transaction. What it counts is written when the transaction ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._changes: dict[int, list[int]] = {}
        self._sequence: int | None = None
        self._patience = 0.0
        self._waits: bool | None = None
        """Whether statements wait for the locks of others as long as they may, or not at all; None if that is not known."""
        self.catalog_changed = False
        self.tables_changed: dict[str, str | None] = {}
        """The definitions that were saved since this was last emptied; None for a table that is gone."""
        self.streams_changed = False
        self.version = 0
        """The version of the catalog that this transaction sees."""

    # ── transactions ──────────────────────────────────────────────────────────────────────────────

    def begin(self, *, waits: bool = True) -> None:
        """Have the file for this writer alone; one that does not wait finds it free, or is refused."""
        if waits is not self._waits:
            # Not known until it is set: after Ctrl+C in between it is set again.
            self._waits = None
            super().wait_at_most(self._patience if waits else 0)
            self._waits = waits
        self.execute("BEGIN IMMEDIATE")

    def wait_at_most(self, seconds: float) -> None:
        self._patience, self._waits = seconds, None

    def commit(self) -> None:
        self.execute("COMMIT")

    def roll_back(self) -> None:
        self.forget()
        with suppress(sqlite3.OperationalError):  # SQLite may have rolled back by itself.
            self.execute("ROLLBACK")

    def is_as_with(self, changes: int) -> bool:
        """Whether the transaction goes on, and nothing was written since the connection had so many changes."""
        return self.connection.in_transaction and self.connection.total_changes == changes

    def mark(self) -> None:
        """Remember this moment; what comes now can be undone alone."""
        self.execute("SAVEPOINT job")

    def undo(self) -> None:
        self.execute("ROLLBACK TO job")

    def release(self) -> None:
        self.execute("RELEASE job")

    def empty_log(self, seconds: float) -> bool:
        """Bring the log into the file and cut it; False if readers needed it for longer than this."""
        self._waits = None
        super().wait_at_most(seconds)
        busy, _, _ = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    # ── rows ──────────────────────────────────────────────────────────────────────────────────────

    def expect_edges(self, rows: int, start: bytes, count: int, *, backward: bool = False) -> None:
        """A write does not look at the rows beside its own: most are of new rows, which would pay for it."""

    def put(self, rows: int, key: bytes, value: bytes, size: int, before: int | None) -> None:
        """Write a row; `before` is the size of the row it replaces, None for a new one."""
        row = (key, value, mark_of(rows, key, value, size))
        if before is None:
            self.execute(SQL[rows]["put"], row)
            self._count(rows, 1, size)
            return
        # A row that is known to be there is changed in less time; one that damage has hidden is written anew.
        if not self.execute(SQL[rows]["replace"], row).rowcount:
            self.execute(SQL[rows]["put"], row)
        if before != size:
            self._count(rows, 0, size - before)

    def delete(self, rows: int, key: bytes, size: int) -> None:
        self.execute(SQL[rows]["delete"], (key,))
        self._count(rows, -1, -size)

    def mend(self, rows: int, key: bytes, value: bytes, size: int) -> None:
        """Write a row in the place of a damaged one; its rows are to be counted again."""
        self.execute(SQL[rows]["put"], (key, value, mark_of(rows, key, value, size)))

    def discard(self, rows: int, key: bytes) -> None:
        """Delete a damaged row; its rows are to be counted again."""
        self.execute(SQL[rows]["delete"], (key,))

    def seal(self, rows: int, low: bytes, limit: int) -> bytes | None:
        """Give the first rows from `low` a checksum that have none; the key to go on from, if there are more."""
        sql = f"SELECT key, value, size FROM rows_{rows:d} WHERE key >= ? ORDER BY key LIMIT ?"
        found = self.execute(sql, (low, limit)).fetchall()
        for key, value, mark in found:
            if 0 <= mark <= SIZE:
                self.mend(rows, key, value, mark)
        return max(key for key, _, _ in found) + b"\0" if len(found) == limit else None

    def forbid_plain_rows(self) -> None:
        """From now on a row without a checksum is damaged: all have one."""
        self.execute("DELETE FROM meta WHERE name = 'plain'")

    def count_again(self, rows: int) -> None:
        """Write what is there as what was counted."""
        items, size_bytes = self.measured(rows)
        mark = count_mark(rows, items, size_bytes)
        self.execute("INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?)", (rows, items, size_bytes, mark))

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
                "UPDATE counts SET items = items + ?2, bytes = bytes + ?3, mark = mark + ?4 WHERE rows = ?1",
                [
                    (rows, items, size_bytes, count_mark(0, items, size_bytes))
                    for rows, (items, size_bytes) in self._changes.items()
                ],
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
        self.execute("INSERT INTO counts VALUES (?, 0, 0, ?)", (rows, count_mark(rows, 0, 0)))
        return rows

    def drop_rows(self, rows: int) -> None:
        self.execute(f"DROP TABLE IF EXISTS rows_{rows:d}")
        self.execute("DELETE FROM counts WHERE rows = ?", (rows,))
        SQL.pop(rows, None)

    def save_table(self, definition: dict[str, Any]) -> None:
        name, text = definition["TableName"], orjson.dumps(definition).decode()
        self.execute(
            "INSERT INTO tables VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
            (name, sealed(text.encode(), name).decode()),
        )
        self.tables_changed[name] = text
        self._change_catalog()

    def delete_table(self, name: str) -> None:
        self.execute("DELETE FROM tables WHERE name = ?", (name,))
        self.tables_changed[name] = None
        self._change_catalog()

    def save_stream(self, number: int, description: dict[str, Any]) -> None:
        self.execute(
            "INSERT INTO streams VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET description = excluded.description",
            (number, sealed(orjson.dumps(description), number).decode()),
        )
        self.streams_changed = True
        self._change_catalog()

    def delete_stream(self, number: int) -> None:
        self.execute("DELETE FROM streams WHERE number = ?", (number,))
        self.execute("DELETE FROM records WHERE stream = ?", (number,))
        self.execute("DELETE FROM meta WHERE name = 'trimmed ' || ?", (number,))
        self.streams_changed = True
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
        self.execute(
            "INSERT INTO records VALUES (?, ?, ?, ?)",
            (stream, sequence, at, sealed(record, stream, sequence, at)),
        )

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
        saved = (token, at, digest, sealed(orjson.dumps(sizes), token, at, digest).decode())
        self.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", saved)
