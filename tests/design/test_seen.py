"""Items that are changed only as they were seen, and what an update that makes an item writes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Attr, Database, Entity, Key, Table, attr
from hansang.design.shape import Item
from hansang.errors import AlreadyExists, Conflict, InvalidCursor, NotFound
from tests.checked.shop import Customer, CustomerKey, Shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = CustomerKey(id="c1")
CUSTOMER = Customer(id="c1", name="민지", created_at=NOW)
ITEM_KEY: Item = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}


def stored(db: Database) -> Item | None:
    return db.find_item(Shop, ITEM_KEY)


def item(**attributes: Any) -> Item:
    return {
        **ITEM_KEY,
        "Type": {"S": "Customer"},
        "name": {"S": "민지"},
        "visits": {"N": "0"},
        "CreatedAt": {"S": "2026-01-01T00:00:00Z"},
        **attributes,
    }


def test_an_item_is_found_as_it_is_stored(db: Database) -> None:
    assert stored(db) is None
    db.create(CUSTOMER)
    assert stored(db) == item()


def test_an_item_is_put_where_none_was_seen(db: Database) -> None:
    with db.transaction() as tx:
        tx.put_item(Shop, item(), seen=None)
    assert db.get(KEY) == CUSTOMER
    already = pytest.raises(AlreadyExists, match="PK=CUSTOMER#c1 SK=METADATA already exists in Shop")
    with already as there, db.transaction() as tx:
        tx.put_item(Shop, item(), seen=None)
    assert there.value.item == CUSTOMER


@pytest.mark.parametrize(
    "meanwhile",
    [item(visits={"N": "1"}), item(tags={"SS": ["a"]}), item(name={"L": []})],
    ids=["another value", "an attribute more", "no entity"],
)
def test_an_item_that_is_not_as_it_was_seen_is_left_alone(db: Database, meanwhile: Item) -> None:
    db.backend.call("PutItem", {"TableName": "Shop", "Item": meanwhile})
    with pytest.raises(Conflict, match="Read it again"), db.transaction() as tx:
        tx.put_item(Shop, item(visits={"N": "9"}), seen=item())
    with pytest.raises(Conflict, match="Read it again"), db.transaction() as tx:
        tx.delete_item(Shop, item())
    assert stored(db) == meanwhile


def test_an_attribute_less_is_noticed_too(db: Database) -> None:
    db.create(CUSTOMER)
    with pytest.raises(Conflict), db.transaction() as tx:
        tx.delete_item(Shop, item(tags={"SS": ["a"]}))


def test_an_item_that_is_gone_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="PK=CUSTOMER#c1 SK=METADATA was not found"), db.transaction() as tx:
        tx.delete_item(Shop, item())
    with pytest.raises(NotFound), db.transaction() as tx:
        tx.put_item(Shop, item(), seen=item())


def test_an_item_as_it_was_seen_is_replaced_and_deleted(db: Database) -> None:
    db.create(CUSTOMER)
    with db.transaction() as tx:
        tx.put_item(Shop, item(visits={"N": "9"}), seen=item())
    assert db.get(KEY).visits == 9
    with db.transaction() as tx:
        tx.delete_item(Shop, item(visits={"N": "9"}))
    assert stored(db) is None


def test_an_item_of_its_key_alone_is_recognised_as_seen() -> None:
    class Bare(Table, name="Bare", sk=None): ...

    class MarkKey(Key["Mark"], pk="{id}"):
        id: str

    class Mark(MarkKey, Entity, table=Bare): ...

    with Embedded.open(":memory:") as backend:
        db = Database(backend)
        db.create_tables(Bare)
        db.create(Mark(id="a"))
        with db.transaction() as tx:
            tx.delete_item(Bare, {"PK": {"S": "a"}})
        with pytest.raises(NotFound), db.transaction() as tx:
            tx.delete_item(Bare, {"PK": {"S": "a"}})


def test_a_cursor_of_ones_own_making_is_good_for_its_subject_alone(db: Database) -> None:
    cursor = db.sealed("orders", ["2026-11", 7, None])
    assert db.unsealed("orders", cursor) == ["2026-11", 7, None]
    for subject, forged in [("customers", cursor), ("orders", cursor[:-1]), ("orders", ""), ("orders", "한")]:
        with pytest.raises(InvalidCursor, match="Start again without one"):
            db.unsealed(subject, forged)
    with pytest.raises(InvalidCursor):
        db.page(Customer.newest(), cursor=cursor)


def test_a_transaction_is_counted_under_its_name(db: Database) -> None:
    with db.meter() as cost, db.transaction(name="Customer.welcome") as tx:
        tx.create(CUSTOMER)
    assert list(cost.patterns) == ["Customer.welcome"]


# ── upserts ───────────────────────────────────────────────────────────────────────────────────────


class Log(Table, name="Log", type_attribute="Type"): ...


class VisitKey(Key["Visit"], pk="PAGE#{page}", sk="{day}"):
    page: Annotated[str, Attr("page")]
    day: str


class Visit(VisitKey, Entity, table=Log, type="Visit"):
    count: int = 0
    note: str | None = None


def test_an_item_that_an_update_makes_has_its_type_and_its_key_fields() -> None:
    with Embedded.open(":memory:") as backend:
        db = Database(backend)
        db.create_tables(Log)
        key = VisitKey(page="home", day="2026-01-01")
        for count in (1, 2):
            assert db.update(key, attr(Visit.count).add(1), upsert=True).count == count
        assert db.find_item(Log, {"PK": {"S": "PAGE#home"}, "SK": {"S": "2026-01-01"}}) == {
            "PK": {"S": "PAGE#home"},
            "SK": {"S": "2026-01-01"},
            "Type": {"S": "Visit"},
            "page": {"S": "home"},
            "count": {"N": "2"},
        }


def test_an_update_by_an_entity_makes_no_more_than_by_its_key() -> None:
    with Embedded.open(":memory:") as backend:
        db = Database(backend)
        db.create_tables(Log)
        visit = Visit(page="home", day="2026-01-01", note="not written")
        assert db.update(visit, attr(Visit.count).add(1), upsert=True).note is None
