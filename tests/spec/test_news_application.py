"""The loader of the news list does what its document asks, clause by clause, through the service."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.design import Collision, NewsItem, NewsItems, NewsKey, NewsRow, NewsWork, Run
from hansang.apps.news.inputs import read_links
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.reports import day_report
from hansang.apps.news.rules import KEY_RULE, LEASE_SECONDS, pk_of
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.backends.recording import Recording
from hansang.design import Database, attr
from hansang.errors import Conflict, DataError, WireError
from hansang.surfaces.wording import Wording
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Losing, Refusing
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.storing import Document, examples, item, opened, stored

EXAMPLES = examples("news")
UPLOADED_AT = datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC)
OUTCOMES = ("inserted", "duplicate", "duplicate_in_batch", "collision", "invalid", "failed")


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(NewsItems, NewsWork) as db:
        yield db


@pytest.fixture
def news(db: Database, clock: SetClock) -> News:
    return on(db.backend, clock)


def on(backend: Backend, clock: SetClock, prefix: str = "", threads: int = 4) -> News:
    """The application on a backend, with runs whose ids begin in their own way."""
    return News(Database(backend), clock, threads=threads, sleep=clock.sleep, token=tokens(prefix))


def given_of(document: Document) -> dict[str, Any]:
    return {name: document[name] for name in ("title", "url", "tickers")}


def outcomes(news: News, run: Run) -> list[str]:
    return [line.outcome for part in news.reading.report(run.id) for line in part.lines]


def counts(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in OUTCOMES if getattr(run, name)}


def pk(number: int) -> str:
    return pk_of(link(number)["url"])


# ── the input ─────────────────────────────────────────────────────────────────────────────────────


@clause("3-01")
@pytest.mark.parametrize("count", [0, 1, 17, 50, 51, 1001])
def test_a_list_of_any_length_is_loaded_as_far_as_it_goes(news: News, db: Database, count: int) -> None:
    run = news.loader.load(links(count))
    assert (run.run_state, run.total, run.inserted) == ("finished", count, count)
    assert sum(1 for _ in db.each(NewsRow.uploaded_on(run.uploaded_at.date()))) == count


@clause("3-01", "3-13", "X3-01", "X3-02")
def test_a_run_at_the_documents_time_stores_the_documents_items(db: Database) -> None:
    clock = SetClock(UPLOADED_AT.timestamp() + 0.999)
    on(db.backend, clock).loader.load([given_of(EXAMPLES["A"]), given_of(EXAMPLES["B"])])
    found = {each["pk"]["S"]: each for each in stored(db, NewsItems)}
    assert found == {document["pk"]: item(document) for document in EXAMPLES.values()}


@clause("3-02")
def test_loading_a_list_any_number_of_times_is_loading_it_once(
    news: News, db: Database, clock: SetClock
) -> None:
    news.loader.load(links(60))
    before = stored(db, NewsItems)
    for _ in range(3):
        clock.now += 3600
        assert counts(news.loader.load(reversed(links(60)))) == {"duplicate": 60}
    assert stored(db, NewsItems) == before


@clause("3-02")
def test_what_is_loaded_is_what_the_crawl_has_to_do_next(news: News) -> None:
    news.loader.load([link(1, "NVDA"), link(2), link(1)])
    waiting = {each.pk: each for each in news.queue.waiting()}
    assert waiting.keys() == {pk(1), pk(2)}
    assert (waiting[pk(1)].url, waiting[pk(1)].tickers) == (link(1)["url"], ("NVDA",))


FORMS = {
    "json": lambda lines: json.dumps(lines, indent=1),
    "jsonl": lambda lines: "\n".join(json.dumps(each, ensure_ascii=False) for each in lines),
    "csv": lambda lines: "\n".join(
        [
            "title,url,tickers",
            *(f'"{each["title"]}",{each["url"]},{" ".join(each["tickers"])}' for each in lines),
        ]
    ),
}


@clause("3-03")
@pytest.mark.parametrize("form", FORMS)
def test_title_url_and_tickers_come_from_a_file_of_any_form(db: Database, clock: SetClock, form: str) -> None:
    lines = [link(1, "NVDA", "BRK-B", title="반도체, 다시 오르다"), link(2)]
    on(db.backend, clock).loader.load(read_links(io.StringIO(FORMS[form](lines))), source="a")
    for each in lines:
        found = db.get(NewsKey.of(each["url"]))
        assert (found.title, found.url, found.tickers) == (each["title"], each["url"], each["tickers"])
        assert found.source == "a"


@clause("3-03", "X3-18", "X3-23")
@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "no url"},
        {"title": "empty", "url": ""},
        {"title": "blank", "url": " \n"},
        {"title": "no text", "url": 7},
        {"title": "no list", "url": "https://a.example", "tickers": "NVDA"},
        {"title": None, "url": "https://a.example"},
        ["not", "an", "object"],
    ],
)
def test_a_line_that_is_wrong_is_refused_and_not_repaired(news: News, db: Database, wrong: Any) -> None:
    run = news.loader.load([link(1), wrong, link(2)])
    assert outcomes(news, run) == ["inserted", "invalid", "inserted"]
    assert {each["pk"]["S"] for each in stored(db, NewsItems)} == {pk(1), pk(2)}


@clause("X3-18")
@given(some.text(alphabet=some.characters(codec="utf-8"), min_size=1, max_size=40))
def test_whatever_a_url_is_made_of_it_is_stored_to_the_letter(url: str) -> None:
    with opened(NewsItems, NewsWork) as db:
        clock = SetClock()
        run = on(db.backend, clock).loader.load([{"title": "a", "url": url}])
        assert [each["url"]["S"] for each in stored(db, NewsItems)] == ([url] if url.strip() else [])
        assert run.invalid == (not url.strip())


@clause("X3-19")
def test_tickers_are_stored_in_capitals_in_their_order_and_once(news: News, db: Database) -> None:
    news.loader.load([link(1, "brk-b", "", " ^gspc", "005930.ks", "BRK-B", "  ", "btc-usd")])
    assert db.get(NewsKey(pk=pk(1))).tickers == ["BRK-B", "^GSPC", "005930.KS", "BTC-USD"]
    today = news.today
    for ticker in ("brk-b", "^GSPC", "005930.KS"):
        assert [row.pk for row in news.reading.each(ArticleFilter(today, today, ticker=ticker))] == [pk(1)]


# ── the key ───────────────────────────────────────────────────────────────────────────────────────


FIRST_RULE = {
    "https://news.example/story-123456789.html": "id#e1ba315796bf8e2d",
    "https://news.example/story-123456789.html?from=list": "id#c20fdf8db3ea5d19",
    "https://news.example/story-12345678.html": "h#894ba27c93e13ee1",
}


@clause("X3-05")
def test_links_are_stored_under_the_keys_of_the_first_rule(news: News, db: Database) -> None:
    """A link that is stored has its key for ever, so these never change."""
    news.loader.load([{"title": "a", "url": url} for url in FIRST_RULE])
    assert KEY_RULE == 1
    assert {each["url"]["S"]: each["pk"]["S"] for each in stored(db, NewsItems)} == FIRST_RULE


@clause("X3-05")
def test_another_rule_would_need_a_transaction_that_looks_under_both_keys(news: News, db: Database) -> None:
    """By the conditional put alone, a link whose tag has changed would be stored a second time."""
    news.loader.load([link(1)])
    tagged = "h#" + pk(1).partition("#")[2]
    by_another_rule = NewsItem.uploaded(UPLOADED_AT, **link(1)).model_copy(update={"pk": tagged})
    with pytest.raises(DataError), db.transaction() as transaction:
        transaction.check(NewsKey(pk=pk(1)), attr(NewsItem.url).missing())
        transaction.create(by_another_rule)
    assert db.find(NewsKey(pk=tagged)) is None
    db.create(by_another_rule)
    assert [each["url"]["S"] for each in stored(db, NewsItems)] == [link(1)["url"]] * 2


@clause("X3-06")
def test_a_collision_is_kept_aside_reported_and_shouted_about(
    news: News, db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    first = NewsItem.uploaded(UPLOADED_AT, url="https://other.example/", title="first", tickers=[])
    db.create(first.model_copy(update={"pk": pk(1)}))
    before = stored(db, NewsItems)
    run = news.loader.load([link(1, "NVDA"), link(2)])
    assert outcomes(news, run) == ["collision", "inserted"]
    assert [each for each in stored(db, NewsItems) if each["pk"]["S"] == pk(1)] == before
    [kept] = db.all(Collision.newest())
    assert (kept.url, kept.kept_url, kept.tickers) == (link(1)["url"], "https://other.example/", ["NVDA"])
    [alarm] = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert pk(1) in alarm.getMessage()


@clause("X3-15")
def test_of_a_link_that_comes_twice_in_a_list_the_first_wins(news: News, db: Database) -> None:
    run = news.loader.load([link(1, title="first"), link(2), link(1, "NVDA", title="second")])
    assert outcomes(news, run) == ["inserted", "inserted", "duplicate_in_batch"]
    assert (db.get(NewsKey(pk=pk(1))).title, db.get(NewsKey(pk=pk(1))).tickers) == ("first", [])


@clause("X3-24")
def test_a_link_of_another_source_is_the_link_of_the_first(news: News, db: Database) -> None:
    news.loader.load([link(1)], source="first")
    assert counts(news.loader.load([link(1)], source="second")) == {"duplicate": 1}
    assert [each["source"]["S"] for each in stored(db, NewsItems)] == ["first"]


# ── time ──────────────────────────────────────────────────────────────────────────────────────────


class Drifting(SetClock):
    """A clock that has gone on whenever it is looked at."""

    def __call__(self) -> float:
        self.now += 0.7
        return self.now


@clause("X3-11")
def test_a_run_has_one_reading_of_the_clock_however_long_it_takes(db: Database) -> None:
    run = on(db.backend, Drifting()).loader.load(links(700))
    found = stored(db, NewsItems)
    ms = int(run.uploaded_at.timestamp()) * 1000
    assert len(found) == 700
    assert {each["uploaded_at_utc_ms"]["N"] for each in found} == {str(ms)}
    assert {each["uploaded_at_utc_iso"]["S"] for each in found} == {f"{run.uploaded_at:%Y-%m-%dT%H:%M:%SZ}"}


@clause("X3-12")
def test_in_summer_the_fields_keep_their_names_and_say_edt(db: Database) -> None:
    clock = SetClock(datetime(2026, 7, 1, 3, tzinfo=UTC).timestamp())
    news = on(db.backend, clock)
    news.loader.load([link(1)])
    [found] = stored(db, NewsItems)
    assert found["uploaded_at_est_iso"] == {"S": "2026-06-30T23:00:00-04:00"}
    assert (found["tz_est_abbr"], found["tz_est_is_dst"]) == ({"S": "EDT"}, {"BOOL": True})
    day = date(2026, 6, 30)
    assert [row.pk for row in news.reading.each(ArticleFilter(day, day, "est"))] == [pk(1)]


@clause("X3-12")
def test_people_read_new_york_and_not_est() -> None:
    words = Wording.load([APPLICATION])
    assert words.text("news.zone.est", "ko") == "뉴욕(New York)"
    assert words.text("news.zone.est", "en") == "New York"


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


@clause("X3-14", "3-11")
def test_every_link_is_one_conditional_put_and_a_repeat_is_none(db: Database, clock: SetClock) -> None:
    recording = Recording(db.backend)
    on(recording, clock).loader.load([*links(50), *links(10)])
    calls = [call for call in recording.calls if call.request.get("TableName") == NewsItems.name]
    assert [call.operation for call in calls] == ["PutItem"] * 50
    conditions = {
        (call.request["ConditionExpression"], *call.request["ExpressionAttributeNames"].values())
        for call in calls
    }
    assert conditions == {("attribute_not_exists(#n0)", "pk")}
    assert {call.request["ReturnValuesOnConditionCheckFailure"] for call in calls} == {"ALL_OLD"}


@clause("X3-14")
def test_a_link_costs_a_unit_in_the_table_and_one_in_the_index_and_a_duplicate_one(
    db: Database, clock: SetClock
) -> None:
    recording = Recording(db.backend)
    news = on(recording, clock)
    costs = []
    for _ in range(2):
        recording.clear()
        news.loader.load([given_of(EXAMPLES["A"])])
        [put] = [call for call in recording.calls if call.request.get("TableName") == NewsItems.name]
        costs.append(put.write_units)
    assert costs == [2.0, 1.0]


class Busy:
    """A backend that counts how many puts are under way at a time."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self._lock = backend, threading.Lock()
        self._now = self.most = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._count(+1)
        try:
            return self._backend.call(operation, request)
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._now += change
            self.most = max(self.most, self._now)


