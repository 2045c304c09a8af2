"""The shell from settings alone: what lasts over a restart, and what is at work in between."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hansang.apps.codex.design import FMWebApp
from hansang.apps.platform.accounts import accounts_of
from hansang.parts.jobs import Job
from hansang.parts.journal import JobRun
from hansang.parts.platform import Platform
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.surfaces.shells import SetClock, clock, new_key

__all__ = ["clock"]


def settings(tmp_path: Path, *, jobs: bool = False) -> ServerSettings:
    return ServerSettings(data=str(tmp_path / "a.db"), jobs=jobs)


def test_a_data_file_gets_every_table(tmp_path: Path) -> None:
    with open_shell(settings(tmp_path)) as shell:
        listed = shell.database.backend.call("ListTables", {})["TableNames"]
        tables = [table.name for each in shell.applications for table in each.tables]
    assert sorted(listed) == sorted([Platform.name, *tables])
    assert FMWebApp.name in listed


def test_keys_sessions_and_cursors_outlast_a_restart(tmp_path: Path, clock: SetClock) -> None:
    with open_shell(settings(tmp_path), clock) as shell:
        first, second = new_key(shell, "news:read"), new_key(shell, "news:write")
        cursor = accounts_of(shell.identity).keys.page(1).cursor
        person = accounts_of(shell.identity).people.create("seoyeon", "윤서연", {"*": "owner"})
        cookie = accounts_of(shell.identity).sessions.start(person, "here", "a test")
        token = accounts_of(shell.identity).sessions.csrf(cookie)
    with open_shell(settings(tmp_path), clock) as shell:
        assert accounts_of(shell.identity).keys.find(first)
        assert accounts_of(shell.identity).keys.find(second)
        assert len(accounts_of(shell.identity).keys.page(1, cursor)) == 1
        assert accounts_of(shell.identity).sessions.find(cookie)
        assert accounts_of(shell.identity).sessions.check_csrf(cookie, token)


def test_what_was_used_is_written_down_at_the_end(tmp_path: Path, clock: SetClock) -> None:
    for _ in range(2):
        with open_shell(settings(tmp_path), clock, server_start="one") as shell:
            assert shell.application("news").tables
            accounts_of(shell.identity).keys.page()
    with open_shell(settings(tmp_path), clock, server_start="one") as shell:
        used = {each.pattern: each.requests for each in shell.usage.snapshot()}
    assert used["ApiKey.everything"] == 2


def test_jobs_run_where_the_settings_say_so(tmp_path: Path) -> None:
    ran = threading.Event()

    def run(_: JobRun) -> str:
        ran.set()
        return "done"

    job = Job(name="once", title=Words("한 번", "Once"), run=run, schedule=Schedule.every(3600))
    with open_shell(settings(tmp_path), jobs=[job]) as shell:
        assert not shell.settings.jobs
        assert not ran.wait(0.2)
    with open_shell(settings(tmp_path, jobs=True), jobs=[job]):
        assert ran.wait(60)


def sweepers() -> int:
    return sum(thread.name == "hansang-sweep" for thread in threading.enumerate())


@pytest.mark.parametrize(("jobs", "own"), [(True, 0), (False, 1)])
def test_what_has_expired_is_swept_by_the_job_or_else_by_the_engine(
    tmp_path: Path, jobs: bool, own: int
) -> None:
    others = sweepers()
    with open_shell(settings(tmp_path, jobs=jobs)) as shell:
        assert sweepers() - others == own
        assert "expiry-sweep" in [each.job.name for each in shell.jobs.states()]
    with open_shell(settings(tmp_path, jobs=True), jobs=[]):
        assert sweepers() - others == 1
