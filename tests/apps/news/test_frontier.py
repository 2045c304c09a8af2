"""The frontier passes days that are done with, and never one that may still get links."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from hansang.apps.news import frontier
from hansang.apps.news.design import NewsItems, NewsKey
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.design import Database, Unreadable
from tests.apps.news.conftest import SetClock
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.spoiling import put_item, spoil

DAY = date(2026, 11, 15)
HOUR_MS = 3_600_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


MORNING, NOW = ms("2026-11-15T06:00:00Z"), ms("2026-11-20T12:00:00Z")


def moment_of(database: Database) -> int:
    found = frontier.find(database)
    assert found is not None
    return found.since_ms


def test_what_was_uploaded_an_hour_ago_can_get_no_more_links() -> None:
    assert frontier.over_before(None, NOW) == NOW - HOUR_MS


def test_a_time_that_was_opened_again_stays_for_an_hour(database: Database) -> None:
    frontier.move(database, NOW - HOUR_MS, None)
    frontier.reopen(database, MORNING, NOW)
    seen = frontier.find(database)
    assert seen is not None
    assert seen.since_ms == MORNING
    assert frontier.over_before(seen, NOW + HOUR_MS - 1) == 0
    assert frontier.over_before(seen, NOW + HOUR_MS) == NOW


def test_whoever_saw_the_frontier_before_it_was_set_back_cannot_move_it(database: Database) -> None:
    seen = frontier.move(database, MORNING, None)
    frontier.reopen(database, MORNING + HOUR_MS, NOW)
    assert frontier.move(database, MORNING + 2 * HOUR_MS, seen) is None
    assert moment_of(database) == MORNING


def test_setting_back_goes_to_the_earliest_time_that_was_asked_for(database: Database) -> None:
    frontier.move(database, NOW, None)
    for ms in (MORNING, MORNING - 3 * HOUR_MS, MORNING - HOUR_MS):
        frontier.reopen(database, ms, NOW)
    assert moment_of(database) == MORNING - 3 * HOUR_MS


def test_a_frontier_that_never_moved_is_at_the_beginning(database: Database) -> None:
    frontier.reopen(database, MORNING, NOW)
    assert moment_of(database) == 0


def test_a_frontier_that_stays_anyway_is_not_written_again(database: Database) -> None:
    frontier.move(database, MORNING, None)
    frontier.reopen(database, MORNING, NOW)
    with database.meter() as cost:
        frontier.reopen(database, MORNING, NOW + HOUR_MS // 2)
    assert cost.write == 0
    with database.meter() as cost:
        frontier.reopen(database, MORNING, NOW + HOUR_MS // 2 + 1)
    assert cost.write == 1


def test_moving_twice_to_the_same_moment_is_moving_once(database: Database) -> None:
    assert frontier.move(database, MORNING, None) == frontier.move(database, MORNING, None)


def test_a_day_begins_with_its_first_millisecond() -> None:
    assert frontier.day_of(frontier.start_of(DAY)) == DAY
    assert frontier.day_of(frontier.start_of(DAY) - 1) == DAY - timedelta(days=1)


# ── with the queue ────────────────────────────────────────────────────────────────────────────────


def crawl_all(news: News) -> None:
    for work in news.queue.take("w", 1000):
        news.queue.done(work.item_pk, work.claim)


@clause("X3-08")
def test_days_are_passed_one_after_the_other_and_only_up_to_the_first_that_is_open(
    news: News, database: Database, clock: SetClock
) -> None:
    for number in range(4):
        news.loader.load([link(number)])
        clock.now += 86_400
    for number in (0, 1, 3):
        pk = pk_of(link(number)["url"])
        news.queue.done(pk, news.queue.claim(pk, "w").claim)
    assert len(news.queue.waiting()) == 1
    assert frontier.day_of(moment_of(database)) == DAY + timedelta(days=2)


@clause("X3-08")
def test_what_comes_while_the_queue_is_being_read_is_not_passed(
    news: News, database: Database, clock: SetClock
) -> None:
    """The queue has read a day to its end; a run of that day goes on; the queue then wants to pass the day."""
    news.loader.load(links(1))
    crawl_all(news)
    clock.now += 2 * 86_400
    seen = frontier.find(database)
    frontier.reopen(database, frontier.start_of(DAY), int(clock.now * 1000))
    assert frontier.move(database, frontier.start_of(DAY + timedelta(days=1)), seen) is None
    crawl_all(news)
    assert frontier.day_of(moment_of(database)) <= DAY


def runs_of_a_day(news: News, clock: SetClock, runs: int = 12, size: int = 30) -> None:
    """Lists that come every half hour, each crawled as it comes."""
    for number in range(runs):
        news.loader.load(links(size, number * size))
        crawl_all(news)
        clock.now += 1800


@clause("X3-08")
def test_what_is_done_with_is_not_read_again_within_its_day(
    news: News, database: Database, clock: SetClock
) -> None:
    runs_of_a_day(news, clock)
    news.loader.load(links(1, 10_000))
    with database.meter() as cost:
        assert len(news.queue.take("w")) == 1
    assert moment_of(database) > int(clock.now * 1000) - 2 * HOUR_MS
    assert cost.read < 12 * 30 / 2  # Half a unit for the state of each article, had all been read again.


@clause("X3-08")
def test_a_load_that_takes_hours_is_crawled_to_its_end(
    news: News, database: Database, clock: SetClock
) -> None:
    def slowly(_: int) -> None:
        clock.now += 3600
        crawl_all(news)

    run = news.loader.load(links(1600), progress=slowly)
    crawl_all(news)
    assert run.inserted == 1600
    assert news.queue.counts().done == 1600
    clock.now += 3 * 3600
    assert news.queue.waiting() == []
    assert moment_of(database) > int(run.uploaded_at.timestamp()) * 1000


@clause("X3-08")
def test_an_article_that_cannot_be_read_is_not_passed_and_comes_when_it_is_repaired(
    news: News, database: Database, clock: SetClock
) -> None:
    news.loader.load(links(3))
    pk = pk_of(link(1)["url"])
    item = database.find_item(NewsItems, {"pk": {"S": pk}})
    assert item is not None
    spoil(database, NewsKey(pk=pk), title=None)
    crawl_all(news)
    clock.now += 3 * 86_400
    told: list[Unreadable] = []
    assert news.queue.waiting(unreadable=told.append) == []
    assert [each.key for each in told] == [{"pk": {"S": pk}}]
    assert [each.key for each in news.queue.waiting_page().unreadable] == [{"pk": {"S": pk}}]
    put_item(database, NewsItems, item)
    assert [each.item_pk for each in news.queue.take("w")] == [pk]
