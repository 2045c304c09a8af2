"""The commands for backups, run as people run them, beside a server that is up."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hansang.backends.embedded import Embedded
from hansang.blueprint.copying import tables_of
from hansang.design import Database
from hansang.errors import DamagedFile, HansangError, SettingsError, StoreError
from hansang.surfaces.cli.main import app
from tests.blueprint.designs import EXAMPLES, Shop
from tests.surfaces.cli.test_main import run as run_alone
from tests.surfaces.support import Address, serving


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, list(map(str, words)))
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")


def count(path: Path) -> int:
    with Embedded.open(path) as backend:
        return len(backend.call("Scan", {"TableName": "Shop"})["Items"])


def emptied(path: Path) -> None:
    with Embedded.open(path) as backend:
        backend.call("DeleteTable", {"TableName": "Shop"})
        Database(backend).create_tables(Shop)


# ── backup ────────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_says_what_is_in_it(shop: Path, tmp_path: Path) -> None:
    done = run("backup", tmp_path / "copy.db", "--data", shop)
    first, *_ = done.stdout.splitlines()
    assert first.startswith(f"{tmp_path / 'copy.db'} is a backup of {shop}: 1 table, 2 items, ")
    assert "Shop" in done.stdout
    assert count(tmp_path / "copy.db") == 2


def test_a_backup_tells_programs_too(shop: Path, tmp_path: Path) -> None:
    told = json.loads(run("backup", tmp_path / "copy.db", "--data", shop, "--json").stdout)
    assert told["file"] == str(tmp_path / "copy.db")
    assert told["bytes"] == (tmp_path / "copy.db").stat().st_size
    [table] = told["tables"]
    assert (table["name"], table["items"], told["items"]) == ("Shop", 2, 2)


def test_a_backup_of_a_file_in_use_has_what_was_just_written(shop: Path, tmp_path: Path) -> None:
    with Embedded.open(shop) as backend:
        Database(backend).put(EXAMPLES[0].model_copy(update={"id": "late"}))
        assert run_alone("backup", str(tmp_path / "copy.db"), "--data", str(shop)).returncode == 0
    assert count(tmp_path / "copy.db") == 3


def test_a_target_that_is_there_needs_force(shop: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    run("backup", target, "--data", shop)
    with pytest.raises(StoreError, match="--force"):
        run("backup", target, "--data", shop)
    assert run("backup", target, "--data", shop, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-",), "cannot be written to the standard output"),
        (("aws:ap-northeast-2",), "use hansang tables copy"),
        (("copy.db", "--data", ":memory:"), "nothing in :memory:"),
        (("copy.db", "--data", "shop.db", "--table", "Shop"), "Leave --table out"),
    ],
)
def test_what_cannot_be_backed_up_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        run("backup", *words)


def test_tables_behind_an_endpoint_become_a_data_file(shop: Path, tmp_path: Path, credentials: None) -> None:
    with Embedded.open(shop) as backend, serving(backend) as address:
        words = ("--data", f"{address.url}?region=us-east-1", "--json")
        told = json.loads(run("backup", tmp_path / "all.db", *words).stdout)
        named = json.loads(run("backup", tmp_path / "one.db", *words, "--table", "Shop").stdout)
    assert told["items"] == named["items"] == 2
    assert count(tmp_path / "all.db") == 2
    assert sorted(os.listdir(tmp_path)) == ["all.db", "all.db-lock", "one.db", "shop.db", "shop.db-lock"]


def test_an_endpoint_without_tables_gives_no_backup(
    endpoint: Address, tmp_path: Path, credentials: None
) -> None:
    with pytest.raises(HansangError, match="No tables found in"):
        run("backup", tmp_path / "all.db", "--data", endpoint.url)
    assert os.listdir(tmp_path) == []


# ── restore ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def backup(shop: Path, tmp_path: Path) -> Path:
    run("backup", tmp_path / "backup.db", "--data", shop)
    emptied(shop)
    return tmp_path / "backup.db"


def test_restoring_keeps_what_it_replaces(shop: Path, backup: Path) -> None:
    told = json.loads(run("restore", backup, "--data", shop, "--json").stdout)
    kept = Path(told["replaced"])
    assert kept.name.startswith("shop.db.before-restore-2")
    assert (count(shop), count(kept)) == (2, 0)


def test_restoring_twice_in_a_moment_keeps_both(shop: Path, backup: Path) -> None:
    found = {
        json.loads(run("restore", backup, "--data", shop, "--json").stdout)["replaced"] for _ in range(3)
    }
    assert len(found) == 3
    assert all(Path(each).is_file() for each in found)


def test_what_is_replaced_can_be_discarded(shop: Path, backup: Path) -> None:
    done = run("restore", backup, "--data", shop, "--discard")
    assert done.stdout.startswith(f"{shop} is restored from {backup}: 1 table, 2 items, ")
    assert [each for each in os.listdir(shop.parent) if "before" in each] == []


def test_checking_changes_nothing(shop: Path, backup: Path) -> None:
    done = run("restore", "--check", backup, "--data", shop)
    assert done.stdout.startswith(f"{backup} is whole: 1 table, 2 items, ")
    assert count(shop) == 0


def test_checking_finds_a_damaged_backup(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-8192])
    with pytest.raises(DamagedFile):
        run("restore", "--check", backup)


def test_a_file_that_a_server_has_open_is_one_line_and_left_alone(shop: Path, backup: Path) -> None:
    with Embedded.open(shop):
        done = run_alone("restore", str(backup), "--data", str(shop))
    [line] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert "is open in another process. Stop that first" in line
    assert count(shop) == 0


def test_only_a_data_file_can_be_restored(backup: Path) -> None:
    with pytest.raises(SettingsError, match=r"hansang tables copy --from BACKUP --to aws:us-east-1"):
        run("restore", backup, "--data", "aws:us-east-1")


def test_a_restored_file_has_the_tables_of_its_backup(backup: Path, tmp_path: Path) -> None:
    run("restore", backup, "--data", tmp_path / "new.db")
    with Embedded.open(tmp_path / "new.db") as backend:
        assert tables_of(backend) == ["Shop"]
