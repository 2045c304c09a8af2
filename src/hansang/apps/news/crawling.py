"""The next stage: articles that wait to be crawled, taken by one worker at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from itertools import islice

from hansang.apps.news import frontier
from hansang.apps.news.bodies import body_of, text_of
from hansang.apps.news.design import (
    ArticleText,
    Body,
    BodyKey,
    Frontier,
    NewsDay,
    NewsDayKey,
    NewsItem,
    NewsKey,
    NewsRow,
    Work,
    WorkKey,
    WorkState,
)
from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS, retry_after_seconds
from hansang.clock import Clock
from hansang.design import Condition, Database, Entity, Page, Query, Unreadable, all_of, attr
from hansang.design.transaction import LARGEST
from hansang.errors import Busy, Conflict, InvalidInput, NotFound, Throttled, Unavailable
from hansang.parts.chained import Chain
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

_FIRST_LOOK, _LOOKED_UP = 10, 100
"""How many articles are looked at to begin with, and at most at a time; whoever takes one pays for few."""
_WORTH_PASSING = 25
"""How many articles that are done with make it worth to move the frontier within a day."""
_MOST_ASKED = 100
"""How many questions a page asks; when few of the articles may be taken, it is short, and its cursor goes on."""
_TIMES_TOGETHER = 20
"""How often articles are looked for that nobody else takes at the same moment."""
_LONGEST_NAME = 200
_DAY_MS = 86_400_000


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

    def __init__(
        self,
        database: Database,
        clock: Clock,
        token: Callable[[], str],
        sleep: Sleep = time.sleep,
        cleaned: Callable[[Body, bytes], ArticleText | None] = lambda *_: None,
    ) -> None:
        """`token` gives a random text that nobody can guess; `cleaned` what people read of a body, if that is now."""
        self._database, self._clock, self._token, self._sleep = database, clock, token, sleep
        self._cleaned = cleaned

    # ── what waits ────────────────────────────────────────────────────────────────────────────────

    def waiting(
        self, limit: int = 50, *, unreadable: Callable[[Unreadable], object] | None = None
    ) -> list[Waiting]:
        """The oldest articles that may be taken now; one that cannot be read is left out, and told to `unreadable`."""
        return retry(lambda: list(islice(self._each_waiting(unreadable), limit)), self._sleep, PATIENT)

    def waiting_page(self, limit: int = 50, cursor: str | None = None) -> Page[Waiting]:
        """Some of the articles that may be taken now, the oldest first, and a cursor to the next ones.

        When few may be taken, a page may have less than `limit` of them, or none, and still a cursor.
        """
        waiting = Chain(
            "news queue", self._days_from, self._takeable, at_once=_LOOKED_UP, most_asked=_MOST_ASKED
        )
        return retry(partial(waiting.page, self._database, limit, cursor), self._sleep, PATIENT)

    def _days_from(self, name: str | None) -> Iterator[tuple[str, Query[NewsRow]]]:
        """The links of each day from the frontier on, or from where a cursor is; its name has the frontier as well."""
        if name is None:
            since = frontier.since(frontier.find(self._database))
            first = frontier.day_of(since)
        else:
            since, first = int(name[11:]), date.fromisoformat(name[:10])
        for day in self._database.each(NewsDay.since(first)):
            yield f"{day.day} {since}", _links(day.day, since)

    def _takeable(self, rows: Page[NewsRow]) -> list[Waiting]:
        states = self._with_states(rows.items)
        return [_waiting(row, work) for row, work in states if self._may_take(work)]

    def _each_waiting(self, unreadable: Callable[[Unreadable], object] | None = None) -> Iterator[Waiting]:
        """Day by day from the first that may have any, by the index of the list (X3-08)."""
        seen, tell = frontier.find(self._database), unreadable or (lambda _: None)
        passed, all_done, reached = 0, True, frontier.since(seen)
        for look in self._looks(reached):
            if look.unreadable:
                # An article that cannot be read is not done, and waits behind the frontier until it is repaired.
                for each in look.unreadable:
                    tell(each)
                if all_done:
                    self._pass(seen, passed, reached)
                all_done = False
            for row, work in self._with_states(look.items):
                is_done = work is not None and work.state in ("done", "dead")
                if all_done and not is_done:
                    self._pass(seen, passed, row.uploaded_at_utc_ms)
                all_done, reached = all_done and is_done, row.uploaded_at_utc_ms
                passed += all_done
                if self._may_take(work):
                    yield _waiting(row, work)
        if all_done:
            self._pass(seen, passed, self._now_ms())

    def _pass(self, seen: Frontier | None, passed: int, open_ms: int) -> None:
        """Let nobody read again what was passed on the way to an open moment, if that is worth a write."""
        target, before = min(open_ms, frontier.over_before(seen, self._now_ms())), frontier.since(seen)
        is_next_day = passed > 0 and frontier.day_of(target) > frontier.day_of(before)
        if target > before and (is_next_day or passed >= _WORTH_PASSING):
            frontier.move(self._database, target, seen)

    def _looks(self, since: int) -> Iterator[Page[NewsRow]]:
        """The links from a moment on, day by day."""
        for day in self._database.each(NewsDay.since(frontier.day_of(since))):
            yield from self._looks_of_day(day.day, since)

    def _looks_of_day(self, day: date, since: int) -> Iterator[Page[NewsRow]]:
        """The links of a day, more and more of them at a time."""
        question, size, cursor = _links(day, since), _FIRST_LOOK, None
        while True:
            page = self._database.page(question, size, cursor)
            yield page
            size, cursor = min(2 * size, _LOOKED_UP), page.cursor
            if cursor is None:
                return

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

    def counts(self) -> QueueCounts:
        """How many articles are in which state, by the counts of the days."""
        inserted = done = dead = 0
        for day in self._database.each(NewsDay.since(frontier.FIRST_DAY)):
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

    def claim(
        self, pk: str, worker: str, lease_seconds: int = LEASE_SECONDS, beside: Beside[Work] = alone
    ) -> Work:
        """Take an article for a while; Conflict when another worker has it, or it is done."""
        _check_claim(worker, lease_seconds)
        attempt = partial(self._claim, pk, worker.strip(), lease_seconds, self._token(), beside)
        return retry(attempt, self._sleep, PATIENT)

    def _claim(self, pk: str, worker: str, lease_seconds: int, claim: str, beside: Beside[Work]) -> Work:
        before = self.find(pk)
        if before is not None and before.claim == claim:
            return before  # The answer to the put was lost.
        work = self._claimable(pk, before, worker, lease_seconds, claim)
        try:
            return self._put(work, _as_found(before), beside)
        except Conflict as found:
            if found.item.claim == claim:
                return work
            raise _taken(found.item) from found

    def _claimable(self, pk: str, before: Work | None, worker: str, lease_seconds: int, claim: str) -> Work:
        """The article as taken by a worker, still to be written; Conflict when it may not be taken."""
        item = self._database.get(NewsKey(pk=pk), consistent=True)
        if not self._may_take(before):
            raise _taken(before)
        if before is not None and before.state == "claimed" and before.attempts >= MOST_ATTEMPTS:
            raise _taken(self._given_up(before), before)
        return self._claimed(item, before, worker, lease_seconds, claim)

    def _put(self, work: Work, when: Condition | bool, beside: Beside[Work]) -> Work:
        if beside is alone:
            return self._database.put(work, when=when)
        with self._database.transaction(name="Work.put") as transaction:
            beside(transaction, work)
            transaction.put(work, when=when)
        return work

    def _claimed(
        self, item: NewsItem, before: Work | None, worker: str, lease_seconds: int, claim: str
    ) -> Work:
        now = self._now_ms()
        return Work(
            item=WorkKey.of(item.pk).item,
            item_pk=item.pk,
            state="claimed",
            since_ms=now,
            attempts=(before.attempts if before else 0) + 1,
            worker=worker,
            claim=claim,
            lease_until_ms=now + lease_seconds * 1000,
            dt_utc=item.dt_utc,
            url=item.url,
            title=item.title,
        )

    def _given_up(self, work: Work) -> Work:
        """An article that took all its workers with it: none of them came back to say what went wrong."""
        error = f"No worker came back, in {work.attempts} tries."
        return self._end(work, self._failed(work, error))

    def take(
        self,
        worker: str,
        limit: int = 1,
        lease_seconds: int = LEASE_SECONDS,
        beside: Beside[list[Work]] = alone,
    ) -> list[Work]:
        """Take the oldest articles; what another worker takes first is passed over.

        With something `beside` them they are taken in one transaction, and so one less than that may have actions.
        """
        if limit < 1:
            raise InvalidInput("Take one article or more.", "limit", code="news.take-none")
        if beside is alone:
            return retry(partial(self._take, worker, limit, lease_seconds), self._sleep, PATIENT)
        _check_claim(worker, lease_seconds)
        together = partial(
            self._take_together, worker.strip(), min(limit, LARGEST - 1), lease_seconds, beside
        )
        return retry(together, self._sleep, PATIENT)

    def _take(self, worker: str, limit: int, lease_seconds: int) -> list[Work]:
        taken: list[Work] = []
        try:
            for each in self._each_waiting():
                try:
                    taken.append(self.claim(each.pk, worker, lease_seconds))
                except Conflict:
                    continue
                if len(taken) >= limit:
                    break
        except (Throttled, Unavailable):
            if not taken:  # What is taken already is handed out, else it would lie until its lease ends.
                raise
        return taken

    def _take_together(
        self, worker: str, limit: int, lease_seconds: int, beside: Beside[list[Work]]
    ) -> list[Work]:
        """Take articles all at once, or others when somebody was faster with one of them."""
        passed: set[str] = set()
        for _ in range(_TIMES_TOGETHER):
            found = list(islice(self._each_claimable(worker, lease_seconds, passed), limit))
            if not found:
                return []
            taken = [work for work, _ in found]
            try:
                with self._database.transaction(name="Work.take") as transaction:
                    beside(transaction, taken)
                    for work, when in found:
                        transaction.put(work, when=when)
            except Conflict as lost:
                passed.add(lost.item.item_pk)
            else:
                return taken
        raise Busy("Other workers take the same articles. Try again in a moment.", code="news.queue-busy")

    def _each_claimable(
        self, worker: str, lease_seconds: int, passed: set[str]
    ) -> Iterator[tuple[Work, Condition | bool]]:
        """The oldest articles as taken by a worker, still to be written, and what has to be true then."""
        for each in self._each_waiting():
            before = self.find(each.pk)
            if each.pk not in passed:
                with suppress(Conflict):
                    work = self._claimable(each.pk, before, worker, lease_seconds, self._token())
                    yield work, _as_found(before)

    def extend(
        self, pk: str, claim: str, lease_seconds: int = LEASE_SECONDS, beside: Beside[Work] = alone
    ) -> Work:
        """Keep an article for longer."""
        _check_lease(lease_seconds)
        return retry(partial(self._extend, pk, claim, lease_seconds, beside), self._sleep, PATIENT)

    def _extend(self, pk: str, claim: str, lease_seconds: int, beside: Beside[Work]) -> Work:
        work = self._held(pk, claim)
        if work.state != "claimed":
            raise _taken(work)
        later = work.model_copy(update={"lease_until_ms": self._now_ms() + lease_seconds * 1000})
        return self._put(later, _still(claim), beside)

    def done(
        self,
        pk: str,
        claim: str,
        body: bytes | None = None,
        content_type: str = "text/html",
        beside: Beside[Work] = alone,
    ) -> Work:
        """Note that an article is crawled, with its text; the same again changes nothing."""
        if body is None:
            return retry(partial(self._done, pk, claim, tuple, beside), self._sleep, PATIENT)
        kept = body_of(WorkKey.of(pk).item, body, content_type, to_whole_second(self._clock()))
        texts = cache(lambda: [kept, *filter(None, [self._cleaned(kept, body)])])
        return retry(partial(self._done, pk, claim, texts, beside), self._sleep, PATIENT)

    def _done(self, pk: str, claim: str, texts: Callable[[], Iterable[Entity]], beside: Beside[Work]) -> Work:
        work = self._held(pk, claim)
        if work.state == "done":
            return work
        ended = work.model_copy(update={"state": "done", "since_ms": self._now_ms(), "error": None})
        return self._end(work, ended, beside, texts())

    def _end(
        self, work: Work, ended: Work, beside: Beside[Work] = alone, texts: Iterable[Entity] = ()
    ) -> Work:
        """Store what became of an article and count it for its day, once, if nobody else has it by now."""
        with self._database.transaction(name=f"Work.{ended.state}") as transaction:
            beside(transaction, ended)
            transaction.put(ended, when=_still(work.claim))
            if ended.state in ("done", "dead"):
                counted = NewsDay.done if ended.state == "done" else NewsDay.dead
                transaction.update(NewsDayKey(day=work.dt_utc), attr(counted).add(1), upsert=True)
            for each in texts:
                transaction.put(each)
        return ended

    def body(self, pk: str) -> tuple[Body, bytes]:
        """What was crawled of an article, or NotFound."""
        found = self._database.get(BodyKey(item=WorkKey.of(pk).item))
        return found, text_of(found)

    def fail(self, pk: str, claim: str, error: str, beside: Beside[Work] = alone) -> Work:
        """Note that a crawl did not work: the article rests and comes back, until it was tried often enough."""
        return retry(partial(self._fail, pk, claim, error, beside), self._sleep, PATIENT)

    def _fail(self, pk: str, claim: str, error: str, beside: Beside[Work]) -> Work:
        work = self._held(pk, claim)
        return work if work.state != "claimed" else self._end(work, self._failed(work, error), beside)

    def _failed(self, work: Work, error: str) -> Work:
        now, pause = self._now_ms(), retry_after_seconds(work.attempts)
        state = "dead" if pause is None else "failed"
        retry_at = None if pause is None else now + pause * 1000
        changes = {"state": state, "since_ms": now, "retry_at_ms": retry_at, "error": error[:1000]}
        return work.model_copy(update=changes)

    def retry(self, pk: str, beside: Beside[Work] = alone) -> Work:
        """Let an article that failed, or was given up, be taken at once."""
        return retry(partial(self._retry, pk, beside), self._sleep, PATIENT)

    def _retry(self, pk: str, beside: Beside[Work]) -> Work:
        work = self.find(pk)
        if work is None or work.state not in ("failed", "dead"):
            raise Conflict("Only an article that failed can be tried again.", work, code="news.not-failed")
        now = self._now_ms()
        frontier.reopen(self._database, frontier.start_of(work.dt_utc), now)
        again = work.model_copy(
            update={"state": "failed", "since_ms": now, "retry_at_ms": now, "attempts": 0}
        )
        with self._database.transaction(name="Work.retry") as transaction:
            beside(transaction, again)
            transaction.put(again, when=all_of(Work.claim == work.claim, Work.state == work.state))
            if work.state == "dead":
                transaction.update(NewsDayKey(day=work.dt_utc), attr(NewsDay.dead).add(-1), upsert=True)
        return again

    def _held(self, pk: str, claim: str) -> Work:
        work = self.find(pk)
        if work is None:
            raise NotFound("Nobody has taken {pk}. Claim it first.", code="news.not-taken", values={"pk": pk})
        if work.claim != claim:
            raise Conflict(
                "{pk} was taken over by {worker}: the lease had ended. Leave it.",
                work,
                code="news.taken-over",
                values={"pk": pk, "worker": work.worker},
            )
        return work

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _links(day: date, since: int) -> Query[NewsRow]:
    """The links of a day from a millisecond on."""
    start = frontier.start_of(day)
    if since <= start:
        return NewsRow.uploaded_on(day)
    return NewsRow.uploaded_between(day, since, start + _DAY_MS - 1)


def _check_claim(worker: str, lease_seconds: int) -> None:
    if not 0 < len(worker.strip()) <= _LONGEST_NAME:
        raise InvalidInput(
            "Name the worker that takes the article, in up to {most} characters.",
            "worker",
            code="news.no-worker",
            values={"most": _LONGEST_NAME},
        )
    _check_lease(lease_seconds)


def _check_lease(seconds: int) -> None:
    if not 1 <= seconds <= 86_400:
        raise InvalidInput("A lease lasts from 1 second to a day.", "lease_seconds", code="news.lease")


def _as_found(before: Work | None) -> Condition | bool:
    return attr(Work.claim).missing() if before is None else Work.claim == before.claim


def _still(claim: str) -> Condition:
    return all_of(Work.claim == claim, Work.state == "claimed")


def _taken(work: Work | None, seen: Work | None = None) -> Conflict:
    """Why an article cannot be taken in this state; `seen` is what the caller is told, if not the same."""
    assert work is not None
    item, values = seen or work, {"pk": work.item_pk}
    if work.state == "claimed":
        held = {**values, "worker": work.worker}
        return Conflict("{pk} is with {worker} until its lease ends.", item, code="news.held", values=held)
    if work.state == "failed":
        return Conflict(
            "{pk} failed and waits for its next attempt.", item, code="news.resting", values=values
        )
    if work.state == "dead":
        return Conflict("{pk} has been given up.", item, code="news.dead", values=values)
    return Conflict("{pk} is already done.", item, code="news.done", values=values)


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
