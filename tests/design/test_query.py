"""Questions: what conditions on key fields become, and what is refused."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from hansang.design import Condition, attr
from hansang.design.query import Query, patterns
from hansang.errors import DesignError
from tests.checked.shop import Customer, DayRow, Order, Shop


def sort_of(query: Query[Any]) -> tuple[str, list[str]] | None:
    if query.sort is None:
        return None
    return query.sort.sign, [next(iter(value.values())) for value in query.sort.values]


def test_a_question_by_partition_begins_with_the_entitys_prefix() -> None:
    query = Order.of("c1")
    assert query.partition == {"S": "CUSTOMER#c1"}
    assert sort_of(query) == ("begins_with", ["ORDER#"])


@pytest.mark.parametrize(
    ("condition", "sort"),
    [
        (Order.number == 5, ("=", ["ORDER#00000005"])),
        (Order.number >= 5, ("BETWEEN", ["ORDER#00000005", "ORDER#\U0010ffff"])),
        (Order.number > 5, ("BETWEEN", ["ORDER#00000006", "ORDER#\U0010ffff"])),
        (Order.number <= 5, ("BETWEEN", ["ORDER#", "ORDER#00000005"])),
        (Order.number < 5, ("BETWEEN", ["ORDER#", "ORDER#00000004"])),
        (attr(Order.number).between(1, 9), ("BETWEEN", ["ORDER#00000001", "ORDER#00000009"])),
    ],
)
def test_a_condition_on_the_sort_key_stays_within_the_entity(condition: Condition | bool, sort: Any) -> None:
    assert sort_of(Order.query(Order.customer_id == "c1", condition)) == sort


def test_an_index_by_type_knows_the_type() -> None:
    query = Customer.newest()
    assert (query.partition, query.forward) == ({"S": "Customer"}, False)


def test_a_view_asks_its_index() -> None:
    request = DayRow.on(date(2026, 1, 1)).request("Shop")
    assert request["IndexName"] == "Day_Total"
    assert request["ExpressionAttributeValues"] == {":v0": {"S": "2026-01-01"}}


def test_every_name_is_aliased() -> None:
    request = Order.of("c1").where(attr(Order.note).begins_with("x")).request("Shop")
    assert set(request["ExpressionAttributeNames"].values()) == {"PK", "SK", "Note"}
    assert "PK" not in request["KeyConditionExpression"]


def test_several_kinds_are_asked_by_partition_alone() -> None:
    query = Customer.with_orders("c1")
    assert sort_of(query) is None
    assert [shape.cls for shape in query.shapes] == [Customer, Order]


def test_a_pattern_knows_its_name_and_arguments() -> None:
    query = Order.of(customer_id="c1")
    assert (query.name, query.arguments) == ("Order.of", {"customer_id": "c1"})
    assert [each.label for each in patterns(Customer)] == ["newest", "with_orders"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: Order.query(), "needs customer_id by equality"),
        (lambda: Order.query(Order.customer_id > "c1"), "needs customer_id by equality"),
        (lambda: Order.query(attr(Order.customer_id).between("a", "b")), "needs customer_id by equality"),
        (lambda: Order.query(Order.customer_id == "c1", Order.total == 5), "not part of the key"),
        (lambda: Order.query(Order.customer_id == "c1", Order.number != 5), "is not a range"),
        (lambda: Order.query(Order.customer_id == "c1", Order.customer_id == "c2"), "twice"),
        (lambda: Order.query(Order.total > 5, index=Shop.by_type), "not part of the key"),
        (lambda: Order.of("c1").where(Order.number == 5), "is in the key alone"),
        (
            lambda: Order.query(Order.customer_id == "c1").where(Customer.name == "x"),
            "is not a field of Order",
        ),
        (lambda: Order.query(Order.day == date(2026, 1, 1), index=Shop.by_day), "does not hold whole items"),
        (
            lambda: DayRow.on(date(2026, 1, 1)).where(attr(Order.created_at).exists()),
            "DayRow has no CreatedAt",
        ),
        (lambda: Customer.newest().consistent(), "eventually consistent"),
        (lambda: Order.query(True), "is not a condition"),
    ],
)
def test_what_no_index_serves_is_refused_when_it_is_asked(ask: Any, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        ask()


def test_a_condition_is_not_true_by_itself() -> None:
    with pytest.raises(DesignError, match="all_of"):
        bool(Order.total > 5)
    with pytest.raises(DesignError, match=r"`in` and .* write attr\(field\)\.one_of\(a, b\)"):
        _ = Order.total in [5, 6]
