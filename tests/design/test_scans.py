"""Scans leave every item of their kind, once, whatever else lies in the table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Annotated

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.design import GSI, KEYS_ONLY, Attr, Database, Entity, Key, Query, Table, View, attr, pattern
from hansang.errors import DesignError, InvalidCursor, UnexpectedItem
from tests.checked.shop import Customer, DayRow, Order, Shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Plain(Table, name="Plain"):
    by_color = GSI("Color", pk="color", project=KEYS_ONLY)


class CatKey(Key["Cat"], pk="CAT#{id}", sk="CAT"):
    id: str


class Cat(CatKey, Entity, table=Plain):
    color: str
    age: int = 0


class DogKey(Key["Dog"], pk="DOG#{id}", sk="DOG"):
    id: str


class Dog(DogKey, Entity, table=Plain):
    color: str


class Painted(CatKey, View, index=Plain.by_color):
    color: str


ORDERS = [
    Order(
        customer_id=f"c{number % 7}",
        number=number,
        day=date(2026, 1, 1 + number % 3),
        total=number,
        created_at=NOW,
    )
    for number in range(40)
]
CUSTOMERS = [Customer(id=f"c{number}", name="민지", created_at=NOW) for number in range(7)]
CATS = [Cat(id=str(number), color="black" if number % 2 else "white", age=number) for number in range(9)]
DOGS = [Dog(id=str(number), color="black") for number in range(4)]


@pytest.fixture(scope="module")
def recording() -> Iterator[Recording]:
    with Embedded.open(":memory:") as backend:
        yield Recording(backend)


@pytest.fixture(scope="module")
def db(recording: Recording) -> Database:
    found = Database(recording, secret=b"for tests")
    found.create_tables(Shop, Plain)
    found.batch_write(puts=[*ORDERS, *CUSTOMERS, *CATS, *DOGS])
    return found


def test_a_scan_finds_every_item_of_its_kind(db: Database) -> None:
    assert {each.number: each for each in db.each(Order.scan())} == {each.number: each for each in ORDERS}
    assert sorted(db.all(Cat.scan()), key=lambda cat: cat.id) == CATS
    assert (db.count(Customer.scan()), db.count(Dog.scan())) == (7, 4)


def test_a_scan_is_filtered_by_keys_and_attributes(db: Database) -> None:
    assert {each.number for each in db.all(Order.scan().where(Order.total >= 30))} == {*range(30, 40)}
    assert db.count(Cat.scan().where(Cat.color == "black", attr(Cat.age).between(3, 5))) == 2


def test_segments_have_each_item_once(db: Database) -> None:
    for count in (1, 2, 5):
        parts = [db.all(part) for part in Order.scan().segments(count)]
        assert sorted(each.number for part in parts for each in part) == [*range(40)]
        assert len(parts) == count


def test_pages_of_a_scan_lead_to_each_other_and_to_nothing_else(db: Database) -> None:
    seen, cursor = [], None
    while True:
        page = db.page(Order.scan(), limit=7, cursor=cursor)
        seen += [each.number for each in page]
        cursor = page.cursor
        if cursor is None:
            break
        with pytest.raises(InvalidCursor):
            db.page(Order.scan().where(Order.total > 1), limit=7, cursor=cursor)
    assert sorted(seen) == [*range(40)]


def test_a_view_scans_its_index_and_leads_to_whole_entities(db: Database) -> None:
    assert {row.total for row in db.each(DayRow.scan())} == {*range(40)}
    assert {row.id for row in db.each(Painted.scan())} == {cat.id for cat in CATS}
    assert len(db.hydrate(Painted.scan(), limit=3).items) == 3


def test_dynamodb_leaves_out_the_other_kinds(db: Database, recording: Recording) -> None:
    recording.clear()
    db.all(Customer.scan())
    db.all(Cat.scan())
    by_type, by_key = (call.response or {} for call in recording.calls)
    assert (by_type["Count"], by_type["ScannedCount"]) == (7, 47)
    assert (by_key["Count"], by_key["ScannedCount"]) == (9, 13)


def test_a_scan_is_metered_by_its_name_and_read_consistently(db: Database) -> None:
    with db.meter() as cost:
        db.count(Order.scan())
    with db.meter() as twice:
        db.count(Order.scan().consistent())
    assert cost.patterns["Order.scan"].read > 0
    assert twice.read == 2 * cost.read


def test_what_cannot_be_read_is_told(db: Database) -> None:
    item = {"PK": {"S": "CAT#x"}, "SK": {"S": "CAT"}, "color": {"S": "grey"}, "age": {"S": "old"}}
    request = {"TableName": "Plain", "Item": item}
    db.call("PutItem", request, "test")
    try:
        with pytest.raises(UnexpectedItem):
            db.all(Cat.scan())
        page = db.page(Cat.scan(), limit=100)
        assert (len(page.items), [bad.key["PK"] for bad in page.unreadable]) == (9, [{"S": "CAT#x"}])
    finally:
        db.call("DeleteItem", {"TableName": "Plain", "Key": {"PK": item["PK"], "SK": item["SK"]}}, "test")


def test_a_scan_is_no_pattern() -> None:
    class Birds(Table, name="Birds"):
        pass

    class BirdKey(Key["Bird"], pk="BIRD#{id}", sk="BIRD"):
        id: str

    class Bird(BirdKey, Entity, table=Birds):
        color: Annotated[str, Attr("Color")]

        @pattern
        def every(cls) -> Query[Bird]:
            """All birds."""
            return cls.scan()

    with pytest.raises(DesignError, match="returned a scan"):
        Bird.every()
