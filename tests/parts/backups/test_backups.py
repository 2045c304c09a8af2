"""Backups in a folder and in a bucket: made, tried out, found and thinned out."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from hansang.engine import Engine
from hansang.engine.backup import COPY
from hansang.engine.inspection import inspect
from hansang.errors import HansangError, InvalidInput, NotFound, SettingsError, StoreError
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.names import find_backup
from hansang.parts.backups.retention import Retention
from hansang.parts.backups.stores import BackupStore, open_store
from tests.engine.neighbour import ROOT
from tests.engine.test_backup import filled, in_it, silent, spoiled
from tests.parts.conftest import SetClock

pytestmark = pytest.mark.usefixtures("moto_url")  # Before anything that a test alone has.

UTC_ZONE = ZoneInfo("UTC")
DAY = 86_400
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON.timestamp())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return filled(tmp_path / "shop.db", 60)


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the backups go; each test runs with both."""
    if request.param == "bucket":
        request.getfixturevalue("s3").create_bucket(Bucket="backups")
        return "s3://backups/shop/nightly"
    (tmp_path / "backups").mkdir()
    return str(tmp_path / "backups")


@pytest.fixture
def backups(data: Path, place: str, clock: SetClock) -> Backups:
    return Backups(data, open_store(place), clock)


def names(backups: Backups) -> list[str]:
    return [each.name for each in backups.all()]


def left(folder: Path) -> list[str]:
    """Whatever is in a folder and was not there at first."""
    expected = {"shop.db", "shop.db-lock", "backups"}
    return sorted({each.name for each in folder.iterdir()} - expected)


def test_a_backup_is_whole_and_can_be_read_back(backups: Backups, data: Path, tmp_path: Path) -> None:
    made = backups.make(silent)
    [found] = backups.all()
    assert made.name == found.name
    assert made.name.startswith("shop-20261115T120000Z-")
    assert (found.of, found.taken_at, found.size_bytes) == ("shop", NOON, made.contents.size_bytes)
    with backups.opened(found) as file:
        assert inspect(file, silent) == made.contents
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert left(tmp_path) == []


def test_two_at_once_do_no_harm(backups: Backups) -> None:
    inner: list[str] = []

    def watch(step: str, done: int, total: int) -> None:
        if not inner:
            inner.append("begun")
            inner.append(backups.make(silent).name)

    outer = backups.make(watch).name
    assert sorted(names(backups)) == sorted([outer, inner[1]])


