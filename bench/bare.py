"""The limit: sqlite3 doing the same reads and writes in the same layout, and nothing else.

One table of byte keys and stored items for the table, one more for each index. No expression, no check,
no capacity, no stream: what is left is what any engine on SQLite has to pay.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

import workload
from contenders import Pace, Work
from workload import GROUP, INDEXED, PLAIN, Item

PAGE = 5_000
"""Items of 187 bytes in a megabyte, more or less."""


def _base_key(item: Item) -> bytes:
    return f"{item['PK']['S']}\0{item['SK']['S']}".encode()


def _team_key(item: Item) -> bytes:
    return f"{item['team']['S']}\0{item['score']['N']}\0".encode() + _base_key(item)


def _email_key(item: Item) -> bytes:
    return f"{item['email']['S']}\0{item['SK']['S']}\0".encode() + _base_key(item)


KEYS = {"": _base_key, "_team": _team_key, "_email": _email_key}


def _decoded(rows: list[bytes]) -> list[object]:
    """Many items at a time: one document is read faster than a hundred."""
    found: list[object] = orjson.loads(b"[" + b",".join(rows) + b"]")
    return found


class Bare:
    """A contender that knows its tables by name, and writes what it is given."""

    def __init__(self, name: str, path: Path, synchronous: str, pace: Pace) -> None:
        self.name = name
        self.pace = pace
        self.base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.base.execute("PRAGMA journal_mode = WAL")
        self.base.execute(f"PRAGMA synchronous = {synchronous}")
        self.base.execute("PRAGMA wal_autocheckpoint = 10000")
        self.base.execute("PRAGMA cache_size = -16384")

    def prepare(self) -> None:
        self._create(PLAIN, [""])
        self._create(INDEXED, list(KEYS))

    def _create(self, table: str, parts: Sequence[str]) -> None:
        for part in parts:
            self.base.execute(
                f"CREATE TABLE {table}{part} (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID"
            )

    def loading(self, turn: int, items: Sequence[int]) -> Work:
        table = INDEXED if turn == 0 else f"Load{turn}"
        if turn:
            self._create(table, list(KEYS))
        batches = [
            [workload.item(number) for number in items[start : start + 25]]
            for start in range(0, len(items), 25)
        ]

        def load(batch: list[Item]) -> None:
            self._write(table, batch)

        return load, batches

    def loaded(self, turn: int) -> None:
        if turn:
            for part in KEYS:
                self.base.execute(f"DROP TABLE Load{turn}{part}")

    def work(self, column: str, numbers: Sequence[int]) -> Work:
        items = [workload.item(number) for number in numbers]
        match column:
            case "put":
                return self._put, items
            case "cond. put":
                return self._conditional_put, items
            case "get":
                return self._get, [_base_key(item) for item in items]
            case "update":
                texts = [workload.new_text() for _ in numbers]
                return self._update, list(zip([_base_key(item) for item in items], texts, strict=True))
            case "query 100":
                return self._query, [f"{item['team']['S']}\0".encode() for item in items]
        triples = [[workload.item(number + step * 100_000_000) for step in range(3)] for number in numbers]
        return self._transact, triples

    def _write(self, table: str, items: list[Item]) -> None:
        """What is there is read first, as an engine must to keep its indexes."""
        rows = [(item, orjson.dumps(item)) for item in items]
        self.base.execute("BEGIN IMMEDIATE")
        for item in items:
            self.base.execute(f"SELECT v FROM {table} WHERE k = ?", (_base_key(item),)).fetchone()
        for part, key in KEYS.items():
            entries = [(key(item), stored) for item, stored in rows]
            self.base.executemany(f"INSERT OR REPLACE INTO {table}{part} VALUES (?, ?)", entries)
        self.base.execute("COMMIT")

    def _put(self, item: Item) -> None:
        key = _base_key(item)
        self.base.execute("BEGIN IMMEDIATE")
        self.base.execute("SELECT v FROM Plain WHERE k = ?", (key,)).fetchone()
        self.base.execute("INSERT OR REPLACE INTO Plain VALUES (?, ?)", (key, orjson.dumps(item)))
        self.base.execute("COMMIT")

    def _conditional_put(self, item: Item) -> None:
        execute = self.base.execute
        key, stored = _base_key(item), orjson.dumps(item)
        execute("BEGIN IMMEDIATE")
        if execute("SELECT v FROM Indexed WHERE k = ?", (key,)).fetchone():
            raise KeyError(key)
        execute("INSERT INTO Indexed VALUES (?, ?)", (key, stored))
        execute("INSERT INTO Indexed_team VALUES (?, ?)", (_team_key(item), stored))
        execute("INSERT INTO Indexed_email VALUES (?, ?)", (_email_key(item), stored))
        execute("COMMIT")

    def _get(self, key: bytes) -> object:
        row = self.base.execute("SELECT v FROM Indexed WHERE k = ?", (key,)).fetchone()
        return orjson.loads(row[0])

    def _update(self, wanted: tuple[bytes, dict[str, str]]) -> None:
        key, about = wanted
        execute = self.base.execute
        execute("BEGIN IMMEDIATE")
        item = orjson.loads(execute("SELECT v FROM Indexed WHERE k = ?", (key,)).fetchone()[0])
        item["about"] = about
        stored = orjson.dumps(item)
        execute("UPDATE Indexed SET v = ? WHERE k = ?", (stored, key))
        execute("UPDATE Indexed_team SET v = ? WHERE k = ?", (stored, _team_key(item)))
        execute("UPDATE Indexed_email SET v = ? WHERE k = ?", (stored, _email_key(item)))
        execute("COMMIT")

    def _query(self, prefix: bytes) -> list[object]:
        wanted = (prefix, prefix[:-1] + b"\1", GROUP)
        rows = "SELECT v FROM Indexed_team WHERE k > ? AND k < ? ORDER BY k LIMIT ?"
        joined = f"SELECT CAST(group_concat(v, ',') AS BLOB) FROM ({rows})"
        return _decoded([self.base.execute(joined, wanted).fetchone()[0]])

    def _transact(self, items: list[Item]) -> None:
        self._write(INDEXED, items)

    def pages(self) -> Iterator[int]:
        last = b""
        while rows := self.base.execute(
            "SELECT k, v FROM Indexed_team WHERE k > ? ORDER BY k LIMIT ?", (last, PAGE)
        ).fetchall():
            yield len(_decoded([stored for _, stored in rows]))
            last = rows[-1][0]

    def close(self) -> None:
        self.base.close()
