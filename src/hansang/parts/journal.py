"""The journal of jobs: which slot of which job was run, by whom, with what result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Annotated, Any, Literal

from pydantic import Field

from hansang.clock import Clock
from hansang.design import (
    Attr,
    Condition,
    Database,
    Entity,
    Expiry,
    Key,
    Page,
    Query,
    Timestamp,
    Update,
    all_of,
    attr,
    pattern,
)
from hansang.errors import AlreadyExists, Conflict, NotFound
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_whole_second

LEASE = timedelta(seconds=30)
"""How long a worker may be silent before its run is another's."""
MOST_ATTEMPTS = 5
FIRST_PAUSE = timedelta(seconds=30)
"""How long after a first failure the next attempt is; each further pause is twice as long."""
KEPT = timedelta(days=90)
LONGEST_TEXT = 1000
_TOKEN = 32
MOST_LOOKED_THROUGH = 1000
"""Runs; of a job that has failed for longer, the last good one is not found."""


class JobRunKey(Key["JobRun"], pk="JOB#{name}", sk="RUN#{slot}"):
    """The key of a run: a job, and the moment that the run is for."""

    name: str
    slot: str


class JobRun(JobRunKey, Entity, table=Platform, type="JobRun"):
    """One slot of a job: running under a lease, done for good, or failed and perhaps to be tried again."""

    state: Literal["running", "done", "failed", "stopped"]
    worker: str
    claim: str
    """Random; only who knows it may say how the run went on."""
    attempts: int
    claimed_at: Timestamp
    claimed_ms: int | None = None
    """The same moment in milliseconds since 1970, for how long it took."""
    lease_until: Timestamp
    retry_at: Timestamp | None = None
    stop_asked_at: Timestamp | None = None
    """When somebody asked for it to be stopped; its worker reads that, in whichever process it is."""
    finished_at: Timestamp | None = None
    took_ms: int | None = None
    result: str | None = None
    counts: dict[str, int] = Field(default_factory=dict)
    """The numbers of the result, by name."""
    error: str | None = None
    expires_at: Annotated[Expiry | None, Attr("ExpiresAt")] = None

    def is_alive(self, now: datetime) -> bool:
        """Whether somebody is at work on it."""
        return self.state == "running" and self.lease_until >= now.replace(microsecond=0)

    def is_claimable(self, now: datetime) -> bool:
        """Whether its worker has gone silent, or its next attempt is due."""
        if self.state in ("done", "stopped") or self.is_alive(now) or self.attempts >= MOST_ATTEMPTS:
            return False
        return self.state == "running" or self.retry_at is None or self.retry_at <= now

    @property
    def is_settled(self) -> bool:
        """Whether nobody will ever run it again."""
        return self.state in ("done", "stopped") or (
            self.state == "failed" and self.attempts >= MOST_ATTEMPTS
        )

    def standing(self, now: datetime) -> Literal["running", "done", "failed", "stopped", "lost"]:
        """Its state, for people: a run is lost while its worker is gone and no other has taken it."""
        return "lost" if self.state == "running" and not self.is_alive(now) else self.state

    @pattern
    def newest(cls, name: str) -> Query[JobRun]:
        """The runs of a job, the newest first."""
        return cls.query(JobRun.name == name).descending()


ACCEPTED = {
    "JobRun H205": "The numbers of one result; a job tells a handful of them.",
    "JobRun.newest H105": "A slot is a moment as text of one width, so its order is that of time.",
}
"""What the review finds and the design accepts, with the reason."""


