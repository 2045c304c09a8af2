"""Jobs: what the server does by itself, by a schedule, once across all workers."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic

from hansang.backends.limits import limits
from hansang.design import Page, Unreadable
from hansang.errors import Busy, Conflict, DesignError, HansangError, NotFound, UnexpectedItem
from hansang.parts.journal import JobRun, Journal
from hansang.parts.permissions import PLATFORM
from hansang.parts.receipts import Beside, alone
from hansang.parts.schedules import Schedule
from hansang.parts.topics import Publish, unheard
from hansang.parts.usage_periods import used_by
from hansang.parts.words import Words

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_MANUAL = "-now"

STOP_POLL = 1.0
"""How many seconds lie between two looks whether somebody wants a run to stop."""
LONGEST_PROGRESS = 200
"""In characters."""

log = logging.getLogger("hansang.jobs")

_telling: ContextVar[Callable[[Words], object] | None] = ContextVar("the job that runs here", default=None)

_ending: ContextVar[threading.Event | None] = ContextVar("the end of the server", default=None)


def tell_progress(text: Words) -> None:
    """Say how far the job has come that runs in this thread, which ends here if it is to; without one, nobody hears it."""
    found = limits.get()
    if found is not None:
        found.check()
    tell = _telling.get()
    if tell is not None:
        tell(Words(text.ko[:LONGEST_PROGRESS], text.en[:LONGEST_PROGRESS]))


def ending() -> threading.Event:
    """Set when the server that runs this job ends: long work leaves off at its next step, to be gone on with later."""
    return _ending.get() or threading.Event()


def job_topic(name: str) -> str:
    """The topic of a job: the slot of its newest run, how that stands, and how far it has come."""
    return f"{PLATFORM}.job.{name}"


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a run: a line for people, and numbers by name for metrics and alarms."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that comes back by its schedule."""

    name: str
    title: Words
    run: Callable[[JobRun], str | JobResult]
    """Does the work of one slot and says what came of it; safe to be done twice."""
    schedule: Schedule
    area: str = "platform"
    """The application that it belongs to."""
    is_wanted: Callable[[], bool] = lambda: True
    """Whether there is anything to do; a slot for which there is not passes without a run."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DesignError(f"A job cannot be called {self.name!r}: use small letters, digits and hyphens.")


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job stands: its newest run, and when the next slot begins."""

    job: Job
    latest: JobRun | None
    next_at: datetime
    unreadable: list[Unreadable] = field(default_factory=list)
    """Newer runs that cannot be read."""


