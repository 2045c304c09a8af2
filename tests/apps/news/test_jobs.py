"""What the news list does by itself: fetching pages, checking a day, mending it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from hansang.apps.news import rules
from hansang.apps.news.design import Mention, NewsItem, Run
from hansang.apps.news.jobs import checked, fetched, jobs, mended
from hansang.apps.news.service import News
from hansang.apps.news.settings import NewsSettings
from hansang.design import Database
from hansang.errors import SettingsError, Unavailable
from hansang.parts.schedules import Schedule
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Killed
from tests.apps.news.lists import link, links
from tests.apps.news.sites import served

LOOPBACK = ("127.0.0.1",)
A_DAY = timedelta(days=1).total_seconds()


@pytest.fixture
def site() -> Iterator[str]:
    with served() as url:
        yield url


# ── which jobs there are ──────────────────────────────────────────────────────────────────────────


def test_without_a_source_nothing_is_fetched(database: Database, clock: SetClock) -> None:
    names = [each.name for each in jobs(database, clock, NewsSettings())]
    assert names == ["news-check", "news-mend", "news-load"]


def test_with_a_source_pages_are_fetched_at_the_time_of_the_settings(
    database: Database, clock: SetClock
) -> None:
    weekly = Schedule.parse("weekly MON 09:00")
    fetch, *_ = jobs(database, clock, NewsSettings(("https://news.example/latest",), weekly))
    assert (fetch.name, fetch.schedule) == ("news-fetch", weekly)


@pytest.mark.parametrize("source", ["", "example", "example=ftp://news.example", "=https://news.example"])
def test_a_source_without_an_address_is_refused(source: str) -> None:
    with pytest.raises(SettingsError, match="is not a page to fetch"):
        NewsSettings((source,))


# ── fetching ──────────────────────────────────────────────────────────────────────────────────────


def test_pages_are_loaded_under_the_names_of_their_sources(
    news: News, database: Database, clock: SetClock, site: str
) -> None:
    settings = NewsSettings((f"{site}/section/latest", f"wire={site}/feed"), fetch_private=LOOPBACK)
    result = fetched(news, settings)
    assert result.text == "7 new links of 2 of 2 pages"
    assert (result.counts["inserted"], result.counts["page_drift"]) == (7, 0)
    assert [run.source for run in database.all(Run.of_month("2026-11"))] == ["wire", "yf_latest"]
    again = fetched(news, settings)
    assert (again.counts["inserted"], again.counts["duplicates"]) == (0, 7)


def test_a_page_that_cannot_be_read_does_not_stop_the_others(
    news: News, site: str, caplog: pytest.LogCaptureFixture
) -> None:
    result = fetched(news, NewsSettings((f"{site}/gone", f"{site}/feed"), fetch_private=LOOPBACK))
    assert (result.text, result.counts["failed_pages"]) == ("2 new links of 1 of 2 pages", 1)
    assert "answered 404" in caplog.text


def test_a_fetch_that_reads_no_page_fails(news: News, site: str, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.CRITICAL, logger="hansang.news"),
        pytest.raises(Unavailable, match="None of the 1 pages"),
    ):
        fetched(news, NewsSettings((f"{site}/gone",), fetch_private=LOOPBACK))


def test_a_page_that_has_changed_its_shape_is_counted(news: News, site: str) -> None:
    result = fetched(news, NewsSettings((f"{site}/empty",), fetch_private=LOOPBACK))
    assert (result.counts["page_drift"], result.counts["inserted"]) == (1, 0)


# ── checking ──────────────────────────────────────────────────────────────────────────────────────


def test_a_day_that_is_as_it_should_be_has_no_drift(news: News, database: Database, clock: SetClock) -> None:
    news.loader.load([link(1, "NVDA", "AMD"), *links(150, first=2)])
    clock.now += A_DAY
    assert checked(database, news).counts == {"links": 151, "drift": 0, "collisions": 0}


def test_what_a_run_that_died_left_undone_is_drift_until_it_is_mended(
    news: News, database: Database, clock: SetClock
) -> None:
    killed = Database(Killed(database.backend, 6, after=False))
    with pytest.raises(RuntimeError):
        News(killed, clock, threads=1, sleep=clock.sleep, token=tokens("k")).loader.load(
            [link(number, "NVDA") for number in range(10)]
        )
    clock.now += A_DAY
    found = checked(database, news)
    # Four links are stored, neither counted nor noted under their ticker.
    assert found.counts == {"links": 4, "drift": 8, "collisions": 0}
    assert checked(database, news) == found
    assert mended(news).counts == {"links": 4, "days": 2}
    assert checked(database, news).counts["drift"] == 0


def test_a_mention_that_is_missing_is_drift(news: News, database: Database, clock: SetClock) -> None:
    news.loader.load([link(1, "NVDA", "AMD")])
    [mention] = database.all(Mention.of_ticker("AMD"))
    database.delete(mention)
    clock.now += A_DAY
    assert checked(database, news).counts["drift"] == 1


def test_the_collisions_of_the_day_are_counted(
    news: News, database: Database, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    other = NewsItem.uploaded(
        datetime(2026, 1, 1, tzinfo=UTC), url="https://o.example", title="o", tickers=[]
    )
    database.create(other.model_copy(update={"pk": rules.pk_of(link(1)["url"])}))
    with caplog.at_level(logging.CRITICAL, logger="hansang.news"):
        news.loader.load([link(1)])
    clock.now += A_DAY
    found = checked(database, news)
    assert found.text == "2026-11-15: 0 links, drift 0, 1 collisions"
    clock.now += A_DAY
    assert checked(database, news).counts["collisions"] == 0
