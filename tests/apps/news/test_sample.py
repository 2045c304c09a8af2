"""The sample of the news list: what came first is kept, and the times of a run are one moment."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from functools import cache

import pytest

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.design import (
    Mention,
    NewsDay,
    NewsItem,
    NewsKey,
    NewsRow,
    Run,
    RunPart,
    Work,
)
from hansang.apps.news.rules import Link, pk_of, upload_times, without_tracking
from hansang.apps.news.sample import Upload, uploads
from hansang.design import Database
from tests.apps.sampled import NOW, everything, filled, pattern_names, unanswered
from tests.clauses import clause

UPLOADS = list(uploads(NOW))


@cache
def first_seen() -> dict[str, tuple[Upload, Link]]:
    """Each link as it was when it came for the first time."""
    found: dict[str, tuple[Upload, Link]] = {}
    for upload in UPLOADS:
        for link in upload.links:
            found.setdefault(link.url, (upload, link))
    return found


@pytest.fixture(scope="module")
def db(sample: tuple[Database, list[int]]) -> Database:
    return sample[0]


def rows(db: Database) -> list[NewsRow]:
    days = [NOW.date() - timedelta(days=back) for back in range(23)]
    return [row for day in days for row in db.all(NewsRow.uploaded_on(day))]


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────


def test_two_fills_are_the_same(db: Database) -> None:
    with filled(APPLICATION) as (again, _):
        assert everything(again, APPLICATION) == everything(db, APPLICATION)


def test_there_are_about_seventy_links_a_day(db: Database) -> None:
    by_day = Counter(row.dt_utc for row in rows(db))
    assert sum(by_day.values()) == len(first_seen())
    assert 21 * 60 <= sum(by_day.values()) <= 21 * 80
    assert all(40 <= count <= 100 for day, count in by_day.items() if min(by_day) < day < max(by_day))


def test_the_progress_counts_new_links_and_crawled_ones(sample: tuple[Database, list[int]]) -> None:
    _, said = sample
    assert len(said) == len(UPLOADS) + 1
    assert sum(said[:-1]) == len(first_seen())


def test_every_access_pattern_has_an_answer(db: Database) -> None:
    newest = UPLOADS[-1]
    day, at_ms = newest.at.date(), int(newest.at.timestamp()) * 1000
    run = db.all(Run.of_month(f"{day:%Y-%m}"))[0]
    questions = [
        NewsItem.with_url(newest.links[0].url),
        NewsRow.uploaded_on(day),
        NewsRow.uploaded_between(day, at_ms, at_ms),
        Run.of_month(f"{day:%Y-%m}"),
        RunPart.of_run(run.id),
        Mention.of_ticker("SNYK"),
        Mention.of_ticker_between("SNYK", 0, at_ms),
        NewsDay.since(day),
        NewsDay.between(day - timedelta(days=7), day),
        Work.in_state("claimed"),
        Work.in_state("failed"),
        Work.in_state("done"),
    ]
    # No two links of the sample have the same key; nobody has sent a long list, or saved a search.
    empty = {"Collision.newest", "SentList.oldest", "SavedSearch.of_person"}
    assert {question.name for question in questions} >= pattern_names(APPLICATION) - empty
    assert unanswered(db, questions) == set()


# ── links ─────────────────────────────────────────────────────────────────────────────────────────


@clause("3-04", "3-11", "3-12", "X3-22", "X3-24")
def test_what_came_first_is_kept(db: Database) -> None:
    again = sum(len(upload.links) for upload in UPLOADS) - len(first_seen())
    assert again > 200
    for url, (upload, link) in first_seen().items():
        item = db.get(NewsKey.of(url))
        assert (item.title, tuple(item.tickers), item.source) == (link.title, link.tickers, upload.source)
        assert item.uploaded_at_utc_iso == upload.at


@clause("X3-22")
def test_some_links_come_again_with_another_title(db: Database) -> None:
    first = first_seen()
    edited = [link for upload in UPLOADS for link in upload.links if first[link.url][1].title != link.title]
    assert len(edited) > 20
    assert all(db.get(NewsKey.of(link.url)).title != link.title for link in edited)


@clause("3-06", "3-07")
def test_some_links_have_an_article_id_and_some_do_not() -> None:
    tags = Counter(pk_of(url).partition("#")[0] for url in first_seen())
    assert tags.keys() == {"id", "h"}
    assert min(tags.values()) > 200


@clause("X3-21")
def test_some_differ_only_in_tracking_parameters_and_are_items_of_their_own(db: Database) -> None:
    urls = first_seen().keys()
    near = {url: bare for url in urls if (bare := without_tracking(url)) != url}
    assert 10 <= len(near) <= 150
    assert all(db.get(NewsKey.of(url)).title == db.get(NewsKey.of(bare)).title for url, bare in near.items())


@clause("3-03", "3-14", "X3-19")
def test_links_have_no_ticker_or_one_or_more(db: Database) -> None:
    found = [row.tickers for row in rows(db)]
    assert {len(tickers) for tickers in found} == {0, 1, 2}
    assert all(ticker == ticker.upper() for tickers in found for ticker in tickers)


def test_there_are_several_sources(db: Database) -> None:
    assert len({row.source for row in rows(db)}) == 4


# ── times ─────────────────────────────────────────────────────────────────────────────────────────


@clause("3-10", "X3-11")
def test_the_times_of_an_item_are_one_moment(db: Database) -> None:
    for url, (upload, _) in list(first_seen().items())[::40]:
        item, times = db.get(NewsKey.of(url)), upload_times(upload.at)
        assert all(getattr(item, name) == getattr(times, name) for name in times.__slots__)


@pytest.mark.parametrize("now", [NOW, datetime(2026, 11, 2, 0, 0, tzinfo=UTC)])
def test_uploads_are_in_order_and_in_the_three_weeks_before_the_moment(now: datetime) -> None:
    times = [upload.at for upload in uploads(now)]
    assert times == sorted(set(times))
    assert now - timedelta(days=22) < times[0] <= now - timedelta(days=20)
    assert now - timedelta(hours=1) < times[-1] <= now


def test_a_moment_without_a_time_zone_is_refused_before_anything_is_written() -> None:
    with pytest.raises(ValueError, match="no time zone"), filled(APPLICATION, datetime(2026, 10, 23)):  # noqa: DTZ001
        pass


# ── what is beside the list ───────────────────────────────────────────────────────────────────────


@clause("X3-08", "X3-23")
def test_every_run_adds_up_and_so_does_every_day(db: Database) -> None:
    runs = [run for month in ("2026-09", "2026-10") for run in db.all(Run.of_month(month))]
    assert len(runs) == len(UPLOADS)
    assert all(run.run_state == "finished" for run in runs)
    assert all(run.total == run.inserted + run.duplicate for run in runs)
    inserted = Counter(row.dt_utc for row in rows(db))
    assert {day.day: day.inserted for day in db.all(NewsDay.since(date(2026, 1, 1)))} == inserted


def test_the_crawl_has_begun(db: Database) -> None:
    counted = {state: db.count(Work.in_state(state)) for state in ("claimed", "failed", "done", "dead")}
    assert counted == {"claimed": 3, "failed": 3, "done": 34, "dead": 2}