class JobRunner:
    """Runs the jobs that are due, each in a thread of its own; any number of workers may have one."""

    def __init__(
        self, journal: Journal, jobs: Iterable[Job], *, poll: float = 2.0, publish: Publish = unheard
    ) -> None:
        """`poll` is how many seconds lie between two looks at the clock."""
        self.jobs: dict[str, Job] = {}
        for job in jobs:
            if self.jobs.setdefault(job.name, job) is not job:
                raise DesignError(
                    f"Two jobs are called {job.name}. Put the name of its application before each."
                )
        self._journal, self._poll, self._publish = journal, poll, publish
        self._stopping = threading.Event()
        self._loop: threading.Thread | None = None
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._settled: dict[str, str] = {}

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def get(self, name: str) -> Job:
        """The job of this name, or NotFound."""
        found = self.jobs.get(name)
        if found is None:
            known = ", ".join(self.jobs) or "none"
            raise NotFound(
                "Job {name} not found. There are: {known}.",
                code="parts.no-job",
                values={"name": name, "known": known},
            )
        return found

    def states(self) -> list[JobState]:
        """How every job stands."""
        return [self._state(job) for job in self.jobs.values()]

    def state(self, name: str) -> JobState:
        """How a job stands."""
        return self._state(self.get(name))

    def last_done(self, name: str) -> JobRun | None:
        """The newest run of a job that went well."""
        return self._journal.last_done(self.get(name).name)

    def _state(self, job: Job) -> JobState:
        """How a job stands by its newest run that can be read."""
        page = self._journal.runs(job.name, 1)
        return JobState(
            job, next(iter(page), None), job.schedule.next_after(self._journal.now), page.unreadable
        )

    def runs(self, name: str, limit: int = 20, cursor: str | None = None) -> Page[JobRun]:
        """The runs of a job, the newest first."""
        return self._journal.runs(self.get(name).name, limit, cursor)

    def due(self) -> list[tuple[Job, str]]:
        """The slots that somebody should run now; a job whose run is under way waits for it."""
        found = ((job, self._looked_up(job)) for job in self.jobs.values())
        return [(job, slot) for job, slot in found if slot is not None]

    def _looked_up(self, job: Job) -> str | None:
        """The slot that is due; a job whose last run cannot be read waits, and the others do not wait for it."""
        try:
            return self._due_slot(job)
        except UnexpectedItem as fault:
            log.error("the job %s waits until its last run is repaired: %s", job.name, fault)  # noqa: TRY400
            return None

    def _due_slot(self, job: Job) -> str | None:
        now = self._journal.now
        slot = job.schedule.slot(now)
        if self._settled.get(job.name) == slot:
            return None
        latest = self._journal.latest(job.name)
        if latest is not None and latest.is_alive(now):
            return None
        if latest is not None and latest.is_claimable(now):
            return latest.slot
        return self._open_slot(job, slot, latest) if job.is_wanted() else None

    def _open_slot(self, job: Job, slot: str, latest: JobRun | None) -> str | None:
        now = self._journal.now
        run = latest if latest is not None and latest.slot == slot else self._journal.find(job.name, slot)
        if run is None or run.is_claimable(now):
            return slot
        if run.is_settled and (latest is None or latest.is_settled):
            self._settled[job.name] = slot
        return None

    # ── running ───────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Look for due jobs from now on, in a thread of its own; a runner that does so already goes on."""
        if self._loop is not None and self._loop.is_alive():
            return
        self._stopping.clear()
        self._loop = threading.Thread(target=self._watch, name="jobs", daemon=True)
        self._loop.start()

    def stop(self, timeout: float = 30.0) -> bool:
        """Begin nothing more and wait for what has begun; False if something is still at work then."""
        deadline = monotonic() + timeout
        self._stopping.set()
        if self._loop is not None:
            self._loop.join(timeout)
        threads = [*self._threads, *([] if self._loop is None else [self._loop])]
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def run_now(self, name: str, *, wait: bool = True, beside: Beside[JobRun] = alone) -> JobRun:
        """Run a job out of turn, and return the run when it has ended, or at once; Busy if it is under way.

        What is `beside` it is written in one transaction with the beginning of the run.
        """
        job, now = self.get(name), self._journal.now
        latest = self._journal.latest(name)
        is_free = latest is None or not latest.is_alive(now)
        slot = f"{now:%Y-%m-%dT%H:%M:%S}Z{_MANUAL}"
        run = self._journal.claim(name, slot, beside) if is_free else None
        if run is None:
            raise Busy(
                "The job {name} is running already. Wait until it is done.",
                5.0,
                code="parts.job-running",
                values={"name": name},
            )
        if wait:
            return self._execute(job, run) or run
        self._spawn(job, run)
        return run

    def stop_run(self, name: str, beside: Beside[JobRun] = alone) -> JobRun:
        """Have the run that goes on end at its next step, in whichever process it is; Conflict if none does."""
        job = self.get(name)
        latest = self._journal.latest(job.name)
        is_alive = latest is not None and latest.is_alive(self._journal.now)
        marked = self._journal.ask_to_stop(latest, beside) if latest is not None and is_alive else None
        if marked is None:
            raise Conflict(
                "The job {name} is not running.", code="parts.job-not-running", values={"name": job.name}
            )
        return marked

    def run_slot(self, name: str, moment: datetime | None = None) -> JobRun:
        """Run the slot of a moment and return the run as it stands: done, failed, or under way elsewhere.

        A slot that is done is not run again. Busy if it is not due again yet, or if another slot is under way.
        """
        job, now = self.get(name), self._journal.now
        slot = job.schedule.slot(moment or now)
        latest = self._journal.latest(name)
        if latest is not None and latest.slot != slot and latest.is_alive(now):
            raise Busy(f"The job {name} is still running for {latest.slot}. Try again in a minute.", 60.0)
        run = self._journal.claim(name, slot)
        if run is not None:
            return self._ended(job, run)
        found = self._journal.find(name, slot)
        if found is None or not (found.is_settled or found.is_alive(now)):
            raise Busy(f"The job {name} has failed for {slot} and is not due again yet.", 60.0)
        return found

    def _ended(self, job: Job, run: JobRun) -> JobRun:
        done = self._execute(job, run)
        if done is None:
            raise Busy(f"How the job {job.name} ended for {run.slot} is not written down. Try again.", 60.0)
        return done

    def _watch(self) -> None:
        while True:
            try:
                self._begin_due()
            except HansangError:
                log.exception("the jobs cannot be looked up; the next look is in %s s", self._poll)
            if self._stopping.wait(self._poll):
                return

    def _begin_due(self) -> None:
        for job, slot in self.due():
            if self._stopping.is_set():
                return
            run = self._journal.claim(job.name, slot)
            if run is not None:
                self._spawn(job, run)

    def _spawn(self, job: Job, run: JobRun) -> None:
        thread = threading.Thread(target=self._execute, args=(job, run), name=f"job {job.name}", daemon=True)
        with self._lock:
            thread.start()
            self._threads = {each for each in self._threads if each.is_alive()} | {thread}

    def _execute(self, job: Job, run: JobRun) -> JobRun | None:
        """Do the work and write down how it went; what cannot be written down is another's when the lease ends."""
        self._tell(run, "running")
        try:
            ended = self._written_down(job, run)
        except HansangError:
            log.exception("the end of the job %s cannot be written down; it will run again", job.name)
            return None
        if ended is not None:
            self._tell(run, ended.state)
        return ended

    def _written_down(self, job: Job, run: JobRun) -> JobRun | None:
        try:
            result = self._worked(job, run)
        except JobStopped:
            log.warning("the job %s was stopped for %s", job.name, run.slot)
            return self._journal.stop(run)
        except _Failed as failed:
            return self._journal.fail(run, str(failed))
        return self._journal.finish(run, result.text, result.counts)

    def _tell(self, run: JobRun, state: str, progress: Words | None = None) -> None:
        """Publish how a run stands; what it says on the way may wait for what follows."""
        said = {} if progress is None else {"ko": progress.ko, "en": progress.en}
        message = {"slot": run.slot, "state": state, "progress": said}
        self._publish(job_topic(run.name), message, at_once=progress is None)

    @contextmanager
    def _heard(self, run: JobRun) -> Iterator[None]:
        """Publish what the work in the block says of its progress."""
        mark = _telling.set(lambda text: self._tell(run, "running", text))
        used = used_by.set(lambda: f"job {run.name}")
        end = _ending.set(self._stopping)
        try:
            yield
        finally:
            _ending.reset(end)
            used_by.reset(used)
            _telling.reset(mark)

    def _worked(self, job: Job, run: JobRun) -> JobResult:
        with self._beating(run), self._heard(run):
            try:
                result = job.run(run)
                return JobResult(result) if isinstance(result, str) else result
            except JobStopped:
                raise
            except Exception as fault:
                log.exception("the job %s failed for %s", job.name, run.slot)
                raise _Failed(f"{type(fault).__name__}: {fault}") from fault

    @contextmanager
    def _beating(self, run: JobRun) -> Iterator[None]:
        """Keep the lease while the block runs."""
        ended, stop = threading.Event(), _StopMark()
        thread = threading.Thread(
            target=self._beat, args=(run, ended, stop), name=f"beat {run.name}", daemon=True
        )
        thread.start()
        mark = limits.set(stop)
        try:
            yield
        finally:
            limits.reset(mark)
            ended.set()
            thread.join()

    def _beat(self, run: JobRun, ended: threading.Event, stop: _StopMark) -> None:
        """Renew the lease, and look whether the run is to stop."""
        every = self._journal.lease.total_seconds() / 3
        due = monotonic() + every
        while not ended.wait(min(STOP_POLL, every)):
            try:
                if self._journal.is_to_stop(run):
                    stop.set()
                if monotonic() < due:
                    continue
                due = monotonic() + every
                if not self._journal.beat(run):
                    log.warning("the run %s of %s has become another worker's", run.slot, run.name)
                    return
            except HansangError:
                log.exception("the lease of the run %s of %s was not renewed", run.slot, run.name)


class JobStopped(Exception):
    """Somebody has asked for this run to be stopped."""


class _StopMark:
    """Ends the work of a job at its next step in the table; what it does to clean up is let through."""

    def __init__(self) -> None:
        self._is_set = self._was_told = False

    def set(self) -> None:
        self._is_set = True

    def check(self) -> None:
        if self._is_set and not self._was_told:
            self._was_told = True
            raise JobStopped


class _Failed(Exception):
    """The work of a job has raised something."""
