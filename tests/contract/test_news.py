"""The news application, run whole on every backend."""

from __future__ import annotations

import io
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import count
from typing import Any

import pytest

from hansang.apps.news.crawling import QueueCounts
from hansang.apps.news.design import NewsDay, NewsDayKey, NewsItem, NewsItems, NewsKey, NewsWork, Run
from hansang.apps.news.inputs import read_links
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS, pk_of
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.errors import Conflict, NotFound
from tests.clauses import clause
from tests.contract.contenders import Contender
from tests.contract.partitions import eventually

EXAMPLES: tuple[dict[str, Any], ...] = (
    {
        "title": "A Trump Supreme Court tariff defeat would add to trade uncertainty",
        "url": "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html",
        "tickers": [],
    },
    {
        "title": "Some article",
        "url": "https://finance.yahoo.com/news/some-article?src=latest&guccounter=1",
        "tickers": ["NVDA", "PLTR"],
    },
)
DAYS = count(step=30)


@dataclass
class Desk:
    """A news list on a day that no other test has, with links of its own."""

    database: Database
    contender: Contender
    id: str
    now: float

    @cached_property
    def news(self) -> News:
        return News(self.database, lambda: self.now, sleep=self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def link(self, number: int, *tickers: str, title: str = "") -> dict[str, Any]:
        url = f"https://{self.id}.example/story-{number:09d}.html"
        return {"title": title or f"Headline {number}", "url": url, "tickers": list(tickers)}

    def pk(self, number: int) -> str:
        return pk_of(self.link(number)["url"])

    @property
    def day(self) -> date:
        return datetime.fromtimestamp(self.now, UTC).date()

    def counts(self) -> tuple[int, int, int]:
        found = self.database.get(NewsDayKey(day=self.day), consistent=True)
        return found.inserted, found.done, found.dead


@pytest.fixture(scope="session")
def tables(contender: Contender) -> Iterator[Database]:
    mark = uuid.uuid4().hex[:12]
    names = {NewsItems: f"hansang-news-{mark}", NewsWork: f"hansang-news-work-{mark}"}
    database = Database(contender, secret=b"for tests", names=names)
    assert database.create_tables(NewsItems, NewsWork) == list(names.values())
    yield database
    for name in names.values():
        contender.call("DeleteTable", {"TableName": name})


@pytest.fixture
def desk(tables: Database, contender: Contender) -> Desk:
    # Later than every other test: the crawl has one frontier, which is never behind the clock.
    begun = datetime(2000, 1, 1, 12, tzinfo=UTC) + timedelta(days=next(DAYS))
    return Desk(tables, contender, f"n{uuid.uuid4().hex}", begun.timestamp())


def outcomes(desk: Desk, run: Run) -> list[str]:
    return [line.outcome for part in desk.news.reading.report(run.id) for line in part.lines]


@clause("3-11", "3-12", "X3-15", "X3-23")
def test_a_list_is_loaded_and_what_is_there_stays(desk: Desk) -> None:
    first = desk.news.loader.load([desk.link(1, "NVDA"), desk.link(2), {"title": 1}, desk.link(1)])
    assert outcomes(desk, first) == ["inserted", "inserted", "invalid", "duplicate_in_batch"]
    before = desk.news.reading.get(desk.pk(1))
    again = desk.news.loader.load([desk.link(1, "AMD", title="Edited"), desk.link(3)], source="other")
    assert outcomes(desk, again) == ["duplicate", "inserted"]
    assert desk.news.reading.get(desk.pk(1)) == before
    assert (again.duplicate, again.inserted, again.total) == (1, 1, 2)
    assert desk.counts() == (3, 0, 0)


@clause("X3-01", "X3-02", "3-13", "3-14")
def test_the_examples_of_the_document_are_stored_as_it_has_them(tables: Database) -> None:
    moment = datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC)
    for given in EXAMPLES:
        tables.create(NewsItem.uploaded(moment, **given))
    found = [tables.get(NewsKey(pk=pk)) for pk in ("id#74f4974f830a32a5", "h#91fb04bfce56b655")]
    assert [item.tickers for item in found] == [[], ["NVDA", "PLTR"]]
    assert {item.uploaded_at_utc_ms for item in found} == {1762389312000}
    assert {item.uploaded_at_est_iso for item in found} == {"2025-11-05T19:35:12-05:00"}


