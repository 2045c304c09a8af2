"""Recounting: counts and mentions as the list has them, also beside loads that are under way."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta

import pytest

from hansang.apps.news import frontier
from hansang.apps.news.design import Mention, NewsDayKey, NewsItem, NewsKey, Run
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.errors import InvalidInput
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Before, Killed
from tests.apps.news.lists import link, links
from tests.clauses import clause

DAY = date(2026, 11, 15)


def count(database: Database) -> int:
    found = database.find(NewsDayKey(day=DAY))
    return found.inserted if found else 0


def recounted(news: News) -> int:
    return dict(news.recount(DAY, DAY))[DAY]


def kill(database: Database, clock: SetClock, at: int) -> Run:
    killed = Database(Killed(database.backend, at, after=False))
    with pytest.raises(RuntimeError):
        News(killed, clock, threads=1, sleep=clock.sleep, token=tokens("k")).loader.load(links(10))
    clock.now += 1
    found = database.first(Run.of_month("2026-11"))
    assert found is not None
    return found


@clause("X3-08")
def test_a_run_that_died_is_counted_and_takes_it_back_when_it_goes_on(
    news: News, database: Database, clock: SetClock
) -> None:
    run = kill(database, clock, 6)
    assert count(database) == 0
    assert recounted(news) == count(database) == news.reading.run(run.id).mended == 4
    assert recounted(news) == count(database) == 4
    ended = news.loader.load(links(10), run=run.id)
    assert (ended.inserted, ended.mended, count(database)) == (10, 0, 10)


@clause("X3-08")
def test_a_recount_in_the_middle_of_a_load_is_put_right_when_the_load_ends(
    news: News, database: Database, clock: SetClock
) -> None:
    """The night job meets a run that has stored a part and not reported it yet."""
    seen: list[int] = []
    backend = Before(database.backend, "TransactWriteItems", lambda: seen.append(recounted(news)))
    run = News(Database(backend), clock, sleep=clock.sleep).loader.load(links(600))
    assert seen == [500]
    assert (run.inserted, run.mended, count(database)) == (600, 0, 600)


def test_a_recount_beside_loads_loses_none_of_their_counts(
    news: News, database: Database, clock: SetClock
) -> None:
    stop = threading.Event()

    def recount_on() -> None:
        while not stop.is_set():
            recounted(News(database, clock, sleep=clock.sleep))

    thread = threading.Thread(target=recount_on)
    thread.start()
    try:
        for number in range(15):
            news.loader.load(links(20, first=number * 20))
    finally:
        stop.set()
        thread.join()
    assert recounted(news) == count(database) == 300


def test_links_that_no_run_has_brought_are_counted_too(
    news: News, database: Database, clock: SetClock
) -> None:
    news.loader.load(links(2))
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    stray = database.create(NewsItem.uploaded(noon, **link(5, "NVDA")))
    assert recounted(news) == count(database) == 3
    assert database.get(NewsDayKey(day=DAY)).strays == 1
    assert [each.url for each in database.all(Mention.of_ticker("NVDA"))] == [stray.url]
    assert len(news.queue.waiting()) == 3
    news.loader.load(links(1, first=7))
    database.delete(NewsKey(pk=stray.pk))
    assert recounted(news) == count(database) == 3


@clause("X3-08")
def test_what_is_found_on_a_day_that_was_passed_is_crawled(
    news: News, database: Database, clock: SetClock
) -> None:
    frontier.move(database, frontier.start_of(DAY + timedelta(days=4)), None)
    kill(database, clock, 6)
    assert news.queue.waiting() == []
    recounted(news)
    assert len(news.queue.waiting()) == 4


def test_a_day_that_is_as_it_should_be_is_left_alone(news: News, database: Database) -> None:
    news.loader.load([link(1, "NVDA")])
    frontier.move(database, frontier.start_of(DAY + timedelta(days=4)), None)
    with database.meter() as cost:
        assert recounted(news) == 1
    assert cost.write == 1  # the mention
    assert frontier.find(database) == frontier.move(
        database, frontier.start_of(DAY + timedelta(days=4)), None
    )


@pytest.mark.parametrize(
    ("since", "until"),
    [(DAY, DAY - timedelta(days=1)), (date(2020, 1, 1), DAY), (date.min, date.min), (date.max, date.max)],
)
def test_days_that_cannot_be_meant_are_refused(news: News, since: date, until: date) -> None:
    with pytest.raises(InvalidInput):
        news.recount(since, until)
