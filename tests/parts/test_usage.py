"""What access patterns cost, summed over workers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from hansang.backends.recording import Recording
from hansang.design import Database, Table
from hansang.errors import Unavailable
from hansang.parts.usage import PatternUsage, Usage
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, Shop
from tests.parts.conftest import SetClock
from tests.parts.faults import at_once, losing

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AREAS: dict[type[Table], str] = {Shop: "shop"}


def order(number: int) -> Order:
    return Order(customer_id="c1", number=number, day=date(2026, 1, 1), total=1, note="선물", created_at=NOW)


@pytest.fixture
def usage(database: Database, clock: SetClock) -> Usage:
    return Usage(database, clock, "start1", AREAS)


@pytest.fixture
def shop(database: Database, usage: Usage) -> Database:
    """A shop whose requests are observed."""
    found = Database(database.backend, observer=usage.observe)
    found.create_tables(Shop)
    return found


def totals(usage: Usage) -> tuple[int, float, float]:
    rows = usage.snapshot()
    return (
        sum(row.requests for row in rows),
        sum(row.read_units for row in rows),
        sum(row.write_units for row in rows),
    )


def rows_of(usage: Usage, pattern: str) -> list[PatternUsage]:
    return [row for row in usage.snapshot() if row.pattern == pattern]


def test_a_read_of_the_table_is_counted_there(shop: Database, usage: Usage) -> None:
    shop.find(CustomerKey(id="c1"))
    shop.find(CustomerKey(id="c1"), consistent=True)
    assert usage.snapshot() == [PatternUsage("shop", "Customer.get", "GetItem", "Shop", "", 2, 1.5, 0.0)]


def test_a_read_of_an_index_is_counted_there(shop: Database, usage: Usage) -> None:
    shop.all(DayRow.on(date(2026, 1, 1)))
    assert usage.snapshot() == [PatternUsage("shop", "DayRow.on", "Query", "Shop", "Day_Total", 1, 0.5, 0.0)]


def test_a_write_is_split_by_index_and_is_one_request(shop: Database, usage: Usage) -> None:
    shop.create(order(1))
    rows = rows_of(usage, "Order.create")
    assert [(row.index, row.requests, row.write_units) for row in rows] == [
        ("", 1, 1.0),
        ("Day_Total", 0, 1.0),
        ("Note", 0, 1.0),
        ("Type_CreatedAt", 0, 1.0),
    ]


def test_a_snapshot_agrees_with_the_meter(shop: Database, usage: Usage) -> None:
    with shop.meter() as cost:
        shop.batch_write(order(number) for number in range(30))
        shop.all(Order.of("c1"))
        with shop.transaction() as transaction:
            transaction.put(order(1))
            transaction.put(Customer(id="c2", name="민지", created_at=NOW))
    usage.flush()
    assert totals(usage) == (cost.requests, cost.read, cost.write)


def test_what_is_written_down_and_what_is_not_are_summed(shop: Database, usage: Usage) -> None:
    shop.find(CustomerKey(id="c1"))
    usage.flush()
    shop.find(CustomerKey(id="c1"))
    assert totals(usage) == (2, 1.0, 0.0)
    usage.flush()
    usage.flush()
    assert totals(usage) == (2, 1.0, 0.0)


def test_workers_of_one_start_see_the_sum(database: Database, clock: SetClock) -> None:
    workers = [Usage(database, clock, "start1", AREAS) for _ in range(3)]
    for worker in workers:
        worker.observe("GetItem", "Customer.get", [{"TableName": "Shop", "CapacityUnits": 0.5}])
        worker.flush()
    assert [totals(worker) for worker in workers] == [(3, 1.5, 0.0)] * 3
    assert totals(Usage(database, clock, "start2", AREAS)) == (0, 0.0, 0.0)


def test_the_writing_down_is_not_counted_itself(database: Database, clock: SetClock) -> None:
    later: list[Usage] = []
    observed = Database(database.backend, observer=lambda *told: later[0].observe(*told))
    usage = Usage(observed, clock, "start1", AREAS)
    later.append(usage)
    usage.observe("GetItem", "Customer.get", [])
    for _ in range(3):
        usage.flush()
        assert totals(usage)[0] == 1


def test_a_request_that_cost_nothing_known_is_counted(usage: Usage) -> None:
    usage.observe("GetItem", "Customer.get", [])
    usage.flush()
    assert usage.snapshot() == [PatternUsage("", "Customer.get", "GetItem", "", "", 1, 0.0, 0.0)]


def test_threads_do_not_lose_counts(usage: Usage) -> None:
    def observe_and_flush(number: int) -> None:
        for _ in range(200):
            usage.observe("Query", f"Order.of{number % 3}", [{"TableName": "Shop", "CapacityUnits": 0.5}])
        usage.flush()

    assert at_once(6, observe_and_flush) == [None] * 6
    assert totals(usage) == (1200, 600.0, 0.0)


def test_more_places_than_a_transaction_holds_are_written_in_several(
    database: Database, clock: SetClock
) -> None:
    recording = Recording(database.backend)
    usage = Usage(Database(recording), clock, "start1", AREAS)
    for number in range(120):
        usage.observe("Query", f"Order.of{number}", [{"TableName": "Shop", "CapacityUnits": 1.0}])
    usage.flush()
    assert totals(usage) == (120, 120.0, 0.0)
    assert len(usage.snapshot()) == 120


@pytest.mark.parametrize("seed", range(3))
def test_lost_answers_count_nothing_twice(database: Database, clock: SetClock, seed: int) -> None:
    usage = Usage(losing(database, 0.6, seed), clock, "start1", AREAS, sleep=lambda seconds: None)
    for _ in range(20):
        usage.observe("Query", "Order.of", [{"TableName": "Shop", "CapacityUnits": 0.5}])
        clock.advance(1)
        try:
            usage.flush()
        except Unavailable:
            continue
    eventually_flushed(usage.flush)
    assert totals(Usage(database, clock, "start1", AREAS)) == (20, 10.0, 0.0)


def eventually_flushed(flush: Callable[[], None]) -> None:
    for _ in range(20):
        try:
            return flush()
        except Unavailable:
            continue
    pytest.fail("it was not written down in twenty tries")


def test_counts_are_written_down_by_themselves_and_at_the_end(database: Database, clock: SetClock) -> None:
    usage = Usage(database, clock, "start1", AREAS)
    usage.start(every=0.005)
    usage.observe("Query", "Order.of", [])
    usage.stop()
    usage.start(every=60)
    usage.observe("Query", "Order.of", [])
    usage.stop()
    assert totals(Usage(database, clock, "start1", AREAS))[0] == 2
