"""A small design, for type checkers to look at."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from hansang.design import (
    GSI,
    KEYS_ONLY,
    Attr,
    Entity,
    Key,
    Query,
    Table,
    Timestamp,
    View,
    collection,
    pattern,
)


class Shop(Table, name="Shop", type_attribute="Type"):
    by_type = GSI("Type_CreatedAt", pk="Type", sk="CreatedAt")
    by_day = GSI("Day_Total", pk="Day", sk="Total", project=["Note"])
    by_note = GSI("Note", pk="Note", project=KEYS_ONLY)


class CustomerKey(Key["Customer"], pk="CUSTOMER#{id}", sk="METADATA"):
    id: str


class Customer(CustomerKey, Entity, table=Shop, type="Customer"):
    name: str
    visits: int = 0
    tags: set[str] | None = None
    created_at: Annotated[Timestamp, Attr("CreatedAt")]

    @pattern
    def newest(cls) -> Query[Customer]:
        """Customers, the newest first."""
        return cls.query(index=Shop.by_type).descending()

    @pattern
    def with_orders(cls, id: str) -> Query[Customer | Order]:  # noqa: A002
        """A customer and all orders."""
        return collection(Customer, Order, where=[Customer.id == id])


class OrderKey(Key["Order"], pk="CUSTOMER#{customer_id}", sk="ORDER#{number:08d}"):
    customer_id: str
    number: int


class Order(OrderKey, Entity, table=Shop, type="Order"):
    day: Annotated[date, Attr("Day")]
    total: Annotated[int, Attr("Total")]
    note: Annotated[str | None, Attr("Note")] = None
    created_at: Annotated[Timestamp, Attr("CreatedAt")]

    @pattern
    def of(cls, customer_id: str) -> Query[Order]:
        """The orders of a customer."""
        return cls.query(Order.customer_id == customer_id)


class DayRow(OrderKey, View, index=Shop.by_day):
    day: Annotated[date, Attr("Day")]
    total: Annotated[int, Attr("Total")]

    @pattern
    def on(cls, day: date) -> Query[DayRow]:
        """The orders of a day by their total."""
        return cls.query(DayRow.day == day)
