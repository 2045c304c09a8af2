"""The queue of articles: one worker at a time, the oldest first, and what a dead worker had comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from random import Random
from typing import Any

import pytest

from hansang.apps.news import waiting
from hansang.apps.news.crawling import QueueCounts
from hansang.apps.news.design import (
    FrontierKey,
    NewsItems,
    NewsKey,
    NewsWork,
    Run,
    RunSecond,
    RunSecondKey,
    Work,
)
from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS, pk_of
from hansang.apps.news.service import News
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, InvalidCursor, InvalidInput, NotFound, Unavailable, WireError
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Before, Losing
from tests.apps.news.lists import link, links
from tests.clauses import clause

DAY = 86_400


def pk(number: int) -> str:
    return pk_of(link(number)["url"])


@clause("X3-08")
def test_what_waits_comes_oldest_first(news: News, clock: SetClock) -> None:
    news.loader.load(links(2, first=10))
    clock.now += 2 * DAY
    news.loader.load(links(1, first=5))
    assert [each.pk for each in news.queue.waiting()][-1] == pk(5)
    assert {each.pk for each in news.queue.waiting()} == {pk(10), pk(11), pk(5)}
    assert len(news.queue.waiting(limit=2)) == 2


def paged(news: News, limit: int) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = news.queue.waiting_page(limit, cursor)
        assert len(page) <= limit
        found += [each.pk for each in page]
        if page.cursor is None:
            return found
        cursor = page.cursor


@clause("X3-08")
@pytest.mark.parametrize("limit", [1, 3, 7, 500])
@pytest.mark.parametrize("most_asked", [1, 2, 100])
def test_pages_of_what_waits_and_the_whole_of_it_agree(
    news: News, clock: SetClock, monkeypatch: pytest.MonkeyPatch, limit: int, most_asked: int
) -> None:
    monkeypatch.setattr(waiting, "_MOST_ASKED", most_asked)
    for day in range(3):
        news.loader.load(links(7, first=10 * day))
        clock.now += DAY
    for number in (0, 3, 10, 11, 12, 13, 14, 15, 16, 26):
        news.queue.claim(pk(number), "w")
    whole = [each.pk for each in news.queue.waiting(1000)]
    assert len(whole) == 11
    assert paged(news, limit) == whole


@pytest.mark.parametrize("cursor", ["x", "", "2026-13-01.", "2026-11-15.made-up"])
def test_a_cursor_of_the_queue_that_is_made_up_is_refused(news: News, cursor: str) -> None:
    news.loader.load(links(2))
    with pytest.raises(InvalidCursor):
        news.queue.waiting_page(1, cursor)


@clause("X3-09")
def test_the_crawl_leaves_the_list_as_it_is(news: News, database: Database) -> None:
    news.loader.load(links(1))
    before = database.get(NewsKey(pk=pk(0)))
    work = news.queue.claim(pk(0), "w1")
    news.queue.done(pk(0), work.claim, "본문".encode(), "text/plain")
    assert database.get(NewsKey(pk=pk(0))) == before
    assert NewsWork.name == "news_work"
    body, text = news.queue.body(pk(0))
    assert (text.decode(), body.content_type, body.length) == ("본문", "text/plain", 6)


def test_an_article_that_is_taken_does_not_wait(news: News) -> None:
    news.loader.load(links(2))
    news.queue.claim(pk(0), "w1")
    assert [each.pk for each in news.queue.waiting()] == [pk(1)]
    with pytest.raises(Conflict, match="w1"):
        news.queue.claim(pk(0), "w2")


def test_a_dead_workers_article_comes_back_and_the_dead_worker_may_not_end_it(
    news: News, clock: SetClock
) -> None:
    news.loader.load(links(1))
    dead = news.queue.claim(pk(0), "w1")
    clock.now += LEASE_SECONDS
    alive = news.queue.claim(pk(0), "w2")
    assert (alive.attempts, alive.worker) == (2, "w2")
    with pytest.raises(Conflict, match="taken over by w2"):
        news.queue.done(pk(0), dead.claim)
    assert news.queue.done(pk(0), alive.claim).state == "done"


def test_a_lease_can_be_made_longer(news: News, clock: SetClock) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w1")
    clock.now += LEASE_SECONDS - 1
    news.queue.extend(pk(0), work.claim)
    clock.now += 2
    assert news.queue.waiting() == []


def test_many_workers_never_take_the_same_article(news: News) -> None:
    news.loader.load(links(60))
    with ThreadPoolExecutor(6) as pool:
        taken = list(chain(*pool.map(lambda number: news.queue.take(f"w{number}", 15), range(6))))
    assert sorted(each.item_pk for each in taken) == sorted(pk(number) for number in range(60))


def test_ending_twice_counts_once(news: News) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w1")
    news.queue.done(pk(0), work.claim)
    news.queue.done(pk(0), work.claim)
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=0, failed=0, done=1, dead=0)


def test_a_failure_rests_longer_each_time_and_is_given_up_in_the_end(news: News, clock: SetClock) -> None:
    news.loader.load(links(1))
    rests = []
    for _ in range(MOST_ATTEMPTS):
        work = news.queue.claim(pk(0), "w1")
        failed = news.queue.fail(pk(0), work.claim, "404")
        if failed.retry_at_ms is not None:
            rests.append((failed.retry_at_ms - failed.since_ms) // 1000)
            assert news.queue.waiting() == []
            clock.now = failed.retry_at_ms / 1000
    assert rests == [60, 240, 960, 3840]
    assert (failed.state, failed.error) == ("dead", "404")
    assert news.queue.waiting() == []
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=0, failed=0, done=0, dead=1)


def test_what_was_given_up_can_be_tried_again(news: News, clock: SetClock) -> None:
    news.loader.load(links(1))
    for _ in range(MOST_ATTEMPTS):
        clock.now += DAY
        news.queue.fail(pk(0), news.queue.claim(pk(0), "w1").claim, "404")
    clock.now += DAY
    assert news.queue.waiting() == []
    news.queue.retry(pk(0))
    assert [each.pk for each in news.queue.waiting()] == [pk(0)]
    assert news.queue.counts() == QueueCounts(waiting=1, claimed=0, failed=0, done=0, dead=0)


def test_only_a_failure_is_tried_again(news: News) -> None:
    news.loader.load(links(1))
    with pytest.raises(Conflict, match="failed"):
        news.queue.retry(pk(0))


def test_days_that_are_done_with_are_not_read_again(news: News, database: Database, clock: SetClock) -> None:
    news.loader.load(links(2))
    first = clock.now
    clock.now += DAY
    news.loader.load(links(2, first=2))
    for number in (0, 1):
        news.queue.done(pk(number), news.queue.claim(pk(number), "w").claim)
    news.queue.waiting()
    frontier = database.get(FrontierKey())
    assert frontier.since_ms > news.reading.get(pk(1)).uploaded_at_utc_ms
    assert frontier.since_ms <= news.reading.get(pk(2)).uploaded_at_utc_ms
    assert first < clock.now


def stopped_run(news: News, count: int) -> Run:
    """A run that was stopped after its first part."""
    stop = threading.Event()
    return news.loader.load(links(count), progress=lambda _: stop.set(), stop=stop)


def crawl_everything(news: News) -> int:
    taken = news.queue.take("w", 10_000)
    for work in taken:
        news.queue.done(work.item_pk, work.claim)
    return len(taken)


@clause("X3-08")
def test_a_run_of_an_earlier_day_that_goes_on_later_is_crawled_too(
    news: News, database: Database, clock: SetClock
) -> None:
    run = stopped_run(news, 600)
    assert crawl_everything(news) == 500
    clock.now += DAY
    assert news.queue.waiting() == []
    began = int(run.uploaded_at.timestamp()) * 1000
    assert database.get(FrontierKey()).since_ms > began
    news.loader.load(links(600), run=run.id)
    assert database.get(FrontierKey()).since_ms == began
    assert crawl_everything(news) == 100


@pytest.mark.parametrize(("worker", "lease"), [("", 10), ("w", 0), ("w", 100_000)])
def test_a_claim_needs_a_name_and_a_sensible_lease(news: News, worker: str, lease: int) -> None:
    news.loader.load(links(1))
    with pytest.raises(InvalidInput):
        news.queue.claim(pk(0), worker, lease)


def test_what_is_not_in_the_list_cannot_be_taken(news: News) -> None:
    with pytest.raises(NotFound):
        news.queue.claim("id#0000000000000000", "w")


def test_what_nobody_took_cannot_be_ended(news: News) -> None:
    news.loader.load(links(1))
    with pytest.raises(NotFound, match="Claim it first"):
        news.queue.done(pk(0), "x")


def test_a_page_that_cannot_be_kept_is_refused_and_the_article_stays_taken(news: News) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w")
    with pytest.raises(InvalidInput, match="compressed"):
        news.queue.done(pk(0), work.claim, Random(1).randbytes(500_000))
    found = news.queue.find(pk(0))
    assert found is not None
    assert found.state == "claimed"


@pytest.mark.parametrize("kind", ["", "x" * 201])
def test_a_text_needs_to_say_what_it_is(news: News, kind: str) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w")
    with pytest.raises(InvalidInput, match="text/html"):
        news.queue.done(pk(0), work.claim, b"x", kind)


def test_a_text_of_nothing_but_repeats_is_limited_too(news: News) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w")
    with pytest.raises(InvalidInput, match="20,000,001 bytes"):
        news.queue.done(pk(0), work.claim, bytes(20_000_001))


def test_to_take_nothing_is_refused(news: News) -> None:
    with pytest.raises(InvalidInput, match="one article or more"):
        news.queue.take("w", 0)


# ── two at once ───────────────────────────────────────────────────────────────────────────────────


def interrupted(news: News, database: Database, operation: str, work: Callable[[], object]) -> News:
    """Another process, in the middle of whose work something else happens."""
    return News(Database(Before(database.backend, operation, work)), news.clock, sleep=lambda _: None)


def test_a_lease_that_is_made_longer_does_not_take_back_that_the_article_is_done(
    news: News, database: Database
) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w")
    other = interrupted(news, database, "PutItem", lambda: news.queue.done(pk(0), work.claim))
    with pytest.raises(Conflict):
        other.queue.extend(pk(0), work.claim)
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=0, failed=0, done=1, dead=0)
    with pytest.raises(Conflict, match="already done"):
        news.queue.extend(pk(0), work.claim)


def given_up(news: News, clock: SetClock) -> None:
    news.loader.load(links(1))
    for _ in range(MOST_ATTEMPTS):
        clock.now += DAY
        news.queue.fail(pk(0), news.queue.claim(pk(0), "w1").claim, "404")


def test_two_who_want_an_article_back_count_it_once(news: News, database: Database, clock: SetClock) -> None:
    given_up(news, clock)
    other = interrupted(news, database, "TransactWriteItems", lambda: news.queue.retry(pk(0)))
    with pytest.raises(Conflict):
        other.queue.retry(pk(0))
    assert news.queue.counts() == QueueCounts(waiting=1, claimed=0, failed=0, done=0, dead=0)


def test_of_two_who_claim_at_once_one_is_told_who_has_it(news: News, database: Database) -> None:
    news.loader.load(links(1))
    other = interrupted(news, database, "PutItem", lambda: news.queue.claim(pk(0), "w1"))
    with pytest.raises(Conflict, match="is with w1"):
        other.queue.claim(pk(0), "w2")


def test_who_ends_what_was_taken_over_in_that_moment_is_refused(
    news: News, database: Database, clock: SetClock
) -> None:
    news.loader.load(links(1))
    work = news.queue.claim(pk(0), "w1")
    clock.now += LEASE_SECONDS
    other = interrupted(news, database, "TransactWriteItems", lambda: news.queue.claim(pk(0), "w2"))
    with pytest.raises(Conflict):
        other.queue.done(pk(0), work.claim, b"late")
    with pytest.raises(NotFound):
        news.queue.body(pk(0))
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=1, failed=0, done=0, dead=0)


def test_an_article_that_takes_every_worker_with_it_is_given_up(news: News, clock: SetClock) -> None:
    news.loader.load(links(2))
    for _ in range(MOST_ATTEMPTS):
        news.queue.claim(pk(0), "w")
        clock.now += LEASE_SECONDS
    with pytest.raises(Conflict, match="given up"):
        news.queue.claim(pk(0), "w")
    assert [each.item_pk for each in news.queue.take("w", 5)] == [pk(1)]
    found = news.queue.find(pk(0))
    assert found is not None
    assert found.error == "No worker came back, in 5 tries."
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=1, failed=0, done=0, dead=1)


# ── lost answers ──────────────────────────────────────────────────────────────────────────────────


def crawl(news: News, clock: SetClock) -> None:
    """Everything that can happen to articles, once."""
    first, second, third = news.queue.take("w", 3)
    news.queue.extend(first.item_pk, first.claim)
    news.queue.done(first.item_pk, first.claim, b"text")
    for _ in range(MOST_ATTEMPTS):
        failed = news.queue.fail(second.item_pk, second.claim, "404")
        clock.now += DAY
        second = news.queue.claim(second.item_pk, "w") if failed.state == "failed" else second
    news.queue.retry(second.item_pk)
    news.queue.done(third.item_pk, third.claim)
    news.queue.waiting()


@clause("X3-07")
def test_any_answer_to_the_queue_may_be_lost(database: Database, clock: SetClock) -> None:
    at, lost = 0, True
    while lost:
        with Embedded.open(":memory:") as backend:
            plain = Database(backend)
            plain.create_tables(NewsItems, NewsWork)
            News(plain, clock, token=tokens()).loader.load(links(3))
            losing = Losing(backend, at)
            news = News(Database(losing), clock, sleep=clock.sleep, token=tokens("c"))
            crawl(news, clock)
            assert news.queue.counts() == QueueCounts(waiting=1, claimed=0, failed=0, done=2, dead=0)
            at, lost = at + 1, losing.lost
            clock.now += DAY
    assert at > 15


def test_workers_on_a_table_that_loses_and_throttles_end_every_article_once(
    news: News, database: Database, clock: SetClock
) -> None:
    news.loader.load(links(80))

    def work(seed: int) -> int:
        faults = Faults(throttled=0.05, lost=0.05)
        chaos = Chaos(database.backend, faults, seed=seed, sleep=lambda _: None)
        queue = News(Database(chaos), clock, sleep=lambda _: None, token=tokens(f"w{seed}")).queue
        ended = 0
        while taken := queue.take(f"w{seed}", 5):
            for each in taken:
                ended += queue.done(each.item_pk, each.claim, each.item_pk.encode()).state == "done"
        return ended

    with ThreadPoolExecutor(5) as pool:
        assert sum(pool.map(work, range(5))) == 80
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=0, failed=0, done=80, dead=0)
    assert all(news.queue.body(pk(number))[1] == pk(number).encode() for number in range(80))


def test_what_was_taken_is_handed_out_even_if_the_table_then_fails(news: News, database: Database) -> None:
    news.loader.load(links(3))

    class Failing:
        """A table that cannot be reached once one article is taken."""

        puts = 0

        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if self.puts:
                raise WireError("InternalServerError", "gone")
            self.puts += operation == "PutItem"
            return database.backend.call(operation, request)

    queue = News(Database(Failing()), news.clock, sleep=lambda _: None).queue
    assert len(queue.take("w", 3)) == 1
    with pytest.raises(Unavailable):
        queue.take("w", 3)


# ── together with something else ──────────────────────────────────────────────────────────────────


def noting(transaction: Transaction, taken: list[Work]) -> None:
    """Note beside some articles how many they are."""
    transaction.create(RunSecond(ms=len(taken), run="noted"))


def test_articles_are_taken_together_with_what_is_beside_them(news: News, database: Database) -> None:
    news.loader.load(links(3))
    taken = news.queue.take("w", 2, beside=noting)
    assert {each.item_pk for each in taken} < {pk(0), pk(1), pk(2)}
    assert database.find(RunSecondKey(ms=2)) is not None
    assert news.queue.counts().claimed == 2


def test_what_somebody_takes_at_the_same_moment_is_passed_over(
    news: News, database: Database, clock: SetClock
) -> None:
    news.loader.load(links(3))
    meddled = Database(
        Before(database.backend, "TransactWriteItems", lambda: news.queue.claim(pk(1), "fast"))
    )
    taken = News(meddled, clock, token=tokens("late")).queue.take("late", 3, beside=noting)
    assert {each.item_pk for each in taken} == {pk(0), pk(2)}
    assert database.find(RunSecondKey(ms=2)) is not None


def test_one_less_than_a_transaction_may_have_is_taken_together(news: News) -> None:
    news.loader.load(links(101))
    assert len(news.queue.take("w", 100, beside=noting)) == 99


def test_when_nothing_waits_nothing_is_written_beside_it(news: News, database: Database) -> None:
    assert news.queue.take("w", 2, beside=noting) == []
    assert database.find(RunSecondKey(ms=0)) is None


# ── counted once, taken back ──────────────────────────────────────────────────────────────────────


def test_what_may_be_taken_waits_and_is_counted_as_nothing_else(news: News, clock: SetClock) -> None:
    news.loader.load(links(3))
    lapsing, failing = news.queue.take("w", 2)
    news.queue.fail(failing.item_pk, failing.claim, "x")
    assert news.queue.counts() == QueueCounts(waiting=1, claimed=1, failed=1, done=0, dead=0)
    clock.now += 3600
    assert news.queue.counts() == QueueCounts(waiting=3, claimed=0, failed=0, done=0, dead=0)
    assert [len(news.queue.page(state)) for state in ("claimed", "failed")] == [0, 0]
    assert {each.pk for each in news.queue.waiting()} >= {lapsing.item_pk, failing.item_pk}


def test_a_claim_is_released_and_its_worker_refused(news: News) -> None:
    news.loader.load(links(1))
    [work] = news.queue.take("slow")
    released = news.queue.release(work.item_pk)
    assert (released.state, released.attempts) == ("waiting", 1)
    with pytest.raises(Conflict, match="taken over"):
        news.queue.done(work.item_pk, work.claim)
    with pytest.raises(Conflict, match="Only an article that is claimed"):
        news.queue.release(work.item_pk)
    assert news.queue.claim(work.item_pk, "next").attempts == 2


def test_all_that_failed_or_was_given_up_is_retried(news: News) -> None:
    news.loader.load(links(5))
    for work in news.queue.take("w", 3):
        news.queue.fail(work.item_pk, work.claim, "x")
    assert news.queue.retry_all("dead") == 0
    assert news.queue.retry_all("failed", 2) == 2
    assert news.queue.counts() == QueueCounts(waiting=4, claimed=0, failed=1, done=0, dead=0)
    with pytest.raises(InvalidInput, match="Only articles that failed"):
        news.queue.retry_all("done")
