"""Designs to follow from: a shop that is sound, and one that breaks the rules of the review."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import Field

from hansang.design import (
    GSI,
    KEYS_ONLY,
    LSI,
    Attr,
    Entity,
    Expiry,
    Key,
    Query,
    Table,
    Timestamp,
    View,
    any_of,
    attr,
    collection,
    derived,
    pattern,
)


class Shop(Table, name="Shop", type_attribute="Type", stream="NEW_AND_OLD_IMAGES"):
    """The shop's one table."""

    by_mail = GSI("ByMail", pk="mail", project=KEYS_ONLY)
    by_time = GSI("Customer_OrderedAt", pk="customerId", sk="orderedAt", project=["total"])


class CustomerKey(Key["Customer"], pk="CUSTOMER#{id}", sk="METADATA"):
    id: str


class Customer(CustomerKey, Entity, table=Shop, type="Customer"):
    """Someone who buys."""

    name: str
    name_lower = derived("name_lower", of="name", by=str.lower)
    mail: str | None = None

    @pattern
    def with_orders(cls, id: str) -> Query[Customer | Order]:  # noqa: A002
        """A customer and all orders, in one query."""
        return collection(Customer, Order, where=[Customer.id == id])


class OrderKey(Key["Order"], pk="CUSTOMER#{id}", sk="ORDER#{day}#{number:06d}"):
    id: str
    day: date
    number: int


class Order(OrderKey, Entity, table=Shop, type="Order"):
    """What a customer has ordered."""

    customer_id: Annotated[str, Attr("customerId")]
    total: int
    ordered_at: Annotated[Timestamp, Attr("orderedAt")]
    tags: Annotated[list[str], Field(max_length=10, default_factory=list)]
    expires_at: Annotated[Expiry | None, Attr("expiresAt")] = None

    @pattern
    def of(cls, id: str) -> Query[Order]:  # noqa: A002
        """The orders of a customer, by day."""
        return cls.query(Order.id == id)

    @pattern
    def between(cls, id: str, since: date, until: date) -> Query[Order]:  # noqa: A002
        """The orders of some days."""
        return cls.query(Order.id == id, attr(Order.day).between(since, until)).descending()


class Mailed(CustomerKey, View, index=Shop.by_mail):
    mail: str

    @pattern
    def to(cls, mail: str) -> Query[Mailed]:
        """The customer with a mail address."""
        return cls.query(Mailed.mail == mail)


class Receipt(OrderKey, View, index=Shop.by_time):
    customer_id: Annotated[str, Attr("customerId")]
    ordered_at: Annotated[Timestamp, Attr("orderedAt")]
    total: int

    @pattern
    def latest(cls, customer_id: str) -> Query[Receipt]:
        """The newest orders of a customer."""
        return cls.query(Receipt.customer_id == customer_id).descending()


EXAMPLES = (
    Customer(id="u001", name="김대연", mail="kim@example.com"),
    Order(
        id="u001",
        day=date(2026, 2, 21),
        number=7,
        customer_id="u001",
        total=35_000,
        ordered_at=datetime(2026, 2, 21, 3, 0, tzinfo=UTC),
        tags=["선물"],
    ),
)


# ── what the review finds ─────────────────────────────────────────────────────────────────────────


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Faulty(Table, name="Faulty"):
    by_month = GSI("ByMonth", pk="yearMonth", sk="PK")
    by_colour = GSI("ByColour", pk="colour", sk="SK", project=KEYS_ONLY)
    by_size = LSI("BySize", sk="size")


LEAN = Faulty.by_colour
"""Named in a way that is not seen when the class is made, but when the pattern is asked."""


class EntryKey(Key["Entry"], pk="ENTRY#{month}", sk="{name}#{kind}"):
    month: Annotated[str, Attr("yearMonth")]
    name: str
    kind: str


class Entry(EntryKey, Entity, table=Faulty):
    colour: Colour = Colour.RED
    size: int = 0
    members: Annotated[list[str], Field(default_factory=list)]
    label: str | None = None

    @pattern
    def of_period(cls, since: str, until: str) -> Query[Entry]:
        """A range of partitions."""
        return cls.query(attr(Entry.month).between(since, until), index=Faulty.by_month)

    @pattern
    def either(cls, one: str, other: str) -> Query[Entry]:
        """Two partitions in one question."""
        return cls.query(any_of(Entry.month == one, Entry.month == other))

    @pattern
    def labelled(cls, label: str) -> Query[Entry]:
        """By something that no key has."""
        return cls.query(Entry.label == label)

    @pattern
    def of_colour(cls, colour: Colour) -> Query[Entry]:
        """Whole entries from an index that has only keys."""
        return cls.query(Entry.colour == colour, index=LEAN)

    @pattern
    def of_person(cls, month: str, name: str) -> Query[Entry]:
        """A prefix that ends in a name."""
        return cls.query(Entry.month == month, attr(Entry.name).begins_with(name))

    @pattern
    def of_number(cls, month: str) -> Query[Entry]:
        """Refuses every sample."""
        return cls.query(Entry.month == str(int(month)))


class PostKey(Key["Post"], pk="BOARD#{board}", sk="POST#{id}"):
    board: str
    id: str


class Post(PostKey, Entity, table=Faulty):
    @pattern
    def on(cls, board: str) -> Query[Post]:
        """The newest posts first."""
        return cls.query(Post.board == board).descending()


class NoteKey(Key["Note"], pk="BOARD#{board}", sk="{text}"):
    board: str
    text: str


class Note(NoteKey, Entity, table=Faulty):
    @pattern
    def pinned(cls, board: str) -> Query[Note]:
        """Every note of a board, and with them every post."""
        return cls.query(Note.board == board)


class MixedKey(Key["Mixed"], pk="MIXED#{left}-{right}", sk="{number}-{left}"):
    left: str
    right: str
    number: int


class Mixed(MixedKey, Entity, table=Faulty):
    pass
