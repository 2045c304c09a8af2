"""Reads of rows, of the catalog and of streams, through one connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from hansang.engine.sql.checksums import SIZE, are_sound, count_mark, is_sound, mark_of, unsealed
from hansang.engine.sql.errors import DamagedRow
from hansang.engine.sql.statements import SQL
from hansang.errors import StoreError

Row = tuple[bytes, int]
"""The stored form of an item, and its size by DynamoDB's rule."""

JOINED_AT_ONCE = 128
"""How many rows can be joined: the most whose marks SQL can add up."""
_MOST_SEEN = 1 << 15
_COPIED_AT_ONCE = 1024


class RowPiece(NamedTuple):
    """Some rows: their values, their marks or sizes, and their size together."""

    values: Sequence[bytes]
    marks: Sequence[int]
    size: int


class JoinedPiece(NamedTuple):
    """Some rows as one: their values with commas between, their size and their number."""

    values: bytes
    size: int
    number: int


class Reader:
    """Reads through one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self._seen: set[int] = set()
        self._plain = False

    def wait_at_most(self, seconds: float) -> None:
        """How long a statement waits for the locks of others."""
        self.execute(f"PRAGMA busy_timeout = {round(seconds * 1000):d}")

    def stand_still(self) -> None:
        """Let all that is read from now on be of one moment."""
        self.execute("BEGIN")

    def move_on(self) -> None:
        try:
            self.execute("COMMIT")
        except sqlite3.DatabaseError:  # What a statement has found damaged is said once more at the end.
            if self.connection.in_transaction:
                self.execute("ROLLBACK")

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Let all that is read meanwhile be of one moment, as it is in any transaction."""
        if self.connection.in_transaction:
            yield
            return
        try:
            self.stand_still()
            yield
        finally:
            self.move_on()

    def get(self, rows: int, key: bytes) -> Row | None:
        row = self.execute(SQL[rows]["get"], (key,)).fetchone()
        if row is None:
            self.expect_edges(rows, key, 0)
            return None
        value, mark = row
        try:
            size = mark & SIZE
            if mark_of(rows, key, value, size) == mark:
                return value, size
        except TypeError:
            pass
        return value, self.size_in(rows, key, value, mark)

    def expect_edges(self, rows: int, start: bytes, count: int, *, backward: bool = False) -> None:
        """Refuse the rows that were found from a key on if the one before them, or the one behind, is damaged.

        A row with a damaged key is not where it is looked for. Whoever looks for it, or for what the damaged key
        hides, ends right beside it. A connection looks once: it has the pages in its memory from then on.
        """
        place = hash((rows, start, count, backward))
        if place in self._seen:
            return
        sql = SQL[rows]["edges backward" if backward else "edges"]
        for key, value, mark in self.execute(sql, (start, count)).fetchall():
            self.size_in(rows, key, value, mark)
        if len(self._seen) == _MOST_SEEN:
            self._seen.clear()
        self._seen.add(place)

    def size_in(self, rows: int, key: bytes, value: bytes, mark: int) -> int:
        """The size of a sound row, or of one from before there were checksums; refused for others."""
        if is_sound(rows, key, value, mark):
            return mark & SIZE
        if not (isinstance(mark, int) and 0 <= mark <= SIZE and self.has_plain_rows()):
            raise DamagedRow(rows, key)
        return mark

    def has_plain_rows(self) -> bool:
        """Whether there may be rows without a checksum: the file was made before there were any."""
        if not self._plain:
            sql = "SELECT 1 FROM meta WHERE name = 'plain' AND value"
            self._plain = self.format() < 2 or self.execute(sql).fetchone() is not None
        return self._plain

    def format(self) -> int:
        return int(self.execute("PRAGMA user_version").fetchone()[0])

    def pieces(self, rows: int, low: bytes, high: bytes, *, backward: bool) -> Generator[RowPiece]:
        """The rows from `low` up to `high` in pieces, to be fetched as far as they are needed."""
        cursor = self.execute(SQL[rows]["backward" if backward else "forward"], (low, high))
        try:
            while found := cursor.fetchmany(JOINED_AT_ONCE):
                yield self._sound(rows, found)
        finally:
            cursor.close()

    def _sound(self, rows: int, found: list[tuple[bytes, bytes, int]]) -> RowPiece:
        keys, values, marks = zip(*found, strict=True)
        with suppress(TypeError):
            total = sum(marks)
            if self._are_sound(rows, b",".join(keys), b",".join(values), total, len(found)):
                return RowPiece(values, marks, total & SIZE)
        sizes = [self.size_in(rows, key, value, mark) for key, value, mark in found]
        return RowPiece(values, sizes, sum(sizes))

    def joined(
        self, rows: int, low: bytes, high: bytes, limit: int, *, backward: bool, with_last: bool = False
    ) -> tuple[bytes, int, int, bytes] | None:
        """The first rows from `low` up to `high` as one: values with commas between, size, number, the last if asked.

        None when their checksums do not add up, for a row that is damaged or one that has none.
        """
        sql = SQL[rows][f"joined {'backward' if backward else 'forward'}{', last' if with_last else ''}"]
        found = self._joined(rows, sql, (low, high, limit))
        return None if found is None else found[:4]

    def _joined(
        self, rows: int, sql: str, wanted: tuple[bytes, bytes, int]
    ) -> tuple[bytes, int, int, bytes, bytes] | None:
        try:
            keys, values, marks, count, last, end = self.execute(sql, wanted).fetchone()
        except sqlite3.OperationalError as reason:
            if "overflow" in str(reason):  # No marks of sound rows add up to so much.
                return None
            raise
        if not count:
            return b"", 0, 0, b"", b""
        sound = self._are_sound(rows, keys or b"", values or b"", marks, count)
        return (values, marks & SIZE, count, last, end) if sound else None

    def joined_pieces(
        self, rows: int, low: bytes, high: bytes, *, backward: bool
    ) -> Generator[tuple[JoinedPiece, bytes, bytes]]:
        """The rows in joined pieces, each with where the rest lies; it ends early where row by row has to be looked."""
        sql = SQL[rows][f"joined {'backward' if backward else 'forward'}, end"]
        while found := self._joined(rows, sql, (low, high, JOINED_AT_ONCE)):
            values, size, count, _, end = found
            low, high = (low, end) if backward else (end + b"\0", high)
            if not count or not self._goes_on_at(rows, end, low, high, backward=backward):
                return
            yield JoinedPiece(values, size, count), low, high

    def _goes_on_at(self, rows: int, end: bytes, low: bytes, high: bytes, *, backward: bool) -> bool:
        """Whether the search for what comes behind a row ends beside it, and is not led astray by a damaged key.

        One that became the same as the key of the row has a checksum that is not its own.
        """
        sql, place = ("behind", high) if backward else ("before", low)
        found = self.execute(SQL[rows][sql], (place,)).fetchone()
        return found is not None and found[0] == end and is_sound(rows, *found)

    def _are_sound(self, rows: int, keys: bytes, values: bytes, marks: int, count: int) -> bool:
        """Whether the sum of the marks is right, or none of the rows has a checksum in a file of such rows."""
        if are_sound(rows, keys, values, marks, count):
            return True
        return isinstance(marks, int) and 0 <= marks <= SIZE and self.has_plain_rows()

    def keys(self, rows: int, low: bytes, high: bytes, limit: int) -> list[bytes]:
        return [key for (key,) in self.execute(SQL[rows]["keys"], (low, high, limit))]

    def entries(self, rows: int, low: bytes, high: bytes, limit: int) -> list[tuple[bytes, bytes, int]]:
        """Rows with their keys and sizes, all of them sound."""
        return [
            (key, value, self.size_in(rows, key, value, mark))
            for key, value, mark in self.stored(rows, low, high, limit)
        ]

    def stored(self, rows: int, low: bytes, high: bytes, limit: int) -> list[tuple[bytes, bytes, int]]:
        """Rows as they are stored, with their keys and marks, sound or not."""
        return self.execute(SQL[rows]["entries"], (low, high, limit)).fetchall()

    def total(self, rows: int, low: bytes, high: bytes) -> int:
        return int(self.execute(SQL[rows]["total"], (low, high)).fetchone()[0])

    def counts(self, rows: int) -> tuple[int, int]:
        """How many rows there are, and their size together."""
        found = self.execute("SELECT * FROM counts WHERE rows = ?", (rows,)).fetchone()
        if found is None:
            # Rows that were dropped meanwhile are not damaged: SQLite says that they are not there.
            self.execute(SQL[rows]["get"], (b"",))
            if self.format() > 1:
                raise DamagedRow(rows, None)
            return 0, 0
        _, items, size_bytes, *mark = found
        if None in found or (mark and mark != [count_mark(rows, items, size_bytes)]):
            raise DamagedRow(rows, None)
        return int(items), int(size_bytes)

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
        return _lines(self.execute("PRAGMA integrity_check(20)"))

    def faults_of(self, rows: int) -> list[str]:
        """The same for the pages of some rows."""
        return _lines(self.execute(f"PRAGMA integrity_check(rows_{rows:d})"))

    def all_rows(self) -> set[int]:
        """The numbers of all rows that are there, whoever they belong to."""
        named = self.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'rows_*'")
        return {int(name[5:]) for (name,) in named if name[5:].isdecimal()}

    def find_stored(self, rows: int, key: bytes) -> tuple[bytes, int] | None:
        """A row as it is stored, with its mark, sound or not."""
        found: tuple[bytes, int] | None = self.execute(SQL[rows]["get"], (key,)).fetchone()
        return found

    def renew(self) -> None:
        """Stand still at the present moment; what the one before has kept from being cleared away is given up."""
        self.move_on()
        self.stand_still()

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
        return self._number("catalog")

    def _number(self, name: str) -> int:
        found = self.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if found is None or not isinstance(found[0], int):
            raise DamagedRow(None, None)
        return found[0]

    def tables(self) -> list[tuple[str, str]]:
        """The names of the tables and their definitions, as text."""
        sql = "SELECT name, CAST(definition AS BLOB) FROM tables ORDER BY name"
        return [(name, unsealed(text, name).decode()) for name, text in self.execute(sql)]

    def streams(self) -> list[dict[str, Any]]:
        sql = "SELECT number, CAST(description AS BLOB) FROM streams ORDER BY number"
        return [orjson.loads(unsealed(text, number)) for number, text in self.execute(sql)]

    # ── streams ───────────────────────────────────────────────────────────────────────────────────

    def records(self, stream: int, after: int, since: float, limit: int) -> list[tuple[int, bytes]]:
        """The records behind a number that are not older than `since`, with their numbers."""
        found: list[tuple[int, bytes]] = []
        while len(found) < limit:
            piece = self.stored_records(stream, after, limit)
            sound = [(sequence, at, unsealed(text, stream, sequence, at)) for sequence, at, text in piece]
            found += [(sequence, text) for sequence, at, text in sound if at >= since]
            if len(piece) < limit:
                self._expect_records_beside(stream, after, len(piece))
                break
            after = piece[-1][0]
        return found[:limit]

    def _expect_records_beside(self, stream: int, after: int, count: int) -> None:
        """Refuse records that were found behind a number if the one before them, or the one behind, is damaged."""
        columns = "SELECT stream, sequence, at, CAST(record AS BLOB) FROM records WHERE (stream, sequence)"
        sql = (
            f"SELECT * FROM ({columns} <= (?1, ?2) ORDER BY stream DESC, sequence DESC LIMIT 1) UNION ALL "
            f"SELECT * FROM ({columns} > (?1, ?2) ORDER BY stream, sequence LIMIT 1 OFFSET ?3)"
        )
        for number, sequence, at, text in self.execute(sql, (stream, after, count)).fetchall():
            unsealed(text, number, sequence, at)

    def stored_records(self, stream: int, after: int, limit: int) -> list[tuple[int, float, bytes]]:
        """Records as they are stored, sound or not: number, time, document with its checksum."""
        sql = (
            "SELECT sequence, at, CAST(record AS BLOB) FROM records WHERE stream = ? AND sequence > ? "
            "ORDER BY sequence LIMIT ?"
        )
        return self.execute(sql, (stream, after, limit)).fetchall()

    def stored_tokens(self, after: bytes, limit: int) -> list[tuple[bytes, float, bytes, bytes]]:
        """Tokens behind another as they are stored: the token, its time, the digest, and sizes with a checksum."""
        sql = (
            "SELECT CAST(token AS BLOB), at, digest, CAST(sizes AS BLOB) FROM tokens WHERE token > CAST(? AS TEXT) "
            "ORDER BY token LIMIT ?"
        )
        return self.execute(sql, (after, limit)).fetchall()

    def counters(self) -> dict[str, int]:
        """The highest numbers that were given, as the file has them and as they are found in use."""
        found = self.execute(
            "SELECT 'number', value FROM meta WHERE name = 'number' UNION ALL "
            "SELECT 'sequence', value FROM meta WHERE name = 'sequence' UNION ALL "
            "SELECT 'last record', ifnull(max(sequence), 0) FROM records UNION ALL "
            "SELECT 'last stream', ifnull(max(number), 0) FROM streams"
        )
        return dict(found.fetchall())

    def last_sequence(self) -> int:
        return self._number("sequence")

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
        sql = "SELECT at, digest, CAST(sizes AS BLOB) FROM tokens WHERE token = ? AND at >= ?"
        row = self.execute(sql, (token, since)).fetchone()
        if row is None:
            return None
        at, digest, sizes = row
        return digest, orjson.loads(unsealed(sizes, token, at, digest))


def _lines(found: sqlite3.Cursor) -> list[str]:
    return [line for (text,) in found for line in str(text).splitlines() if line != "ok"]
