"""The queue of articles: one worker at a time, the oldest first, and what a dead worker had comes back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from random import Random

import pytest

from hansang.apps.news.crawling import QueueCounts
from hansang.apps.news.design import FrontierKey, NewsKey, NewsWork
from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS, pk_of
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.errors import Conflict, InvalidInput, NotFound
from tests.apps.news.conftest import SetClock
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
    assert news.queue.counts() == QueueCounts(waiting=0, claimed=0, failed=1, done=0, dead=0)


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
    assert frontier.day > news.reading.get(pk(0)).dt_utc
    assert frontier.day <= news.reading.get(pk(2)).dt_utc
    assert first < clock.now


def test_a_run_of_an_earlier_day_that_goes_on_later_is_crawled_too(
    news: News, database: Database, clock: SetClock
) -> None:
    run = news.loader.load([link(0), {"title": 1}], source="a")
    news.queue.done(pk(0), news.queue.claim(pk(0), "w").claim)
    stopped = run.model_copy(update={"run_state": "stopped", "id": run.id, "failed": 1})
    database.put(stopped)
    clock.now += DAY
    news.queue.waiting()
    assert database.get(FrontierKey()).day > run.uploaded_at.date()
    news.loader.load([*links(1), {"title": 1}, *links(600, first=1)], run=run.id)
    assert database.get(FrontierKey()).day == run.uploaded_at.date()


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
