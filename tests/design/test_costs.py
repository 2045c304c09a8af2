"""What questions cost that leave items out: full pages, never one by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Database, Entity, Key, Query, Table, attr, pattern


class Log(Table, name="Log"):
    pass


class LineKey(Key["Line"], pk="LOG#{log}", sk="LINE#{number:06d}"):
    log: str
    number: int


class Line(LineKey, Entity, table=Log):
    level: str = "info"

    @pattern
    def of(cls, log: str) -> Query[Line]:
        """The lines of a log."""
        return cls.query(Line.log == log)

    @pattern
    def errors(cls, log: str) -> Query[Line]:
        """The lines of a log that are errors."""
        return cls.query(Line.log == log).where(Line.level == "error")


@pytest.fixture(scope="module")
def log() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        db = Database(backend, secret=b"for tests")
        db.create_tables(Log)
        levels = {299: "error", 150: "error"}
        db.batch_write(Line(log="short", number=each, level=levels.get(each, "info")) for each in range(300))
        db.batch_write(
            Line(log="long", number=each, level="error" if each % 10 == 9 else "info") for each in range(2500)
        )
        yield db


def test_the_first_of_a_few_is_one_request(log: Database) -> None:
    with log.meter() as cost:
        found = log.first(Line.errors("short"))
    assert (found and found.number, cost.requests, cost.read) == (150, 1, 1.5)


def test_a_page_with_a_filter_is_one_request(log: Database) -> None:
    with log.meter() as cost:
        page = log.page(Line.errors("short"), limit=20)
    assert ([each.number for each in page], cost.requests, cost.read) == ([150, 299], 1, 1.5)


def test_a_full_page_of_what_is_left_is_one_request_and_goes_on_where_it_ended(log: Database) -> None:
    numbers, cursor, requests = [], None, []
    while True:
        with log.meter() as cost:
            page = log.page(Line.errors("long"), limit=30, cursor=cursor)
        numbers.append([each.number for each in page])
        requests.append(cost.requests)
        assert page.offset == 30 * (len(numbers) - 1)
        cursor = page.cursor
        if cursor is None:
            break
    assert [each for page in numbers for each in page] == list(range(9, 2500, 10))
    assert max(requests) == 1
    assert {len(page) for page in numbers[:-1]} == {30}


def test_a_page_without_a_filter_reads_no_more_than_it_shows(log: Database) -> None:
    with log.meter() as cost:
        log.page(Line.of("long"), limit=20)
    assert (cost.requests, cost.read) == (1, 0.5)


def test_each_and_all_stop_at_a_limit(log: Database) -> None:
    with log.meter() as cost:
        assert [each.number for each in log.all(Line.of("long"), limit=3)] == [0, 1, 2]
        assert [each.number for each in log.each(Line.errors("long"), 2)] == [9, 19]
        assert log.all(Line.of("long"), limit=0) == []
    assert cost.requests == 2


def test_a_filter_by_a_field_of_the_key_needs_an_attribute(log: Database) -> None:
    question = Line.of("short").where(attr(Line.level).one_of("error", "warning"))
    assert log.count(question) == 2