@clause("X3-14")
def test_no_more_requests_are_under_way_than_there_are_threads(db: Database, clock: SetClock) -> None:
    busy = Busy(db.backend)
    on(busy, clock, threads=3).loader.load(link(number, "NVDA") for number in range(300))
    assert 1 <= busy.most <= 3


@clause("X3-07")
def test_a_put_whose_answer_was_lost_counts_as_inserted_and_another_runs_does_not(
    db: Database, clock: SetClock
) -> None:
    on(db.backend, clock).loader.load([link(1)])
    for lost in range(2, 5):
        losing = Losing(db.backend, lost)
        run = on(losing, clock, f"{lost}x", threads=1).loader.load(
            [link(1), link(10 * lost), link(10 * lost + 1)]
        )
        assert losing.lost
        assert counts(run) == {"inserted": 2, "duplicate": 1}


@clause("X3-22")
def test_a_later_title_and_later_tickers_are_lost_and_people_are_told(
    news: News, db: Database, clock: SetClock
) -> None:
    news.loader.load([link(1, title="as it was")])
    before = stored(db, NewsItems)
    clock.now += 86_400
    news.loader.load([link(1, "NVDA", title="as it was edited")])
    assert stored(db, NewsItems) == before
    assert list(news.reading.each(ArticleFilter(news.today, news.today, ticker="NVDA"))) == []
    words = Wording.load([APPLICATION])
    assert "later changes of the title" in words.text("news.kept", "en")
    assert "나중에 수정된 제목" in words.text("news.kept", "ko")


