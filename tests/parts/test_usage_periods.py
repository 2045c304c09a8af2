"""Counts by minute, hour and day that survive a restart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import Unavailable
from hansang.parts.timestamps import to_datetime
from hansang.parts.usage import Usage
from hansang.parts.usage_periods import EVERY, Grain, UsagePeriods, period_of, used_by
from tests.parts.conftest import SetClock
from tests.parts.faults import losing
from tests.parts.test_usage import AREAS, eventually_flushed

PLACE = ("Order.of", "Query", "Shop", "")


def new(database: Database, clock: SetClock) -> UsagePeriods:
    return UsagePeriods(database, clock, {"Shop": "shop"}, sleep=lambda seconds: None)


def requests(periods: UsagePeriods, clock: SetClock, grain: Grain, back: timedelta) -> int:
    first = period_of(grain, to_datetime(clock()) - back)
    return sum(each.requests for each in periods.used(grain, first))


def test_counts_of_several_workers_and_starts_are_added_up(database: Database, clock: SetClock) -> None:
    workers = [new(database, clock) for _ in range(3)]
    for worker in workers:
        worker.count([(PLACE, 1, 0.5, 0.0)])
        worker.flush()
    restarted = new(database, clock)
    for grain, back in (("minute", timedelta()), ("hour", timedelta()), ("day", timedelta(days=30))):
        [row] = restarted.used(grain, period_of(grain, to_datetime(clock()) - back))  # type: ignore[arg-type]
        assert (row.app, row.pattern, row.requests, row.read_units) == ("shop", "Order.of", 3, 1.5)


def test_what_is_not_written_down_yet_is_told_too(database: Database, clock: SetClock) -> None:
    periods = new(database, clock)
    periods.count([(PLACE, 1, 0.5, 0.0)])
    periods.flush()
    periods.count([(PLACE, 1, 0.5, 0.0)])
    assert requests(periods, clock, "minute", timedelta()) == 2


def test_a_span_leaves_out_what_was_before_it(database: Database, clock: SetClock) -> None:
    periods = new(database, clock)
    for _ in range(5):
        periods.count([(PLACE, 1, 0.5, 0.0)])
        clock.advance(3600)
    periods.flush()
    assert requests(periods, clock, "hour", timedelta(hours=2)) == 2
    assert requests(periods, clock, "hour", timedelta(hours=20)) == 5


def test_they_are_written_down_seldom(database: Database, clock: SetClock) -> None:
    recording = Recording(database.backend)
    periods = new(Database(recording), clock)
    for _ in range(int(EVERY) - 1):
        periods.count([(PLACE, 1, 0.5, 0.0)])
        clock.advance(1)
        periods.flush_when_due()
    assert not recording.calls
    clock.advance(1)
    periods.flush_when_due()
    assert len(recording.calls) == 1


def test_the_place_does_not_grow_with_time(database: Database, clock: SetClock) -> None:
    """Every item says when it goes, and a place has a minute's, an hour's and a day's worth of them at most."""
    periods = new(database, clock)
    for _ in range(10):
        periods.count([(PLACE, 1, 0.5, 0.0)])
        periods.flush()
    stored = database.backend.call("Scan", {"TableName": "HansangPlatform"})["Items"]
    rows = [each for each in stored if each["Type"]["S"] in ("UsagePeriod", "RoutePeriod")]
    assert len(rows) == 6
    assert all("ExpiresAt" in each for each in rows)


def test_the_route_that_is_worked_on_is_told(database: Database, clock: SetClock) -> None:
    periods = new(database, clock)
    mark = used_by.set(lambda: "GET /shop")
    try:
        periods.count([(PLACE, 1, 0.5, 0.0)])
    finally:
        used_by.reset(mark)
    periods.count([(PLACE, 1, 0.5, 0.0)])
    periods.flush()
    found = new(database, clock).routes("day", period_of("day", to_datetime(clock())))
    assert sorted((each.app, each.route, each.requests) for each in found) == [
        ("shop", "", 1),
        ("shop", "GET /shop", 1),
    ]


def test_counting_has_begun_once(database: Database, clock: SetClock) -> None:
    begun = new(database, clock).began_at()
    clock.advance(86_400)
    assert new(database, clock).began_at() == begun


@pytest.mark.parametrize("seed", range(2))
def test_lost_answers_count_nothing_twice_in_periods(database: Database, clock: SetClock, seed: int) -> None:
    periods = new(losing(database, 0.5, seed), clock)
    for _ in range(10):
        periods.count([(PLACE, 1, 0.5, 0.0)])
        clock.advance(1)
        try:
            periods.flush()
        except Unavailable:
            continue
    eventually_flushed(periods.flush)
    assert requests(new(database, clock), clock, "day", timedelta(days=1)) == 10


def test_a_server_that_stops_writes_its_last_minute_down(database: Database, clock: SetClock) -> None:
    usage = Usage(database, clock, "start1", AREAS)
    usage.start(every=60)
    usage.observe("Query", "Order.of", [{"TableName": "Shop", "CapacityUnits": 0.5}])
    usage.stop()
    assert requests(new(database, clock), clock, "minute", timedelta()) == 1


def test_a_period_begins_with_its_minute_hour_or_day() -> None:
    moment = datetime(2026, 1, 31, 12, 34, 56, tzinfo=UTC)
    assert [period_of(each, moment).isoformat()[8:16] for each in ("minute", "hour", "day")] == [
        "31T12:34",
        "31T12:00",
        "31T00:00",
    ]
