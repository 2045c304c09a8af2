"""DescribeTable: what a table is made of, and exactly how much is in it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from hansang.engine import Engine
from tests.engine.control import (
    Request,
    attributes,
    create,
    definition,
    describe,
    drop_index,
    fault,
    faults,
    index,
    invalid,
    key,
    put,
    refusal,
    scanned,
)
from tests.engine.model_values import item_size

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
NOT_NULL = "Member must not be null"


def test_a_table_may_be_named_by_its_arn(engine: Engine) -> None:
    create(engine)
    assert engine.call("DescribeTable", {"TableName": ARN}) == {"Table": describe(engine)}


def test_an_arn_of_another_region_is_refused(engine: Engine) -> None:
    create(engine)
    abroad = ARN.replace("us-east-1", "eu-west-1")
    message = invalid(engine, "DescribeTable", {"TableName": abroad})
    assert message == f"1 validation error detected: Invalid AWS region in '{abroad}'"


def test_a_table_that_is_not_there_is_named(engine: Engine) -> None:
    expected = ("ResourceNotFoundException", "Requested resource not found: Table: none not found")
    assert refusal(engine, "DescribeTable", {"TableName": "none"}) == expected


def test_a_table_must_be_named(engine: Engine) -> None:
    assert faults(invalid(engine, "DescribeTable", {})) == [fault("null", "tableName", NOT_NULL)]
    assert faults(invalid(engine, "DescribeTable", {"TableName": ""})) == [
        fault("", "tableName", "Member must have length greater than or equal to 1")
    ]
    assert refusal(engine, "DescribeTable", {"TableName": 7})[0] == "SerializationException"


def test_what_is_described_belongs_to_the_caller(engine: Engine) -> None:
    create(engine)
    describe(engine)["KeySchema"].clear()
    describe(engine)["AttributeDefinitions"][0]["AttributeType"] = "N"
    describe(engine)["WarmThroughput"]["Status"] = "COLD"
    assert describe(engine)["KeySchema"] == key("pk")
    assert describe(engine)["AttributeDefinitions"] == attributes(pk="S")
    assert describe(engine)["WarmThroughput"]["Status"] == "ACTIVE"


# ── counts and sizes ──────────────────────────────────────────────────────────────────────────────


def counted_table(engine: Engine) -> None:
    """A table with an index of each kind and each projection."""
    include = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]}
    create(
        engine,
        definition(
            AttributeDefinitions=attributes(pk="S", sk="N", g="S", n="N"),
            KeySchema=key("pk", "sk"),
            LocalSecondaryIndexes=[
                index("local-keys", "pk", "n", projection="KEYS_ONLY"),
                index("local-include", "pk", "n", Projection=include),
            ],
            GlobalSecondaryIndexes=[
                index("all", "g"),
                index("keys", "g", "n", projection="KEYS_ONLY"),
                index("include", "n", Projection=include),
            ],
        ),
    )


def check_counts(engine: Engine) -> None:
    described = describe(engine)
    items = scanned(engine)
    assert (described["ItemCount"], described["TableSizeBytes"]) == (len(items), sum(map(item_size, items)))
    indexes = described.get("LocalSecondaryIndexes", []) + described.get("GlobalSecondaryIndexes", [])
    for each in indexes:
        rows = _rows(engine, each)
        assert (each["ItemCount"], each["IndexSizeBytes"]) == (len(rows), sum(map(item_size, rows)))


def _rows(engine: Engine, each: Request) -> list[Request]:
    """What is in an index, by the definition of the index and the items of the table."""
    keys = {element["AttributeName"] for element in each["KeySchema"]}
    projected = {"pk", "sk", *keys, *each["Projection"].get("NonKeyAttributes", ())}
    everything = each["Projection"]["ProjectionType"] == "ALL"
    return [
        {name: value for name, value in item.items() if everything or name in projected}
        for item in scanned(engine)
        if keys <= item.keys()
    ]


def _key(dice: random.Random) -> Request:
    return {"pk": {"S": dice.choice("가나다")}, "sk": {"N": str(dice.randrange(6))}}


def _item(dice: random.Random) -> Request:
    item = _key(dice)
    if dice.random() < 0.7:
        item["g"] = {"S": dice.choice(["g", "group"])}
    if dice.random() < 0.7:
        item["n"] = {"N": str(dice.randrange(-1000, 1000))}
    if dice.random() < 0.5:
        item["note"] = {"M": {"l": {"L": [{"BOOL": True}, {"B": "AAEC"}]}, "s": {"SS": ["x", "yy"]}}}
    return item


def _put(engine: Engine, dice: random.Random) -> None:
    engine.call("PutItem", {"TableName": "rice", "Item": _item(dice)})


def _delete(engine: Engine, dice: random.Random) -> None:
    engine.call("DeleteItem", {"TableName": "rice", "Key": _key(dice)})


def _update(engine: Engine, dice: random.Random) -> None:
    expression, values = dice.choice(
        [
            ("REMOVE g, n", None),
            ("SET g = :v", {":v": {"S": "moved"}}),
            ("ADD n :v", {":v": {"N": "12345"}}),
            ("SET note = :v", {":v": {"S": "x" * dice.randrange(3000)}}),
        ]
    )
    request = {"TableName": "rice", "Key": _key(dice), "UpdateExpression": expression}
    engine.call("UpdateItem", request | ({"ExpressionAttributeValues": values} if values else {}))


def _batch(engine: Engine, dice: random.Random) -> None:
    items = {str((item["pk"], item["sk"])): item for item in (_item(dice) for _ in range(5))}
    requests = [{"PutRequest": {"Item": item}} for item in items.values()]
    engine.call("BatchWriteItem", {"RequestItems": {"rice": requests}})


def _transaction(engine: Engine, dice: random.Random) -> None:
    there, here = _item(dice), _key(dice)
    if all(there[name] == here[name] for name in here):
        return
    actions = [
        {"Put": {"TableName": "rice", "Item": there}},
        {"Delete": {"TableName": "rice", "Key": here}},
    ]
    engine.call("TransactWriteItems", {"TransactItems": actions})


WRITES: list[Callable[[Engine, random.Random], None]] = [_put, _put, _delete, _update, _batch, _transaction]


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_sizes_are_exact_after_mixed_writes(engine: Engine, seed: int) -> None:
    counted_table(engine)
    dice = random.Random(seed)
    for _ in range(150):
        dice.choice(WRITES)(engine, dice)
    assert len(scanned(engine)) > 5
    check_counts(engine)


def test_a_refused_write_counts_nothing(engine: Engine) -> None:
    counted_table(engine)
    _put(engine, random.Random(1))
    before = describe(engine)
    missing = {"TableName": "rice", "Item": _item(random.Random(2)), "ConditionExpression": "pk = note"}
    assert refusal(engine, "PutItem", missing)[0] == "ConditionalCheckFailedException"
    assert describe(engine) == before


def test_counts_are_exact_after_an_index_is_added_and_dropped(engine: Engine) -> None:
    counted_table(engine)
    dice = random.Random(9)
    for _ in range(30):
        _put(engine, dice)
    engine.call("UpdateTable", drop_index("all"))
    added = index("again", "note2", "n", projection="KEYS_ONLY")
    request = {"TableName": "rice", "AttributeDefinitions": attributes(note2="S", n="N")}
    engine.call("UpdateItem", _set_note(dice))
    engine.call("UpdateTable", request | {"GlobalSecondaryIndexUpdates": [{"Create": added}]})
    check_counts(engine)


def _set_note(dice: random.Random) -> Request:
    values = {":v": {"S": "there"}, ":n": {"N": "1"}}
    expression = "SET note2 = :v, n = :n"
    request: Request = {"TableName": "rice", "Key": _key(dice), "UpdateExpression": expression}
    return request | {"ExpressionAttributeValues": values}


def test_the_size_of_an_item_is_names_and_values(engine: Engine) -> None:
    create(engine)
    put(engine, "벼", fill={"S": "x" * 100})
    described = describe(engine)
    assert (described["ItemCount"], described["TableSizeBytes"]) == (1, len("pk") + 3 + len("fill") + 100)
