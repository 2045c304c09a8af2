"""The next stage: articles that wait to be crawled, taken by one worker at a time."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from hansang.apps.news.design import (
    Body,
    BodyKey,
    Frontier,
    FrontierKey,
    NewsDay,
    NewsDayKey,
    NewsItem,
    NewsKey,
    NewsRow,
    Work,
    WorkKey,
    WorkState,
)
from hansang.apps.news.rules import LEASE_SECONDS, retry_after_seconds
from hansang.clock import Clock
from hansang.design import Condition, Database, Page, all_of, attr
from hansang.errors import Conflict, InvalidInput, NotFound

_FIRST_DAY = date(1970, 1, 1)
_LOOKED_UP = 100
_LARGEST_BODY = 380_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """An article to crawl, and how often that was tried before."""

    pk: str
    url: str
    title: str
    source: str
    tickers: tuple[str, ...]
    dt_utc: date
    uploaded_at_utc_ms: int
    attempts: int


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many articles are in which state."""

    waiting: int
    claimed: int
    failed: int
    done: int
    dead: int


class Queue:
    """Hands articles out, the oldest first, and takes back what became of them."""

    def __init__(self, database: Database, clock: Clock, token: Callable[[], str]) -> None:
        """`token` gives a random text that nobody can guess."""
        self._database, self._clock, self._token = database, clock, token

    # ── what waits ────────────────────────────────────────────────────────────────────────────────

    def waiting(self, limit: int = 50) -> list[Waiting]:
        """The oldest articles that may be taken now."""
        return list(islice(self._each_waiting(), limit))

    def _each_waiting(self) -> Iterator[Waiting]:
        """Day by day from the first that may have any, by the index of the list (X3-08)."""
        frontier = self._database.find(FrontierKey(), consistent=True)
        passing = True
        for day in self._database.each(NewsDay.since(frontier.day if frontier else _FIRST_DAY)):
            open_here = False
            for rows in _groups(self._database.each(NewsRow.uploaded_on(day.day))):
                for row, work in self._with_states(rows):
                    open_here |= work is None or work.state not in ("done", "dead")
                    if self._may_take(work):
                        yield _waiting(row, work)
            passing = passing and not open_here and self._is_over(day.day)
            if passing:
                frontier = self._advanced(frontier, day.day)

    def _with_states(self, rows: list[NewsRow]) -> list[tuple[NewsRow, Work | None]]:
        found = self._database.batch_get((WorkKey.of(row.pk) for row in rows), consistent=True)
        states = {work.item_pk: work for work in found}
        return [(row, states.get(row.pk)) for row in rows]

    def _may_take(self, work: Work | None) -> bool:
        now = self._now_ms()
        if work is None:
            return True
        if work.state == "claimed":
            return work.lease_until_ms <= now
        return work.state == "failed" and (work.retry_at_ms or 0) <= now

    def _is_over(self, day: date) -> bool:
        return day < datetime.fromtimestamp(self._clock(), UTC).date()

    def _advanced(self, seen: Frontier | None, day: date) -> Frontier | None:
        """Begin behind a day the next time, unless somebody has just moved the frontier."""
        when = attr(Frontier.day).missing() if seen is None else Frontier.day == seen.day
        try:
            return self._database.put(Frontier(day=day + timedelta(days=1)), when=when)
        except Conflict:
            return self._database.find(FrontierKey(), consistent=True)

    def counts(self) -> QueueCounts:
        """How many articles are in which state, by the counts of the days."""
        inserted = done = dead = 0
        for day in self._database.each(NewsDay.since(_FIRST_DAY)):
            inserted, done, dead = inserted + day.inserted, done + day.done, dead + day.dead
        claimed = self._database.count(Work.in_state("claimed"))
        failed = self._database.count(Work.in_state("failed"))
        waiting = max(0, inserted - done - dead - claimed - failed)
        return QueueCounts(waiting, claimed, failed, done, dead)

    def page(self, state: WorkState, limit: int = 50, cursor: str | None = None) -> Page[Work]:
        """Some of the articles in a state, those longest in it first, and a cursor to the next ones."""
        return self._database.page(Work.in_state(state), limit, cursor)

    # ── one article ───────────────────────────────────────────────────────────────────────────────

    def find(self, pk: str) -> Work | None:
        """How far an article has come; None when nobody has taken it yet."""
        return self._database.find(WorkKey.of(pk), consistent=True)

    def claim(self, pk: str, worker: str, lease_seconds: int = LEASE_SECONDS) -> Work:
        """Take an article for a while; Conflict when another worker has it, or it is done."""
        if not worker.strip():
            raise InvalidInput("Name the worker that takes the article.", "worker")
        if not 1 <= lease_seconds <= 86_400:
            raise InvalidInput("A lease lasts from 1 second to a day.", "lease_seconds")
        item = self._database.get(NewsKey(pk=pk))
        before = self.find(pk)
        if not self._may_take(before):
            raise Conflict(_taken(before), before)
        work = self._claimed(item, before, worker.strip(), lease_seconds)
        when = attr(Work.claim).missing() if before is None else Work.claim == before.claim
        return self._database.put(work, when=when)

    def _claimed(self, item: NewsItem, before: Work | None, worker: str, lease_seconds: int) -> Work:
        now = self._now_ms()
        return Work(
            item=WorkKey.of(item.pk).item,
            item_pk=item.pk,
            state="claimed",
            since_ms=now,
            attempts=(before.attempts if before else 0) + 1,
            worker=worker,
            claim=self._token(),
            lease_until_ms=now + lease_seconds * 1000,
            dt_utc=item.dt_utc,
            url=item.url,
            title=item.title,
        )

    def take(self, worker: str, limit: int = 1, lease_seconds: int = LEASE_SECONDS) -> list[Work]:
        """Take the oldest articles; what another worker takes first is passed over."""
        taken: list[Work] = []
        for each in self._each_waiting():
            if len(taken) >= limit:
                break
            try:
                taken.append(self.claim(each.pk, worker, lease_seconds))
            except Conflict:
                continue
        return taken

    def extend(self, pk: str, claim: str, lease_seconds: int = LEASE_SECONDS) -> Work:
        """Keep an article for longer."""
        work = self._held(pk, claim)
        later = work.model_copy(update={"lease_until_ms": self._now_ms() + lease_seconds * 1000})
        return self._database.put(later, when=Work.claim == claim)

    def done(self, pk: str, claim: str, body: bytes | None = None, content_type: str = "text/html") -> Work:
        """Note that an article is crawled, with its text; the same again changes nothing."""
        work = self._held(pk, claim)
        if work.state == "done":
            return work
        ended = work.model_copy(update={"state": "done", "since_ms": self._now_ms(), "error": None})
        with self._database.transaction() as transaction:
            transaction.put(ended, when=_still(claim))
            transaction.update(NewsDayKey(day=work.dt_utc), attr(NewsDay.done).add(1), upsert=True)
            if body is not None:
                transaction.put(self._body(work, body, content_type))
        return ended

    def _body(self, work: Work, body: bytes, content_type: str) -> Body:
        compressed = zlib.compress(body)
        if len(compressed) > _LARGEST_BODY:
            raise InvalidInput(
                f"The article has {len(compressed):,} bytes when compressed, and {_LARGEST_BODY:,} can be kept. "
                "Send its text instead of the whole page.",
                "body",
            )
        now = datetime.fromtimestamp(int(self._clock()), UTC)
        return Body(
            item=work.item,
            content_type=content_type,
            compressed=compressed,
            length=len(body),
            fetched_at=now,
        )

    def body(self, pk: str) -> tuple[Body, bytes]:
        """The text of an article, or NotFound."""
        found = self._database.get(BodyKey(item=WorkKey.of(pk).item))
        return found, zlib.decompress(found.compressed)

    def fail(self, pk: str, claim: str, error: str) -> Work:
        """Note that a crawl did not work: the article rests and comes back, until it was tried often enough."""
        work = self._held(pk, claim)
        if work.state != "claimed":
            return work
        ended = self._failed(work, error)
        with self._database.transaction() as transaction:
            transaction.put(ended, when=_still(claim))
            if ended.state == "dead":
                transaction.update(NewsDayKey(day=work.dt_utc), attr(NewsDay.dead).add(1), upsert=True)
        return ended

    def _failed(self, work: Work, error: str) -> Work:
        now, pause = self._now_ms(), retry_after_seconds(work.attempts)
        state = "dead" if pause is None else "failed"
        retry_at = None if pause is None else now + pause * 1000
        changes = {"state": state, "since_ms": now, "retry_at_ms": retry_at, "error": error[:1000]}
        return work.model_copy(update=changes)

    def retry(self, pk: str) -> Work:
        """Let an article that failed, or was given up, be taken at once."""
        work = self.find(pk)
        if work is None or work.state not in ("failed", "dead"):
            raise Conflict("Only an article that failed can be tried again.", work)
        was_dead = work.state == "dead"
        again = work.model_copy(
            update={
                "state": "failed",
                "since_ms": self._now_ms(),
                "retry_at_ms": self._now_ms(),
                "attempts": 0,
            }
        )
        with self._database.transaction() as transaction:
            transaction.put(again, when=(Work.claim == work.claim))
            if was_dead:
                transaction.update(NewsDayKey(day=work.dt_utc), attr(NewsDay.dead).add(-1), upsert=True)
                transaction.put(Frontier(day=self._earlier(work.dt_utc)))
        return again

    def _earlier(self, day: date) -> date:
        frontier = self._database.find(FrontierKey(), consistent=True)
        return min(day, frontier.day) if frontier else day

    def _held(self, pk: str, claim: str) -> Work:
        work = self.find(pk)
        if work is None:
            raise NotFound(f"Nobody has taken {pk}. Claim it first.")
        if work.claim != claim:
            raise Conflict(f"{pk} was taken over by {work.worker}: the lease had ended. Leave it.", work)
        return work

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _still(claim: str) -> Condition:
    return all_of(Work.claim == claim, Work.state == "claimed")


def _taken(work: Work | None) -> str:
    assert work is not None
    if work.state == "claimed":
        return f"{work.item_pk} is with {work.worker} until its lease ends."
    if work.state == "failed":
        return f"{work.item_pk} failed and rests before it is tried again."
    return f"{work.item_pk} is {work.state} already."


def _waiting(row: NewsRow, work: Work | None) -> Waiting:
    return Waiting(
        row.pk,
        row.url,
        row.title,
        row.source,
        tuple(row.tickers),
        row.dt_utc,
        row.uploaded_at_utc_ms,
        work.attempts if work else 0,
    )


def _groups(rows: Iterator[NewsRow]) -> Iterator[list[NewsRow]]:
    while group := list(islice(rows, _LOOKED_UP)):
        yield group
