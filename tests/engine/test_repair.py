"""Indexes that differ from their items: found by the check, mended from the items, while others write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from hansang.engine import Engine
from hansang.engine.damage import Damage, DamageReport
from hansang.engine.file import FORMAT, check
from hansang.engine.inspection import examine
from hansang.engine.repair import repair
from hansang.engine.schema import EXPIRY
from hansang.engine.sql.checksums import mark_of
from hansang.errors import DamagedFile
from tests.engine.flips import BALES, answers, fill, opened
from tests.engine.test_inspection import silent

MASK = (1 << 27) - 1
PAIRS = [("missing", "by-colour"), ("missing", "heavy"), ("missing", EXPIRY)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    fill(path)
    return path


def altered(path: Path, *statements: str) -> None:
    """Write into the file behind the engine's back."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def rows_of(path: Path, index: str | None = None) -> int:
    with opened(path) as engine:
        return next(rows for rows, name in engine.catalog().table("rice").places.items() if name == index)


def found(path: Path) -> DamageReport:
    return examine(path, silent)[1]


def kinds(report: DamageReport) -> set[tuple[str, str]]:
    return {(each.kind, each.index) for each in report.damages}


def mend(path: Path, backup: Path | None = None) -> None:
    report = found(path)
    with opened(path) as engine:
        repair(engine, report, silent, backup)


def first(path: Path, rows: int) -> tuple[bytes, bytes, int]:
    connection = sqlite3.connect(path)
    try:
        row: tuple[bytes, bytes, int] = connection.execute(
            f"SELECT * FROM rows_{rows} ORDER BY key LIMIT 1"
        ).fetchone()
        return row
    finally:
        connection.close()


def replaced(path: Path, rows: int, key: bytes, value: bytes, size: int) -> None:
    """Write a row behind the engine's back, with a checksum that is right."""
    mark = mark_of(rows, key, value, size)
    altered(path, f"INSERT OR REPLACE INTO rows_{rows} VALUES (x'{key.hex()}', x'{value.hex()}', {mark})")


# ── what is found ─────────────────────────────────────────────────────────────────────────────────


def test_a_good_file_is_whole_and_repairing_it_changes_nothing(path: Path) -> None:
    before = answers(path)
    assert found(path) == DamageReport()
    mend(path)
    assert answers(path) == before


@pytest.mark.parametrize("index", ["by-colour", "by-weight", "heavy"])
def test_a_row_that_differs_from_its_item_is_found_and_mended(path: Path, index: str) -> None:
    right, rows = answers(path), rows_of(path, index)
    key, value, mark = first(path, rows)
    replaced(path, rows, key, value.replace(b'"weight"', b'"height"'), mark & MASK)
    assert ("row", index) in kinds(found(path))
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


@pytest.mark.parametrize(("kind", "index"), PAIRS)
def test_a_row_that_is_missing_is_found_and_mended(path: Path, kind: str, index: str) -> None:
    right, rows = answers(path), rows_of(path, index)
    altered(path, f"DELETE FROM rows_{rows} WHERE key = (SELECT min(key) FROM rows_{rows})")
    assert kinds(found(path)) == {(kind, index), ("count", index)}
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


def test_a_row_that_belongs_to_no_item_is_found_and_mended(path: Path) -> None:
    right, rows = answers(path), rows_of(path, "by-weight")
    key, value, mark = first(path, rows)
    stray = key.replace(b"GRAIN#00", b"GRAIN#99"), value.replace(b"GRAIN#00", b"GRAIN#99")
    replaced(path, rows, *stray, mark & MASK)
    [row, count] = found(path).damages
    assert (row.kind, row.table, row.index) == ("stray", "rice", "by-weight")
    assert "GRAIN#99" in row.key
    assert (count.kind, count.index) == ("count", "by-weight")
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


def test_a_count_that_is_wrong_is_corrected(path: Path) -> None:
    right, rows = answers(path), rows_of(path)
    altered(path, f"UPDATE counts SET items = items + 5 WHERE rows = {rows}")
    assert kinds(found(path)) == {("count", "")}
    mend(path)
    assert answers(path) == right


def test_an_index_without_its_rows_is_made_again(path: Path) -> None:
    right = answers(path)
    altered(path, f"DROP TABLE rows_{rows_of(path, 'by-colour')}")
    assert ("pages", "by-colour") in kinds(found(path))
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


# ── damaged items ─────────────────────────────────────────────────────────────────────────────────


def spoil(path: Path, order: str) -> bytes:
    """Change a letter of the first or last item that has, or has not, a row with all of it; its key."""
    rows = rows_of(path)
    connection = sqlite3.connect(path)
    try:
        sql = f"SELECT key, value FROM rows_{rows} WHERE CAST(value AS TEXT) {order} LIKE '%colour%'"
        key, value = connection.execute(sql).fetchone()
    finally:
        connection.close()
    spoilt = value.replace(b"grain", b"grein")
    altered(path, f"UPDATE rows_{rows} SET value = x'{spoilt.hex()}' WHERE key = x'{key.hex()}'")
    assert isinstance(key, bytes)
    return key


