"""The client's token of TransactWriteItems: a request is done once in ten minutes, and no other under its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import Item, item
from tests.engine.tables import Answer, create, refused
from tests.engine.transactions import put, transact, update


class Timed:
    """A table whose engine tells the time it is given."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.engine = Engine.open(":memory:", clock=lambda: self.now, sweep_seconds=None)
        self.table = create(self.engine, "pk")

    def add(self, number: int, token: str = "token", **options: Any) -> Answer:
        action = update(item(pk="a"), "ADD n :n", n=number)
        return transact(self.engine, action, ClientRequestToken=token, **options)

    @property
    def sum(self) -> Item | None:
        return self.table.found(item(pk="a"))


@pytest.fixture
def timed() -> Iterator[Timed]:
    found = Timed()
    yield found
    found.engine.close()


def test_without_a_token_a_request_is_done_each_time(timed: Timed) -> None:
    for _ in range(2):
        transact(timed.engine, update(item(pk="a"), "ADD n :n", n=1))
    assert timed.sum == item(pk="a", n=2)


@clause("B11")
@pytest.mark.parametrize(("seconds", "total"), [(0, 1), (599, 1), (600, 1), (601, 2), (86_400, 2)])
def test_a_token_is_known_for_ten_minutes(timed: Timed, seconds: int, total: int) -> None:
    timed.add(1)
    timed.now += seconds
    timed.add(1)
    assert timed.sum == item(pk="a", n=total)


def test_a_repetition_does_not_make_the_token_last_longer(timed: Timed) -> None:
    for _ in range(3):
        timed.add(1)
        timed.now += 400
    assert timed.sum == item(pk="a", n=2)


def test_another_token_is_another_request(timed: Timed) -> None:
    timed.add(1)
    timed.add(1, token="other")
    assert timed.sum == item(pk="a", n=2)


@clause("B11")
def test_another_request_with_the_same_token_is_refused(timed: Timed) -> None:
    timed.add(1)
    with pytest.raises(WireError) as caught:
        timed.add(2)
    assert caught.value.code == "IdempotentParameterMismatchException"
    assert timed.sum == item(pk="a", n=1)


def test_the_same_request_may_ask_for_its_capacity_the_second_time(timed: Timed) -> None:
    timed.add(1)
    answer = timed.add(1, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Table", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    ]


def test_the_token_of_a_cancelled_transaction_is_not_used_up(timed: Timed) -> None:
    guarded = put(item(pk="b"), ConditionExpression="attribute_exists(pk)")
    for _ in range(2):
        with pytest.raises(WireError, match="ConditionalCheckFailed"):
            transact(timed.engine, guarded, ClientRequestToken="token")
    timed.table.put(item(pk="b"))
    assert transact(timed.engine, guarded, ClientRequestToken="token") == {}


def test_members_in_another_order_are_the_same_request(timed: Timed) -> None:
    whole = item(pk="a", x=1, y=2)
    forward = {"TableName": "Table", "Item": whole}
    backward = {"Item": dict(reversed(whole.items())), "TableName": "Table"}
    transact(timed.engine, {"Put": forward}, ClientRequestToken="token")
    assert transact(timed.engine, {"Put": backward}, ClientRequestToken="token") == {}


@pytest.mark.parametrize("length", [1, 36])
def test_a_token_has_up_to_36_characters(timed: Timed, length: int) -> None:
    timed.add(1, token="t" * length)
    assert timed.sum == item(pk="a", n=1)


def test_a_longer_token_is_refused(timed: Timed) -> None:
    with refused(
        f"1 validation error detected: Value '{'t' * 37}' at 'clientRequestToken' failed to satisfy constraint: "
        "Member must have length less than or equal to 36"
    ):
        timed.add(1, token="t" * 37)
