"""Answers into which items go as they are stored: encoded, they are the same as all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from hansang.engine import Engine
from tests.engine.items import item
from tests.engine.tables import Index, Table, create

ITEMS = 300


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with Engine.open(":memory:") as engine:
        found = create(
            engine,
            "pk sk:N",
            world=[Index("by_g", "g sk:N")],
            local=[Index("by_h", "pk h", include=())],
        )
        for number in range(ITEMS):
            found.put(item(pk="한글" if number % 2 else "a", sk=number - 7, g="g", h=f"h{number}", t='"\\\n'))
        yield found


def queries() -> Iterator[dict[str, Any]]:
    for key, value, index in (
        ("pk", "한글", None),
        ("pk", "none", None),
        ("g", "g", "by_g"),
        ("pk", "a", "by_h"),
    ):
        base: dict[str, Any] = {"KeyConditionExpression": f"{key} = :v"}
        base |= {"ExpressionAttributeValues": {":v": {"S": value}}} | ({"IndexName": index} if index else {})
        yield base
        yield base | {"Limit": 1}
        yield base | {"Limit": 100}
        yield base | {"Limit": 200}
        yield base | {"Limit": 7, "ScanIndexForward": False, "ReturnConsumedCapacity": "INDEXES"}
        yield base | {"Limit": 9, "ProjectionExpression": "sk"}
        yield base | {
            "Limit": 9,
            "FilterExpression": "attribute_exists(sk)" if index == "by_h" else "attribute_exists(h)",
        }
        yield base | {"Limit": 9, "Select": "COUNT"}
        yield base | {"Limit": 9, "Select": "ALL_ATTRIBUTES"}


def answers(table: Table, operation: str, request: dict[str, Any]) -> tuple[Any, Any]:
    asked = {"TableName": table.name} | request
    spliced = table.engine.call(operation, asked, splices=True)
    return orjson.loads(orjson.dumps(spliced)), table.engine.call(operation, asked)


def test_a_spliced_answer_is_encoded_as_any_other(table: Table) -> None:
    gets: list[dict[str, Any]] = [
        {"Key": item(pk="a", sk=-7)},
        {"Key": item(pk="a", sk=-7), "ProjectionExpression": "t, h"},
        {"Key": item(pk="a", sk=-7), "ReturnConsumedCapacity": "TOTAL"},
        {"Key": item(pk="nobody", sk=0)},
    ]
    requests: list[tuple[str, dict[str, Any]]] = [("GetItem", each) for each in gets]
    requests += [("Query", each) for each in queries()]
    requests += [("Scan", each) for each in ({}, {"Limit": 3}, {"Select": "COUNT"}, {"IndexName": "by_g"})]
    for operation, request in requests:
        spliced, plain = answers(table, operation, request)
        assert spliced == plain, (operation, request)


def test_items_that_are_asked_for_whole_are_not_decoded(table: Table) -> None:
    asked = {"TableName": table.name}
    got = table.engine.call("GetItem", asked | {"Key": item(pk="a", sk=-7)}, splices=True)
    page = table.engine.call("Scan", asked | {"Limit": 5}, splices=True)
    assert isinstance(got["Item"], orjson.Fragment)
    assert isinstance(page["Items"], orjson.Fragment)
    assert page["Count"] == 5
