"""Several workers on one socket: started, watched, replaced when they die, and ended together."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import monotonic

from hansang.errors import HansangError
from hansang.settings import ServerSettings
from hansang.surfaces.http.board import Board
from hansang.surfaces.server.ending import CLOSING
from hansang.surfaces.server.signals import STOPPING, signals_held
from hansang.surfaces.server.workers import Build, Worker, work

OVERDUE = 5
"""After how many seconds a worker is killed that should have ended itself."""
STEADY = 10.0
"""A worker that lived so many seconds was all right; one that did not is replaced later and later."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0

_spawn = multiprocessing.get_context("spawn")
_log = logging.getLogger("hansang.server")


@dataclass(slots=True)
class _Place:
    """The place of one worker, whoever fills it."""

    number: int
    process: SpawnProcess | None = None
    report: Connection | None = None
    began: float = 0.0
    due: float = 0.0
    failures: int = 0
    is_ready: bool = False
    error: HansangError | None = None


class Supervisor:
    """Keeps as many workers as the settings say."""

    def __init__(
        self,
        settings: ServerSettings,
        build: Build,
        listener: socket.socket,
        server: str,
        board: Path,
        ready: Callable[[], object],
    ) -> None:
        self._settings, self._build, self._listener = settings, build, listener
        self._server, self._board, self._ready = server, board, ready
        self._places = [_Place(number) for number in range(1, settings.workers + 1)]
        self._announced = False
        self._stopping = False

    def run(self) -> None:
        """Serve until a signal; an error of a worker that cannot even start ends them all."""
        with self._signals() as wake:
            try:
                while not self._stopping:
                    self._start_due()
                    self._await(wake)
                    for place in self._places:
                        self._look_at(place)
                    self._announce()
            finally:
                self._listener.close()
                self._end_all()

    # ── starting ──────────────────────────────────────────────────────────────────────────────────

    def _start_due(self) -> None:
        for place in self._places:
            if place.process is None and place.due <= monotonic():
                self._start(place)

    def _start(self, place: _Place) -> None:
        ours, theirs = _spawn.Pipe(duplex=False)
        worker = Worker(place.number, self._server, str(self._board))
        place.process = _spawn.Process(
            target=work,
            args=(self._settings, self._build, worker, self._listener, theirs),
            name=f"hansang-worker-{place.number}",
        )
        with signals_held():
            place.process.start()
        theirs.close()
        place.report, place.began, place.is_ready, place.error = ours, monotonic(), False, None

    def _announce(self) -> None:
        if not self._announced and all(place.is_ready for place in self._places):
            self._announced = True
            self._ready()

    # ── watching ──────────────────────────────────────────────────────────────────────────────────

    def _await(self, wake: int) -> None:
        """Wait until a worker has something to say, one has ended, one is due, or a signal has come."""
        running = [place for place in self._places if place.process is not None]
        ends = [place.process.sentinel for place in running if place.process is not None]
        reports = [place.report for place in running if place.report is not None]
        pauses = [place.due - monotonic() for place in self._places if place.process is None]
        wait([wake, *ends, *reports], max(0.0, min(pauses)) if pauses else None)

    def _look_at(self, place: _Place) -> None:
        if place.report is not None and place.report.poll():
            self._hear(place, place.report)
        if place.process is not None and not place.process.is_alive():
            self._bury(place, place.process)

    def _hear(self, place: _Place, report: Connection) -> None:
        with suppress(EOFError, OSError):
            place.error = report.recv()
            place.is_ready = place.error is None
        report.close()
        place.report = None

    def _bury(self, place: _Place, process: SpawnProcess) -> None:
        """Keep what the worker has counted, and have another one in a while."""
        process.join()
        place.process = None
        Board(self._board).retire(str(place.number))
        if not self._announced and not self._stopping:
            raise place.error or HansangError(
                f"Worker {place.number} ended with code {process.exitcode} before it was ready."
            )
        steady = monotonic() - place.began >= STEADY
        place.failures = 0 if steady else place.failures + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**place.failures)
        place.due = monotonic() + pause
        if not self._stopping:
            reason = place.error or f"code {process.exitcode}"
            _log.error("worker %s ended: %s; another one starts in %.1f s", place.number, reason, pause)

    # ── ending ────────────────────────────────────────────────────────────────────────────────────

    def _end_all(self) -> None:
        alive = [place.process for place in self._places if place.process is not None]
        for process in alive:
            process.terminate()
        deadline = monotonic() + self._settings.grace + CLOSING + OVERDUE
        for process in alive:
            process.join(max(0.0, deadline - monotonic()))
            if process.is_alive():
                _log.error("%s did not end in time and was killed", process.name)
                process.kill()
                process.join()

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Take signals as the wish to stop; what is yielded becomes readable then."""
        reader, writer = os.pipe()

        def stop(*_: object) -> None:
            self._stopping = True
            os.write(writer, b"!")

        before = {number: signal.signal(number, stop) for number in STOPPING}
        try:
            yield reader
        finally:
            for number, action in before.items():
                signal.signal(number, action)
            os.close(reader)
            os.close(writer)
