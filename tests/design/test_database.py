"""Plans run on the embedded engine."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.design import Database, attr
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DesignError,
    InvalidCursor,
    NoSuchTable,
    NotFound,
    TooLarge,
    UnexpectedItem,
)
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = CustomerKey(id="c1")


def customer(name: str = "민지", **fields: object) -> Customer:
    return Customer(id="c1", name=name, created_at=NOW, **fields)  # type: ignore[arg-type]


def order(number: int, total: int = 100, note: str | None = None) -> Order:
    return Order(
        customer_id="c1", number=number, day=date(2026, 1, 1), total=total, note=note, created_at=NOW
    )


def filled(db: Database, count: int) -> None:
    db.batch_write(puts=[order(number, number) for number in range(count)])


# ── one item ──────────────────────────────────────────────────────────────────────────────────────


def test_what_is_created_is_found(db: Database) -> None:
    db.create(customer(tags={"vip"}))
    assert db.get(KEY) == customer(tags={"vip"})
    assert db.find(KEY, consistent=True) == customer(tags={"vip"})


def test_what_is_not_there_is_not_found(db: Database) -> None:
    assert db.find(KEY) is None
    with pytest.raises(NotFound, match="Customer id=c1 not found"):
        db.get(KEY)


def test_the_first_is_kept(db: Database) -> None:
    db.create(customer("first"))
    with pytest.raises(AlreadyExists) as there:
        db.create(customer("second"))
    assert there.value.item == customer("first")
    assert db.get(KEY).name == "first"


def test_the_item_is_what_the_design_says(db: Database) -> None:
    db.create(order(7))
    response = db.backend.call("Scan", {"TableName": "Shop"})
    assert response["Items"] == [
        {
            "PK": {"S": "CUSTOMER#c1"},
            "SK": {"S": "ORDER#00000007"},
            "Type": {"S": "Order"},
            "Day": {"S": "2026-01-01"},
            "Total": {"N": "100"},
            "CreatedAt": {"S": "2026-01-01T00:00:00Z"},
        }
    ]


def test_a_none_stays_out_of_its_index(db: Database) -> None:
    db.create(order(1))
    db.create(order(2, note="선물"))
    described = db.backend.call("DescribeTable", {"TableName": "Shop"})["Table"]
    counts = {index["IndexName"]: index["ItemCount"] for index in described["GlobalSecondaryIndexes"]}
    assert counts == {"Type_CreatedAt": 2, "Day_Total": 2, "Note": 1}


def test_an_update_changes_what_it_says_alone(db: Database) -> None:
    db.create(customer(tags={"a"}))
    changed = db.update(
        KEY, attr(Customer.visits).add(2), attr(Customer.tags).add({"b"}), attr(Customer.name).set("지민")
    )
    assert changed == customer("지민", visits=2, tags={"a", "b"}) == db.get(KEY)


def test_an_update_of_nothing_there_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound):
        db.update(KEY, attr(Customer.visits).add(1))


def test_two_who_saw_the_same_cannot_both_change_it(db: Database) -> None:
    db.create(customer(visits=1))
    db.update(KEY, attr(Customer.visits).set(2), when=Customer.visits == 1)
    with pytest.raises(Conflict) as late:
        db.update(KEY, attr(Customer.visits).set(3), when=Customer.visits == 1)
    assert late.value.item == customer(visits=2)


def test_an_entity_is_replaced_only_as_it_was_seen(db: Database) -> None:
    seen = db.create(customer(visits=1))
    db.replace(customer(visits=2), seen=seen, by=Customer.visits)
    with pytest.raises(Conflict) as late:
        db.replace(customer(visits=9), seen=seen, by=Customer.visits)
    assert late.value.item == customer(visits=2)


def test_versions_are_told_apart_by_a_field(db: Database) -> None:
    with pytest.raises(DesignError, match="is not a field"):
        db.replace(customer(), seen=customer(), by=customer().visits)


def test_a_conditional_put_can_conflict(db: Database) -> None:
    db.create(customer(visits=1))
    with pytest.raises(Conflict):
        db.put(customer(visits=9), when=Customer.visits == 5)


def test_a_delete_returns_what_was_there(db: Database) -> None:
    db.create(customer())
    assert db.delete(KEY) == customer()
    assert db.delete(KEY) is None


def test_an_attribute_that_the_design_does_not_know_is_written_back(db: Database) -> None:
    db.create(customer())
    update = {"UpdateExpression": "SET extra = :x", "ExpressionAttributeValues": {":x": {"S": "kept"}}}
    key = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}
    db.backend.call("UpdateItem", {"TableName": "Shop", "Key": key, **update})
    db.put(db.get(KEY))
    item = db.backend.call("GetItem", {"TableName": "Shop", "Key": key})["Item"]
    assert item["extra"] == {"S": "kept"}


def test_an_item_that_does_not_fit_is_said_so(db: Database) -> None:
    item = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}, "Type": {"S": "Customer"}}
    db.backend.call("PutItem", {"TableName": "Shop", "Item": item})
    with pytest.raises(UnexpectedItem, match="has no attribute name"):
        db.get(KEY)


def test_an_item_over_the_limit_is_too_large(db: Database) -> None:
    with pytest.raises(TooLarge):
        db.create(customer("x" * 410_000))


def test_the_key_cannot_be_updated(db: Database) -> None:
    with pytest.raises(DesignError, match="part of the key"):
        db.update(OrderKey(customer_id="c1", number=1), attr(Order.number).set(2))


def test_a_missing_table_is_said_so(db: Database) -> None:
    db.backend.call("DeleteTable", {"TableName": "Shop"})
    with pytest.raises(NoSuchTable):
        db.get(KEY)


# ── many items ────────────────────────────────────────────────────────────────────────────────────


def test_pages_meet_every_item_once_and_count_from_the_top(db: Database) -> None:
    filled(db, 25)
    numbers, offsets, cursor = [], [], None
    while True:
        page = db.page(Order.of("c1"), limit=10, cursor=cursor)
        numbers += [each.number for each in page]
        offsets.append(page.offset)
        cursor = page.cursor
        if cursor is None:
            break
    assert (numbers, offsets) == (list(range(25)), [0, 10, 20])


def test_a_filtered_page_is_filled(db: Database) -> None:
    filled(db, 25)
    page = db.page(Order.of("c1").where(Order.total >= 20), limit=3)
    assert [each.number for each in page] == [20, 21, 22]


def test_a_cursor_belongs_to_its_question(db: Database) -> None:
    filled(db, 5)
    cursor = db.page(Order.of("c1"), limit=2).cursor
    assert cursor is not None
    for question, token in (
        (Order.of("c2"), cursor),
        (Order.of("c1").descending(), cursor),
        (Order.of("c1"), cursor[:-2] + "AA"),
        (Order.of("c1"), "?"),
    ):
        with pytest.raises(InvalidCursor, match="Start again"):
            db.page(question, limit=2, cursor=token)


def test_a_cursor_can_be_read_by_nobody(db: Database) -> None:
    filled(db, 5)
    cursors = [db.page(Order.of("c1"), limit=limit).cursor or "" for limit in (1, 2)]
    cursors.append(db.sealed("a list", ["c1"]))
    read = [urlsafe_b64decode(each + "=" * (-len(each) % 4)) for each in cursors]
    assert not [each for each in read if b"c1" in each]
    assert db.unsealed("a list", cursors[-1]) == ["c1"]


def test_a_mixed_collection_comes_back_typed(db: Database) -> None:
    db.create(customer())
    filled(db, 2)
    assert [type(each).__name__ for each in db.all(Customer.with_orders("c1"))] == [
        "Customer",
        "Order",
        "Order",
    ]


def test_a_view_has_what_its_index_has(db: Database) -> None:
    filled(db, 3)
    rows = db.all(DayRow.on(date(2026, 1, 1)).descending())
    assert [(row.number, row.total) for row in rows] == [(2, 2), (1, 1), (0, 0)]


def test_counting_returns_no_items(db: Database) -> None:
    filled(db, 7)
    assert db.count(Order.of("c1")) == 7


def test_many_keys_are_read_in_their_order(db: Database) -> None:
    filled(db, 130)
    keys = [OrderKey(customer_id="c1", number=number) for number in (129, 0, 500, 64, 0, *range(1, 120))]
    assert [each.number for each in db.batch_get(keys)][:4] == [129, 0, 64, 1]


def test_a_batch_writes_and_deletes_any_number(db: Database) -> None:
    filled(db, 60)
    gone = [OrderKey(customer_id="c1", number=number) for number in range(55)]
    assert db.batch_write(puts=[order(90)], deletes=gone) == 56
    assert [each.number for each in db.all(Order.of("c1"))] == [55, 56, 57, 58, 59, 90]


# ── transactions and the meter ────────────────────────────────────────────────────────────────────


def test_a_transaction_happens_whole(db: Database) -> None:
    db.create(customer())
    with db.transaction() as tx:
        tx.create(order(1))
        tx.update(KEY, attr(Customer.visits).add(1), when=Customer.visits < 1)
    assert (db.get(KEY).visits, db.count(Order.of("c1"))) == (1, 1)


def test_a_transaction_that_fails_leaves_nothing(db: Database) -> None:
    db.create(customer(visits=5))
    with pytest.raises(Conflict) as late, db.transaction() as tx:
        tx.create(order(1))
        tx.update(KEY, attr(Customer.visits).add(1), when=Customer.visits < 1)
    assert late.value.item == customer(visits=5)
    assert db.count(Order.of("c1")) == 0


def test_an_error_in_the_block_sends_nothing(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction() as tx:
        tx.create(customer())
        raise ZeroDivisionError
    assert db.find(KEY) is None


def test_a_transaction_with_a_token_happens_once(db: Database) -> None:
    db.create(customer())
    for _ in range(2):
        with db.transaction(token="once") as tx:
            tx.update(KEY, attr(Customer.visits).add(1))
    assert db.get(KEY).visits == 1


def test_the_meter_tells_units_by_pattern_table_and_index(db: Database) -> None:
    with db.meter() as cost:
        db.create(order(1))
        db.all(Order.of("c1"))
        db.all(DayRow.on(date(2026, 1, 1)))
    assert (cost.write, cost.read, cost.requests) == (3.0, 1.0, 3)
    assert cost.patterns["Order.create"].write == 3.0
    assert cost.patterns["DayRow.on"].read == 0.5
    assert cost.indexes["Shop", "Day_Total"].read == 0.5


def test_the_meter_counts_a_failed_condition(db: Database) -> None:
    db.create(customer())
    with db.meter() as cost, pytest.raises(AlreadyExists):
        db.create(customer())
    assert cost.write == 1.0


def test_what_consumes_no_units_is_not_asked_for_its_cost(db: Database) -> None:
    sent: list[tuple[str, dict[str, Any]]] = []

    class Listening:
        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            sent.append((operation, dict(request)))
            return db.backend.call(operation, request)

    observed = Database(Listening(), observer=lambda *told: None)
    assert observed.call("DescribeTable", {"TableName": "Shop"}, "")["Table"]["ItemCount"] == 0
    assert sent == [("DescribeTable", {"TableName": "Shop"})]
