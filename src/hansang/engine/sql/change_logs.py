"""Logs of a table's changes, for recovery: what stood under a key before each change, in their order.

Numbers follow each other without a gap and times never go back, so the place of a moment is found by halving.
"""

from __future__ import annotations

from struct import Struct

from hansang.engine.sql.checksums import SIZE, mark_of
from hansang.engine.sql.errors import DamagedRow
from hansang.engine.sql.reader import Reader, Row
from hansang.engine.sql.writer import Writer

_numbered = Struct(">Qd").pack

Before = tuple[bytes, Row | None]
"""The key of a row, and what stood under it before a change; None for nothing."""


class LogStatements(dict[int, dict[str, str]]):
    """The SQL for one log."""

    def __missing__(self, log: int) -> dict[str, str]:
        table = f"changes_{log:d}"
        self[log] = {
            "last": f"SELECT number, at FROM {table} ORDER BY number DESC LIMIT 1",
            "append": f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)",
        }
        return self[log]


SQL = LogStatements()


def create_log(writer: Writer) -> int:
    log = writer.next_number()
    writer.execute(
        f"CREATE TABLE changes_{log:d} (number INTEGER PRIMARY KEY, at REAL NOT NULL, key BLOB NOT NULL, "
        "before BLOB, mark INTEGER NOT NULL)"
    )
    return log


def drop_log(writer: Writer, log: int) -> None:
    writer.execute(f"DROP TABLE IF EXISTS changes_{log:d}")
    SQL.pop(log, None)


def append(writer: Writer, log: int, at: float, key: bytes, before: Row | None) -> None:
    """Note what stood under a key; a clock that was set back does not turn the order round."""
    sql = SQL[log]
    number, last = writer.execute(sql["last"]).fetchone() or (0, at)
    number, at = number + 1, max(at, last)
    value, size = before or (b"", 0)
    mark = mark_of(log, _numbered(number, at) + key, value, size)
    writer.execute(sql["append"], (number, at, key, None if before is None else value, mark))


def last_number(reader: Reader, log: int) -> int:
    """The number of the last change; 0 when there was none."""
    found = reader.execute(SQL[log]["last"]).fetchone()
    return 0 if found is None else int(found[0])


def first_after(reader: Reader, log: int, at: float) -> int:
    """The number of the first change that was made later than a moment; the next one when none was."""
    least = reader.execute(f"SELECT number FROM changes_{log:d} ORDER BY number LIMIT 1").fetchone()
    low, high = 1 if least is None else int(least[0]), last_number(reader, log) + 1
    while low < high:
        middle = (low + high) // 2
        sql = f"SELECT at FROM changes_{log:d} WHERE number = ?"
        if reader.execute(sql, (middle,)).fetchone()[0] > at:
            high = middle
        else:
            low = middle + 1
    return low


def changes_before(
    reader: Reader, log: int, number: int, least: int, limit: int
) -> list[tuple[int, float, Before]]:
    """The last changes before a number, latest first, down to the number `least`; all of them sound."""
    sql = (
        f"SELECT number, at, key, before, mark FROM changes_{log:d} WHERE number < ? AND number >= ? "
        "ORDER BY number DESC LIMIT ?"
    )
    return [_sound(log, *row) for row in reader.execute(sql, (number, least, limit))]


def _sound(
    log: int, number: int, at: float, key: bytes, value: bytes | None, mark: int
) -> tuple[int, float, Before]:
    size = mark & SIZE
    if mark_of(log, _numbered(number, at) + key, value or b"", size) != mark:
        raise DamagedRow(log, key)
    return number, at, (key, None if value is None else (value, size))


def trim_log(writer: Writer, log: int, before: float, limit: int) -> int:
    """Delete the oldest changes; the last one stays, as the numbers go on from it."""
    first = first_after(writer, log, before)
    sql = (
        f"DELETE FROM changes_{log:d} WHERE number IN (SELECT number FROM changes_{log:d} "
        f"WHERE number < ?1 AND number < (SELECT max(number) FROM changes_{log:d}) ORDER BY number LIMIT ?2)"
    )
    return writer.execute(sql, (first, limit)).rowcount