class Journal:
    """Claims and results of runs; every step is one conditional write, so two workers cannot both take it."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        worker: str,
        *,
        lease: timedelta = LEASE,
        chance: Callable[[], str] = token_hex,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`worker` says which process this is, for people: `web1:4711`."""
        self._database, self._clock, self._worker = database, clock, worker
        self._chance, self._sleep = chance, sleep
        self.lease = lease

    @property
    def now(self) -> datetime:
        return to_whole_second(self._clock())

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def find(self, name: str, slot: str) -> JobRun | None:
        """The run of a slot, or None if nobody has begun it."""
        return self._database.find(JobRunKey(name=name, slot=slot), consistent=True)

    def latest(self, name: str) -> JobRun | None:
        """The run of the newest slot, or None if the job never ran."""
        return self._database.first(JobRun.newest(name).consistent())

    def runs(self, name: str, limit: int = 20, cursor: str | None = None) -> Page[JobRun]:
        """The runs of a job, the newest first."""
        return self._database.page(JobRun.newest(name).consistent(), limit, cursor)

    def last_done(self, name: str) -> JobRun | None:
        """The newest run that went well, among as many as anybody would look through."""
        page, seen = self.runs(name), 0
        while True:
            for run in page:
                if run.state == "done":
                    return run
            seen += len(page)
            if page.cursor is None or seen >= MOST_LOOKED_THROUGH:
                return None
            page = self.runs(name, cursor=page.cursor)

    # ── running ───────────────────────────────────────────────────────────────────────────────────

    def claim(self, name: str, slot: str, beside: Beside[JobRun] = alone) -> JobRun | None:
        """The run, if it is the caller's to do now; None if it is done, another's, or not due yet."""
        drafted = self._draft(name, slot, self._chance(), attempts=1)
        return retry(lambda: self._claimed(drafted, beside), self._sleep)

    def beat(self, run: JobRun) -> bool:
        """Say that the run is still being worked on; False if it has become another's."""
        running = all_of(_held(run), JobRun.state == "running")
        change = attr(JobRun.lease_until).set(self._lease_end())
        return self._written(lambda: self._database.update(_key(run), change, when=running)) is not None

    def finish(self, run: JobRun, result: str, counts: Mapping[str, int] | None = None) -> JobRun | None:
        """The run is done for good; None if it had become another's."""
        changes = (
            attr(JobRun.state).set("done"),
            attr(JobRun.result).set(result[:LONGEST_TEXT]),
            attr(JobRun.counts).set(dict(counts or {})),
            attr(JobRun.error).remove(),
            attr(JobRun.retry_at).remove(),
        )
        return self._ended(run, *changes)

    def fail(self, run: JobRun, error: str) -> JobRun | None:
        """The attempt failed and will be made again later, a few times; None if it had become another's."""
        pause = FIRST_PAUSE * 2 ** (run.attempts - 1)
        again = None if run.attempts >= MOST_ATTEMPTS else self.now + pause
        changes = (
            attr(JobRun.state).set("failed"),
            attr(JobRun.error).set(error[:LONGEST_TEXT]),
            attr(JobRun.retry_at).set(again),
        )
        return self._ended(run, *changes)

    def ask_to_stop(self, run: JobRun, beside: Beside[JobRun] = alone) -> JobRun | None:
        """Mark a run that goes on to be stopped at its next step; None if it has ended meanwhile."""
        running = all_of(_held(run), JobRun.state == "running")
        marked = run.model_copy(update={"stop_asked_at": self.now})

        def write() -> JobRun:
            with self._database.transaction(name="JobRun.ask_to_stop") as transaction:
                beside(transaction, marked)
                asked = attr(JobRun.stop_asked_at).set(marked.stop_asked_at)
                transaction.update(_key(run), asked, when=running)
            return marked

        return self._written(write)

    def is_to_stop(self, run: JobRun) -> bool:
        """Whether somebody has asked for that."""
        found = self.find(run.name, run.slot)
        return found is not None and found.claim == run.claim and found.stop_asked_at is not None

    def stop(self, run: JobRun) -> JobRun | None:
        """The run was stopped and is not tried again; None if it had become another's."""
        return self._ended(run, attr(JobRun.state).set("stopped"), attr(JobRun.retry_at).remove())

    def _ended(self, run: JobRun, *changes: Update[Any]) -> JobRun | None:
        now = self.now
        began = run.claimed_at.timestamp() * 1000 if run.claimed_ms is None else run.claimed_ms
        took = int(self._clock() * 1000 - began)
        ended = (
            *changes,
            attr(JobRun.finished_at).set(now),
            attr(JobRun.took_ms).set(took),
            attr(JobRun.expires_at).set(now + KEPT),
        )
        return self._written(lambda: self._database.update(_key(run), *ended, when=_held(run)))

    def _written(self, write: Callable[[], JobRun]) -> JobRun | None:
        try:
            return retry(write, self._sleep)
        except (Conflict, NotFound):
            return None

    # ── claiming ──────────────────────────────────────────────────────────────────────────────────

    def _claimed(self, drafted: JobRun, beside: Beside[JobRun]) -> JobRun | None:
        try:
            return self._stored(drafted, None, beside)
        except AlreadyExists as there:
            found: JobRun = there.item
        if found.claim == drafted.claim:
            return found
        if not found.is_claimable(self.now):
            return None
        return self._taken_over(found, drafted.model_copy(update={"attempts": found.attempts + 1}), beside)

    def _taken_over(self, found: JobRun, drafted: JobRun, beside: Beside[JobRun]) -> JobRun | None:
        as_found = all_of(_held(found), JobRun.state == found.state)
        if found.state == "running":
            as_found = all_of(as_found, JobRun.lease_until == found.lease_until)
        try:
            return self._stored(drafted, as_found, beside)
        except NotFound:
            return None
        except Conflict as lost:
            return drafted if lost.item.claim == drafted.claim else None

    def _stored(self, run: JobRun, when: Condition | None, beside: Beside[JobRun]) -> JobRun:
        """Write a run where there is none, or in place of one as it was found."""
        if beside is alone:
            return self._database.create(run) if when is None else self._database.put(run, when=when)
        # Its token lets it be sent again when its answer was lost, so that the run is known to be begun.
        token = f"{run.claim[:_TOKEN]}-{run.attempts}"
        with self._database.transaction(token, "JobRun.claim") as transaction:
            beside(transaction, run)
            if when is None:
                return transaction.create(run)
            return transaction.put(run, when=when)

    def _draft(self, name: str, slot: str, claim: str, attempts: int) -> JobRun:
        now = self.now
        return JobRun(
            name=name,
            slot=slot,
            state="running",
            worker=self._worker,
            claim=claim,
            attempts=attempts,
            claimed_at=now,
            claimed_ms=int(self._clock() * 1000),
            lease_until=self._lease_end(),
            expires_at=now + KEPT,
        )

    def _lease_end(self) -> datetime:
        return self.now + self.lease


def _held(run: JobRun) -> bool:
    return JobRun.claim == run.claim


def _key(run: JobRun) -> JobRunKey:
    return JobRunKey(name=run.name, slot=run.slot)