# ── reports ───────────────────────────────────────────────────────────────────────────────────────


@clause("X3-23")
def test_every_line_has_one_outcome_and_the_report_adds_up(db: Database, clock: SetClock) -> None:
    on(db.backend, clock).loader.load([link(1)])
    db.create(NewsItem.uploaded(UPLOADED_AT, **link(9)).model_copy(update={"pk": pk(2)}))
    news = on(Refusing(db.backend, "Headline 5"), clock, "b")
    run = news.loader.load([link(1), link(2), link(3), link(3), {"url": 1}, link(5)])
    assert outcomes(news, run) == [
        "duplicate",
        "collision",
        "inserted",
        "duplicate_in_batch",
        "invalid",
        "failed",
    ]
    assert counts(run) == dict.fromkeys(OUTCOMES, 1)
    assert (run.total, news.reading.run(run.id)) == (6, run)
    [part] = news.reading.report(run.id)
    assert all(line.why for line in part.lines if line.outcome in ("collision", "invalid", "failed"))


@clause("X3-23")
def test_after_a_failure_the_list_may_be_loaded_again_or_the_run_go_on(db: Database, clock: SetClock) -> None:
    broken = on(Refusing(db.backend, "Headline 2"), clock)
    first, second = broken.loader.load(links(4)), broken.loader.load(links(4, first=2))
    whole = on(db.backend, clock, "b")
    assert counts(whole.loader.load(links(4), run=first.id)) == {"inserted": 4}
    assert counts(whole.loader.load(links(4, first=2))) == {"duplicate": 4}
    assert counts(second) == {"inserted": 2, "duplicate": 1, "failed": 1}