@clause("X3-06")
def test_a_collision_is_kept_aside(desk: Desk) -> None:
    other = NewsItem.uploaded(datetime(2000, 1, 1, tzinfo=UTC), **desk.link(9))
    desk.database.create(other.model_copy(update={"pk": desk.pk(1)}))
    run = desk.news.loader.load([desk.link(1)])
    assert (run.collision, run.inserted) == (1, 0)
    [kept] = [each for each in desk.news.reading.collisions(1000) if each.run == run.id]
    assert (kept.url, kept.kept_url) == (desk.link(1)["url"], desk.link(9)["url"])
    assert desk.news.reading.get(desk.pk(1)).url == desk.link(9)["url"]


@clause("X3-07", "X3-23")
def test_a_run_goes_on_where_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hansang.apps.news.loading.PART", 2)

    def broken() -> Iterator[Any]:
        yield from (desk.link(number, "NVDA") for number in range(3))
        raise RuntimeError("broken off")

    with pytest.raises(RuntimeError, match="broken off"):
        desk.news.loader.load(broken())
    [run] = [each for each in desk.news.reading.each_run(desk.day, desk.day) if each.inserted == 2]
    given = [desk.link(number, "NVDA") for number in range(5)]
    with pytest.raises(Conflict, match="not the one"):
        desk.news.loader.load(reversed(given), run=run.id)
    ended = desk.news.loader.load(given, run=run.id)
    assert (ended.run_state, outcomes(desk, ended)) == ("finished", ["inserted"] * 5)
    assert desk.counts() == (5, 0, 0)
    with pytest.raises(Conflict, match="finished"):
        desk.news.loader.load(given, run=run.id)


@clause("X3-08", "X3-20")
def test_links_are_read_by_day_and_by_ticker(desk: Desk) -> None:
    ticker = desk.id[:20].upper()
    desk.news.loader.load([desk.link(number, ticker, "A#B") for number in range(7)], source="a")
    desk.now += 3600
    desk.news.loader.load([desk.link(8, title="Rain in Seoul")], source="b")
    wanted = ArticleFilter(desk.day, desk.day)

    def titles() -> list[str]:
        return [row.title for row in desk.news.reading.each(wanted)]

    eventually(desk.contender, lambda: len(titles()), 8)
    assert titles()[0] == "Rain in Seoul"
    first = desk.news.reading.page(wanted, 5)
    second = desk.news.reading.page(wanted, 5, first.cursor)
    assert [row.title for row in (*first, *second)] == titles()
    assert second.cursor is None
    of_ticker = list(desk.news.reading.each(ArticleFilter(desk.day, desk.day, ticker=ticker.lower())))
    assert sorted(row.pk for row in of_ticker) == sorted(desk.pk(number) for number in range(7))
    of_text = list(desk.news.reading.each(ArticleFilter(desk.day, desk.day, source="b", text="SEOUL")))
    assert [row.pk for row in of_text] == [desk.pk(8)]


def test_an_article_is_taken_by_one_worker_and_ended_once(desk: Desk) -> None:
    desk.news.loader.load([desk.link(1)])
    queue = desk.news.queue
    eventually(desk.contender, lambda: desk.pk(1) in {each.pk for each in queue.waiting(1000)}, True)
    work = queue.claim(desk.pk(1), "w1")
    with pytest.raises(Conflict, match="w1"):
        queue.claim(desk.pk(1), "w2")
    queue.extend(desk.pk(1), work.claim)
    assert queue.done(desk.pk(1), work.claim, "본문".encode(), "text/plain").state == "done"
    assert queue.done(desk.pk(1), work.claim).state == "done"
    assert queue.body(desk.pk(1))[1].decode() == "본문"
    assert desk.counts() == (1, 1, 0)
    with pytest.raises(Conflict, match="already done"):
        queue.claim(desk.pk(1), "w3")


def test_a_failure_comes_back_until_it_is_given_up_and_can_be_wanted_back(desk: Desk) -> None:
    desk.news.loader.load([desk.link(1)])
    day, queue = desk.day, desk.news.queue
    dead = queue.claim(desk.pk(1), "w1")
    desk.now += LEASE_SECONDS
    for _ in range(MOST_ATTEMPTS - 1):
        work = queue.claim(desk.pk(1), "w2")
        failed = queue.fail(desk.pk(1), work.claim, "404")
        with pytest.raises(Conflict):
            queue.claim(desk.pk(1), "w2")
        desk.now += 86_400
    with pytest.raises(Conflict, match="taken over by w2"):
        queue.done(desk.pk(1), dead.claim)
    assert (failed.state, failed.attempts) == ("dead", MOST_ATTEMPTS)
    assert desk.database.get(NewsDayKey(day=day), consistent=True).dead == 1
    assert queue.retry(desk.pk(1)).state == "waiting"
    assert desk.database.get(NewsDayKey(day=day), consistent=True).dead == 0
    assert queue.claim(desk.pk(1), "w3").attempts == 1