def test_an_item_comes_back_from_an_index_that_holds_all_of_it(path: Path) -> None:
    right = answers(path)
    spoil(path, "")
    assert kinds(found(path)) == {("item", "")}
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


def test_an_item_that_is_nowhere_else_comes_back_from_a_backup(path: Path, tmp_path: Path) -> None:
    right, backup = answers(path), tmp_path / "backup.db"
    backup.write_bytes(path.read_bytes())
    spoil(path, "NOT")
    mend(path)
    [damage] = found(path).damages
    assert (damage.kind, damage.table, damage.is_mendable) == ("item", "rice", False)
    assert "FIELD#" in damage.key
    mend(path, backup)
    assert found(path) == DamageReport()
    assert answers(path) == right


def spoilt(path: Path, change: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> str:
    """Write other bytes into the row of an item that no index holds all of; the key that it had."""
    rows = rows_of(path)
    key, value = last_grain(path, rows)
    new_key, new_value = change(key, value)
    altered(
        path,
        f"UPDATE rows_{rows} SET key = x'{new_key.hex()}', value = x'{new_value.hex()}' WHERE key = x'{key.hex()}'",
    )
    item = orjson.loads(value)
    return orjson.dumps({name: item[name] for name in ("pk", "sk")}).decode()


def last_grain(path: Path, rows: int) -> tuple[bytes, bytes]:
    connection = sqlite3.connect(path)
    try:
        sql = f"SELECT key, value FROM rows_{rows} WHERE CAST(value AS TEXT) LIKE '%GRAIN#0009%'"
        row: tuple[bytes, bytes] = connection.execute(sql).fetchone()
        return row
    finally:
        connection.close()


SPOILT: dict[str, Callable[[bytes, bytes], tuple[bytes, bytes]]] = {
    "the key in the item": lambda key, value: (key, value.replace(b"GRAIN#", b"GRAYN#")),
    "the partition key in the item": lambda key, value: (key, value.replace(b"FIELD#", b"FI\x07LD#")),
    "all of the item": lambda key, value: (key, b"\xff" + value[1:]),
    "the key and some of the item": lambda key, value: (
        key.replace(b"FIELD#", b"FI\xccLD#"),
        value.replace(b"grain", b"grein"),
    ),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_damaged_item_is_named_by_a_key_that_is_whole_and_comes_back_by_it(
    path: Path, tmp_path: Path, what: str
) -> None:
    right, backup = answers(path), tmp_path / "backup.db"
    backup.write_bytes(path.read_bytes())
    key = spoilt(path, SPOILT[what])
    assert [each.key for each in found(path).damages if each.kind == "item"] == [key]
    mend(path, backup)
    assert found(path) == DamageReport()
    assert answers(path) == right


@pytest.mark.parametrize("letters", [b"FIELD#", b"GRAIN#"])
def test_an_item_under_a_damaged_key_is_put_back_under_its_own(path: Path, letters: bytes) -> None:
    right = answers(path)
    key = spoilt(path, lambda key, value: (key.replace(letters, letters[:-1] + b"!"), value))
    assert [each.key for each in found(path).damages if each.kind == "item"] == [key]
    mend(path)
    assert found(path) == DamageReport()
    assert answers(path) == right


def test_an_item_whose_place_was_taken_meanwhile_is_left_where_it_is(path: Path) -> None:
    spoilt(path, lambda key, value: (key.replace(b"GRAIN#", b"GRAIN!"), value))
    item = {"pk": {"S": "FIELD#2"}, "sk": {"S": "GRAIN#0009"}, "note": {"S": "newer"}}
    with opened(path) as engine:
        engine.call("PutItem", {"TableName": "rice", "Item": item})
    mend(path)
    assert [each.kind for each in found(path).damages] == ["item"]
    with opened(path) as engine:
        kept = engine.call("GetItem", {"TableName": "rice", "Key": {"pk": item["pk"], "sk": item["sk"]}})
    assert kept["Item"] == item


def test_a_damaged_row_of_an_index_is_named_by_its_item(path: Path) -> None:
    for index in ("by-weight", "heavy"):
        rows = rows_of(path, index)
        key, _, _ = first(path, rows)
        altered(path, f"UPDATE rows_{rows} SET value = x'00' WHERE key = x'{key.hex()}'")
        assert all("GRAIN#" in each.key for each in found(path).damages if each.index == index)


def test_an_item_that_is_damaged_is_never_answered(path: Path) -> None:
    spoil(path, "NOT")
    with opened(path) as engine:
        with pytest.raises(
            DamagedFile, match=r"data\.db is damaged: a row of the table rice .*hansang check"
        ):
            engine.call("Scan", {"TableName": "rice"})
        assert engine.call("Scan", {"TableName": "soup"})["Count"] > 0


def test_a_damaged_row_of_an_index_is_named_with_the_way_out(path: Path) -> None:
    rows = rows_of(path, "heavy")
    altered(path, f"UPDATE rows_{rows} SET value = x'7b7d'")
    with opened(path) as engine:
        with pytest.raises(DamagedFile, match=r"index heavy of the table rice .*--repair") as caught:
            engine.call("Scan", {"TableName": "rice", "IndexName": "heavy"})
        assert caught.value.values == {"file": "data.db", "table": "rice", "index": "heavy"}
        assert engine.call("Scan", {"TableName": "rice"})["Count"] == 60


# ── beside others ─────────────────────────────────────────────────────────────────────────────────


class Busy:
    """A watcher that writes whenever it is told something."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self.turns = engine, 0

    def __call__(self, step: str, done: int, total: int) -> None:
        self.turns += 1
        for number in range(3):
            colour = {"S": ("white", "red")[self.turns % 2]}
            item = {"pk": {"S": "FIELD#9"}, "sk": {"S": f"{number}"}, "weight": {"N": f"{self.turns}"}}
            self._engine.call("PutItem", {"TableName": "rice", "Item": {**item, "colour": colour}})


def test_a_file_that_is_written_meanwhile_is_checked_and_mended(path: Path) -> None:
    rows = rows_of(path, "by-colour")
    altered(path, f"DELETE FROM rows_{rows} WHERE key IN (SELECT key FROM rows_{rows} LIMIT 9)")
    with opened(path) as other:
        busy = Busy(other)
        report = examine(path, busy)[1]
        assert kinds(report) == {("missing", "by-colour"), ("count", "by-colour")}
        with opened(path) as engine:
            repair(engine, report, busy)
        assert examine(path, busy)[1] == DamageReport()
        assert busy.turns > 10
        query = {"TableName": "rice", "IndexName": "by-colour"}
        assert other.call("Scan", query)["Count"] == len(
            [each for each in other.call("Scan", {"TableName": "rice"})["Items"] if "colour" in each]
        )


def test_a_table_that_is_deleted_while_it_is_checked_is_no_damage(path: Path) -> None:
    with opened(path) as other:
        told: list[str] = []

        def watch(step: str, done: int, total: int) -> None:
            if not told and done:
                other.call("DeleteTable", {"TableName": "rice"})
            told.append(step)

        assert examine(path, watch)[1] == DamageReport()


def test_the_report_stays_small(path: Path) -> None:
    report = DamageReport()
    for number in range(5000):
        report.add(Damage("item", "rice", key=str(number)))
    assert (report.total, len(report.damages)) == (5000, 1000)


# ── a file from before ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def old(path: Path) -> Path:
    """The same file in format 1, as it was made before there were checksums."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'rows_*'")
        ]
        connection.execute("BEGIN")
        for name in names:
            connection.execute(f"UPDATE {name} SET size = size & {MASK}")
        for table, column in (("tables", "definition"), ("streams", "description"), ("tokens", "sizes")):
            line = f"substr({column}, 1, instr({column}, char(10)) - 1)"
            connection.execute(f"UPDATE {table} SET {column} = {line}")
        connection.execute("UPDATE records SET record = CAST(substr(record, 1, length(record) - 9) AS BLOB)")
        connection.execute("ALTER TABLE counts DROP COLUMN mark")
        connection.execute("DELETE FROM counts WHERE items = 0")
        connection.execute("DROP TABLE archives")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return path


