"""The commands on jobs, run in the process as the command line runs them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import time, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang import wiring
from hansang.apps.platform.cli import jobs
from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import Busy, HansangError, NotFound
from hansang.parts.history import History
from hansang.parts.jobs import Job
from hansang.parts.journal import JobRun, Journal
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.cli.exit_codes import FAILED


def broken(run: JobRun) -> str:
    raise ValueError("no network")


TIDY = Job(
    name="tidy",
    title=Words(ko="정리", en="Tidy up"),
    run=lambda run: "3 items gone",
    schedule=Schedule.every(3600),
)
POLL = Job(
    name="news-poll",
    title=Words(ko="뉴스 받기", en="Fetch the news"),
    run=broken,
    schedule=Schedule.daily(time(9, 30)),
    area="news",
)


class Commands:
    """The command with one data file, of a server that has two jobs."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def run(self, *words: str) -> Result:
        done = CliRunner().invoke(jobs.group, [*words, "--data", str(self.place)], env={"COLUMNS": "200"})
        if isinstance(done.exception, HansangError):
            raise done.exception
        return done

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Commands]:
    served = partial(wiring.open_shell, applications=(), jobs=[TIDY, POLL])
    monkeypatch.setattr(wiring, "open_shell", served)
    with caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        yield Commands(tmp_path / "jobs.db")


def test_jobs_are_listed_with_when_they_run(command: Commands) -> None:
    done = command.run("list")
    for text in ("Tidy up", "every hour", "news-poll", "daily at 09:30 (Asia/Seoul)"):
        assert text in done.stdout


def test_listing_runs_nothing(command: Commands) -> None:
    command.run("list")
    assert [each["latest"] for each in command.json("list")] == [None, None]


def test_the_list_for_programs_says_all(command: Commands) -> None:
    command.run("run", "tidy")
    tidy, poll = command.json("list")
    assert tidy["latest"]["result"] == "3 items gone"
    assert (tidy["every_seconds"], tidy["daily_at"], tidy["area"]) == (3600, None, "platform")
    assert (poll["daily_at"], poll["area"]) == ("09:30 Asia/Seoul", "news")
    assert poll["schedule"] == {"ko": "매일 09:30 (Asia/Seoul)", "en": "daily at 09:30 (Asia/Seoul)"}
    assert poll["title"] == {"ko": "뉴스 받기", "en": "Fetch the news"}


def test_a_server_without_jobs_says_so(command: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "open_shell", partial(wiring.open_shell, applications=(), jobs=[]))
    assert command.run("list").stdout == "There are no jobs.\n"


def test_a_job_is_run_and_its_result_is_said(command: Commands) -> None:
    done = command.run("run", "tidy")
    assert (done.stdout, done.exit_code) == ("tidy done: 3 items gone\n", 0)


def test_a_job_that_fails_says_why_and_ends_with_a_code(command: Commands) -> None:
    done = command.run("run", "news-poll")
    assert (done.stdout, done.exit_code) == ("news-poll failed: ValueError: no network\n", FAILED)
    again = command.run("runs", "news-poll", "--json")
    [run] = json.loads(again.stdout)
    assert (run["state"], run["error"], run["attempts"]) == ("failed", "ValueError: no network", 1)


def test_a_run_by_hand_is_in_the_history(command: Commands) -> None:
    command.run("run", "tidy")
    with Embedded.open(command.place) as backend:
        [change] = History(Database(backend), system_clock).page()
    assert (change.actor.kind, change.kind, change.subject, change.verb) == ("operator", "Job", "tidy", "run")


def test_a_job_that_is_running_elsewhere_is_not_run(command: Commands) -> None:
    with Embedded.open(command.place) as backend:
        database = Database(backend)
        database.create_tables(Platform)
        Journal(database, system_clock, "web1:1", lease=timedelta(hours=1)).claim("tidy", "2026-01-01")
    with pytest.raises(Busy):
        command.run("run", "tidy")


def test_runs_are_listed_newest_first(command: Commands) -> None:
    assert command.run("runs", "tidy").stdout == "tidy has not run yet.\n"
    with Embedded.open(command.place) as backend:
        journal = Journal(Database(backend), system_clock, "web1:1")
        for day in ("2026-01-01", "2026-01-02", "2026-01-03"):
            claimed = journal.claim("tidy", day)
            assert claimed is not None
            journal.finish(claimed, f"done for {day}")
    lines = command.run("runs", "tidy").stdout
    assert lines.index("2026-01-03") < lines.index("2026-01-01")
    assert "done for 2026-01-02" in lines
    assert [each["slot"] for each in command.json("runs", "tidy", "--limit", "2")] == [
        "2026-01-03",
        "2026-01-02",
    ]


def test_a_run_elsewhere_is_marked_to_be_stopped(command: Commands) -> None:
    with Embedded.open(command.place) as backend:
        database = Database(backend)
        database.create_tables(Platform)
        journal = Journal(database, system_clock, "web1:1", lease=timedelta(hours=1))
        claimed = journal.claim("tidy", "2026-01-01")
        said = command.run("stop", "tidy").stdout
        assert said == "tidy ends at its next step: 2026-01-01, worker web1:1.\n"
        assert claimed is not None
        assert journal.is_to_stop(claimed)


@pytest.mark.parametrize("verb", ["run", "runs", "stop"])
def test_an_unknown_job_is_not_found(command: Commands, verb: str) -> None:
    with pytest.raises(NotFound, match="There are: tidy, news-poll"):
        command.run(verb, "untidy")


def test_a_number_of_runs_is_at_least_one(command: Commands) -> None:
    assert command.run("runs", "tidy", "--limit", "0").exit_code == 2
