"""Importing days in the background, one after the other, in whichever process has the job; and rolling them back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import BinaryIO

from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.finishing import Finisher
from hansang.apps.rankings.importing import Importer
from hansang.apps.rankings.sent_days import SentDay, SentDays
from hansang.clock import Clock
from hansang.errors import Busy, Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.jobs import JobRunner, JobStopped, tell_progress
from hansang.parts.topics import Publish
from hansang.parts.words import Words

JOB = "rankings-import"
_LOOKED_BACK = 20.0
"""Over how many seconds the rate is taken."""
_STEPS = {
    "writing": "저장",
    "level": "레벨 순위 계산",
    "power": "전투력 순위 계산",
    "ended": "공개",
    "removing": "삭제",
    "removed": "삭제 완료",
}
"""What the steps are called in Korean."""


def day_topic(day: date) -> str:
    """The topic of a day: how far its import has come."""
    return f"rankings.day.{day}"


def words_of_step(step: str, count: int) -> Words:
    """How far a step has come, for the page of the job."""
    return Words(f"{_STEPS.get(step, step)}: {count:,}명", f"{step}: {count:,} players")


def start(jobs: JobRunner) -> None:
    """Begin with the days that wait at once, unless somebody is at it already and comes to them."""
    with suppress(Busy, NotFound):
        jobs.run_now(JOB, wait=False)


class BackgroundImports:
    """Works on the days that wait; one that was broken off goes on with the rows that are not written."""

    def __init__(
        self,
        sent: SentDays,
        days: Days,
        importer: Importer,
        finisher: Finisher,
        clock: Clock,
        publish: Publish,
    ) -> None:
        self._sent, self._days, self._importer, self._finisher = sent, days, importer, finisher
        self._clock, self._publish = clock, publish

    def is_wanted(self) -> bool:
        """Whether a day waits to be imported or removed."""
        return self._removing() is not None or self._sent.next() is not None

    def work_next(self, stop: threading.Event) -> date | None:
        """Remove or import the day that waits; None when none does."""
        removing = self._removing()
        if removing is not None:
            self._finisher.roll_back(
                removing.day, tell=lambda step, rows: self._tell(removing.day, step, rows)
            )
            self._tell(removing.day, "removed", 0, at_once=True)
            return removing.day
        sent = self._sent.next()
        if sent is None:
            return None
        self._import(sent, stop)
        return sent.day

    def _removing(self) -> SnapshotDay | None:
        return next((each for each in self._days.page(50) if each.status == "removing"), None)

    def _import(self, sent: SentDay, stop: threading.Event) -> None:
        try:
            self._imported(sent, stop)
        except (InvalidInput, Conflict, Busy) as fault:
            values = {name: str(value)[:200] for name, value in fault.values.items()}
            self._sent.put(
                self._now(sent), "left", why=str(fault), code=fault.code, values=values, stop_asked=False
            )
        except (JobStopped, HansangError):
            self._sent.put(self._now(sent), "left", stop_asked=False)
            raise
        finally:
            self._tell(sent.day, "ended", 0, at_once=True)

    def _imported(self, sent: SentDay, stop: threading.Event) -> None:
        if sent.reopens:
            self._finisher.reopen(sent.day)
        begun = self._sent.put(sent, "importing", reopens=False)
        found = self._days.find(sent.day)
        is_written = found is not None and found.status in ("finishing", "finished")
        if not is_written and not self._loaded(begun, stop):
            state = self._now(sent)
            self._sent.put(state, "left" if state.stop_asked else "waiting", stop_asked=False)
            return
        self._finisher.finish(sent.day, tell=lambda step, rows: self._tell(sent.day, step, rows))
        self._sent.put(self._now(sent), "done", stop_asked=False)

    def _loaded(self, sent: SentDay, stop: threading.Event) -> bool:
        """Write the rows that are not written; False if somebody wants it to be left."""
        halt = threading.Event()
        with self._sent.opened(sent) as file:
            extent = _DayExtent(file, sent.length, self._clock)

            def progress(rows: int) -> None:
                message = extent.after(rows)
                self._tell(sent.day, "writing", message["rows"], message)
                if stop.is_set() or (extent.is_due() and self._sent.is_stopped(sent.day)):
                    halt.set()

            rows = self._sent.rows(sent, file)
            return self._importer.load(sent.day, rows, progress=progress, stop=halt)

    def _now(self, sent: SentDay) -> SentDay:
        return self._sent.find(sent.day) or sent

    def _tell(
        self,
        day: date,
        step: str,
        count: int,
        more: Mapping[str, int] | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        said = words_of_step(step, count)
        tell_progress(Words(f"{day} {said.ko}", f"{day} {said.en}"))
        message = {"step": step, "rows": count, "at": int(self._clock()), **(more or {})}
        self._publish(day_topic(day), message, at_once=at_once)


class _DayExtent:
    """How far a file is read, in bytes and rows, and how many players a second that is."""

    def __init__(self, file: BinaryIO, length: int, clock: Clock) -> None:
        self._file, self._length, self._clock = file, length, clock
        self._rows, self._looked_at = 0, clock()
        self._looks = deque([(clock(), 0)])

    def after(self, rows: int) -> dict[str, int]:
        """How far it is after so many rows more."""
        now = self._clock()
        self._rows += rows
        self._looks.append((now, self._rows))
        while now - self._looks[1][0] > _LOOKED_BACK:
            self._looks.popleft()
        since, before = self._looks[0]
        rate = (self._rows - before) / max(0.5, now - since)
        read = min(self._file.tell(), self._length)
        return {"rows": self._rows, "read": read, "length": self._length, "rate": round(rate)}

    def is_due(self) -> bool:
        """Whether it is time to ask if somebody wants it to be left: once a second."""
        now = self._clock()
        if now - self._looked_at < 1.0:
            return False
        self._looked_at = now
        return True
