"""Looking a data file through: what is in a good one, and what is found in a bad one."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.inspection import INDEXES, ITEMS, PAGES, inspect
from hansang.errors import DamagedFile, ForeignFile, NewerFile, StoreError
from tests.engine.control import Request, create, definition, put_many, with_index


def silent(step: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a table, an index that holds some of its items, and an order of expiry."""
    path = tmp_path / "data.db"
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_index())
        create(engine, definition("soup"))
        specification = {"Enabled": True, "AttributeName": "until"}
        engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": specification})
        put_many(engine, [grain(each) for each in range(1200)])
    return path


def grain(number: int) -> Request:
    more: Request = {"colour": {"S": "white"}} if number % 3 else {"until": {"N": "4102444800"}}
    return {"pk": {"S": f"{number:04d}"}, **more}


def altered(path: Path, *statements: str) -> Path:
    """The file after somebody wrote into it behind the engine's back."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def rows_of(path: Path) -> dict[str, int]:
    """Where the rows of the table `rice`, of its index and of its expiry are."""
    with Engine.open(path, sweep_seconds=None) as engine:
        table = engine.catalog().table("rice")
        assert table.expiry_rows is not None
        return {"items": table.rows, "index": table.indexes[0].rows, "expiry": table.expiry_rows}


def test_a_good_file_tells_what_is_in_it(path: Path) -> None:
    contents = inspect(path, silent)
    [rice, soup] = contents.tables
    assert (rice.name, rice.items, rice.indexes) == ("rice", 1200, {"by-colour": 800})
    assert (soup.name, soup.items, soup.size_bytes, soup.indexes) == ("soup", 0, 0, {})
    assert (contents.items, contents.size_bytes) == (1200, path.stat().st_size)


def test_looking_leaves_no_trace(path: Path) -> None:
    before = (path.read_bytes(), sorted(os.listdir(path.parent)))
    inspect(path, silent)
    assert (path.read_bytes(), sorted(os.listdir(path.parent))) == before


def test_the_watcher_hears_of_every_step(path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    inspect(path, lambda *step: heard.append(step))
    assert heard[0] == (PAGES, 0, 0)
    assert [done for step, done, _ in heard if step == ITEMS] == [500, 1000, 1200]
    assert heard[-1] == (INDEXES, 2400, 2400)


def test_an_item_that_is_missing_is_noticed(path: Path) -> None:
    rows = rows_of(path)["items"]
    altered(path, f"DELETE FROM rows_{rows} WHERE key = (SELECT min(key) FROM rows_{rows})")
    with pytest.raises(
        DamagedFile, match=r"rice: .* not what was counted \(1199 rows of .* counted as \(1200, "
    ):
        inspect(path, silent)


@pytest.mark.parametrize("kind", ["index", "expiry"])
def test_a_row_of_an_index_that_is_missing_is_noticed(path: Path, kind: str) -> None:
    rows = rows_of(path)[kind]
    altered(
        path,
        f"UPDATE counts SET items = items - 1, mark = mark - 1000003 WHERE rows = {rows}",
        f"UPDATE counts SET (bytes, mark) = (SELECT bytes - (size & 134217727), mark - (size & 134217727) "
        f"FROM rows_{rows} LIMIT 1) WHERE rows = {rows}",
        f"DELETE FROM rows_{rows} WHERE key = (SELECT min(key) FROM rows_{rows})",
    )
    with pytest.raises(DamagedFile, match=r"rice .*: the item has no row in the index\)"):
        inspect(path, silent)


def test_an_item_under_another_key_is_noticed(path: Path) -> None:
    rows = rows_of(path)["items"]
    altered(path, f"UPDATE rows_{rows} SET key = x'0000' WHERE key = (SELECT min(key) FROM rows_{rows})")
    with pytest.raises(DamagedFile, match=r"rice .* the item is not what was written"):
        inspect(path, silent)


def test_an_item_that_cannot_be_read_is_noticed(path: Path) -> None:
    rows = rows_of(path)["items"]
    altered(path, f"UPDATE rows_{rows} SET value = x'7b' WHERE key = (SELECT max(key) FROM rows_{rows})")
    with pytest.raises(DamagedFile):
        inspect(path, silent)


def test_a_table_without_its_rows_is_noticed(path: Path) -> None:
    altered(path, f"DROP TABLE rows_{rows_of(path)['index']}")
    with pytest.raises(DamagedFile, match="no such table"):
        inspect(path, silent)


def test_a_catalog_that_says_nothing_is_noticed(path: Path) -> None:
    altered(path, "UPDATE tables SET definition = '{}' WHERE name = 'rice'")
    with pytest.raises(DamagedFile, match="the catalog is not what was written"):
        inspect(path, silent)


def test_a_page_of_rubbish_is_noticed(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    size = int.from_bytes(whole[16:18], "big")
    middle = len(whole) // size // 2 * size
    whole[middle : middle + size] = b"\x55" * size
    path.write_bytes(whole)
    with pytest.raises(DamagedFile, match="left as it is"):
        inspect(path, silent)


def test_a_file_that_was_cut_is_noticed(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8192])
    with pytest.raises(DamagedFile, match="shorter"):
        inspect(path, silent)


def test_files_of_others_and_of_the_future_are_refused(path: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("rice " * 1000)
    with pytest.raises(ForeignFile):
        inspect(text, silent)
    with pytest.raises(NewerFile):
        inspect(altered(path, "PRAGMA user_version = 99"), silent)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.db could not be opened"):
        inspect(tmp_path / "gone.db", silent)


def test_a_file_in_use_is_no_backup(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        put_many(engine, [grain(5000)])
        with pytest.raises(StoreError, match="Make one of it with hansang backup"):
            inspect(path, silent)
