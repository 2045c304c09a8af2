"""Metrics in the form that Prometheus reads."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.jobs import Job, JobResult
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.http.board import Board, WorkerReport
from hansang.surfaces.http.counts import RequestCounts
from hansang.surfaces.http.metrics import Metrics, resident_bytes
from hansang.surfaces.shell import Shell
from tests.surfaces.shells import SetClock, opened

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(metrics: Metrics) -> Samples:
    text, kind = metrics.exposition("")
    assert kind.startswith("text/plain; version=")
    families = text_string_to_metric_families(text.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


def count(metrics: Metrics, status: int = 200, seconds: float = 0.02) -> None:
    metrics.counter.begin()
    metrics.counter.end("GET", "/apps/{app}", status, seconds)


def test_requests_are_counted_by_route_method_and_status(shell: Shell) -> None:
    metrics = Metrics(shell)
    for status in (200, 200, 500):
        count(metrics, status)
    samples, route = scraped(metrics), {"method": "GET", "route": "/apps/{app}"}
    assert value(samples, "hansang_http_requests_total", status="200", **route) == 2
    assert value(samples, "hansang_http_requests_total", status="500", **route) == 1
    assert value(samples, "hansang_http_request_seconds_count", **route) == 3
    assert value(samples, "hansang_http_request_seconds_bucket", le="0.01", **route) == 0
    assert value(samples, "hansang_http_request_seconds_bucket", le="0.025", **route) == 3
    assert value(samples, "hansang_http_request_seconds_bucket", le="+Inf", **route) == 3


def test_what_is_being_worked_on_is_shown(shell: Shell) -> None:
    metrics = Metrics(shell)
    metrics.counter.begin()
    assert value(scraped(metrics), "hansang_http_requests_in_progress") == 1


def test_the_start_and_the_memory_are_shown(shell: Shell, clock: SetClock) -> None:
    samples = scraped(Metrics(shell))
    assert value(samples, "hansang_worker_start_time_seconds", worker="1") == clock.now
    assert value(samples, "hansang_worker_resident_bytes", worker="1") > 1_000_000
    assert resident_bytes() > 1_000_000


def test_the_size_of_the_log_is_shown(shell: Shell) -> None:
    assert value(scraped(Metrics(shell)), "hansang_wal_bytes") == 0
    with_file, elsewhere = replace(shell, wal_bytes=lambda: 4096), replace(shell, wal_bytes=lambda: None)
    assert value(scraped(Metrics(with_file)), "hansang_wal_bytes") == 4096
    assert ("hansang_wal_bytes", frozenset()) not in scraped(Metrics(elsewhere))


def test_units_are_those_that_the_tables_have_counted(shell: Shell) -> None:
    accounts_of(shell.identity).people.create("seoyeon", "윤서연", {"*": "owner"})
    accounts_of(shell.identity).people.get("seoyeon")
    written = [
        number
        for (name, labels), number in scraped(Metrics(shell)).items()
        if name == "hansang_consumed_write_units_total" and ("table", "HansangPlatform") in labels
    ]
    assert sum(written) >= 2


def test_the_newest_run_of_every_job_is_shown(clock: SetClock) -> None:
    def fail(_: object) -> str:
        raise RuntimeError("no")

    good = Job(
        name="good",
        title=Words("좋은 일", "Good"),
        run=lambda _: JobResult("done", {"kept": 3}),
        schedule=Schedule.every(3600),
    )
    bad = Job(name="bad", title=Words("나쁜 일", "Bad"), run=fail, schedule=Schedule.every(3600))
    idle = Job(
        name="idle", title=Words("쉬는 일", "Idle"), run=lambda _: "done", schedule=Schedule.every(3600)
    )
    with opened(clock, jobs=(good, bad, idle)) as shell:
        shell.jobs.run_now("good")
        shell.jobs.run_now("bad")
        samples = scraped(Metrics(shell))
    assert value(samples, "hansang_job_state", job="good", state="done") == 1
    assert value(samples, "hansang_job_state", job="good", state="failed") == 0
    assert value(samples, "hansang_job_state", job="bad", state="failed") == 1
    assert value(samples, "hansang_job_last_run_count", job="good", count="kept") == 3
    assert value(samples, "hansang_job_last_run_time_seconds", job="good") == int(clock.now)
    assert not [labels for name, labels in samples if ("job", "idle") in labels]


def test_a_scrape_gives_the_sums_over_all_workers(shell: Shell, tmp_path: Path) -> None:
    board = Board(tmp_path)
    one, two = Metrics(shell, "1", board), Metrics(shell, "2", board)
    count(one)
    count(two)
    count(two)
    board.show(WorkerReport("3", RequestCounts({("GET", "/apps/{app}", 200): 4})))
    board.retire("3")
    one.show()
    two.show()
    for metrics in (one, two):
        samples = scraped(metrics)
        route = {"method": "GET", "route": "/apps/{app}", "status": "200"}
        assert value(samples, "hansang_http_requests_total", **route) == 7
        assert value(samples, "hansang_worker_resident_bytes", worker="2") > 0


def test_a_worker_shows_its_counts_again_and_again_and_at_its_end(shell: Shell, tmp_path: Path) -> None:
    board = Board(tmp_path)
    metrics = Metrics(shell, "1", board)
    with metrics.shown(every=0.01):
        count(metrics)
        deadline = time.monotonic() + 60
        while not any(each.counts.answers for each in board.read()[0]):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    with metrics.shown(every=60):
        count(metrics)
    assert board.read()[0][0].counts.answers == {("GET", "/apps/{app}", 200): 2}


def test_openmetrics_is_spoken_to_who_asks_for_it(shell: Shell) -> None:
    text, kind = Metrics(shell).exposition("application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")
