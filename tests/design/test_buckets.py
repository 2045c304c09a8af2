"""Partitions for stretches of time: a key with the month of a moment is asked by the moment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import pytest

from hansang.design import (
    GSI,
    Attr,
    Database,
    Entity,
    Key,
    Query,
    Table,
    Timestamp,
    attr,
    collection,
    pattern,
)
from hansang.errors import DesignError, InvalidCursor, UnexpectedItem
from tests.storing import opened, stored


class Readings(Table, name="Readings"):
    by_week = GSI("Week", pk="week", sk="day")


class ReadingKey(Key["Reading"], pk="SENSOR#{sensor}#{at:%Y-%m}", sk="AT#{at}"):
    sensor: str
    at: Timestamp


class Reading(ReadingKey, Entity, table=Readings, index_keys={Readings.by_week: ("WEEK#{day:%G-%V}", None)}):
    value: int
    day: date

    @pattern
    def between(cls, sensor: str, first: datetime, last: datetime) -> Query[Reading]:
        """What a sensor has read from one moment to another."""
        return cls.query(Reading.sensor == sensor, attr(Reading.at).between(first, last))


class LineKey(Key["Line"], pk="LOG#{at:%Y-%m-%d}", sk="LINE#{number:04d}"):
    at: Annotated[Timestamp, Attr("at")]
    number: int


class Line(LineKey, Entity, table=Readings):
    pass


FIRST = datetime(2025, 11, 20, 12, tzinfo=UTC)
READINGS = [
    Reading(sensor="s", at=FIRST + timedelta(days=3 * n), value=n, day=(FIRST + timedelta(days=3 * n)).date())
    for n in range(50)
]
LINES = [Line(at=FIRST + timedelta(hours=5 * n), number=n) for n in range(20)]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(Readings) as db:
        db.batch_write([*READINGS, *LINES])
        yield db


def test_the_partition_is_the_month(db: Database) -> None:
    assert db.get(ReadingKey(sensor="s", at=FIRST)) == READINGS[0]
    assert {each["PK"]["S"] for each in stored(db, Readings) if each["PK"]["S"] < "SENSOR#s#2026"} >= {
        "SENSOR#s#2025-11",
        "SENSOR#s#2025-12",
    }
    assert db.all(Reading.query(Reading.sensor == "s", Reading.at == FIRST)) == READINGS[:1]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 5), (3, 40), (0, 49), (20, 20), (60, 70)])
def test_a_range_over_months_is_exact_and_in_order(db: Database, low: int, high: int) -> None:
    first, last = (FIRST + timedelta(days=3 * n) for n in (low, high))
    for begin, end in ((first, last), (first + timedelta(seconds=1), last - timedelta(seconds=1))):
        if begin > end:
            continue
        asked = Reading.between("s", begin, end)
        wanted = [each for each in READINGS if begin <= each.at <= end]
        assert db.all(asked) == wanted
        assert db.all(asked.descending()) == wanted[::-1]
        assert db.count(asked) == len(wanted)
        assert db.all(asked, limit=7) == wanted[:7]
        assert db.all(asked.where(Reading.value > 25)) == [each for each in wanted if each.value > 25]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_pages_go_on_in_the_next_month(db: Database, size: int) -> None:
    for asked in (
        Reading.between("s", FIRST, READINGS[-1].at),
        Reading.between("s", FIRST, READINGS[-1].at).descending(),
    ):
        found: list[Reading] = []
        cursor = None
        while True:
            page = db.page(asked, limit=size, cursor=cursor)
            found += page.items
            cursor = page.cursor
            if cursor is None:
                break
        assert found == db.all(asked)
    with pytest.raises(InvalidCursor):
        db.page(
            Reading.between("s", FIRST, FIRST + timedelta(70)),
            cursor=db.page(Reading.between("s", FIRST, READINGS[-1].at), 5).cursor,
        )


def test_whole_days_are_asked_without_a_sort_key_that_has_the_time(db: Database) -> None:
    day = datetime(2025, 11, 21, tzinfo=UTC)
    asked = Line.query(attr(Line.at).between(day, day + timedelta(days=2, seconds=-1)))
    assert db.all(asked) == [each for each in LINES if each.at.day in (21, 22)]
    with pytest.raises(DesignError, match="also find other values of at"):
        Line.query(attr(Line.at).between(day, day + timedelta(hours=3)))
    with pytest.raises(DesignError, match="also find other values of at"):
        Line.query(Line.at == FIRST)


def test_an_index_has_weeks(db: Database) -> None:
    first, last = date(2025, 12, 25), date(2026, 1, 8)
    found = db.all(Reading.query(attr(Reading.day).between(first, last), index=Readings.by_week))
    assert found == [each for each in READINGS if first <= each.day <= last]


def test_what_cannot_be_exact_is_refused() -> None:
    with pytest.raises(DesignError, match="has no end"):
        Reading.query(Reading.sensor == "s", Reading.at > FIRST)
    with pytest.raises(DesignError, match="more than 100 partitions"):
        Reading.between("s", FIRST, FIRST + timedelta(days=36_500))
    with pytest.raises(DesignError, match="needs at by equality"):
        Reading.query(Reading.sensor == "s")
    with pytest.raises(DesignError, match="also find other values"):
        collection(Reading, Line, where=[Reading.sensor == "s", Reading.at == FIRST])


def test_a_format_that_is_no_stretch_of_time_is_asked_by_equality_alone(db: Database) -> None:
    class Birthdays(Table, name="Birthdays"):
        pass

    class BirthdayKey(Key["Birthday"], pk="{born:%m-%d}", sk="{born}"):
        born: date

    class Birthday(BirthdayKey, Entity, table=Birthdays):
        pass

    assert Birthday.query(Birthday.born == date(1990, 3, 1)).partition == {"S": "03-01"}
    with pytest.raises(DesignError, match="does not cut time"):
        Birthday.query(attr(Birthday.born).between(date(1990, 3, 1), date(1990, 3, 2)))


def test_an_item_whose_month_is_another_is_not_read(db: Database) -> None:
    shape = Reading.__shape__
    assert shape is not None
    item = shape.encode(READINGS[0]) | {"PK": {"S": "SENSOR#s#2025-12"}}
    with pytest.raises(UnexpectedItem):
        shape.decode(item)
    strange: list[object] = []
    assert shape.decode_page([item], lambda each, _: strange.append(each)) == []
    assert strange == [item]
