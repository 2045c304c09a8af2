"""Backups: of one moment, whole or not there; and restoring: the old file or the new one, whole."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.backup import COPY, back_up, restore
from hansang.engine.inspection import Contents, inspect
from hansang.errors import DamagedFile, ForeignFile, StoreError
from tests.engine.control import create, names, put_many, scanned, with_index
from tests.engine.holding import eventually, running
from tests.engine.neighbour import ROOT, neighbours


def silent(step: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "data.db", 300)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "backup.db"


def filled(path: Path, count: int) -> Path:
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        create(engine, with_index())
        put_many(engine, [grain(each) for each in range(count)])
    return path


def grain(number: int) -> dict[str, dict[str, str]]:
    return {"pk": {"S": f"{number:06d}"}, "colour": {"S": f"colour {number % 7}"}, "fill": {"S": "x" * 400}}


def in_it(path: Path) -> list[str]:
    with Engine.open(path, sweep_seconds=None) as engine:
        return names(scanned(engine))


def folder(path: Path) -> list[str]:
    return sorted(each for each in os.listdir(path.parent) if not each.endswith("-lock"))


# ── making one ────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_has_everything_and_nothing_beside_it(path: Path, target: Path) -> None:
    contents = back_up(path, target, silent)
    assert [(each.name, each.items, each.indexes) for each in contents.tables] == [
        ("rice", 300, {"by-colour": 300})
    ]
    assert folder(path) == ["backup.db", "data.db"]
    assert in_it(target) == in_it(path)


def test_a_backup_holds_what_only_the_log_has(path: Path, target: Path) -> None:
    with neighbours(path) as [other]:
        other.call("PutItem", {"TableName": "rice", "Item": grain(999)})
        back_up(path, target, silent)
    assert "000999" in in_it(target)


def test_a_backup_is_of_one_moment_while_others_write(path: Path, target: Path) -> None:
    """A writer puts pairs, one transaction each; the backup never has half a pair, and always ends."""
    stop = threading.Event()
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:

        def write() -> None:
            number = 1000
            while not stop.is_set():
                puts = [{"Put": {"TableName": "rice", "Item": grain(number + each)}} for each in (0, 1)]
                engine.call("TransactWriteItems", {"TransactItems": puts})
                number += 2

        with running(write):
            try:
                counts = [back_up(path, target, silent, replace=True).items for _ in range(10)]
            finally:
                stop.set()
    assert counts == sorted(counts)
    assert counts[-1] > 300
    assert all(count % 2 == 0 for count in counts)


def test_the_watcher_hears_how_much_is_copied(path: Path, target: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    back_up(path, target, lambda *step: heard.append(step))
    copied = [(done, total) for step, done, total in heard if step == COPY]
    assert copied[-1][0] == copied[-1][1] > 0


def test_what_is_there_is_replaced_only_when_told(path: Path, target: Path) -> None:
    target.write_text("mine")
    with pytest.raises(StoreError, match="--force to replace it"):
        back_up(path, target, silent)
    assert target.read_text() == "mine"
    back_up(path, target, silent, replace=True)
    assert in_it(target) == in_it(path)


def test_a_backup_never_replaces_its_own_source(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    other = tmp_path / "other.db"
    other.hardlink_to(path)
    for place in (path, other):
        with pytest.raises(StoreError, match="is the data file itself"):
            back_up(path, place, silent, replace=True)
    assert path.read_bytes() == before


def test_a_backup_never_replaces_a_file_in_use(path: Path, target: Path) -> None:
    filled(target, 10)
    with neighbours(target) as [other]:
        other.call("PutItem", {"TableName": "rice", "Item": grain(999)})
        with pytest.raises(StoreError, match="in use"):
            back_up(path, target, silent, replace=True)
        assert len(other.call("Scan", {"TableName": "rice"})["Items"]) == 11


def test_places_that_cannot_be_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        back_up(path, tmp_path, silent)
    with pytest.raises(StoreError, match="Folder not found"):
        back_up(path, tmp_path / "gone" / "backup.db", silent)
    with pytest.raises(StoreError, match="could not be opened"):
        back_up(tmp_path / "gone.db", tmp_path / "backup.db", silent)
    assert folder(path) == ["data.db"]


def test_a_damaged_file_gives_no_backup(path: Path, target: Path) -> None:
    path.write_bytes(spoiled(path.read_bytes()))
    with pytest.raises(DamagedFile):
        back_up(path, target, silent)
    assert folder(path) == ["data.db"]


def spoiled(whole: bytes) -> bytes:
    size = int.from_bytes(whole[16:18], "big")
    middle = len(whole) // size // 2 * size
    return whole[:middle] + random.Random(1).randbytes(size) + whole[middle + size :]


def test_a_backup_is_for_the_same_eyes_as_its_source(path: Path, target: Path) -> None:
    path.chmod(0o640)
    back_up(path, target, silent)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_an_interruption_leaves_nothing(path: Path, target: Path) -> None:
    def interrupt(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(path, target, interrupt)
    assert folder(path) == ["data.db"]


# ── putting it back ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def backup(path: Path, target: Path) -> Path:
    """A backup of the file, which has changed since."""
    back_up(path, target, silent)
    with Engine.open(path, durability="normal", sweep_seconds=None) as engine:
        engine.call("DeleteItem", {"TableName": "rice", "Key": {"pk": {"S": "000007"}}})
        put_many(engine, [grain(7000)])
    return target


def kept(path: Path) -> Path:
    return path.with_name("data.db.before")


def test_restoring_brings_back_the_moment_of_the_backup(path: Path, backup: Path) -> None:
    contents = restore(backup, path, silent, keep=kept(path))
    assert contents == inspect(backup, silent)
    assert in_it(path) == in_it(backup)
    assert "007000" in in_it(kept(path))
    assert folder(path) == ["backup.db", "data.db", "data.db.before"]


def test_without_a_name_for_it_the_old_file_is_gone(path: Path, backup: Path) -> None:
    restore(backup, path, silent, keep=None)
    assert folder(path) == ["backup.db", "data.db"]
    assert "000007" in in_it(path)


def test_the_restored_file_can_be_written(path: Path, backup: Path) -> None:
    restore(backup, path, silent, keep=None)
    with Engine.open(path, sweep_seconds=None) as engine:
        put_many(engine, [grain(8000)])
    assert "008000" in in_it(path)
    assert "008000" not in in_it(backup)


def test_a_file_that_is_not_there_is_made(path: Path, backup: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    restore(backup, fresh, silent, keep=kept(path))
    assert in_it(fresh) == in_it(backup)
    assert not kept(path).exists()


def test_an_empty_file_is_no_file(backup: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    restore(backup, empty, silent, keep=None)
    assert in_it(empty) == in_it(backup)


def test_a_log_that_was_left_alone_is_not_read_into_the_new_file(path: Path, backup: Path) -> None:
    with neighbours(path) as [other]:
        other.call("PutItem", {"TableName": "rice", "Item": grain(9000)})
        other.kill()
    path.unlink()
    log = path.with_name("data.db-wal")
    assert log.stat().st_size
    restore(backup, path, silent, keep=kept(path))
    assert in_it(path) == in_it(backup)
    assert kept(path).with_name("data.db.before-wal").stat().st_size


def test_what_only_the_log_of_the_old_file_has_is_kept_with_it(path: Path, backup: Path) -> None:
    with neighbours(path) as [other]:
        other.call("PutItem", {"TableName": "rice", "Item": grain(9000)})
        other.kill()
    restore(backup, path, silent, keep=kept(path))
    assert "009000" in in_it(kept(path))
    assert "009000" not in in_it(path)


def test_a_file_that_another_process_has_open_is_left_alone(path: Path, backup: Path) -> None:
    with neighbours(path) as [other]:
        with pytest.raises(StoreError, match=r"open in another process. Stop that first: hansang up"):
            restore(backup, path, silent, keep=kept(path))
        assert other.call("PutItem", {"TableName": "rice", "Item": grain(9000)}) == {}
    assert "009000" in in_it(path)
    assert not kept(path).exists()


def test_a_file_that_this_process_has_open_is_left_alone(path: Path, backup: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        with pytest.raises(StoreError, match="is open"):
            restore(backup, path, silent, keep=None)
        put_many(engine, [grain(9000)])
    assert "009000" in in_it(path)


def test_who_opens_the_file_while_it_is_replaced_gets_the_new_one(path: Path, backup: Path) -> None:
    """Engines are opened all the time; each sees one of the two files whole, and the last one the new."""
    stop, seen = threading.Event(), set[bool]()

    def look() -> None:
        while not stop.is_set():
            seen.add("007000" in in_it(path))
            stop.wait(0.005)  # A moment in which nobody has it open.

    with running(look):
        try:
            eventually(lambda: seen == {True})
            restored = eventually_restored(backup, path)
        finally:
            stop.set()
    assert restored.items == 300
    assert "007000" not in in_it(path)


def eventually_restored(backup: Path, path: Path) -> Contents:
    for _ in range(2000):
        try:
            return restore(backup, path, silent, keep=None)
        except StoreError as reason:
            if "is open" not in str(reason):
                raise
    raise AssertionError("the file was always open")


@pytest.mark.parametrize("harm", ["cut", "spoiled", "newer"])
def test_a_file_that_cannot_be_used_can_be_replaced(path: Path, backup: Path, harm: str) -> None:
    whole = path.read_bytes()
    harmed = {"cut": whole[:-8192], "spoiled": spoiled(whole), "newer": whole[:63] + b"\x63" + whole[64:]}
    path.write_bytes(harmed[harm])
    restore(backup, path, silent, keep=kept(path))
    assert in_it(path) == in_it(backup)
    assert kept(path).read_bytes() == harmed[harm]


def test_a_file_of_others_is_never_replaced(backup: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "notes.txt"
    foreign.write_text("rice " * 1000)
    with pytest.raises(ForeignFile):
        restore(backup, foreign, silent, keep=None)
    with pytest.raises(StoreError, match="is a folder"):
        restore(backup, tmp_path, silent, keep=None)
    assert foreign.read_text() == "rice " * 1000


def test_a_damaged_backup_changes_nothing(path: Path, backup: Path) -> None:
    backup.write_bytes(spoiled(backup.read_bytes()))
    before = (path.read_bytes(), folder(path))
    with pytest.raises(DamagedFile):
        restore(backup, path, silent, keep=kept(path))
    assert (path.read_bytes(), folder(path)) == before


def test_a_file_is_not_restored_from_itself(path: Path) -> None:
    with pytest.raises(StoreError, match="is the backup itself"):
        restore(path, path, silent, keep=None)


def test_a_backup_that_changes_while_it_is_copied_is_not_restored(path: Path, tmp_path: Path) -> None:
    before, backup = path.read_bytes(), filled(tmp_path / "large.db", 4000)
    changed: list[int] = []

    def change(step: str, done: int, total: int) -> None:
        if step == COPY and not changed:
            changed.append(done)
            with Engine.open(backup, sweep_seconds=None) as engine:
                put_many(engine, [grain(each) for each in range(9000, 9100)])

    with pytest.raises(StoreError, match="changed while it was read"):
        restore(backup, path, change, keep=None)
    assert changed[0] < backup.stat().st_size
    assert path.read_bytes() == before


def test_the_restored_file_is_for_the_same_eyes_as_the_old_one(path: Path, backup: Path) -> None:
    path.chmod(0o640)
    restore(backup, path, silent, keep=None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


RESTORE_FOREVER = """
import os, sys
from pathlib import Path
from hansang.engine.backup import restore
one, two, path = map(Path, sys.argv[1:])
print("ready", flush=True)
while True:
    for backup in (one, two):
        restore(backup, path, lambda *step: None, keep=None)
"""


def test_a_process_killed_while_it_restores_leaves_one_whole_file(tmp_path: Path) -> None:
    one, two = filled(tmp_path / "one.db", 40), filled(tmp_path / "two.db", 60)
    path = filled(tmp_path / "data.db", 50)
    chance = random.Random(4)
    found = set()
    for _ in range(12):
        command = [sys.executable, "-c", RESTORE_FOREVER, str(one), str(two), str(path)]
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.01, 0.12))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        found.add(len(in_it(path)))
        assert inspect(path, silent).items in (40, 50, 60)  # 50 when it was killed before the first was done.
    assert found <= {40, 50, 60}
