"""The parameters of the time before expressions: the same answers, and AWS's words for what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
MIXED = "Can not use both expression and non-expression parameters in the same request: "
Condition = dict[str, Any]
KEY: Item = {"pk": {"S": "a"}}


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    """A table for all examples of a property; each puts its own item."""
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        yield create(engine, "pk")


@pytest.fixture
def plain(engine: Engine) -> Table:
    found = create(engine, "pk")
    found.put(item(pk="a", x=1, y="abc", tags={"p", "q"}, line=["u"]))
    return found


@pytest.fixture
def ranged(engine: Engine) -> Table:
    found = create(engine, "pk sk:N", world=[Index("by-x", "x", include=())])
    for number in range(5):
        found.put(item(pk="a", sk=number, x="g", y=str(number)))
    return found


def condition(operator: str, *values: Any) -> Condition:
    [*wrapped] = (item(v=value)["v"] for value in values)
    return {"ComparisonOperator": operator, "AttributeValueList": wrapped}


# ── the same answers as expressions ───────────────────────────────────────────────────────────────

scalars = st.one_of(
    st.sampled_from(["", "a", "ab", "abc", "b", "가"]).map(lambda text: {"S": text}),
    st.sampled_from(["-1", "0", "1", "1.5", "10"]).map(lambda text: {"N": text}),
    st.sampled_from(["AA==", "AAE=", "/w=="]).map(lambda text: {"B": text}),
)
documents = st.one_of(
    scalars,
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    st.sets(st.sampled_from("abc"), min_size=1).map(lambda found: {"SS": sorted(found)}),
    st.sets(st.sampled_from(["1", "2"]), min_size=1).map(lambda found: {"NS": sorted(found)}),
    st.lists(scalars, max_size=2).map(lambda found: {"L": found}),
    st.dictionaries(st.sampled_from("ab"), scalars, max_size=2).map(lambda found: {"M": found}),
)
NAMES = ("x", "y", "z")
TEXTS = {
    "EQ": "{0} = {1}",
    "NE": "{0} <> {1}",
    "LT": "{0} < {1}",
    "LE": "{0} <= {1}",
    "GT": "{0} > {1}",
    "GE": "{0} >= {1}",
    "CONTAINS": "contains({0}, {1})",
    "NOT_CONTAINS": "NOT contains({0}, {1})",
    "BEGINS_WITH": "begins_with({0}, {1})",
    "BETWEEN": "{0} BETWEEN {1} AND {2}",
    "IN": "{0} IN ({1}, {2})",
    "NULL": "attribute_not_exists({0})",
    "NOT_NULL": "attribute_exists({0})",
}
COUNTS = {"BETWEEN": 2, "IN": 2, "NULL": 0, "NOT_NULL": 0}


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    operator = draw(st.sampled_from(sorted(TEXTS)))
    pool = documents if operator in ("EQ", "NE") else scalars
    values = [draw(pool) for _ in range(COUNTS.get(operator, 1))]
    if operator == "IN":
        # Only the older form wants all of them to be of one type.
        values = [value for value in values if value.keys() == values[0].keys()]
        values = (values * 2)[:2]
    return {"ComparisonOperator": operator, "AttributeValueList": values}


items = st.dictionaries(st.sampled_from(NAMES), documents, max_size=3).map(lambda found: KEY | found)
several = st.dictionaries(st.sampled_from(NAMES), conditions(), min_size=2, max_size=3)


def spelled(filters: dict[str, Condition], word: str, label: str) -> dict[str, Any]:
    """The same conditions as an expression."""
    texts: list[str] = []
    values: dict[str, Any] = {}
    for name, each in filters.items():
        refs = [f":{name}{place}" for place in range(len(each["AttributeValueList"]))]
        values |= dict(zip(refs, each["AttributeValueList"], strict=True))
        texts.append(TEXTS[each["ComparisonOperator"]].format(name, *refs))
    found: dict[str, Any] = {label: f" {word} ".join(texts)}
    return found | ({"ExpressionAttributeValues": values} if values else {})


def answer(table: Table, operation: str, **request: Any) -> Any:
    """What comes of a request; of a refusal only that it is one."""
    try:
        found = table.call(operation, **request)
    except WireError as error:
        return error.code
    return {name: value for name, value in found.items() if name != "ConsumedCapacity"}


@given(items, several, st.sampled_from(["AND", "OR"]))
def test_filters_find_what_their_expressions_find(
    shared: Table, stored: Item, filters: dict[str, Condition], word: str
) -> None:
    shared.put(stored)
    older = answer(shared, "Scan", ScanFilter=filters, ConditionalOperator=word)
    assert older == answer(shared, "Scan", **spelled(filters, word, "FilterExpression"))


@given(items, several, st.sampled_from(["AND", "OR"]))
def test_expectations_are_met_where_their_conditions_are(
    shared: Table, stored: Item, expected: dict[str, Condition], word: str
) -> None:
    shared.put(stored)
    older = answer(shared, "PutItem", Item=stored, Expected=expected, ConditionalOperator=word)
    assert older == answer(shared, "PutItem", Item=stored, **spelled(expected, word, "ConditionExpression"))


@st.composite
def actions(draw: st.DrawFn) -> dict[str, Any]:
    action = draw(st.sampled_from(["PUT", "ADD", "DELETE", "REMOVE"]))
    if action == "REMOVE":
        return {"Action": "DELETE"}
    return {"Action": action, "Value": draw(documents)}


def spelled_updates(updates: dict[str, Any]) -> dict[str, Any]:
    clauses: dict[str, list[str]] = {}
    values: dict[str, Any] = {}
    for name, each in updates.items():
        if "Value" not in each:
            clauses.setdefault("REMOVE", []).append(name)
            continue
        values[f":{name}"] = each["Value"]
        if each["Action"] == "PUT":
            clauses.setdefault("SET", []).append(f"{name} = :{name}")
        elif each["Action"] == "ADD" and "L" in each["Value"]:
            values[":none"] = {"L": []}
            text = f"{name} = list_append(if_not_exists({name}, :none), :{name})"
            clauses.setdefault("SET", []).append(text)
        else:
            clauses.setdefault(each["Action"], []).append(f"{name} :{name}")
    text = " ".join(f"{clause} {', '.join(parts)}" for clause, parts in clauses.items())
    return {"UpdateExpression": text} | ({"ExpressionAttributeValues": values} if values else {})


@given(items, st.dictionaries(st.sampled_from(NAMES), actions(), min_size=1, max_size=3))
def test_updates_do_what_their_expressions_do(shared: Table, stored: Item, updates: dict[str, Any]) -> None:
    results = []
    for request in ({"AttributeUpdates": updates}, spelled_updates(updates)):
        shared.put(stored)
        told = answer(shared, "UpdateItem", Key=KEY, ReturnValues="UPDATED_NEW", **request)
        results.append((told, shared.found(KEY)))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("older", "text"),
    [
        (condition("EQ", 2), "sk = :v"),
        (condition("LT", 2), "sk < :v"),
        (condition("GE", 2), "sk >= :v"),
    ],
)
def test_key_conditions_are_those_of_the_expression(ranged: Table, older: Condition, text: str) -> None:
    keys = {"pk": condition("EQ", "a"), "sk": older}
    assert ranged.call("Query", KeyConditions=keys) == ranged.query(f"pk = :p AND {text}", p="a", v=2)


def test_key_conditions_go_with_a_filter_and_a_projection(ranged: Table) -> None:
    found = ranged.call(
        "Query",
        KeyConditions={"pk": condition("EQ", "a"), "sk": condition("BETWEEN", 1, 3)},
        FilterExpression="y <> :y",
        ProjectionExpression="sk",
        y="2",
    )
    assert (found["Items"], found["ScannedCount"]) == ([item(sk=1), item(sk=3)], 3)


def test_a_query_filter_sees_what_the_key_found(ranged: Table) -> None:
    found = ranged.call(
        "Query",
        KeyConditions={"pk": condition("EQ", "a")},
        QueryFilter={"y": condition("IN", "1", "4")},
        AttributesToGet=["y"],
    )
    assert (found["Items"], found["ScannedCount"]) == ([item(y="1"), item(y="4")], 5)


def test_attributes_to_get_are_all_that_is_got(plain: Table) -> None:
    assert plain.get(KEY, AttributesToGet=["x", "nothing"])["Item"] == item(x=1)
    batch = {"RequestItems": {plain.name: {"Keys": [KEY], "AttributesToGet": ["y"]}}}
    assert plain.engine.call("BatchGetItem", batch)["Responses"][plain.name] == [item(y="abc")]


@pytest.mark.parametrize(
    ("expected", "met"),
    [
        ({"x": {"Value": {"N": "1"}}}, True),
        ({"x": {"Exists": True, "Value": {"N": "2"}}}, False),
        ({"x": {"Exists": False}}, False),
        ({"z": {"Exists": False}}, True),
        ({"y": {"ComparisonOperator": "BEGINS_WITH", "Value": {"S": "ab"}}}, True),
    ],
)
def test_what_is_expected_may_be_said_in_the_oldest_form(
    plain: Table, expected: dict[str, Any], met: bool
) -> None:
    if met:
        plain.delete(KEY, Expected=expected)
    else:
        with refused("The conditional request failed", "ConditionalCheckFailedException"):
            plain.delete(KEY, Expected=expected)


def test_nothing_to_update_makes_the_item(plain: Table) -> None:
    plain.call("UpdateItem", Key=item(pk="new"), AttributeUpdates={})
    assert plain.found(item(pk="new")) == item(pk="new")


def test_removing_from_what_is_not_there_makes_nothing(plain: Table) -> None:
    plain.call("UpdateItem", Key=item(pk="new"), AttributeUpdates={"x": {"Action": "DELETE"}})
    assert plain.found(item(pk="new")) is None


# ── what is wrong with them ───────────────────────────────────────────────────────────────────────

WRONG_FILTERS = [
    ({"x": {"ComparisonOperator": "EQ"}}, "Invalid number of argument(s) for the EQ ComparisonOperator"),
    ({"x": condition("NULL", 1)}, "Invalid number of argument(s) for the NULL ComparisonOperator"),
    ({"x": condition("BETWEEN", 1)}, "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    ({"x": condition("IN", 1, "a")}, "AttributeValues inside AttributeValueList must be of same type"),
    ({"x": condition("LT", True)}, "ComparisonOperator LT is not valid for BOOL AttributeValue type"),
    (
        {"x": condition("BEGINS_WITH", 1)},
        "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
    ),
]


@pytest.mark.parametrize(("filters", "words"), WRONG_FILTERS)
def test_a_comparison_takes_so_many_values_of_such_types(
    plain: Table, filters: dict[str, Any], words: str
) -> None:
    with refused(INVALID + words):
        plain.scan(ScanFilter=filters)
    with refused(INVALID + words):
        plain.call("Query", KeyConditions={"pk": condition("EQ", "a")}, QueryFilter=filters)


def test_bounds_come_in_order(plain: Table) -> None:
    with refused(
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    ):
        plain.scan(ScanFilter={"x": condition("BETWEEN", 2, 1)})


@pytest.mark.parametrize(
    ("each", "words"),
    [
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: x"),
        ({}, "Value must be provided when Exists is null for Attribute: x"),
        ({"Exists": False, "Value": {"S": "a"}}, "Value cannot be used when Exists is false for Attribute: x"),
        ({"AttributeValueList": []}, "AttributeValueList can only be used with a ComparisonOperator for Attribute: x"),
        (
            {"AttributeValueList": [], "Value": {"S": "a"}},
            "Value and AttributeValueList cannot be used together for Attribute: x",
        ),
        (
            {"Exists": True, "ComparisonOperator": "EQ", "Value": {"S": "a"}},
            "Exists and ComparisonOperator cannot be used together for Attribute: x",
        ),
        (
            {"ComparisonOperator": "EQ"},
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: x",
        ),
    ],
)  # fmt: skip
def test_an_expectation_is_of_one_form(plain: Table, each: dict[str, Any], words: str) -> None:
    with refused(INVALID + words):
        plain.put(item(pk="a"), Expected={"x": each})


@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({"Action": "PUT"}, INVALID + "Only DELETE action is allowed when no attribute value is specified"),
        (
            {"Action": "DELETE", "Value": {"S": "a"}},
            INVALID + "DELETE action with value is not supported for the type S",
        ),
        ({"Action": "ADD", "Value": {"S": "a"}}, INVALID + "ADD action is not supported for the type S"),
        ({"Action": "ADD", "Value": {"SS": ["a"]}}, "Type mismatch for attribute to update"),
        ({"Action": "ADD", "Value": {"L": []}}, "Type mismatch for attribute to update"),
    ],
)
def test_an_action_takes_such_values(plain: Table, update: dict[str, Any], words: str) -> None:
    with refused(words):
        plain.call("UpdateItem", Key=KEY, AttributeUpdates={"x": update})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Empty attribute name"),
        ("x" * 65536, "Attribute name is too large, must be less than 65536 bytes"),
    ],
)
def test_what_is_updated_has_a_name(plain: Table, name: str, words: str) -> None:
    with refused(words):
        plain.call("UpdateItem", Key=item(pk="k"), AttributeUpdates={name: {"Value": {"S": "a"}}})
    assert plain.found(item(pk="k")) is None


def test_the_key_is_not_updated(plain: Table) -> None:
    with refused(INVALID + "Cannot update attribute pk. This attribute is part of the key"):
        plain.call("UpdateItem", Key=KEY, AttributeUpdates={"pk": {"Value": {"S": "b"}}})


def test_an_attribute_is_got_once(plain: Table) -> None:
    with refused(INVALID + "Duplicate value in attribute name: x"):
        plain.get(KEY, AttributesToGet=["x", "y", "x"])


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "Conditions can be of length 1 or 2 only"),
        ({"sk": condition("EQ", 1)}, "Query condition missed key schema element: pk"),
        ({"pk": condition("LT", "a")}, "Query key condition not supported"),
        (
            {"pk": condition("EQ", "a"), "sk": condition("NE", 1)},
            "Attempted conditional constraint is not an indexable operation",
        ),
        ({"pk": condition("EQ", 1)}, INVALID + "Condition parameter type does not match schema type"),
    ],
)
def test_key_conditions_are_conditions_on_the_key(ranged: Table, keys: dict[str, Any], words: str) -> None:
    with refused(words):
        ranged.call("Query", KeyConditions=keys)


def test_a_query_filter_leaves_the_key_alone(ranged: Table) -> None:
    with refused("QueryFilter can only contain non-primary key attributes: Primary key attribute: sk"):
        ranged.call(
            "Query", KeyConditions={"pk": condition("EQ", "a")}, QueryFilter={"sk": condition("EQ", 1)}
        )


@pytest.mark.parametrize("select", ["COUNT", "ALL_ATTRIBUTES"])
def test_attributes_are_not_chosen_twice(plain: Table, select: str) -> None:
    what = "only the Count" if select == "COUNT" else select
    with refused(f"Cannot specify the AttributesToGet when choosing to get {what}"):
        plain.scan(Select=select, AttributesToGet=["x"])


# ── ConditionalOperator, and what does not go together ────────────────────────────────────────────

WITHOUT = "ConditionalOperator cannot be used without Filter or Expected"
TWO = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
ONE = {"x": condition("EQ", 1)}
QUERIED = {"KeyConditions": {"pk": condition("EQ", "a")}}


@pytest.mark.parametrize(
    ("operation", "request_", "words"),
    [
        ("Scan", {}, WITHOUT),
        ("Scan", {"ScanFilter": {}}, WITHOUT),
        ("Scan", {"AttributesToGet": ["x"]}, WITHOUT),
        ("Scan", {"ScanFilter": ONE}, TWO),
        ("Query", {}, WITHOUT),
        ("Query", QUERIED, WITHOUT),
        ("Query", QUERIED | {"QueryFilter": ONE}, TWO),
        ("PutItem", {"Item": KEY}, WITHOUT),
        ("PutItem", {"Item": KEY, "Expected": ONE}, TWO),
        ("DeleteItem", {"Key": KEY, "Expected": ONE}, TWO),
        ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"x": {"Value": {"S": "a"}}}}, WITHOUT),
    ],
)
def test_an_operator_joins_two_conditions(
    plain: Table, operation: str, request_: dict[str, Any], words: str
) -> None:
    with refused(words):
        plain.call(operation, ConditionalOperator="AND", **request_)


@pytest.mark.parametrize(
    ("operation", "request_", "words"),
    [
        (
            "Scan",
            {"ConditionalOperator": "OR", "ScanFilter": ONE, "AttributesToGet": ["x"],
             "FilterExpression": "x = :v", "ProjectionExpression": "y", "v": 1, "unused": 2},
            "Non-expression parameters: {AttributesToGet, ScanFilter, ConditionalOperator} "
            "Expression parameters: {ProjectionExpression, FilterExpression}",
        ),
        (
            "Query",
            QUERIED | {"QueryFilter": ONE, "ConditionalOperator": "OR", "KeyConditionExpression": "pk = :p",
                       "FilterExpression": "x = :p", "ProjectionExpression": "y", "p": 1},
            "Non-expression parameters: {QueryFilter, ConditionalOperator, KeyConditions} "
            "Expression parameters: {ProjectionExpression, FilterExpression, KeyConditionExpression}",
        ),
        (
            "UpdateItem",
            {"Key": KEY, "Expected": ONE, "ConditionalOperator": "AND", "AttributeUpdates": {},
             "ConditionExpression": "attribute_exists(x)", "UpdateExpression": "REMOVE x"},
            "Non-expression parameters: {AttributeUpdates, Expected, ConditionalOperator} "
            "Expression parameters: {UpdateExpression, ConditionExpression}",
        ),
        (
            "PutItem",
            {"Item": KEY, "ConditionalOperator": "AND", "ConditionExpression": "attribute_exists(x)"},
            "Non-expression parameters: {ConditionalOperator} Expression parameters: {ConditionExpression}",
        ),
    ],
)  # fmt: skip
def test_old_and_new_do_not_go_together(
    plain: Table, operation: str, request_: dict[str, Any], words: str
) -> None:
    with refused(MIXED + words):
        plain.call(operation, **request_)


def test_a_transaction_never_had_them(plain: Table) -> None:
    put = {"TableName": plain.name, "Item": item(pk="a"), "Expected": "nonsense"}
    plain.engine.call("TransactWriteItems", {"TransactItems": [{"Put": put}]})
    assert plain.found(KEY) == item(pk="a")
