"""Jobs over HTTP: how they stand, and running one now."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import time

import pytest

from hansang.parts.jobs import Job
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, new_key, opened

JOBS = "/api/platform/jobs"


class Bell:
    """A job that waits until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def ring(self, run: JobRun) -> str:
        assert self.go.wait(60)
        return "rang"


@pytest.fixture
def bell() -> Bell:
    return Bell()


@pytest.fixture
def working(clock: SetClock, bell: Bell) -> Iterator[Shell]:
    jobs = (
        Job(
            name="bell", title=Words("종 치기", "Ring the bell"), run=bell.ring, schedule=Schedule.every(3600)
        ),
        Job(
            name="daily",
            title=Words("날마다", "Daily"),
            run=lambda run: "done",
            schedule=Schedule.daily(time(4, 30)),
        ),
    )
    with opened(clock, jobs=jobs) as shell:
        yield shell


@pytest.fixture
def caller(working: Shell) -> Caller:
    return Caller(create_api(working), new_key(working, "platform:write"))


def test_every_job_is_told_with_its_next_run(caller: Caller) -> None:
    bell, daily = caller.get(JOBS).json()["items"]
    assert (bell["title"], bell["every_seconds"], bell["latest"]) == ("Ring the bell", 3600, None)
    assert (bell["schedule"], daily["schedule"]) == ("every hour", "daily at 04:30 (Asia/Seoul)")
    assert (daily["weekly_at"], daily["monthly_at"]) == (None, None)
    assert (daily["daily_at"], daily["next_at"]) == ("04:30 Asia/Seoul", "2096-10-02T19:30:00Z")


def test_a_job_runs_behind_the_answer(caller: Caller, working: Shell, bell: Bell) -> None:
    begun = caller.post(f"{JOBS}/bell/run")
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    again = caller.post(f"{JOBS}/bell/run")
    assert (again.status_code, again.json()["code"]) == (409, "busy")
    bell.go.set()
    assert working.jobs.stop()
    [run] = caller.get(f"{JOBS}/bell/runs").json()["items"]
    assert (run["state"], run["result"]) == ("done", "rang")
    [change] = working.history.page("platform", 10)
    assert (change.kind, change.subject, change.verb) == ("Job", "bell", "run")
    assert "Job bell: run" in [each.detail for each in working.audit.page(10)]


def test_a_run_that_is_asked_for_again_under_its_key_is_the_same(caller: Caller, bell: Bell) -> None:
    again = {"Idempotency-Key": "one run"}
    first, second = (caller.post(f"{JOBS}/bell/run", headers=again) for _ in range(2))
    bell.go.set()
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()


def test_jobs_come_page_by_page(caller: Caller) -> None:
    first = caller.get(JOBS, params={"limit": 1}).json()
    rest = caller.get(JOBS, params={"limit": 1, "cursor": first["cursor"]}).json()
    assert [each["name"] for each in first["items"] + rest["items"]] == ["bell", "daily"]
    assert rest["cursor"] is None


def test_running_takes_the_right_to_write(caller: Caller, working: Shell) -> None:
    reader = Caller(create_api(working), new_key(working, "platform:read"))
    assert reader.get(JOBS).status_code == 200
    assert reader.post(f"{JOBS}/daily/run").status_code == 403


def test_a_job_that_is_not_there_is_not_found(caller: Caller) -> None:
    assert caller.get(f"{JOBS}/nothing/runs").status_code == 404
    assert caller.post(f"{JOBS}/nothing/run").status_code == 404


def test_a_run_that_goes_on_is_marked_to_be_stopped(caller: Caller, working: Shell, bell: Bell) -> None:
    idle = caller.post(f"{JOBS}/bell/stop")
    assert (idle.status_code, idle.json()["code"]) == (409, "conflict")
    assert idle.json()["detail"] == "The job bell is not running."
    caller.post(f"{JOBS}/bell/run")
    try:
        marked = caller.post(f"{JOBS}/bell/stop")
        assert (marked.status_code, marked.json()["state"]) == (202, "running")
        assert marked.json()["stop_asked_at"] is not None
        assert {each.verb for each in working.history.page("platform", 10)} == {"run", "stop"}
    finally:
        bell.go.set()


def test_stopping_takes_the_right_to_write(working: Shell) -> None:
    reader = Caller(create_api(working), new_key(working, "platform:read"))
    assert reader.post(f"{JOBS}/bell/stop").status_code == 403
