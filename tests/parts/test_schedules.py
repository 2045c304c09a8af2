"""Schedules: when they come, across changes of the clocks and months of any length."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hansang.errors import DesignError
from hansang.parts.schedules import WEEKDAYS, Schedule
from hansang.parts.words import Words

ZONES = ["America/New_York", "Asia/Seoul", "Australia/Lord_Howe", "Europe/Dublin", "America/St_Johns"]
times = st.builds(time, st.integers(0, 23), st.integers(0, 59))
zones = st.sampled_from(ZONES)
dailies = st.builds(Schedule.daily, times, zones)
weeklies = st.builds(Schedule.weekly, st.sampled_from(WEEKDAYS), times, zones)
monthlies = st.builds(Schedule.monthly, st.integers(1, 31), times, zones)
schedules = dailies | weeklies | monthlies | st.builds(Schedule.every, st.integers(1, 3_000_000))
moments = st.integers(10**8, 38 * 10**8).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


# ── when it comes ─────────────────────────────────────────────────────────────────────────────────


@settings(deadline=None)
@given(schedules, moments)
def test_the_next_moment_is_later_and_nothing_lies_between(schedule: Schedule, moment: datetime) -> None:
    following = schedule.next_after(moment)
    assert following > moment
    assert schedule.last_until(following) == following
    assert schedule.next_after(following - timedelta(microseconds=1)) == following
    assert schedule.last_until(following - timedelta(microseconds=1)) == schedule.last_until(moment) <= moment


@settings(deadline=None)
@given(schedules, moments)
def test_every_moment_has_a_slot_of_its_own(schedule: Schedule, moment: datetime) -> None:
    following = schedule.next_after(moment)
    assert schedule.slot(moment) < schedule.slot(following)
    assert schedule.slot(following) == schedule.slot(schedule.next_after(following) - timedelta(seconds=1))


@settings(deadline=None)
@given(dailies, st.dates(date(1976, 1, 1), date(2089, 1, 1)))
@example(Schedule.daily(time(2, 30), "America/New_York"), date(2026, 3, 1))
@example(Schedule.daily(time(1, 30), "America/New_York"), date(2026, 10, 25))
@example(Schedule.daily(time(2, 15), "Australia/Lord_Howe"), date(2026, 9, 28))
@example(Schedule.daily(time(0, 0), "America/St_Johns"), date(2006, 10, 25))
def test_a_daily_schedule_comes_once_for_each_day_of_its_zone(schedule: Schedule, first: date) -> None:
    moment = datetime.combine(first, time(), ZoneInfo(schedule.zone)).astimezone(UTC) - timedelta(seconds=1)
    days = []
    for _ in range(21):
        moment = schedule.next_after(moment)
        days.append(moment.astimezone(ZoneInfo(schedule.zone)).date())
    assert days == [first + timedelta(days=number) for number in range(21)]


@settings(deadline=None)
@given(dailies, moments)
def test_the_clocks_show_the_time_or_have_just_jumped_over_it(schedule: Schedule, moment: datetime) -> None:
    zone, found = ZoneInfo(schedule.zone), schedule.next_after(moment)
    shown, before = (each.astimezone(zone) for each in (found, found - timedelta(seconds=1)))
    assert schedule.at is not None
    assert shown.time() == schedule.at or (shown.time() > schedule.at > before.time() and shown.fold == 0)


@pytest.mark.parametrize(
    ("schedule", "moment", "following"),
    [
        # New York, 8 March 2026: 02:00 to 03:00 is left out. 1 November: 01:00 to 02:00 comes twice.
        ("daily 02:30 America/New_York", "2026-03-07T12:00-05:00", "2026-03-08T03:00-04:00"),
        ("daily 02:30 America/New_York", "2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"),
        ("daily 01:30 America/New_York", "2026-10-31T12:00-04:00", "2026-11-01T01:30-04:00"),
        ("daily 01:30 America/New_York", "2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"),
        ("weekly SUN 02:30 America/New_York", "2026-03-07T12:00-05:00", "2026-03-08T03:00-04:00"),
        ("monthly 8 02:30 America/New_York", "2026-03-07T12:00-05:00", "2026-03-08T03:00-04:00"),
        # Lord Howe changes its clocks by half an hour: 4 October 2026, 02:00 becomes 02:30.
        ("daily 02:15 Australia/Lord_Howe", "2026-10-03T12:00+10:30", "2026-10-04T02:30+11:00"),
        ("daily 01:45 Australia/Lord_Howe", "2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30"),
        # St John's went back over midnight, from 00:01 to 23:01 of the day before.
        ("daily 00:00 America/St_Johns", "2006-10-28T23:30-03:30", "2006-10-30T00:00-03:30"),
        # Samoa had no 30 December 2011.
        ("daily 09:00 Pacific/Apia", "2011-12-29T10:00-10:00", "2011-12-31T00:00+14:00"),
        ("daily 09:00 Pacific/Apia", "2011-12-31T00:00+14:00", "2011-12-31T09:00+14:00"),
        ("weekly MON 09:00", "2026-11-15T23:00+09:00", "2026-11-16T09:00+09:00"),
        ("weekly MON 09:00", "2026-11-16T09:00+09:00", "2026-11-23T09:00+09:00"),
        ("monthly 31 09:00", "2026-11-15T09:00+09:00", "2026-11-30T09:00+09:00"),
        ("monthly 31 09:00", "2027-02-01T00:00+09:00", "2027-02-28T09:00+09:00"),
        ("monthly 30 09:00", "2028-02-01T00:00+09:00", "2028-02-29T09:00+09:00"),
        ("monthly 1 00:00", "2026-12-01T00:00+09:00", "2027-01-01T00:00+09:00"),
        ("every 300", "2026-11-15T08:24:59.9+00:00", "2026-11-15T08:25+00:00"),
    ],
)
def test_the_next_moment(schedule: str, moment: str, following: str) -> None:
    assert Schedule.parse(schedule).next_after(at(moment)) == at(following)


# ── words ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schedule", "ko", "en"),
    [
        ("every 300", "5분마다", "every 5 minutes"),
        ("every 3600", "1시간마다", "every hour"),
        ("every 90", "90초마다", "every 90 seconds"),
        ("daily 09:00", "매일 09:00 (Asia/Seoul)", "daily at 09:00 (Asia/Seoul)"),
        ("weekly MON 09:00", "매주 월요일 09:00 (Asia/Seoul)", "every Monday at 09:00 (Asia/Seoul)"),
        ("monthly 3 00:05 UTC", "매월 3일 00:05 (UTC)", "monthly on day 3 at 00:05 (UTC)"),
        (
            "monthly 31 09:00",
            "매월 31일(없으면 말일) 09:00 (Asia/Seoul)",
            "monthly on day 31, or the last, at 09:00 (Asia/Seoul)",
        ),
    ],
)
def test_a_schedule_is_told_in_both_languages(schedule: str, ko: str, en: str) -> None:
    assert Schedule.parse(schedule).words == Words(ko, en)


@settings(deadline=None)
@given(schedules)
def test_a_schedule_is_read_back_from_its_text(schedule: Schedule) -> None:
    assert Schedule.parse(str(schedule)) == schedule


def test_a_schedule_for_programs_names_its_kind() -> None:
    none = {"every_seconds": None, "daily_at": None, "weekly_at": None, "monthly_at": None}
    assert Schedule.every(60).parts == none | {"every_seconds": 60}
    assert Schedule.daily(time(9), "UTC").parts == none | {"daily_at": "09:00 UTC"}
    assert Schedule.weekly("SAT", time(9)).parts == none | {"weekly_at": "SAT 09:00 Asia/Seoul"}
    assert Schedule.monthly(31, time(9)).parts == none | {"monthly_at": "31 09:00 Asia/Seoul"}


@pytest.mark.parametrize(
    ("schedule", "expressions"),
    [
        ("every 60", ["rate(1 minute)"]),
        ("every 90", ["rate(2 minutes)"]),
        ("every 5", ["rate(1 minute)"]),
        ("every 7200", ["rate(2 hours)"]),
        ("every 86400", ["rate(1 day)"]),
        ("daily 00:20 UTC", ["cron(20 0 * * ? *)"]),
        ("weekly MON 09:00", ["cron(0 9 ? * MON *)"]),
        ("monthly 28 09:00", ["cron(0 9 28 * ? *)"]),
        ("monthly 31 09:00", ["cron(0 9 L * ? *)"]),
        ("monthly 30 09:00", ["cron(0 9 30 1,3,4,5,6,7,8,9,10,11,12 ? *)", "cron(0 9 L 2 ? *)"]),
    ],
)
def test_a_schedule_is_an_expression_of_eventbridge(schedule: str, expressions: list[str]) -> None:
    assert list(Schedule.parse(schedule).expressions) == expressions


# ── what is none ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hourly",
        "every 0",
        "daily 24:00",
        "daily 9:00",
        "weekly Monday 09:00",
        "weekly XXX 09:00",
        "monthly 0 09:00",
        "monthly 32 09:00",
        "daily 09:00 Asia/Nowhere",
        "daily 09:00 Asia/../../passwd",
    ],
)
def test_a_text_that_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(DesignError):
        Schedule.parse(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"seconds": 60, "at": time(9)},
        {"seconds": 0},
        {"seconds": 0.5},
        {"seconds": 60, "weekday": "MON"},
        {"seconds": 60, "day": 1},
        {"at": time(9, tzinfo=UTC)},
        {"at": time(9, 0, 1)},
        {"at": time(9), "weekday": "MON", "day": 1},
    ],
)
def test_a_schedule_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DesignError):
        Schedule(**wrong)
