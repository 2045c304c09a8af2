"""Wrong uses of the design language: type checkers flag every line that is marked."""

# pyright: strict

from __future__ import annotations

from datetime import UTC, date, datetime

from hansang.design import Database, attr
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey, Shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def keys(db: Database) -> None:
    CustomerKey(ident="c1")  # wrong: no such key field
    CustomerKey(id=1)  # wrong: the type of a key field
    OrderKey(customer_id="c1")  # wrong: half a key
    OrderKey(customer_id="c1", number="1")  # wrong: text for a number
    db.get("c1")  # wrong: a key is more than a text
    db.get(DayRow)  # wrong: a class is no key


def values(db: Database) -> None:
    Customer(id="c1", created_at=NOW)  # wrong: a field is missing
    Customer(id="c1", name="민지", created_at="2026-01-01")  # wrong: text for a moment
    Order(customer_id="c1", number=1, day=date(2026, 1, 1), total=1.5, created_at=NOW)  # wrong: a float
    db.put(CustomerKey(id="c1"))  # wrong: a key is no entity
    db.update(CustomerKey(id="c1"), attr(Customer.name).set(5))  # wrong: the type of the new value
    db.update(OrderKey(customer_id="c1", number=1), attr(Order.total).add("1"))  # wrong: text added
    db.update(CustomerKey(id="c1"), attr(Customer.nickname).set("x"))  # wrong: no such attribute
    db.update(CustomerKey(id="c1"), Customer.name)  # wrong: a field is no change


def questions(db: Database) -> None:
    Order.of(1)  # wrong: the type of an argument
    Order.of()  # wrong: an argument is missing
    Order.about("c1")  # wrong: no such pattern
    customer = Customer(id="c1", name="x", created_at=NOW)
    db.put(customer, when=Customer.visits == "0")  # wrong: text for a number
    db.all(Order.of)  # wrong: the pattern itself, not a question
    db.page(Order.of("c1"), limit="10")  # wrong: text for a limit
    Order.query(index="by_day")  # wrong: the name of an index, not the index
    Customer.query(index=Shop.by_color)  # wrong: no such index


def results(db: Database) -> None:
    db.get(CustomerKey(id="c1")).total  # wrong: an attribute of another entity
    db.find(CustomerKey(id="c1")).name  # wrong: it may be missing
    db.all(DayRow.on(date(2026, 1, 1)))[0].note  # wrong: the view does not have it
    db.all(Customer.with_orders("c1"))[0].total  # wrong: only one of the two has it
    with db.transaction() as tx:
        tx.create(CustomerKey(id="c1"))  # wrong: a key is no entity
        tx.update(Shop, attr(Customer.visits).add(1))  # wrong: a table is no key
        tx.update(CustomerKey(id="c1"), attr(Customer.visits).set(None))  # wrong: it may not be None
    name: int = db.get(CustomerKey(id="c1")).name  # wrong: the type of an attribute
    print(name)
