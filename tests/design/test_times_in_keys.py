"""Moments and days in keys: in UTC whatever zone they came in, and compared exactly."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from hansang.design import (
    GSI,
    Attr,
    Database,
    Entity,
    Key,
    Query,
    Table,
    Timestamp,
    TimestampMs,
    attr,
    pattern,
)
from hansang.errors import DesignError, InvalidInput
from tests.design.conftest import Opens
from tests.storing import stored

SEOUL = ZoneInfo("Asia/Seoul")
BASE = datetime(2026, 3, 1, 9, tzinfo=SEOUL)


class Calendar(Table, name="Calendar"):
    by_end = GSI("ByEnd", pk="GSI1PK", sk="GSI1SK")


class EventKey(Key["Event"], pk="CAL#{owner}", sk="EV#{at}#{id}"):
    owner: str
    at: Timestamp
    id: str


class Event(EventKey, Entity, table=Calendar, index_keys={Calendar.by_end: ("OWNER#{owner}", "END#{ends}")}):
    ends: Timestamp

    @pattern
    def of(cls, owner: str) -> Query[Event]:
        """What an owner has, in the order of time."""
        return cls.query(Event.owner == owner)


class TickKey(Key["Tick"], pk="TICKS", sk="TICK#{at}"):
    at: TimestampMs


class Tick(TickKey, Entity, table=Calendar):
    price: int


class DayKey(Key["Day"], pk="DAYS", sk="{day:%Y%m%d}"):
    day: date


class Day(DayKey, Entity, table=Calendar):
    note: str = ""


def event(hours: int, zone: Any = SEOUL) -> Event:
    at = (BASE + timedelta(hours=hours)).astimezone(zone)
    return Event(owner="민지", at=at, id=f"e{hours}", ends=at + timedelta(hours=1))


@pytest.fixture
def calendar(opens: Opens) -> Database:
    db = opens(Calendar)
    for hours in (0, 6, 12, 18, 24):
        db.create(event(hours))
    return db


def hours_of(found: list[Event]) -> list[int]:
    return [int(each.id[1:]) for each in found]


def test_a_key_has_the_time_in_utc_as_the_attribute_has(calendar: Database) -> None:
    item = stored(calendar, Calendar)[0]
    assert item["SK"] == {"S": "EV#2026-03-01T00:00:00Z#e0"}
    assert item["ends"] == {"S": "2026-03-01T01:00:00Z"}
    assert item["GSI1SK"] == {"S": "END#2026-03-01T01:00:00Z"}


@pytest.mark.parametrize("zone", [UTC, SEOUL, ZoneInfo("America/New_York")])
def test_an_item_is_found_by_its_time_in_any_zone(calendar: Database, zone: Any) -> None:
    key = EventKey(owner="민지", at=(BASE + timedelta(hours=6)).astimezone(zone), id="e6")
    assert calendar.get(key) == event(6)
    calendar.put(event(6, zone))
    assert calendar.count(Event.of("민지")) == 5


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_comparison_finds_what_python_finds(calendar: Database, compare: Callable[[Any, Any], Any]) -> None:
    bounds = {hours: BASE + timedelta(hours=hours) for hours in (-1, 0, 6, 7, 18, 24, 25)}
    found = {
        hours: hours_of(calendar.all(Event.query(Event.owner == "민지", compare(Event.at, bound))))
        for hours, bound in bounds.items()
    }
    assert found == {hours: [each for each in (0, 6, 12, 18, 24) if compare(each, hours)] for hours in bounds}


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_comparison_in_an_index_key_is_exact_too(
    calendar: Database, compare: Callable[[Any, Any], Any]
) -> None:
    bound = BASE + timedelta(hours=13)
    question = Event.query(Event.owner == "민지", compare(Event.ends, bound), index=Calendar.by_end)
    assert hours_of(calendar.all(question)) == [each for each in (0, 6, 12, 18, 24) if compare(each + 1, 13)]


def test_a_span_has_both_ends(calendar: Database) -> None:
    span = attr(Event.at).between(BASE + timedelta(hours=6), BASE + timedelta(hours=18))
    assert hours_of(calendar.all(Event.query(Event.owner == "민지", span))) == [6, 12, 18]


def test_microseconds_are_refused_and_not_cut(calendar: Database) -> None:
    fine = BASE + timedelta(microseconds=1)
    with pytest.raises(ValidationError, match="finer than a second"):
        EventKey(owner="민지", at=fine, id="x")
    with pytest.raises(InvalidInput, match="finer than a second"):
        attr(Event.ends).set(fine)
    with pytest.raises(InvalidInput, match="finer than a second"):
        Event.query(Event.owner == "민지", Event.at > fine)
    assert calendar.count(Event.of("민지")) == 5


def test_milliseconds_have_a_type_that_sorts_by_time(opens: Opens) -> None:
    db = opens(Calendar)
    moments = [BASE + timedelta(milliseconds=each) for each in (0, 1, 10, 100, 999, 1000)]
    for number, at in enumerate(moments):
        db.create(Tick(at=at, price=number))
    assert {item["SK"]["S"] for item in stored(db, Calendar)} >= {
        "TICK#2026-03-01T00:00:00.000Z",
        "TICK#2026-03-01T00:00:00.010Z",
        "TICK#2026-03-01T00:00:01.000Z",
    }
    assert [each.price for each in db.all(Tick.query(Tick.at > moments[1]))] == [2, 3, 4, 5]
    assert [each.price for each in db.all(Tick.query(Tick.at < moments[4]))] == [0, 1, 2, 3]
    assert db.get(TickKey(at=moments[2])).at == moments[2]


def test_a_day_in_a_format_that_sorts_is_asked_by_its_value(opens: Opens) -> None:
    db = opens(Calendar)
    days = [date(2025, 12, 31), date(2026, 1, 1), date(2026, 10, 1)]
    for day in days:
        db.create(Day(day=day))
    assert [each.day for each in db.all(Day.query(Day.day > days[0]))] == days[1:]
    assert [each.day for each in db.all(Day.query(Day.day < days[1]))] == days[:1]


def test_a_moment_is_no_day() -> None:
    with pytest.raises(InvalidInput, match=r"take its \.date\(\) in the zone you mean"):
        Day.query(Day.day == BASE)  # type: ignore[comparison-overlap,unused-ignore]


def test_the_first_and_the_last_day_have_nothing_beyond(opens: Opens) -> None:
    db = opens(Calendar)
    db.create(Tick(at=datetime.max.replace(microsecond=0, tzinfo=UTC), price=1))
    assert db.all(Tick.query(Tick.at > datetime.max.replace(microsecond=999_000, tzinfo=UTC))) == []
    assert db.all(Tick.query(Tick.at < datetime.min.replace(tzinfo=UTC))) == []


def test_a_format_that_keeps_less_than_the_moment_is_refused_when_the_class_is_made() -> None:
    class LossyKey(Key["Lossy"], pk="LOSSY#{at:%Y-%m}", sk="METADATA"):
        at: Timestamp

    with pytest.raises(DesignError, match="keeps only a part of"):

        class Lossy(LossyKey, Entity, table=Calendar):
            pass


def test_a_format_that_keeps_less_cannot_be_asked_by_the_whole() -> None:
    class Months(Table, name="Months"):
        pass

    class EntryKey(Key["Entry"], pk="MONTH#{at:%Y-%m}", sk="{id}"):
        at: Annotated[Timestamp, Attr("at")]
        id: str

    class Entry(EntryKey, Entity, table=Months):
        pass

    with pytest.raises(DesignError, match="also find other values of at"):
        Entry.query(Entry.at == BASE)


def test_a_format_that_does_not_sort_by_time_is_asked_by_equality_alone() -> None:
    class Days(Table, name="Days"):
        pass

    class BackwardKey(Key["Backward"], pk="DAYS", sk="{day:%d.%m.%Y}"):
        day: date

    class Backward(BackwardKey, Entity, table=Days):
        pass

    assert Backward.query(Backward.day == date(2026, 3, 1)).sort is not None
    with pytest.raises(DesignError, match=r"Write it in an order that sorts by time"):
        Backward.query(Backward.day > date(2026, 3, 1))
