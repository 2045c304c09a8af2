"""The command that checks a data file, run as people run it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hansang.engine import Engine
from hansang.errors import DamagedFile, HansangError, SettingsError, StoreError
from hansang.surfaces.cli.main import app
from tests.engine.flips import BALES, fill, opened


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "data.db"
    fill(path)
    return path.read_bytes()


@pytest.fixture
def data(tmp_path: Path, good: bytes) -> Path:
    path = tmp_path / "data.db"
    path.write_bytes(good)
    return path


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, list(map(str, words)))
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


def execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(statement)
    finally:
        connection.close()


def rows_of(path: Path, index: str | None) -> int:
    with opened(path) as engine:
        return next(rows for rows, name in engine.catalog().table("rice").places.items() if name == index)


def spoil_index(path: Path) -> None:
    rows = rows_of(path, "by-colour")
    execute(path, f"DELETE FROM rows_{rows} WHERE key = (SELECT min(key) FROM rows_{rows})")


def spoil_item(path: Path) -> None:
    rows = rows_of(path, None)
    changed = "CAST(replace(CAST(value AS TEXT), 'GRAIN', 'GRAIM') AS BLOB)"
    execute(path, f"UPDATE rows_{rows} SET value = {changed} WHERE value NOT LIKE '%colour%'")


def test_a_good_file_is_whole(data: Path) -> None:
    done = run("check", data)
    assert done.exit_code == 0
    assert done.stdout == f"{data} is whole: 3 tables, {74 + BALES} items, {data.stat().st_size:,} bytes.\n"


def test_a_file_in_use_is_checked(data: Path) -> None:
    with opened(data) as engine:
        engine.call("PutItem", {"TableName": "soup", "Item": {"pk": {"S": "late"}}})
        assert f"{75 + BALES} items" in run("check", data).stdout


def test_what_is_wrong_is_listed_with_its_place_and_repaired(data: Path) -> None:
    spoil_index(data)
    done = run("check", data)
    assert done.exit_code == 1
    assert "rice by-colour" in done.stdout
    assert "the item has no row in the index" in done.stdout
    assert f"hansang check {data} --repair" in done.stdout
    mended = run("check", data, "--repair")
    assert mended.exit_code == 0
    assert mended.stdout.startswith("Repaired: 2.\n")
    assert run("check", data).exit_code == 0


def test_programs_are_told_too(data: Path) -> None:
    spoil_index(data)
    told = json.loads(run("check", data, "--json").stdout)
    assert told["damaged"] == 2
    missing, count = told["damages"]
    assert (missing["kind"], missing["table"], missing["index"]) == ("missing", "rice", "by-colour")
    assert set(json.loads(missing["key"])) == {"pk", "sk"}
    assert missing["mendable"]
    assert count["kind"] == "count"
    assert json.loads(run("check", data, "--json", "--repair").stdout)["repaired"] == 2


def test_a_damaged_item_is_named_and_comes_from_a_backup(data: Path, good: bytes) -> None:
    backup = data.with_name("monday.db")
    backup.write_bytes(good)
    spoil_item(data)
    done = run("check", data, "--repair")
    assert done.exit_code == 1
    assert "the item is not what was written" in done.stdout
    assert "--from BACKUP" in done.stdout
    assert run("check", data, "--repair", "--from", backup).exit_code == 0
    with opened(data) as engine:
        assert engine.call("Scan", {"TableName": "rice"})["Count"] == 60


def test_a_backup_alone_says_nothing(data: Path) -> None:
    with pytest.raises(SettingsError, match="Add --repair"):
        run("check", data, "--from", data)


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Data file not found"):
        run("check", tmp_path / "gone.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spoil", [spoil_index, spoil_item])
def test_neither_a_backup_nor_a_restore_calls_a_damaged_file_whole(data: Path, spoil: object) -> None:
    assert callable(spoil)
    spoil(data)
    with pytest.raises(DamagedFile, match=rf"^{data} is damaged .*hansang check {data}"):
        run("backup", data.with_name("copy.db"), "--data", data)
    assert not data.with_name("copy.db").exists()
    with Engine.open(data, sweep_seconds=None):
        pass
    with pytest.raises(DamagedFile):
        run("restore", "--check", data)
