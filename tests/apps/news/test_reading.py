"""Reading the list by day, zone, ticker, source and text, and the numbers of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansang.apps.news import reports
from hansang.apps.news.design import Mention, NewsDayKey
from hansang.apps.news.reading import Wanted
from hansang.apps.news.rules import ZONES, Zone, spans_of, without_tracking
from hansang.apps.news.service import News
from hansang.design import Database
from hansang.errors import InvalidCursor, InvalidInput
from tests.apps.news.conftest import SetClock
from tests.apps.news.lists import link, links
from tests.clauses import clause


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
    found = list(news.reading.each(Wanted(day, day, zone)))
    assert [row.title for row in reversed(found)] == [f"Headline {number}" for number in expected]


@clause("X3-17")
@given(some.dates(date(1970, 1, 2), date(2100, 12, 30)), some.sampled_from(list(ZONES)))
def test_the_spans_of_a_day_are_the_day_and_no_more(day: date, zone: Zone) -> None:
    spans = spans_of(day, zone)
    seconds = sum(span.until_ms + 1 - span.since_ms for span in spans) // 1000
    assert seconds in (23 * 3600, 24 * 3600, 25 * 3600)
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
    wanted = Wanted(date(2026, 1, 1), date(2026, 1, 5), "kst")
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


@pytest.mark.parametrize("cursor", ["x", "99.0.", "0.0.abc", "0.-1."])
def test_a_cursor_that_is_made_up_is_refused(news: News, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        news.reading.page(Wanted(date(2026, 1, 1), date(2026, 1, 1)), 4, cursor)


def test_reading_by_ticker_source_and_text(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", link(1, "NVDA", title="Chips Rise"), source="a")
    load_at(news, clock, "2026-01-02T12:00:00Z", link(2, "NVDA", "AMD", title="chips fall"), source="b")
    load_at(news, clock, "2026-01-03T12:00:00Z", link(3, title="Rain"), source="b")
    days = (date(2026, 1, 1), date(2026, 1, 3))

    def titles(**wanted: str) -> list[str]:
        return [row.title for row in news.reading.each(Wanted(*days, **wanted))]  # type: ignore[arg-type]

    assert titles(ticker="nvda") == ["chips fall", "Chips Rise"]
    assert titles(ticker="NVDA", source="a") == ["Chips Rise"]
    assert titles(source="b") == ["Rain", "chips fall"]
    assert titles(text="CHIPS") == ["chips fall", "Chips Rise"]
    page = news.reading.page(Wanted(*days, ticker="AMD"))
    assert [(row.pk, row.tickers) for row in page] == [
        (news.reading.get(page.items[0].pk).pk, ["NVDA", "AMD"])
    ]


@pytest.mark.parametrize(("since", "until"), [(2, 1), (1, 400)])
def test_a_span_that_makes_no_sense_is_refused(news: News, since: int, until: int) -> None:
    start = date(2026, 1, 1)
    with pytest.raises(InvalidInput):
        news.reading.each(Wanted(start + timedelta(since), start + timedelta(until)))


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
    rows = list(news.reading.each(Wanted(news.today, news.today)))
    groups = news.reading.grouped(rows)
    assert sorted(len(group.others) for group in groups) == [0, 1]
    assert reports.near_duplicates(rows) == 1


def test_the_hours_are_those_of_the_zone(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T23:10:00Z", *links(3))
    rows = list(news.reading.each(Wanted(date(2026, 1, 1), date(2026, 1, 1))))
    assert reports.hours(rows, "utc")[23] == 3
    assert reports.hours(rows, "kst")[8] == 3
    assert sum(reports.hours(rows, "est")) == 3


def test_a_ticker_has_its_days_and_its_company(news: News, clock: SetClock) -> None:
    load_at(news, clock, "2026-01-01T12:00:00Z", link(1, "NVDA", "AMD"), link(2, "NVDA", "AMD", "TSM"))
    load_at(news, clock, "2026-01-03T12:00:00Z", link(3, "NVDA"))
    since, until = date(2026, 1, 1), date(2026, 1, 3)
    rows = list(news.reading.each(Wanted(since, until, ticker="NVDA")))
    report = reports.ticker_report("NVDA", rows, since, until, "utc")
    assert list(report.days.values()) == [2, 0, 1]
    assert report.together == [("AMD", 2), ("TSM", 1)]
    assert report.total == 3
    everything = reports.tickers(news.reading.each(Wanted(since, until)))
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
    assert dict(news.mend(day, date(2026, 1, 2))) == {day: 2, date(2026, 1, 2): 0}
    assert database.get(NewsDayKey(day=day)).inserted == 2
    assert len(database.all(Mention.of_ticker("NVDA"))) == 2
    assert [each.day for each in news.reading.days(day, date(2026, 1, 2))] == [day]
