"""Reading the list by day, zone, ticker, source and text, and the numbers of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news import reading, reports
from hansang.apps.news.design import (
    Mention,
    MentionKey,
    NewsDay,
    NewsDayKey,
    NewsItem,
    NewsKey,
    Run,
    RunKey,
)
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.rules import ZONES, Zone, spans_of, without_tracking
from hansang.apps.news.service import News
from hansang.design import Database, Unreadable
from hansang.errors import InvalidCursor, InvalidInput, UnexpectedItem
from tests.apps.news.conftest import SetClock
from tests.apps.news.lists import link, links
from tests.apps.news.moments import CHANGED_DAYS
from tests.clauses import clause
from tests.spoiling import spoil


def load_at(news: News, clock: SetClock, moment: str, *given: dict[str, object], source: str = "a") -> None:
    clock.now = datetime.fromisoformat(moment).timestamp()
    news.loader.load(given, source=source)


@clause("X3-12", "3-10")
@pytest.mark.parametrize(
    ("zone", "day", "expected"),
    [
        ("utc", date(2025, 12, 31), [1, 2]),
        ("kst", date(2026, 1, 1), [2, 3]),
        ("est", date(2025, 12, 31), [2, 3]),
        ("est", date(2025, 12, 30), [1]),
    ],
)
def test_a_day_is_that_of_the_zone(
    news: News, clock: SetClock, zone: Zone, day: date, expected: list[int]
) -> None:
    load_at(news, clock, "2025-12-31T04:59:59Z", link(1))
    load_at(news, clock, "2025-12-31T15:00:00Z", link(2))
    load_at(news, clock, "2026-01-01T04:59:00Z", link(3))
    found = list(news.reading.each(ArticleFilter(day, day, zone)))
    assert [row.title for row in reversed(found)] == [f"Headline {number}" for number in expected]


@clause("X3-17")
@given(
    some.dates(date(1970, 1, 2), date(2100, 12, 30)) | some.sampled_from(CHANGED_DAYS),
    some.sampled_from(list(ZONES)),
)
def test_the_spans_of_a_day_are_the_day_and_no_more(day: date, zone: Zone) -> None:
    spans = spans_of(day, zone)
    seconds = sum(span.until_ms + 1 - span.since_ms for span in spans) // 1000
    is_changed = zone == "est" and day in CHANGED_DAYS
    assert seconds // 3600 in ((23, 25) if is_changed else (24,))
    for span in spans:
        for ms in (span.since_ms, span.until_ms):
            moment = datetime.fromtimestamp(ms / 1000, UTC)
            assert moment.astimezone(ZONES[zone]).date() == day
            assert moment.date() == span.day
    before, after = spans[0].since_ms - 1, spans[-1].until_ms + 1
    assert datetime.fromtimestamp(before / 1000, UTC).astimezone(ZONES[zone]).date() < day
    assert datetime.fromtimestamp(after / 1000, UTC).astimezone(ZONES[zone]).date() > day


def test_pages_and_the_whole_list_agree(news: News, clock: SetClock) -> None:
    for number in range(5):
        load_at(news, clock, f"2026-01-0{number + 1}T12:00:00Z", *links(7, first=number * 10))
    wanted = ArticleFilter(date(2026, 1, 1), date(2026, 1, 5), "kst")
    whole = [row.pk for row in news.reading.each(wanted)]
    paged: list[str] = []
    cursor = None
    while True:
        page = news.reading.page(wanted, 4, cursor)
        assert page.offset == len(paged)
        paged += [row.pk for row in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert paged == whole
    assert len(whole) == 35


def paged(news: News, wanted: ArticleFilter, limit: int) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = news.reading.page(wanted, limit, cursor)
        assert page.offset == len(found)
        assert len(page) <= limit
        found += [row.pk for row in page]
        if page.cursor is None:
            return found
        cursor = page.cursor


@pytest.mark.parametrize("ticker", ["", "NVDA"])
@pytest.mark.parametrize("limit", [1, 3, 50])
def test_pages_and_the_whole_list_agree_when_few_links_fit(
    news: News, clock: SetClock, ticker: str, limit: int
) -> None:
    for number in range(4):
        titles = [f"{'Rare' if each == 7 else 'Common'} {number}" for each in range(12)]
        given_ = [link(number * 100 + each, "NVDA", title=title) for each, title in enumerate(titles)]
        load_at(news, clock, f"2026-01-0{number + 1}T12:00:00Z", *given_)
    wanted = ArticleFilter(date(2026, 1, 1), date(2026, 1, 5), "est", ticker=ticker, text="rare")
    whole = [row.pk for row in news.reading.each(wanted)]
    assert len(whole) == 4
    assert paged(news, wanted, limit) == whole
    assert len(news.reading.page(wanted, 3)) == 3


def test_a_page_looks_at_so_many_links_and_its_cursor_goes_on(
    news: News, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_READ", 20)
    load_at(news, clock, "2026-01-01T12:00:00Z", link(0, title="Rare"))
    load_at(news, clock, "2026-01-02T12:00:00Z", *links(50, first=1))
    wanted = ArticleFilter(date(2026, 1, 1), date(2026, 1, 2), text="rare")
    page = news.reading.page(wanted, 10)
    assert (len(page), page.cursor is not None) == (0, True)
    assert paged(news, wanted, 10) == [row.pk for row in news.reading.each(wanted)]


def test_a_cursor_of_another_question_is_refused(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", *links(5))
    load_at(news, clock, "2026-01-02T12:00:00Z", *links(5, first=10))
    days = date(2026, 1, 1), date(2026, 1, 2)
    for limit in (3, 5):
        cursor = news.reading.page(ArticleFilter(*days), limit).cursor
        assert len(news.reading.page(ArticleFilter(*days), 3, cursor)) > 0
        for other in (
            ArticleFilter(*days, "est"),
            ArticleFilter(*days, ticker="NVDA"),
            ArticleFilter(days[0], days[0]),
        ):
            with pytest.raises(InvalidCursor):
                news.reading.page(other, 3, cursor)


@pytest.mark.parametrize("cursor", ["x", "99.0.", "0.0.abc", "0.-1.", "1.0.", "0.0.", "٣.0.x", "0.0.한글"])
def test_a_cursor_that_is_made_up_is_refused(news: News, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        news.reading.page(ArticleFilter(date(2026, 1, 1), date(2026, 1, 1)), 4, cursor)


def test_reading_by_ticker_source_and_text(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", link(1, "NVDA", title="Chips Rise"), source="a")
    load_at(news, clock, "2026-01-02T12:00:00Z", link(2, "NVDA", "AMD", title="chips fall"), source="b")
    load_at(news, clock, "2026-01-03T12:00:00Z", link(3, title="Rain"), source="b")
    days = (date(2026, 1, 1), date(2026, 1, 3))

    def titles(**wanted: str) -> list[str]:
        return [row.title for row in news.reading.each(ArticleFilter(*days, **wanted))]  # type: ignore[arg-type]

    assert titles(ticker="nvda") == ["chips fall", "Chips Rise"]
    assert titles(ticker="NVDA", source="a") == ["Chips Rise"]
    assert titles(source="b") == ["Rain", "chips fall"]
    assert titles(text="CHIPS") == ["chips fall", "Chips Rise"]
    page = news.reading.page(ArticleFilter(*days, ticker="AMD"))
    assert [(row.pk, row.tickers) for row in page] == [
        (news.reading.get(page.items[0].pk).pk, ["NVDA", "AMD"])
    ]


@pytest.mark.parametrize("day", [date.min, date(1969, 12, 31), date(2200, 1, 1), date.max])
@pytest.mark.parametrize("zone", list(ZONES))
def test_days_that_no_list_has_are_refused(news: News, day: date, zone: Zone) -> None:
    with pytest.raises(InvalidInput, match="from 1970-01-01 to 2199-12-31"):
        news.reading.page(ArticleFilter(day, day, zone))


@pytest.mark.parametrize("zone", list(ZONES))
@pytest.mark.parametrize("ticker", ["", "NVDA"])
def test_the_first_and_the_last_day_can_be_read(news: News, zone: Zone, ticker: str) -> None:
    for day in (date(1970, 1, 1), date(2199, 12, 31)):
        assert list(news.reading.each(ArticleFilter(day, day, zone, ticker))) == []


@pytest.mark.parametrize("month", ["", "2026", "2026-13", "2026-1", "2026-11#", "x"])
def test_a_month_that_is_none_is_refused(news: News, month: str) -> None:
    with pytest.raises(InvalidInput, match="Write it as 2026-11"):
        news.reading.runs(month)


@clause("X3-19")
@pytest.mark.parametrize(
    "ticker", ["^GSPC", "BRK-B", "005930.KS", "A#B", "삼성", "EUR/USD", "a b", "%23", "A B"]
)
def test_a_ticker_of_any_characters_is_found(news: News, clock: SetClock, ticker: str) -> None:
    load_at(
        news, clock, "2026-01-01T12:00:00Z", link(1, ticker), link(2, f"{ticker}2"), link(3, f"{ticker}#")
    )
    found = list(news.reading.each(ArticleFilter(date(2026, 1, 1), date(2026, 1, 1), ticker=ticker)))
    assert [row.title for row in found] == ["Headline 1"]
    assert found == [
        row for row in news.reading.each(ArticleFilter(date(2026, 1, 1), date(2026, 1, 1))) if row in found
    ]


@pytest.mark.parametrize(("since", "until"), [(2, 1), (1, 400), (0, 366)])
def test_a_span_that_makes_no_sense_is_refused(news: News, since: int, until: int) -> None:
    start = date(2026, 1, 1)
    with pytest.raises(InvalidInput):
        news.reading.each(ArticleFilter(start + timedelta(since), start + timedelta(until)))


@clause("X3-21")
@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("https://a.example/x?utm_source=b&utm_medium=c", "https://a.example/x"),
        ("https://a.example/x?id=1&guccounter=1&.tsrc=rss#top", "https://a.example/x?id=1"),
        ("https://a.example/x?source_id=1", "https://a.example/x?source_id=1"),
        ("https://a.example/x?b=2&a=1", "https://a.example/x?b=2&a=1"),
    ],
)
def test_what_only_tells_where_a_reader_came_from_is_left_out(url: str, bare: str) -> None:
    assert without_tracking(url) == bare


@clause("X3-21")
def test_near_duplicates_are_grouped_when_read_and_stay_apart_in_the_list(news: News) -> None:
    plain = link(1)
    news.loader.load([plain, {**plain, "url": plain["url"] + "?utm_source=x"}, link(2)])
    rows = list(news.reading.each(ArticleFilter(news.today, news.today)))
    groups = news.reading.grouped(rows)
    assert sorted(len(group.others) for group in groups) == [0, 1]
    assert reports.day_report(rows, "utc").near_duplicates == 1


def test_the_hours_are_those_of_the_zone(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T23:10:00Z", *links(3))
    rows = list(news.reading.each(ArticleFilter(date(2026, 1, 1), date(2026, 1, 1))))
    assert reports.day_report(rows, "utc").hours == [0] * 23 + [3]
    assert reports.day_report(rows, "kst").hours[8] == 3
    assert reports.day_report(rows, "est").hours[18] == 3
    assert reports.day_report(rows, "est").articles == 3


def test_a_ticker_has_its_days_and_its_company(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", link(1, "NVDA", "AMD"), link(2, "NVDA", "AMD", "TSM"))
    load_at(news, clock, "2026-01-03T12:00:00Z", link(3, "NVDA"))
    since, until = date(2026, 1, 1), date(2026, 1, 3)
    rows = list(news.reading.each(ArticleFilter(since, until, ticker="NVDA")))
    report = reports.ticker_report("NVDA", rows, since, until, "utc")
    assert list(report.days.values()) == [2, 0, 1]
    assert report.together == [("AMD", 2), ("TSM", 1)]
    assert report.total == 3
    everything = reports.tickers(news.reading.each(ArticleFilter(since, until)))
    assert everything.counts[0] == ("NVDA", 3)
    assert everything.pairs[0] == (("AMD", "NVDA"), 2)


def test_runs_are_counted_day_by_day(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-31T12:00:00Z", link(1), link(1), {"url": ""})
    load_at(news, clock, "2026-02-01T12:00:00Z", link(1), link(2))
    since, until = date(2026, 1, 30), date(2026, 2, 1)
    runs = list(news.reading.each_run(since, until))
    days = reports.run_days(runs, since, until)
    assert [(day.runs, day.inserted, day.duplicate, day.troubled) for day in days] == [
        (0, 0, 0, 0),
        (1, 1, 1, 1),
        (1, 1, 1, 0),
    ]
    assert [run.id for run in news.reading.runs("2026-02")] == [runs[0].id]


@clause("X3-08")
def test_a_day_can_be_mended_from_the_list_alone(news: News, database: Database, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", link(1, "NVDA"), link(2, "NVDA"))
    day = date(2026, 1, 1)
    database.delete(NewsDayKey(day=day))
    for mention in database.all(Mention.of_ticker("NVDA")):
        database.delete(mention)
    assert dict(news.recount(day, date(2026, 1, 2))) == {day: 2, date(2026, 1, 2): 0}
    assert database.get(NewsDayKey(day=day)).inserted == 2
    assert len(database.all(Mention.of_ticker("NVDA"))) == 2
    assert [each.day for each in news.reading.days(day, date(2026, 1, 2))] == [day]


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ticker", ["", "NVDA"])
def test_a_link_that_cannot_be_read_is_named_beside_the_others(
    news: News, clock: SetClock, database: Database, ticker: str
) -> None:
    load_at(news, clock, "2026-01-01T01:00:00Z", link(1, "NVDA"), link(2, "NVDA"))
    wanted = ArticleFilter(date(2026, 1, 1), date(2026, 1, 1), ticker=ticker)
    bad, good = sorted(news.reading.each(wanted), key=lambda row: row.title)
    mentioned = MentionKey(
        ticker="NVDA", uploaded_at_utc_ms=bad.uploaded_at_utc_ms, item_pk=bad.pk.replace("#", "-")
    )
    spoil(database, mentioned if ticker else NewsKey(pk=bad.pk), title=None)
    page, told = news.reading.page(wanted), list[Unreadable]()
    assert (page.items, [each.kind for each in page.unreadable]) == (
        [good],
        [Mention if ticker else NewsItem],
    )
    assert list(news.reading.each(wanted, unreadable=told.append)) == [good]
    assert told == page.unreadable
    with pytest.raises(UnexpectedItem):
        list(news.reading.each(wanted))


def test_runs_and_days_that_cannot_be_read_are_told(news: News, clock: SetClock, database: Database) -> None:
    load_at(news, clock, "2026-01-01T01:00:00Z", link(1))
    load_at(news, clock, "2026-01-02T01:00:00Z", link(2))
    first, last, told = date(2026, 1, 1), date(2026, 1, 2), list[Unreadable]()
    run = next(each for each in news.reading.each_run(first, last) if each.uploaded_at.date() == first)
    spoil(database, RunKey.of(run.id), source=None)
    spoil(database, NewsDayKey(day=first), inserted={"S": "many"})
    assert len(list(news.reading.each_run(first, last, unreadable=told.append))) == 1
    assert [each.day for each in news.reading.days(first, last, unreadable=told.append)] == [last]
    assert [each.kind for each in told] == [Run, NewsDay]
