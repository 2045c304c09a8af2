"""The job that makes backups: once for all processes, seen when it fails, and never at the cost of the last good one."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hansang.design import Database
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.job import BACKUP, BackupStatus, backup_job, backup_status
from hansang.parts.backups.retention import Retention
from hansang.parts.backups.stores import open_store
from hansang.parts.jobs import JobRunner
from hansang.parts.journal import Journal
from hansang.parts.schedules import Schedule
from hansang.parts.timestamps import to_datetime
from tests.engine.test_backup import filled
from tests.parts.conftest import SetClock

DAY = 86_400


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2126, 11, 15, 3, 0, 5, tzinfo=UTC).timestamp())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return filled(tmp_path / "shop.db", 20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def runner(database: Database, clock: SetClock, data: Path, folder: Path, worker: str = "one") -> JobRunner:
    job = backup_job(
        Backups(data, open_store(str(folder)), clock), Schedule.parse("daily 03:00 UTC"), Retention(daily=2)
    )
    return JobRunner(Journal(database, clock, worker), [job])


@pytest.fixture
def jobs(database: Database, clock: SetClock, data: Path, folder: Path) -> JobRunner:
    return runner(database, clock, data, folder)


def status(jobs: JobRunner, clock: SetClock) -> BackupStatus:
    found = backup_status(jobs, to_datetime(clock()))
    assert found is not None
    return found


def test_a_run_tells_what_it_made(jobs: JobRunner, clock: SetClock, folder: Path) -> None:
    assert (status(jobs, clock).health, status(jobs, clock).last_good) == ("none", None)
    run = jobs.run_slot(BACKUP)
    [name] = os.listdir(folder)
    size = (folder / name).stat().st_size
    assert run.result == f"{name} in {folder}: 20 items, {size:,} bytes; 1 kept, 0 deleted"
    assert run.counts == {"bytes": size, "items": 20, "kept": 1, "deleted": 0}
    found = status(jobs, clock)
    assert (found.health, found.last_good, found.size_bytes) == ("good", run, size)


def test_several_processes_make_one_backup(
    database: Database, clock: SetClock, data: Path, folder: Path
) -> None:
    """All of them see the slot as due, and claim it at one moment."""
    runners = [runner(database, clock, data, folder, str(number)) for number in range(4)]
    start = threading.Barrier(len(runners))

    def begin(jobs: JobRunner) -> None:
        start.wait()
        jobs._begin_due()

    threads = [threading.Thread(target=begin, args=(each,)) for each in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each.stop() for each in runners)
    assert len(os.listdir(folder)) == 1
    [run] = runners[0].runs(BACKUP)
    assert (run.state, run.attempts) == ("done", 1)


def test_a_backup_that_fails_is_seen_and_the_last_good_ones_stay(
    jobs: JobRunner, clock: SetClock, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = [jobs.run_slot(BACKUP)]
    before = os.listdir(folder)
    away = folder.rename(folder.with_name("unmounted"))
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        for _ in range(4):
            clock.advance(DAY)
            assert jobs.run_slot(BACKUP).state == "failed"
    found = status(jobs, clock)
    assert (found.health, found.last_good) == ("failed", good[0])
    assert found.state.latest is not None
    assert "Folder for backups not found" in (found.state.latest.error or "")
    away.rename(folder)
    assert os.listdir(folder) == before
    clock.advance(DAY)
    jobs.run_slot(BACKUP)
    assert status(jobs, clock).health == "good"
    assert len(os.listdir(folder)) == 2


def test_a_backup_that_was_not_made_in_time_is_overdue(jobs: JobRunner, clock: SetClock) -> None:
    jobs.run_slot(BACKUP)
    clock.advance(DAY)  # The next one is due, and nobody is late yet.
    assert status(jobs, clock).health == "good"
    clock.advance(DAY)
    assert status(jobs, clock).health == "overdue"


def test_a_run_under_way_is_shown_as_such(
    database: Database, jobs: JobRunner, clock: SetClock, folder: Path
) -> None:
    jobs.run_slot(BACKUP)
    clock.advance(DAY)
    journal = Journal(database, clock, "another")
    assert journal.claim(BACKUP, "2126-11-16T03:00:00Z") is not None
    assert status(jobs, clock).health == "running"
    clock.advance(journal.lease.total_seconds() + 1)
    assert status(jobs, clock).health == "failed"


def test_the_last_good_one_is_found_behind_many_that_failed(
    jobs: JobRunner, clock: SetClock, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = jobs.run_slot(BACKUP)
    shutil.rmtree(folder)
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        for _ in range(45):
            clock.advance(DAY)
            jobs.run_slot(BACKUP)
    assert jobs.last_done(BACKUP) == good


def test_without_the_job_there_is_no_status(database: Database, clock: SetClock) -> None:
    assert backup_status(JobRunner(Journal(database, clock, "one"), []), to_datetime(clock())) is None