def test_what_nobody_has_loaded_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.news.reading.get(desk.pk(1))
    with pytest.raises(NotFound):
        desk.news.queue.claim(desk.pk(1), "w")
    with pytest.raises(NotFound):
        desk.news.loader.load([desk.link(1)], run="20260101T000000Z-ffffff")


@clause("X3-08")
def test_a_day_is_mended_from_the_list_alone(desk: Desk) -> None:
    ticker = desk.id[:20].upper()
    stray = NewsItem.uploaded(datetime.fromtimestamp(desk.now + 60, UTC), **desk.link(7, ticker))
    desk.news.loader.load([desk.link(1, ticker), desk.link(2)])
    desk.database.create(stray)
    desk.database.delete(NewsDayKey(day=desk.day))
    eventually(desk.contender, lambda: dict(desk.news.recount(desk.day, desk.day))[desk.day], 3)
    assert desk.counts() == (3, 0, 0)
    found = desk.news.reading.each(ArticleFilter(desk.day, desk.day, ticker=ticker))
    assert [row.pk for row in found] == [desk.pk(7), desk.pk(1)]
    assert desk.news.reading.days(desk.day, desk.day) == [
        NewsDay(day=desk.day, inserted=3, strays=1, done=0, dead=0)
    ]


@clause("3-01", "3-03")
def test_fifty_links_of_a_file_are_loaded_at_once(desk: Desk) -> None:
    text = "\n".join(json.dumps(desk.link(number, "a", "A", " b ")) for number in range(50))
    run = desk.news.loader.load(read_links(io.StringIO(text)))
    assert (run.inserted, run.total) == (50, 50)
    assert desk.news.reading.get(desk.pk(49)).tickers == ["A", "B"]


@clause("3-11", "3-12", "X3-07")
def test_loaders_at_the_same_time_store_every_link_once(desk: Desk) -> None:
    def load(number: int) -> Run:
        news = News(desk.database, lambda: desk.now + number, threads=4, sleep=lambda _: None)
        given = [desk.link(each, title=f"by {number}") for each in range(40)]
        return news.loader.load(given, source=f"loader-{number}")

    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(load, range(4)))
    assert {(run.run_state, run.inserted + run.duplicate, run.failed) for run in runs} == {
        ("finished", 40, 0)
    }
    stored = [desk.news.reading.get(desk.pk(number)) for number in range(40)]
    assert {item.title.removeprefix("by ") == item.source.removeprefix("loader-") for item in stored} == {
        True
    }
    wrote = Counter(item.source for item in stored)
    assert {run.source: run.inserted for run in runs} == {run.source: wrote[run.source] for run in runs}
    assert desk.counts() == (40, 0, 0)


@clause("X3-08")
def test_workers_take_what_waits_page_by_page(desk: Desk) -> None:
    desk.news.loader.load([desk.link(number) for number in range(25)])
    own = {desk.pk(number) for number in range(25)}

    def waiting() -> set[str]:
        found: set[str] = set()
        cursor = None
        while True:
            page = desk.news.queue.waiting_page(20, cursor)
            found |= {each.pk for each in page}
            cursor = page.cursor
            if cursor is None:
                return found & own

    eventually(desk.contender, waiting, own)
    taken: list[str] = []
    while found := desk.news.queue.take("w", 50):
        taken += [work.item_pk for work in found]
    assert own <= set(taken)
    assert len(taken) == len(set(taken))
    assert waiting() == set()


def test_states_are_counted(desk: Desk) -> None:
    before = astuple(desk.news.queue.counts())
    desk.news.loader.load([desk.link(number) for number in range(4)])
    works = [desk.news.queue.claim(desk.pk(number), "w") for number in range(3)]
    desk.news.queue.done(desk.pk(0), works[0].claim)
    desk.news.queue.fail(desk.pk(1), works[1].claim, "404")

    def gained() -> list[int]:
        now = astuple(desk.news.queue.counts())
        return [after - earlier for after, earlier in zip(now, before, strict=True)]

    eventually(desk.contender, gained, list(astuple(QueueCounts(1, 1, 1, 1, 0))))
