"""Ctrl+C while a list is being loaded, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hansang.apps.news.design import NewsItems, NewsWork, Run
from hansang.apps.news.service import News
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from tests.apps.news.lists import links
from tests.apps.news.recent import recent_runs
from tests.clauses import clause
from tests.engine.holding import PATIENCE

LINES = [json.dumps({**each, "title": each["title"] + " " * 200}) + "\n" for each in links(1300)]
"""Long enough for two parts and something more to be read while the pipe is still open."""


def command(*words: str, place: Path) -> list[str]:
    return [str(Path(sys.executable).parent / "hansang"), "news", *words, "--data", str(place)]


@contextmanager
def loading(place: Path) -> Iterator[subprocess.Popen[str]]:
    """A load that has written two parts and waits for more of its list."""
    process = subprocess.Popen(
        command("load", "-", "--form", "jsonl", place=place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdin is not None
            process.stdin.writelines(LINES)
            process.stdin.flush()
            wait_for_parts(place, 2)
            yield process
        finally:
            process.kill()


@contextmanager
def opened(place: Path) -> Iterator[tuple[Database, News]]:
    with Embedded.open(place) as backend:
        database = Database(backend)
        database.create_tables(NewsItems, NewsWork)
        yield database, News(database, system_clock)


def the_run(place: Path) -> Run | None:
    with opened(place) as (database, news):
        return next(iter(recent_runs(database, news)), None)


def wait_for_parts(place: Path, count: int) -> None:
    """Look now and then, since the process that is waited for needs the machine too."""
    deadline = time.monotonic() + PATIENCE
    with opened(place) as (database, news):
        while time.monotonic() < deadline:
            if any(len(list(news.reading.report(run.id))) == count for run in recent_runs(database, news)):
                return
            time.sleep(0.1)
    raise AssertionError(f"There are not {count} parts after {PATIENCE} seconds.")


def resumed(place: Path, run: Run, file: Path) -> dict[str, object]:
    file.write_text("".join(LINES))
    words = command("load", str(file), "--run", run.id, "--json", place=place)
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@clause("X3-23")
def test_a_load_stops_after_its_part_and_goes_on_with_its_run(tmp_path: Path) -> None:
    place = tmp_path / "news.db"
    with loading(place) as process:
        process.send_signal(signal.SIGINT)
        assert "Stopping after this part" in read_line(process)
        out, err = process.communicate(timeout=60)
    run = the_run(place)
    assert run is not None
    assert (process.returncode, run.run_state, run.inserted) == (1, "stopped", 1000)
    assert f"run {run.id}: stopped" in out
    assert f"Go on with: --run {run.id}" in err
    assert resumed(place, run, tmp_path / "list.jsonl")["inserted"] == 1300


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


@clause("X3-23")
def test_a_second_time_it_stops_at_once_and_can_go_on_all_the_same(tmp_path: Path) -> None:
    place = tmp_path / "news.db"
    with loading(place) as process:
        process.send_signal(signal.SIGINT)
        assert "Stopping after this part" in read_line(process)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        assert process.returncode == 130
    run = the_run(place)
    assert run is not None
    assert (run.run_state, run.inserted) == ("stopped", 1000)
    assert resumed(place, run, tmp_path / "list.jsonl")["inserted"] == 1300


@clause("X3-23", "X3-07")
def test_a_load_that_is_killed_goes_on_with_its_run(tmp_path: Path) -> None:
    place = tmp_path / "news.db"
    with loading(place) as process:
        process.kill()
        process.wait(timeout=60)
    run = the_run(place)
    assert run is not None
    assert run.run_state == "running"
    assert resumed(place, run, tmp_path / "list.jsonl")["inserted"] == 1300
