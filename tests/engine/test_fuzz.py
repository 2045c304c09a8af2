"""Whatever is asked, the engine answers as DynamoDB would or refuses; it never breaks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.errors import WireError
from tests.clauses import clause
from tests.engine import grammar
from tests.engine.fuzz_engine import (
    KEY,
    Answer,
    alike,
    ask,
    assert_indexes_agree,
    contents,
    filled_engine,
    keep,
)
from tests.engine.grammar import attribute_values, perhaps_mutated, with_used
from tests.engine.model_tables import WORDS

conditions = perhaps_mutated(grammar.conditions)
updates = perhaps_mutated(grammar.updates())
projections = perhaps_mutated(grammar.projections)
key_conditions = perhaps_mutated(grammar.key_conditions)
READS = {":h": {"S": "a"}, ":r": {"S": "b"}}


def write_leaves_order(operation: str, request: dict[str, Any]) -> Answer:
    """Send a write: a refusal changes nothing, and the indexes follow what is done."""
    with filled_engine() as engine:
        before = contents(engine)
        answer = ask(engine, operation, request)
        if isinstance(answer, WireError):
            assert contents(engine) == before
            assert alike(ask(engine, operation, request), answer)
            keep(engine)
        else:
            assert_indexes_agree(engine)
        return answer


def read_is_steady(operation: str, request: dict[str, Any]) -> None:
    """Send a read twice: it says the same, and changes nothing."""
    with filled_engine() as engine:
        before = contents(engine)
        assert alike(ask(engine, operation, request), ask(engine, operation, request))
        assert contents(engine) == before
        keep(engine)


@given(condition=conditions, literals=attribute_values)
def test_a_random_condition_decides_or_is_refused(condition: str, literals: dict[str, Any]) -> None:
    parts = with_used({"ConditionExpression": condition}, literals)
    write_leaves_order("DeleteItem", {"TableName": WORDS.name, "Key": KEY, **parts})


@given(update=updates, literals=attribute_values)
def test_a_random_update_is_done_whole_or_refused_whole(update: str, literals: dict[str, Any]) -> None:
    parts = with_used({"UpdateExpression": update}, literals)
    write_leaves_order(
        "UpdateItem", {"TableName": WORDS.name, "Key": KEY, "ReturnValues": "UPDATED_NEW", **parts}
    )


@given(update=updates, condition=conditions, literals=attribute_values)
def test_a_random_transaction_is_done_whole_or_refused_whole(
    update: str, condition: str, literals: dict[str, Any]
) -> None:
    parts = with_used({"UpdateExpression": update, "ConditionExpression": condition}, literals)
    put = {"Put": {"TableName": WORDS.name, "Item": {"h": {"S": "new"}, "r": {"S": "new"}, "g": {"S": "x"}}}}
    change = {"Update": {"TableName": WORDS.name, "Key": KEY, **parts}}
    write_leaves_order("TransactWriteItems", {"TransactItems": [put, change]})


@given(condition=conditions, projection=projections, literals=attribute_values)
def test_a_random_filter_and_projection_read_or_are_refused(
    condition: str, projection: str, literals: dict[str, Any]
) -> None:
    parts = with_used({"FilterExpression": condition, "ProjectionExpression": projection}, literals)
    read_is_steady("Scan", {"TableName": WORDS.name, **parts})


@given(projection=projections)
def test_a_random_projection_gets_or_is_refused(projection: str) -> None:
    parts = with_used({"ProjectionExpression": projection}, {})
    read_is_steady("GetItem", {"TableName": WORDS.name, "Key": KEY, **parts})


@given(
    condition=key_conditions,
    literals=attribute_values,
    forward=st.booleans(),
    limit=st.none() | st.integers(0, 3),
)
def test_a_random_key_condition_queries_or_is_refused(
    condition: str, literals: dict[str, Any], forward: bool, limit: int | None
) -> None:
    request = {"TableName": WORDS.name, "ScanIndexForward": forward}
    request |= with_used({"KeyConditionExpression": condition}, {**literals, **READS})
    read_is_steady("Query", request if limit is None else request | {"Limit": limit})


@given(value=grammar.any_value, name=st.sampled_from(["any", "g", "n", "l", "h", "r", "한", ""]))
def test_a_random_value_is_kept_or_refused(value: Any, name: str) -> None:
    item = {**KEY, name: value}
    answer = write_leaves_order("PutItem", {"TableName": WORDS.name, "Item": item})
    batch = write_leaves_order(
        "BatchWriteItem", {"RequestItems": {WORDS.name: [{"PutRequest": {"Item": item}}]}}
    )
    assert isinstance(answer, WireError) == isinstance(batch, WireError)


@given(value=grammar.any_value, name=st.sampled_from(["h", "r"]))
def test_a_random_key_gets_or_is_refused(value: Any, name: str) -> None:
    key = {**KEY, name: value}
    read_is_steady("GetItem", {"TableName": WORDS.name, "Key": key})
    read_is_steady("Query", {"TableName": WORDS.name, **_partition(value), "ExclusiveStartKey": key})
    read_is_steady("Scan", {"TableName": WORDS.name, "ExclusiveStartKey": key})


def _partition(value: Any) -> dict[str, Any]:
    return {"KeyConditionExpression": "h = :h", "ExpressionAttributeValues": {":h": value}}


MANY = 4096
ENDLESS = {
    "opening brackets": "(" * MANY,
    "brackets around a condition": "(" * 1300 + "txt = :v" + ")" * 1300,
    "brackets that never close": "(" * 2000 + "txt = :v",
    "denials": "NOT " * 1000 + "txt = :v",
    "many denials": "NOT " * MANY + "txt = :v",
    "conjunctions": "txt = :v" + " AND txt = :v" * 300,
    "names in a path": ".".join(["m"] * 1500) + " = :v",
    "places in a path": "list" + "[0]" * 1000 + " = :v",
    "functions in functions": "size(" * 700 + "txt" + ")" * 700 + " = :v",
    "functions that never close": "size(" * 800,
    "places that never close": "list" + "[0" * 2000,
    "alternatives": f"txt IN ({', '.join([':v'] * 900)})",
    "one long name": "a" * MANY + " = :v",
    "one huge place": f"list[{'9' * 3000}] = :v",
}


@clause("E15")
@pytest.mark.parametrize("condition", ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.parametrize(
    ("operation", "parameter"),
    [
        ("DeleteItem", "ConditionExpression"),
        ("Scan", "FilterExpression"),
        ("Query", "KeyConditionExpression"),
    ],
)
def test_an_endless_condition_is_refused(condition: str, operation: str, parameter: str) -> None:
    request = {"TableName": WORDS.name, parameter: condition, "ExpressionAttributeValues": {":v": {"S": "x"}}}
    if operation == "DeleteItem":
        request["Key"] = KEY
    with filled_engine() as engine, pytest.raises(WireError) as caught:
        engine.call(operation, request)
    assert caught.value.code == "ValidationException"


@pytest.mark.parametrize(
    "update",
    [
        "SET " + "if_not_exists(txt, " * 300 + ":v" + ")" * 300,
        "SET txt = " + "(" * 1500 + ":v" + ")" * 1500,
        "SET txt = " + " + ".join([":v"] * 900),
        "REMOVE " + ".".join(["m"] * 1500),
        "REMOVE " + ", ".join(f"a{number}" for number in range(1000)),
        "SET " * 1000,
    ],
    ids=["unfinished", "brackets", "sums", "path", "actions", "words"],
)
def test_an_endless_update_is_refused(update: str) -> None:
    request = {"TableName": WORDS.name, "Key": KEY, "UpdateExpression": update}
    with filled_engine() as engine, pytest.raises(WireError) as caught:
        engine.call("UpdateItem", request | {"ExpressionAttributeValues": {":v": {"N": "1"}}})
    assert caught.value.code == "ValidationException"


def test_functions_nest_as_deep_as_an_update_is_long() -> None:
    """DynamoDB does not count functions as operators, and lets if_not_exists stand in itself."""
    update = "SET txt = " + "if_not_exists(zz, " * 210 + ":v" + ")" * 210
    request = {"TableName": WORDS.name, "Key": KEY, "UpdateExpression": update, "ReturnValues": "UPDATED_NEW"}
    with filled_engine() as engine:
        answer = engine.call("UpdateItem", request | {"ExpressionAttributeValues": {":v": {"N": "1"}}})
    assert answer["Attributes"] == {"txt": {"N": "1"}}


@pytest.mark.parametrize(
    "projection", ["(" * MANY, "m" + ".m" * 1500, "list" + "[0]" * 1000, "," * MANY, "a," * 2000]
)
def test_an_endless_projection_is_refused(projection: str) -> None:
    with filled_engine() as engine, pytest.raises(WireError) as caught:
        engine.call("GetItem", {"TableName": WORDS.name, "Key": KEY, "ProjectionExpression": projection})
    assert caught.value.code == "ValidationException"
