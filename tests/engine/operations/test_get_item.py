"""GetItem: one item by its whole key, or the parts of it that a projection names."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
MISFIT = "The provided key element does not match the schema"
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk sk:N", world=[Index("by_g", "g")])


@pytest.fixture
def stored(table: Table) -> Item:
    whole = item(pk="a", sk=1, x="x", m={"k": 1, "l": [0, 1, {"z": 2}]}, l=["p", "q", "r"])
    table.put(whole)
    return whole


@pytest.mark.parametrize("consistent", [True, False])
def test_either_consistency_sees_what_was_written(table: Table, stored: Item, consistent: bool) -> None:
    assert table.get(item(pk="a", sk=1), ConsistentRead=consistent)["Item"] == stored


@pytest.mark.parametrize("key", [item(pk="a", sk=2), item(pk="A", sk=1)])
def test_an_item_that_is_not_there_is_no_error(table: Table, stored: Item, key: Item) -> None:
    assert table.get(key) == {}


def test_the_key_of_a_number_is_its_value(table: Table, stored: Item) -> None:
    assert table.get({"pk": {"S": "a"}, "sk": {"N": "0.10E+1"}})["Item"] == stored


def test_the_table_may_be_named_by_its_arn(table: Table, stored: Item) -> None:
    arn = table.engine.table_arn(table.name)
    assert Table(table.engine, arn).get(item(pk="a", sk=1)) == {"Item": stored}


def test_a_table_named_by_its_arn_is_named_so_in_the_capacity(table: Table) -> None:
    arn = table.engine.table_arn(table.name)
    answer = Table(table.engine, arn).get(item(pk="a", sk=1), ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": arn, "CapacityUnits": 0.5}


# ── projections ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("projection", "found"),
    [("x", item(x="x")),
     ("x, sk", item(x="x", sk=1)),
     ("m.k", item(m={"k": 1})),
     ("m.l[2].z", item(m={"l": [{"z": 2}]})),
     ("l[2], l[0]", item(l=["p", "r"])),
     ("m.k, m.l[0]", item(m={"k": 1, "l": [0]})),
     ("l[7], x.y, m[0]", {}),
     ("nothing", {})],
)  # fmt: skip
def test_a_projection_returns_what_it_names_and_no_more(
    table: Table, stored: Item, projection: str, found: Item
) -> None:
    assert table.get(item(pk="a", sk=1), ProjectionExpression=projection) == {"Item": found}


def test_a_projection_of_an_item_that_is_not_there_finds_nothing(table: Table) -> None:
    assert table.get(item(pk="a", sk=1), ProjectionExpression="x") == {}


def test_a_projection_may_use_aliases(table: Table, stored: Item) -> None:
    answer = table.get(
        item(pk="a", sk=1), ProjectionExpression="#m.#k", ExpressionAttributeNames={"#m": "m", "#k": "k"}
    )
    assert answer == {"Item": item(m={"k": 1})}


@pytest.mark.parametrize(
    ("projection", "names", "message"),
    [("", None, "Invalid ProjectionExpression: The expression can not be empty;"),
     ("a, b..c", None, 'Invalid ProjectionExpression: Syntax error; token: ".", near: "..c"'),
     ("#a", None, "Invalid ProjectionExpression: An expression attribute name used in the document path "
      "is not defined; attribute name: #a"),
     ("name", None, "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name"),
     ("x", {"#a": "a"}, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"),
     ("x, m.k, x", None, "Invalid ProjectionExpression: Two document paths overlap with each other; "
      "must remove or rewrite one of these paths; path one: [x], path two: [x]")],
)  # fmt: skip
def test_a_projection_is_judged_before_the_table_is_looked_for(
    engine: Engine, projection: str, names: dict[str, str] | None, message: str
) -> None:
    options: dict[str, Any] = {"ExpressionAttributeNames": names} if names else {}
    with refused(message):
        Table(engine, "missing").get(item(pk="a"), ProjectionExpression=projection, **options)


@pytest.mark.parametrize(
    ("projection", "message"),
    [
        ("pk.a", NESTED_KEY + "Key: pk"),
        ("sk[0]", NESTED_KEY + "Key: sk"),
        ("x, g.a", NESTED_KEY + "IndexKey: g"),
    ],
)
def test_a_projection_cannot_look_into_a_key(table: Table, projection: str, message: str) -> None:
    with refused(message):
        table.get(item(pk="a", sk=1), ProjectionExpression=projection)


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

MISFITS: list[Item] = [
    {}, item(pk="a"), item(sk=1), item(pk="a", x=1), item(pk="a", sk=1, x=1), item(pk="a", sk="1"), item(pk=1, sk=1),
    item(pk="a", sk=True), item(pk="a", sk=None), item(pk="a", sk={1}), item(pk={}, sk=1), item(pk=[], sk=1),
]  # fmt: skip


@pytest.mark.parametrize("key", MISFITS)
def test_a_key_of_another_schema_is_refused(table: Table, key: Item) -> None:
    with refused(MISFIT):
        table.get(key)


@pytest.mark.parametrize(
    ("key", "message"),
    [(item(pk="", sk=1), "One or more parameter values are not valid. The AttributeValue for a key attribute "
      "cannot contain an empty string value. Key: pk"),
     (item(pk="a" * 2049, sk=1), INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
     ({"pk": {"S": "a"}, "sk": {"N": "one"}}, "The parameter cannot be converted to a numeric value: one"),
     ({"pk": {"S": "a"}, "sk": {}},
      "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")],
)  # fmt: skip
def test_a_key_that_no_item_can_have_is_refused(table: Table, key: Item, message: str) -> None:
    with refused(message):
        table.get(key)


def test_a_table_that_is_not_there_is_not_found_whatever_the_key(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").get({})


def test_the_key_is_required(table: Table) -> None:
    with refused(
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null"
    ):
        table.call("GetItem")


def test_an_unknown_choice_of_capacity_is_refused(table: Table) -> None:
    with refused(
        "1 validation error detected: Value 'hi' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    ):
        table.get(item(pk="a", sk=1), ReturnConsumedCapacity="hi")


def test_a_plain_request_is_answered_as_one_that_says_more(engine: Engine) -> None:
    table = create(engine, "pk sk")
    table.put(item(pk="a", sk="b", x="x"))
    text = {"S": "b"}
    sorts: list[Any] = [text, {"S": ""}, {"S": 1}, {"S": None}, {"S": "b", "N": "1"}, {"N": "1"}, {}, "b"]
    keys: list[Any] = [{"pk": {"S": "a"}, "sk": sort} for sort in (*sorts, {"S": "x" * 1025})]
    keys += [{"pk": {"S": "a"}}, {"pk": {"S": "a"}, "sk": text, "z": text}, {"pk": text, "z": text}]
    names: list[Any] = [table.name, engine.table_arn(table.name), "nowhere", "", 5, []]
    reads: list[Any] = [{}, *({"ConsistentRead": each} for each in (True, False, "yes", 1))]
    for name, key, read in product(names, (*keys, {}, [], None, "a"), reads):
        request = {"TableName": name, "Key": key, **read}
        assert _outcome(engine, request) == _outcome(engine, request | {"ReturnConsumedCapacity": "NONE"})


def _outcome(engine: Engine, request: dict[str, Any]) -> Any:
    try:
        return engine.call("GetItem", request)
    except WireError as refusal:
        return refusal.code, refusal.message
