"""Loading lists in the background, one after the other, in whichever process has the job."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import Run
from hansang.apps.news.inputs import read_links
from hansang.apps.news.loading import Loader
from hansang.apps.news.reasons import reason_of
from hansang.apps.news.runs import Runs, is_whole
from hansang.apps.news.sent_lists import SentList, SentLists
from hansang.clock import Clock
from hansang.errors import Busy, Conflict, InvalidInput, NotFound, StoreBusy
from hansang.parts.jobs import JobRunner, JobStopped

JOB = "news-load"
_LOOKED_BACK = 20.0
"""Over how many seconds the rate is taken."""


def start(jobs: JobRunner) -> None:
    """Begin with the lists that wait at once, unless somebody is at it already and comes to them."""
    with suppress(Busy, NotFound):
        jobs.run_now(JOB, wait=False)


class BackgroundLoads:
    """Works on the lists that wait; a run that was broken off goes on with what it has not dealt with."""

    def __init__(self, lists: SentLists, loader: Loader, runs: Runs, clock: Clock) -> None:
        self._lists, self._loader, self._runs, self._clock = lists, loader, runs, clock

    def is_wanted(self) -> bool:
        """Whether a list waits."""
        return self._lists.waiting() is not None

    def load_next(self, stop: threading.Event) -> Run | None:
        """Load the list that has waited longest; None when none waits. One that is stopped so waits on."""
        sent = self._lists.waiting()
        return None if sent is None else self._load(sent, stop)

    def _load(self, sent: SentList, stop: threading.Event) -> Run:
        run = self._runs.get(sent.run)
        if is_whole(run):  # Whoever loaded it was gone before the list was.
            self._lists.delete(sent)
            return run
        if run.stop_asked_at is not None and run.run_state == "waiting":
            self._lists.leave(sent)
            return self._runs.set_state(run, "stopped")
        return self._loaded(sent, run, stop)

    def _loaded(self, sent: SentList, run: Run, stop: threading.Event) -> Run:
        try:
            with self._lists.opened(sent) as file:
                extent = _Extent(file, sent.length, self._clock)
                lines = extent.counted(read_links(ListText(file), sent.form))
                ended = self._loader.load(lines, run=run.id, extent=extent, stop=stop)
        except (InvalidInput, Conflict) as fault:
            why = reason_of(fault)
            self._lists.leave(sent, {"why": why.text, "code": why.code, "values": why.values})
            left = self._runs.get(run.id)
            return self._runs.set_state(left, "stopped") if left.run_state == "waiting" else left
        except JobStopped:
            self._lists.leave(sent)
            raise
        except StoreBusy as busy:
            with suppress(StoreBusy):
                self._runs.set_state(run, "waiting")
            raise Busy(
                "The data file stayed busy, so the run {run} waits. It goes on by itself in some minutes.",
                code="news.run-waits",
                values={"run": run.id},
            ) from busy
        if is_whole(ended):
            self._lists.delete(sent)
        elif ended.run_state == "stopped" and stop.is_set():
            return self._runs.set_state(ended, "waiting")
        else:
            self._lists.leave(sent)
        return ended


class _Extent:
    """How far a list is read, in bytes, how many lines it is likely to have, and how many are done a minute.

    A list is read some kilobytes ahead of its lines. So its lines are judged by those that were given out when it was
    read on the last time: then all that had been read before was given out.
    """

    def __init__(self, file: BinaryIO, length: int, clock: Clock) -> None:
        self._file, self._length, self._clock = file, length, clock
        self._looks = deque([(clock(), 0)])
        self._place, self._given, self._likely = 0, 0, 0

    def counted(self, lines: Iterable[Any]) -> Iterator[Any]:
        """The lines as they are, each counted."""
        for line in lines:
            here = self._file.tell()
            if here != self._place:
                self._likely = self._length * self._given // max(1, self._place)
                self._place = here
            self._given += 1
            yield line

    def __call__(self, lines: int) -> Mapping[str, int]:
        now = self._clock()
        self._looks.append((now, lines))
        while now - self._looks[1][0] > _LOOKED_BACK:
            self._looks.popleft()
        since, before = self._looks[0]
        rate = (lines - before) * 60 / max(0.5, now - since)
        read = min(self._file.tell(), self._length)
        return {"read": read, "length": self._length, "rate": round(rate), "lines": self._likely}