def test_an_old_file_is_read_as_it_is_and_gets_its_checksums(old: Path) -> None:
    assert check(str(old)) == 1
    contents, report = examine(old, silent, at_rest=True)
    assert (report.total, contents.items) == (0, 60 + 14 + BALES)
    assert report.plain > 100
    right = answers(old)
    assert check(str(old)) == FORMAT
    assert found(old).plain == report.plain
    mend(old)
    assert found(old) == DamageReport()
    assert answers(old) == right


def test_an_item_of_an_old_file_comes_back_although_its_own_key_is_damaged(old: Path, tmp_path: Path) -> None:
    right, backup = answers(old), tmp_path / "backup.db"
    backup.write_bytes(old.read_bytes())
    key = spoilt(old, SPOILT["the key in the item"])
    assert [each.key for each in found(old).damages if each.kind == "item"] == [key]
    mend(old, backup)
    assert found(old) == DamageReport()
    assert answers(old) == right


def test_a_row_of_an_old_file_gets_its_checksum_when_it_is_written(old: Path) -> None:
    with opened(old) as engine:
        item = engine.call("Scan", {"TableName": "soup", "Limit": 1})["Items"][0]
        engine.call("PutItem", {"TableName": "soup", "Item": {**item, "new": {"S": "x"}}})
        rows = engine.catalog().table("soup").rows
        marks = [
            mark for _, _, mark in engine.read(lambda reader: reader.stored(rows, b"", b"\xff\xff\xff", 99))
        ]
    assert sorted(mark > MASK for mark in marks) == [False] * (len(marks) - 1) + [True]


def test_once_all_rows_have_a_checksum_one_without_is_damaged(old: Path) -> None:
    mend(old)
    rows = rows_of(old)
    altered(old, f"UPDATE rows_{rows} SET size = size & {MASK}")
    assert kinds(found(old)) == {("item", "")}
    with opened(old) as engine, pytest.raises(DamagedFile):
        engine.call("Scan", {"TableName": "rice"})
