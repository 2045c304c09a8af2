"""The frontier passes days that are done with, and never one that may still get links."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from hansang.apps.news import frontier
from hansang.apps.news.design import Frontier
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.design import Database
from tests.apps.news.conftest import SetClock
from tests.apps.news.lists import link, links
from tests.clauses import clause

DAY = date(2026, 11, 15)
HOUR_MS = 3_600_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


NOW = ms("2026-11-20T12:00:00Z")


def day_of(database: Database) -> date:
    found = frontier.find(database)
    assert found is not None
    return found.day


@pytest.mark.parametrize(
    ("now", "passes"),
    [
        ("2026-11-15T23:59:59Z", False),
        ("2026-11-16T00:59:59Z", False),
        ("2026-11-16T01:00:00Z", True),
    ],
)
def test_a_day_is_passed_an_hour_after_it_is_over(now: str, passes: bool) -> None:
    assert frontier.may_pass(None, DAY, ms(now)) is passes


def test_a_day_that_was_opened_again_stays_for_an_hour(database: Database) -> None:
    frontier.move_behind(database, DAY + timedelta(days=2), None)
    frontier.reopen(database, DAY, NOW)
    seen = frontier.find(database)
    assert seen is not None
    assert not frontier.may_pass(seen, DAY, NOW + HOUR_MS - 1)
    assert frontier.may_pass(seen, DAY, NOW + HOUR_MS)


def test_whoever_saw_the_frontier_before_it_was_set_back_cannot_move_it(database: Database) -> None:
    seen = frontier.move_behind(database, DAY, None)
    frontier.reopen(database, DAY + timedelta(days=1), NOW)
    assert frontier.move_behind(database, DAY + timedelta(days=1), seen) is None
    assert day_of(database) == DAY + timedelta(days=1)


def test_setting_back_goes_to_the_earliest_day_that_was_asked_for(database: Database) -> None:
    frontier.move_behind(database, DAY, None)
    for day in (DAY, DAY - timedelta(days=3), DAY - timedelta(days=1)):
        frontier.reopen(database, day, NOW)
    assert day_of(database) == DAY - timedelta(days=3)


def test_a_frontier_that_never_moved_is_at_the_beginning(database: Database) -> None:
    frontier.reopen(database, DAY, NOW)
    assert day_of(database) == frontier.FIRST_DAY


def test_a_frontier_that_stays_anyway_is_not_written_again(database: Database) -> None:
    frontier.move_behind(database, DAY, None)
    frontier.reopen(database, DAY, NOW)
    with database.meter() as cost:
        frontier.reopen(database, DAY, NOW + HOUR_MS // 2)
    assert cost.write == 0
    with database.meter() as cost:
        frontier.reopen(database, DAY, NOW + HOUR_MS // 2 + 1)
    assert cost.write == 1


def test_moving_twice_to_the_same_day_is_moving_once(database: Database) -> None:
    assert frontier.move_behind(database, DAY, None) == frontier.move_behind(database, DAY, None)


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
    assert day_of(database) == DAY + timedelta(days=2)


@clause("X3-08")
def test_what_comes_while_the_queue_is_being_read_is_not_passed(
    news: News, database: Database, clock: SetClock
) -> None:
    """The queue has read a day to its end; a run of that day goes on; the queue then wants to pass the day."""
    news.loader.load(links(1))
    crawl_all(news)
    clock.now += 2 * 86_400
    seen = frontier.find(database)
    frontier.reopen(database, DAY, int(clock.now * 1000))
    assert frontier.move_behind(database, DAY, seen) is None
    crawl_all(news)
    assert day_of(database) <= DAY


def test_the_frontier_is_found_and_says_its_day(database: Database) -> None:
    assert frontier.find(database) is None
    assert frontier.move_behind(database, DAY, None) == Frontier(day=DAY + timedelta(days=1))
    assert frontier.find(database) == Frontier(day=DAY + timedelta(days=1))
    assert datetime.fromtimestamp(NOW / 1000, UTC).date() > DAY
