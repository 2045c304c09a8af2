"""Metrics of the whole server in the form that Prometheus reads: the sums over all workers."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event, Thread

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from hansang import __version__
from hansang.parts.jobs import JobState
from hansang.parts.timestamps import to_datetime
from hansang.parts.usage import PatternUsage
from hansang.surfaces.http.board import Board, WorkerReport
from hansang.surfaces.http.counts import BOUNDS, Counter, RequestCounts, Times
from hansang.surfaces.shell import Shell

SHOWN_EVERY = 1.0
"""After how many seconds a worker shows the others what it has counted."""

_LEVELS = [*map(str, BOUNDS), "+Inf"]
_STATES = ("running", "done", "failed", "stopped", "lost")

_log = logging.getLogger("hansang.http")


class Metrics:
    """What this worker counts, and what it knows of the others."""

    def __init__(self, shell: Shell, worker: str = "1", board: Board | None = None) -> None:
        self.counter = Counter()
        self._shell, self._worker, self._board = shell, worker, board

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """The text of all metrics and its type; it reads tables and files, so it is called in a thread."""
        registry = CollectorRegistry()
        registry.register(_Families(self._families))
        encode, kind = choose_encoder(accept)
        return encode(registry), kind

    def show(self) -> None:
        """Let the other workers see what was counted here."""
        if self._board is not None:
            self._board.show(self._own())

    @contextmanager
    def shown(self, every: float = SHOWN_EVERY) -> Iterator[None]:
        """Show it again and again while the block runs, and once more at its end."""
        if self._board is None:
            yield
            return
        ended = Event()
        thread = Thread(target=self._keep_showing, args=(ended, every), name="metrics", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _keep_showing(self, ended: Event, every: float) -> None:
        over = False
        while not over:
            over = ended.wait(every)
            try:
                self.show()
            except OSError:
                _log.exception("the metrics of this worker could not be written")

    def _own(self) -> WorkerReport:
        counts, running = self.counter.snapshot()
        return WorkerReport(
            self._worker, counts, running, resident_bytes(), self._shell.started_at, self.counter.streams
        )

    def _everyone(self) -> tuple[list[WorkerReport], RequestCounts]:
        others, gone = self._board.read() if self._board is not None else ([], RequestCounts())
        return [self._own(), *(each for each in others if each.worker != self._worker)], gone

    def _families(self) -> Iterator[Metric]:
        workers, total = self._everyone()
        for each in workers:
            total.merge(each.counts)
        yield from _about()
        yield from _requests(total)
        yield from _workers(workers)
        yield from _log_size(self._shell.wal_bytes())
        yield from _usage(self._shell.usage.snapshot())
        yield from _jobs(self._shell.jobs.states(), to_datetime(self._shell.clock()))


class _Families(Collector):
    def __init__(self, families: Callable[[], Iterable[Metric]]) -> None:
        self._families = families

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        return self._families()


def resident_bytes() -> int:
    """How much memory this process has, or zero where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _about() -> Iterator[Metric]:
    about = GaugeMetricFamily("hansang_info", "Which Hansang this is.", labels=["version"])
    about.add_metric([__version__], 1)
    yield about


def _requests(counts: RequestCounts) -> Iterator[Metric]:
    answers = CounterMetricFamily(
        "hansang_http_requests", "Requests answered.", labels=["method", "route", "status"]
    )
    for (method, route, status), number in sorted(counts.answers.items()):
        answers.add_metric([method, route, str(status)], number)
    yield answers
    times = HistogramMetricFamily(
        "hansang_http_request_seconds", "How long requests took.", labels=["method", "route"]
    )
    for (method, route), each in sorted(counts.times.items()):
        times.add_metric([method, route], _buckets(each), each.total)
    yield times


def _buckets(times: Times) -> list[tuple[str, float]]:
    sums, so_far = [], 0
    for level, number in zip(_LEVELS, times.classes, strict=True):
        so_far += number
        sums.append((level, float(so_far)))
    return sums


def _workers(workers: list[WorkerReport]) -> Iterator[Metric]:
    running = sum(each.running for each in workers)
    yield GaugeMetricFamily("hansang_http_requests_in_progress", "Requests being worked on.", value=running)
    streams = sum(each.streams for each in workers)
    yield GaugeMetricFamily("hansang_http_streams", "Streams of live messages that are open.", value=streams)
    started = GaugeMetricFamily(
        "hansang_worker_start_time_seconds", "When a worker was started.", labels=["worker"]
    )
    resident = GaugeMetricFamily(
        "hansang_worker_resident_bytes", "Memory that a worker has.", labels=["worker"]
    )
    for each in sorted(workers, key=lambda one: one.worker):
        started.add_metric([each.worker], each.started)
        resident.add_metric([each.worker], each.resident)
    yield from (started, resident)


def _log_size(size: int | None) -> Iterator[Metric]:
    if size is not None:
        yield GaugeMetricFamily("hansang_wal_bytes", "Size of the data file's write-ahead log.", value=size)


def _usage(usage: Iterable[PatternUsage]) -> Iterator[Metric]:
    places = ["pattern", "operation", "table", "index"]
    requests = CounterMetricFamily("hansang_table_requests", "Requests sent to tables.", labels=places)
    read = CounterMetricFamily("hansang_consumed_read_units", "Read units consumed.", labels=places)
    write = CounterMetricFamily("hansang_consumed_write_units", "Write units consumed.", labels=places)
    for each in usage:
        place = [each.pattern, each.operation, each.table, each.index]
        requests.add_metric(place, each.requests)
        read.add_metric(place, each.read_units)
        write.add_metric(place, each.write_units)
    yield from (requests, read, write)


def _jobs(states: Iterable[JobState], now: datetime) -> Iterator[Metric]:
    standing = GaugeMetricFamily(
        "hansang_job_state", "1 for the state of a job's newest run.", labels=["job", "state"]
    )
    begun = GaugeMetricFamily(
        "hansang_job_last_run_time_seconds", "When a job's newest run began.", labels=["job"]
    )
    took = GaugeMetricFamily(
        "hansang_job_last_run_seconds", "How long a job's newest run took.", labels=["job"]
    )
    counts = GaugeMetricFamily(
        "hansang_job_last_run_count", "The numbers that a job's newest run has told.", labels=["job", "count"]
    )
    for each in states:
        run = each.latest
        if run is None:
            continue
        for state in _STATES:
            standing.add_metric([each.job.name, state], float(run.standing(now) == state))
        begun.add_metric([each.job.name], run.claimed_at.timestamp())
        if run.took_ms is not None:
            took.add_metric([each.job.name], run.took_ms / 1000)
        for name, number in run.counts.items():
            counts.add_metric([each.job.name, name], number)
    yield from (standing, begun, took, counts)
