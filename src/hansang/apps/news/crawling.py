"""The next stage: articles that wait to be crawled, taken by one worker at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

from hansang.apps.news import frontier
from hansang.apps.news.bodies import body_of, text_of
from hansang.apps.news.claims import as_found, check_claim, check_lease, may_take, not_takeable, still
from hansang.apps.news.design import (
    ArticleText,
    Body,
    BodyKey,
    NewsDay,
    NewsDayKey,
    NewsItem,
    NewsKey,
    Work,
    WorkKey,
    WorkState,
)
from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS, retry_after_seconds
from hansang.apps.news.waiting import Waiting, WaitingArticles
from hansang.clock import Clock
from hansang.design import Condition, Database, Entity, Page, Query, Unreadable, all_of, attr
from hansang.design.transaction import LARGEST
from hansang.errors import Busy, Conflict, InvalidInput, NotFound, Throttled, Unavailable
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_whole_second

MOST_RETRIED = 1000
"""How many articles are retried at a time."""
_TIMES_TOGETHER = 20
"""How often articles are looked for that nobody else takes at the same moment."""


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
        self._cleaned, self._waiting = cleaned, WaitingArticles(database, clock, sleep)

    # ── what waits ────────────────────────────────────────────────────────────────────────────────

    def waiting(
        self, limit: int = 50, *, unreadable: Callable[[Unreadable], object] | None = None
    ) -> list[Waiting]:
        """The oldest articles that may be taken now; one that cannot be read is left out, and told to `unreadable`."""
        return self._waiting.first(limit, unreadable=unreadable)

    def waiting_page(self, limit: int = 50, cursor: str | None = None) -> Page[Waiting]:
        """Some of the articles that may be taken now, the oldest first, and a cursor to the next ones."""
        return self._waiting.page(limit, cursor)

    def counts(self) -> QueueCounts:
        """How many articles are in which state, by the counts of the days; whatever may be taken now waits."""
        inserted = done = dead = 0
        for day in self._database.each(NewsDay.since(frontier.FIRST_DAY)):
            inserted, done, dead = inserted + day.inserted, done + day.done, dead + day.dead
        claimed, failed = (self._database.count(self._in_state(state)) for state in ("claimed", "failed"))
        waiting = max(0, inserted - done - dead - claimed - failed)
        return QueueCounts(waiting, claimed, failed, done, dead)

    def page(self, state: WorkState, limit: int = 50, cursor: str | None = None) -> Page[Work]:
        """Some of the articles in a state, those longest in it first, and a cursor to the next ones.

        One whose lease or whose rest is over may be taken, and is no longer among the claimed or failed ones.
        """
        return self._database.page(self._in_state(state), limit, cursor)

    def _in_state(self, state: WorkState) -> Query[Work]:
        found, now = Work.in_state(state), self._now_ms()
        if state == "claimed":
            return found.where(attr(Work.lease_until_ms).above(now))
        return found.where(attr(Work.retry_at_ms).above(now)) if state == "failed" else found

    # ── one article ───────────────────────────────────────────────────────────────────────────────

    def find(self, pk: str) -> Work | None:
        """How far an article has come; None when nobody has taken it yet."""
        return self._database.find(WorkKey.of(pk), consistent=True)

    def claim(
        self, pk: str, worker: str, lease_seconds: int = LEASE_SECONDS, beside: Beside[Work] = alone
    ) -> Work:
        """Take an article for a while; Conflict when another worker has it, or it is done."""
        check_claim(worker, lease_seconds)
        attempt = partial(self._claim, pk, worker.strip(), lease_seconds, self._token(), beside)
        return retry(attempt, self._sleep, PATIENT)

    def _claim(self, pk: str, worker: str, lease_seconds: int, claim: str, beside: Beside[Work]) -> Work:
        before = self.find(pk)
        if before is not None and before.claim == claim:
            return before  # The answer to the put was lost.
        work = self._claimable(pk, before, worker, lease_seconds, claim)
        try:
            return self._put(work, as_found(before), beside)
        except Conflict as found:
            if found.item.claim == claim:
                return work
            raise not_takeable(found.item) from found

    def _claimable(self, pk: str, before: Work | None, worker: str, lease_seconds: int, claim: str) -> Work:
        """The article as taken by a worker, still to be written; Conflict when it may not be taken."""
        item = self._database.get(NewsKey(pk=pk), consistent=True)
        if not may_take(before, self._now_ms()):
            raise not_takeable(before)
        if before is not None and before.state == "claimed" and before.attempts >= MOST_ATTEMPTS:
            raise not_takeable(self._given_up(before), before)
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
        check_claim(worker, lease_seconds)
        together = partial(
            self._take_together, worker.strip(), min(limit, LARGEST - 1), lease_seconds, beside
        )
        return retry(together, self._sleep, PATIENT)

    def _take(self, worker: str, limit: int, lease_seconds: int) -> list[Work]:
        taken: list[Work] = []
        try:
            for each in self._waiting.each():
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
        for each in self._waiting.each():
            before = self.find(each.pk)
            if each.pk not in passed:
                with suppress(Conflict):
                    work = self._claimable(each.pk, before, worker, lease_seconds, self._token())
                    yield work, as_found(before)

    def extend(
        self, pk: str, claim: str, lease_seconds: int = LEASE_SECONDS, beside: Beside[Work] = alone
    ) -> Work:
        """Keep an article for longer."""
        check_lease(lease_seconds)
        return retry(partial(self._extend, pk, claim, lease_seconds, beside), self._sleep, PATIENT)

    def _extend(self, pk: str, claim: str, lease_seconds: int, beside: Beside[Work]) -> Work:
        work = self._held(pk, claim)
        if work.state != "claimed":
            raise not_takeable(work)
        later = work.model_copy(update={"lease_until_ms": self._now_ms() + lease_seconds * 1000})
        return self._put(later, still(claim), beside)

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
            transaction.put(ended, when=still(work.claim))
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
        if work is not None and work.state == "waiting" and not work.attempts:
            return work  # It was retried before, or the answer to that was lost.
        if work is None or work.state not in ("failed", "dead"):
            raise Conflict("Only an article that failed can be tried again.", work, code="news.not-failed")
        now = self._now_ms()
        frontier.reopen(self._database, frontier.start_of(work.dt_utc), now)
        again = work.model_copy(
            update={"state": "waiting", "since_ms": now, "retry_at_ms": None, "attempts": 0}
        )
        with self._database.transaction(name="Work.retry") as transaction:
            beside(transaction, again)
            transaction.put(again, when=all_of(Work.claim == work.claim, Work.state == work.state))
            if work.state == "dead":
                transaction.update(NewsDayKey(day=work.dt_utc), attr(NewsDay.dead).add(-1), upsert=True)
        return again

    def retry_all(
        self, state: WorkState, most: int = MOST_RETRIED, progress: Callable[[], object] = lambda: None
    ) -> int:
        """Let the articles that failed, or were given up, be taken at once; how many there were, up to `most`."""
        if state not in ("failed", "dead"):
            raise InvalidInput(
                "Only articles that failed can be tried again.", "state", code="news.not-failed-state"
            )
        count = 0
        for work in islice(self._database.each(Work.in_state(state)), most):
            with suppress(Conflict):
                self.retry(work.item_pk)
                count += 1
            progress()
        return count

    def release(self, pk: str, beside: Beside[Work] = alone) -> Work:
        """Take an article back from its worker, who is refused from now on; anyone may take it."""
        return retry(partial(self._release, pk, self._token(), beside), self._sleep, PATIENT)

    def _release(self, pk: str, claim: str, beside: Beside[Work]) -> Work:
        work = self.find(pk)
        if work is not None and work.claim == claim:
            return work  # The answer to the put was lost.
        if work is None or work.state != "claimed":
            raise Conflict("Only an article that is claimed can be released.", work, code="news.not-claimed")
        now = self._now_ms()
        frontier.reopen(self._database, frontier.start_of(work.dt_utc), now)
        released = work.model_copy(update={"state": "waiting", "since_ms": now, "claim": claim})
        return self._put(released, still(work.claim), beside)

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
