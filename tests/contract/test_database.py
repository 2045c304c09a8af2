"""A small design, run through its database on every backend."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

from hansang.design import Database, attr
from hansang.errors import AlreadyExists, Conflict, NoSuchTable, NotFound, TooLarge
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey, Shop
from tests.contract.contenders import Contender
from tests.contract.partitions import eventually

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Counter:
    """One customer's place in the shop."""

    db: Database
    contender: Contender
    id: str
    day: date

    @property
    def key(self) -> CustomerKey:
        return CustomerKey(id=self.id)

    def customer(self, name: str = "민지", visits: int = 0, tags: set[str] | None = None) -> Customer:
        return Customer(id=self.id, name=name, visits=visits, tags=tags, created_at=NOW)

    def order(self, number: int, total: int = 100) -> Order:
        return Order(customer_id=self.id, number=number, day=self.day, total=total, created_at=NOW)


@pytest.fixture(scope="session")
def db(contender: Contender) -> Iterator[Database]:
    name = f"hansang-contract-{uuid.uuid4().hex[:12]}"
    database = Database(contender, secret=b"for tests", names={Shop: name})
    assert database.create_tables(Shop) == [name]
    assert database.create_tables(Shop) == []
    yield database
    contender.call("DeleteTable", {"TableName": name})


@pytest.fixture
def counter(db: Database, contender: Contender) -> Counter:
    """A customer and a day that no other test has."""
    number = uuid.uuid4().int
    return Counter(db, contender, f"c{number:x}", date.fromordinal(1 + number % 3_000_000))


def test_what_is_created_is_found_once(counter: Counter) -> None:
    counter.db.create(counter.customer(tags={"단골", "vip"}))
    assert counter.db.get(counter.key, consistent=True) == counter.customer(tags={"단골", "vip"})
    with pytest.raises(AlreadyExists) as there:
        counter.db.create(counter.customer("지민"))
    assert there.value.item == counter.customer(tags={"단골", "vip"})


def test_what_is_not_there_is_not_found(counter: Counter) -> None:
    assert counter.db.find(counter.key) is None
    with pytest.raises(NotFound):
        counter.db.get(counter.key)
    with pytest.raises(NotFound):
        counter.db.update(counter.key, attr(Customer.visits).add(1))
    assert counter.db.delete(counter.key) is None


def test_two_who_saw_the_same_cannot_both_change_it(counter: Counter) -> None:
    counter.db.create(counter.customer(visits=1))
    changed = counter.db.update(counter.key, attr(Customer.visits).add(1), when=Customer.visits == 1)
    assert changed == counter.customer(visits=2)
    with pytest.raises(Conflict) as late:
        counter.db.update(counter.key, attr(Customer.visits).add(1), when=Customer.visits == 1)
    assert late.value.item == counter.customer(visits=2)


def test_a_collection_comes_back_as_its_entities(counter: Counter) -> None:
    db = counter.db
    db.batch_write(puts=[counter.customer(), *(counter.order(number) for number in range(3))])
    found = db.all(Customer.with_orders(counter.id).consistent())
    assert sorted(type(each).__name__ for each in found) == ["Customer", "Order", "Order", "Order"]
    assert db.count(Order.of(counter.id).consistent()) == 3


def test_pages_go_on_from_their_cursors(counter: Counter) -> None:
    counter.db.batch_write(puts=[counter.order(number) for number in range(5)])
    found, cursor = [], None
    while True:
        page = counter.db.page(Order.of(counter.id).consistent(), limit=2, cursor=cursor)
        found += [order.number for order in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [0, 1, 2, 3, 4]


def test_an_index_answers_with_its_view_in_the_order_of_numbers(counter: Counter) -> None:
    totals = [100, 9, 20]
    counter.db.batch_write(puts=[counter.order(number, total) for number, total in enumerate(totals)])

    def ask() -> list[int]:
        return [row.total for row in counter.db.all(DayRow.on(counter.day))]

    eventually(counter.contender, ask, [9, 20, 100])


def test_batches_go_over_the_limits_of_one_request(counter: Counter) -> None:
    orders = [counter.order(number) for number in range(60)]
    assert counter.db.batch_write(puts=orders) == 60
    keys = [OrderKey(customer_id=counter.id, number=number) for number in range(110)]
    assert counter.db.batch_get(keys, consistent=True) == orders
    counter.db.batch_write(deletes=keys[:59])
    assert counter.db.all(Order.of(counter.id).consistent()) == orders[59:]


def test_a_transaction_is_all_or_nothing(counter: Counter) -> None:
    db = counter.db
    with db.transaction() as first:
        first.create(counter.customer())
        first.create(counter.order(1))
    with pytest.raises(AlreadyExists) as there, db.transaction() as second:
        second.update(counter.key, attr(Customer.visits).add(1))
        second.create(counter.order(1, total=5))
    assert there.value.item == counter.order(1)
    assert db.get(counter.key, consistent=True).visits == 0


def test_a_meter_counts_reads_and_writes(counter: Counter) -> None:
    with counter.db.meter() as cost:
        counter.db.create(counter.customer())
        counter.db.get(counter.key, consistent=True)
    assert (cost.read, cost.write) == (1.0, 2.0)


def test_refusals_come_out_as_our_own_errors(counter: Counter) -> None:
    with pytest.raises(TooLarge):
        counter.db.create(counter.customer("x" * 410_000))
    elsewhere = Database(counter.contender, names={Shop: "hansang-no-such-table"})
    with pytest.raises(NoSuchTable):
        elsewhere.find(counter.key)