@clause("X3-08")
def test_a_run_tells_which_links_it_has_inserted(news: News) -> None:
    news.loader.load(links(3))
    run = news.loader.load(links(6))
    lines = chain.from_iterable(part.lines for part in news.reading.report(run.id))
    assert [line.pk for line in lines if line.outcome == "inserted"] == [pk(3), pk(4), pk(5)]


# ── reading and crawling ──────────────────────────────────────────────────────────────────────────


@clause("X3-08")
def test_nothing_that_is_read_or_crawled_needs_a_scan(db: Database, clock: SetClock) -> None:
    recording = Recording(db.backend)
    news = on(recording, clock)
    news.loader.load([link(number, "NVDA") for number in range(5)])
    recording.clear()
    list(news.reading.each(ArticleFilter(news.today - timedelta(days=1), news.today, "kst")))
    list(news.reading.each(ArticleFilter(news.today, news.today, ticker="NVDA")))
    assert len(news.queue.take("w", 5)) == 5
    asked = [(call.operation, call.request.get("IndexName")) for call in recording.calls]
    assert "Scan" not in {operation for operation, _ in asked}
    assert ("Query", NewsItems.by_day.name) in asked


@clause("X3-08")
def test_a_stream_of_the_list_has_what_was_inserted_and_nothing_else(news: News, db: Database) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    call = db.backend.call
    call("UpdateTable", {"TableName": NewsItems.name, "StreamSpecification": specification})
    news.loader.load(links(2))
    news.loader.load(links(3))
    arn = call("DescribeTable", {"TableName": NewsItems.name})["Table"]["LatestStreamArn"]
    [shard] = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    begin = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = call("GetShardIterator", begin)["ShardIterator"]
    records = call("GetRecords", {"ShardIterator": iterator})["Records"]
    assert {each["eventName"] for each in records} == {"INSERT"}
    assert sorted(each["dynamodb"]["Keys"]["pk"]["S"] for each in records) == sorted(map(pk, range(3)))


