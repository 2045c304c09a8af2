"""Right uses of the design language: type checkers have nothing to say."""

# pyright: strict

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import assert_type

from hansang.design import Database, Page, all_of, any_of, attr
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def write(db: Database) -> None:
    customer = Customer(id="c1", name="민지", created_at=NOW)
    assert_type(db.create(customer), Customer)
    order = Order(customer_id="c1", number=1, day=date(2026, 1, 1), total=9900, created_at=NOW)
    assert_type(db.put(order, when=Order.total < 10_000), Order)
    assert_type(db.update(OrderKey(customer_id="c1", number=1), attr(Order.total).add(100)), Order)
    assert_type(db.update(customer, attr(Customer.name).set("지민"), when=Customer.visits == 0), Customer)
    assert_type(db.delete(CustomerKey(id="c1")), Customer | None)
    db.batch_write(puts=[customer, order], deletes=[OrderKey(customer_id="c1", number=2)])
    with db.transaction() as tx:
        tx.create(order)
        tx.update(CustomerKey(id="c1"), attr(Customer.visits).add(1), when=Customer.visits < 100)
        tx.check(CustomerKey(id="c1"), attr(Customer.name).exists())


def read(db: Database) -> None:
    assert_type(db.get(CustomerKey(id="c1")), Customer)
    assert_type(db.find(OrderKey(customer_id="c1", number=1), consistent=True), Order | None)
    assert_type(db.page(Order.of("c1"), limit=10), Page[Order])
    assert_type(db.all(DayRow.on(date(2026, 1, 1))), list[DayRow])
    assert_type(db.all(Customer.with_orders("c1")), list[Customer | Order])
    assert_type(db.first(Customer.newest().where(attr(Customer.name).begins_with("민"))), Customer | None)
    assert_type(db.count(Order.of("c1").where(any_of(Order.total > 5, all_of(Order.total < 3)))), int)
    assert_type(db.batch_get([CustomerKey(id="c1"), CustomerKey(id="c2")]), list[Customer])
    for order in db.each(Order.of("c1").descending()):
        assert_type(order.total, int)