class HarmingStore:
    """A place that keeps something else than it was given."""

    def __init__(self, store: BackupStore, harm: Callable[[bytes], bytes]) -> None:
        self._store, self._harm = store, harm

    def take(self, file: Path) -> None:
        file.write_bytes(self._harm(file.read_bytes()))
        self._store.take(file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_backup_that_does_not_survive_its_trial_gets_no_name(
    place: str, data: Path, clock: SetClock, tmp_path: Path
) -> None:
    backups = Backups(data, open_store(place), clock)
    good = backups.make(silent).name
    harmed = Backups(data, cast(BackupStore, HarmingStore(open_store(place), spoiled)), clock)
    with pytest.raises(HansangError):
        harmed.make(silent)
    assert left(tmp_path) == []
    assert [name for name, _ in open_store(place).files()] == [good]


def test_a_backup_of_other_contents_than_were_copied_gets_no_name(
    place: str, data: Path, clock: SetClock, tmp_path: Path
) -> None:
    other = filled(tmp_path / "other.db", 59).read_bytes()
    store = HarmingStore(open_store(place), lambda whole: other)
    with pytest.raises(HansangError, match="holds something else than was copied"):
        Backups(data, cast(BackupStore, store), clock).make(silent)
    assert open_store(place).files() == []


def test_what_a_killed_process_left_goes_after_a_day(backups: Backups, data: Path, clock: SetClock) -> None:
    workplace = backups._store.workplace(data)
    foreign = "notes-20261115T120000Z.db.part"
    mine = ("shop-20261115T120000Z-0a1b2c.db.part", "shop-20261115T120000Z-0a1b2c.db.part.scratch.new-7-00ff")
    for name in (*mine, foreign):
        (workplace / name).write_bytes(b"half")
    backups.thin_out(Retention(daily=1), UTC_ZONE, backups.make(silent).name)
    assert {*mine, foreign} <= {each.name for each in workplace.iterdir()}
    clock.advance(DAY + 1)
    backups.thin_out(Retention(daily=1), UTC_ZONE, backups.make(silent).name)
    assert {each.name for each in workplace.iterdir()} & {*mine, foreign} == {foreign}
    assert len(names(backups)) == 1


# ── folders ───────────────────────────────────────────────────────────────────────────────────────


def in_folder(data: Path, clock: SetClock) -> Backups:
    (data.parent / "backups").mkdir(exist_ok=True)
    return Backups(data, open_store(str(data.parent / "backups")), clock)


def test_a_backup_is_found_by_name_by_moment_and_as_the_latest(data: Path, clock: SetClock) -> None:
    backups = in_folder(data, clock)
    made: list[str] = []
    for _ in range(3):
        made.append(backups.make(silent).name)
        clock.advance(DAY)
    assert backups.get("latest").name == made[2]
    assert backups.get(made[0]).name == made[0]
    assert backups.get("2026-11-16T12:00Z").name == made[1]
    assert backups.get("2026-11-16T20:59:59+09:00").name == made[0]
    assert backups.get("2026-11-16").name == made[1]
    with pytest.raises(NotFound, match=r"No backup of shop\.db found in .* for 2026-11-14"):
        backups.get("2026-11-14")
    with pytest.raises(InvalidInput, match="yesterday is no backup"):
        backups.get("yesterday")


def test_old_ones_go_and_the_one_just_made_never(data: Path, clock: SetClock) -> None:
    backups = in_folder(data, clock)
    for _ in range(4):
        made = backups.make(silent).name
        counts = backups.thin_out(Retention(daily=2), UTC_ZONE, made)
        clock.advance(DAY)
    assert counts == (2, 1)
    assert [each.taken_at.day for each in backups.all()] == [18, 17]
    clock.now = NOON.timestamp() - 365 * DAY  # The clock was wrong, or is wrong now.
    made = backups.make(silent).name
    backups.thin_out(Retention(daily=2), UTC_ZONE, made)
    assert made in names(backups)
    assert len(names(backups)) == 3


def test_files_of_others_are_neither_listed_nor_deleted(data: Path, clock: SetClock) -> None:
    backups = in_folder(data, clock)
    others = ["monday.db", "shop-20261301T000000Z-0a1b2c.db", "shop-20261115T120000Z.db"]
    for name in others:
        (data.parent / "backups" / name).write_bytes(b"")
    neighbour = filled(data.with_name("bank.db"), 3)
    kept = Backups(neighbour, open_store(backups.place), clock).make(silent).name
    clock.advance(400 * DAY)
    made = backups.make(silent).name
    assert backups.thin_out(Retention(daily=1), UTC_ZONE, made) == (1, 0)
    assert sorted(os.listdir(backups.place)) == sorted([*others, kept, made])
    assert backups.get("latest").name == made


def test_a_data_file_whose_name_looks_like_a_part_keeps_its_backups(tmp_path: Path, clock: SetClock) -> None:
    backups = in_folder(filled(tmp_path / "a.partner.db", 3), clock)
    first = backups.make(silent).name
    clock.advance(2 * DAY)
    second = backups.make(silent).name
    backups.thin_out(Retention(daily=7), UTC_ZONE, second)
    assert names(backups) == [second, first]


def test_a_folder_that_is_not_there_is_not_made(data: Path, clock: SetClock, tmp_path: Path) -> None:
    backups = Backups(data, open_store(str(tmp_path / "unmounted")), clock)
    for ask in (lambda: backups.make(silent), backups.all):
        with pytest.raises(
            StoreError, match=r"Folder for backups not found: .*unmounted\. Create or mount it"
        ):
            ask()
    assert left(tmp_path) == []


def test_a_disk_without_room_is_told_before_it_is_full(
    data: Path, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups = in_folder(data, clock)

    class Usage:
        free = 1000

    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage)
    with pytest.raises(StoreError, match=r"Not enough room in .*: .* and 1,000 are free\. Delete something"):
        backups.make(silent)


FULL_DISK = """
import resource, sys
from pathlib import Path
from hansang.clock import system_clock
from hansang.errors import StoreError
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.stores import BackupStore, open_store
data, place, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    Backups(data, open_store(place), system_clock).make(lambda *step: None)
except StoreError as error:
    print(error)
"""


def test_a_disk_that_fills_up_is_a_clear_error_and_leaves_nothing(data: Path, clock: SetClock) -> None:
    backups = in_folder(data, clock)
    good = backups.make(silent).name
    words = [str(data), backups.place, str(data.stat().st_size // 2)]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "failed and was given up" in done.stdout
    assert os.listdir(backups.place) == [good]


BACK_UP_FOREVER = """
import sys
from pathlib import Path
from hansang.clock import system_clock
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.stores import BackupStore, open_store
backups = Backups(Path(sys.argv[1]), open_store(sys.argv[2]), system_clock)
backups.make(lambda *step: None)
print("ready", flush=True)
while True:
    backups.make(lambda *step: None)
"""


def test_every_name_that_a_killed_process_leaves_is_that_of_a_whole_backup(
    data: Path, clock: SetClock
) -> None:
    backups, chance = in_folder(data, clock), random.Random(8)
    for _ in range(3):
        command = [sys.executable, "-c", BACK_UP_FOREVER, str(data), backups.place]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0, 0.1))
            child.send_signal(signal.SIGKILL)
    found = backups.all()
    assert len(found) >= 3
    for each in found:
        with backups.opened(each) as file:
            assert len(in_it(file)) == 60


# ── buckets ───────────────────────────────────────────────────────────────────────────────────────


def test_a_bucket_holds_backups_below_its_prefix_alone(s3: Any, data: Path, clock: SetClock) -> None:
    s3.create_bucket(Bucket="backups")
    s3.put_object(Bucket="backups", Key="shop/deep/shop-20261115T120000Z-0a1b2c.db", Body=b"")
    s3.put_object(Bucket="backups", Key="shop-20261115T120000Z-0a1b2c.db", Body=b"")
    backups = Backups(data, open_store("s3://backups/shop/"), clock)
    made = backups.make(silent).name
    assert (backups.place, names(backups)) == ("s3://backups/shop", [made])


@pytest.mark.parametrize("act", [lambda backups: backups.make(silent), lambda backups: backups.all()])
def test_a_bucket_that_is_not_there_says_so(
    s3: Any, data: Path, clock: SetClock, act: Callable[[Backups], object]
) -> None:
    backups = Backups(data, open_store("s3://nobody"), clock)
    with pytest.raises(StoreError, match=r"s3://nobody could not be used: .*Create the bucket"):
        act(backups)
    assert left(data.parent) == []


def test_a_bucket_that_cannot_be_reached_says_so(
    s3: Any, data: Path, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    backups = Backups(data, open_store("s3://backups"), clock)
    with pytest.raises(StoreError, match=r"s3://backups could not be used: .*Check the network"):
        backups.all()


@pytest.mark.parametrize("place", ["s3://", "s3:///shop", "s3://A", "ftp://host/folder"])
def test_a_place_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(SettingsError, match="is not a valid"):
        open_store(place)


@pytest.mark.parametrize(
    "name", ["shop.db", "shop-20261115T120000Z-0a1b2c.dbx", "-20261115T120000Z-0a1b2c.db"]
)
def test_other_names_are_no_backups(name: str) -> None:
    assert find_backup(name, 1) is None


def test_a_backup_has_what_was_acknowledged_before_and_goes_on_beside_a_writer(
    data: Path, clock: SetClock
) -> None:
    backups, written = in_folder(data, clock), []
    with Engine.open(data, sweep_seconds=None) as engine:

        def write(step: str, done: int, total: int) -> None:
            if step == COPY:
                written.append(step)
                item = {"pk": {"S": f"late {len(written)}"}}
                engine.call("PutItem", {"TableName": "rice", "Item": item})

        made = backups.make(write)
    assert written
    assert made.contents.items == 60