class Sealed:
    """A backend on which the list can be read and no longer written."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        reads = ("GetItem", "Query", "BatchGetItem")
        if operation not in reads and NewsItems.name in json.dumps(request, default=str):
            raise WireError("AccessDeniedException", f"{operation} would write to the list.")
        return self._backend.call(operation, request)


@clause("X3-09")
def test_a_crawl_from_its_beginning_to_its_end_writes_nothing_to_the_list(
    db: Database, clock: SetClock
) -> None:
    on(db.backend, clock).loader.load(links(3))
    before = stored(db, NewsItems)
    queue = on(Sealed(db.backend), clock).queue
    first, second, third = queue.take("w1", 3)
    queue.done(first.item_pk, first.claim, "본문".encode())
    queue.fail(second.item_pk, second.claim, "404")
    clock.now += LEASE_SECONDS
    [again] = [each for each in queue.take("w2", 3) if each.item_pk == third.item_pk]
    assert again.attempts == 2
    with pytest.raises(Conflict, match="w2"):
        queue.done(third.item_pk, third.claim)
    assert queue.body(first.item_pk)[1].decode() == "본문"
    assert stored(db, NewsItems) == before
    beside = {(each["pk"]["S"], each["sk"]["S"]) for each in stored(db, NewsWork)}
    states = {(f"ARTICLE#{each.item_pk.replace('#', '-')}", "STATE") for each in (first, second, third)}
    bodies = {(f"ARTICLE#{first.item_pk.replace('#', '-')}", "BODY")}
    assert {key for key in beside if key[0].startswith("ARTICLE#")} == states | bodies


@clause("X3-21")
def test_near_duplicates_are_items_of_their_own_and_grouped_when_they_are_read(
    news: News, db: Database
) -> None:
    plain = link(1)
    tracked = [{**plain, "url": f"{plain['url']}{tail}"} for tail in ("?utm_source=x", "?.tsrc=rss", "#top")]
    run = news.loader.load([plain, *tracked, link(2)])
    assert counts(run) == {"inserted": 5}
    before = stored(db, NewsItems), stored(db, NewsWork)
    rows = list(news.reading.each(ArticleFilter(news.today, news.today)))
    groups = {group.first.url: {row.url for row in group.others} for group in news.reading.grouped(rows)}
    assert [{url, *others} for url, others in sorted(groups.items())] == [
        {plain["url"], *(each["url"] for each in tracked)},
        {link(2)["url"]},
    ]
    assert day_report(rows, "utc").near_duplicates == 3
    assert (stored(db, NewsItems), stored(db, NewsWork)) == before
    assert {each["url"]["S"] for each in before[0]} == {each["url"] for each in (plain, *tracked, link(2))}
    assert {frozenset(each) for each in before[0]} == {frozenset(EXAMPLES["A"])}
