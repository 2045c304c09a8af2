"""Query: one partition in the order of its sort key, from a table or an index, and what may be asked of it."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create, refused

INVALID_KEYS = "Invalid KeyConditionExpression: KeyConditionExpressions "
TOO_MANY = "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"

INVALID = "One or more parameter values were invalid: "
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
UNSUPPORTED = "Query key condition not supported"


@pytest.fixture
def table(engine: Engine) -> Table:
    found = create(
        engine,
        "pk sk",
        local=[Index("local", "pk l:N", include=()), Index("local_x", "pk m:N", include=("x",))],
        world=[Index("world", "g h"), Index("keys", "g", include=()), Index("some", "g l:N", include=("x",))],
    )
    for number, letter in enumerate("abcde"):
        found.put(item(pk="p", sk=letter, l=9 - number, m=1, g="g", h=letter, x=number, y="secret"))
    found.put(item(pk="q", sk="a", x=7))
    return found


def letters(answer: dict[str, Any]) -> str:
    return "".join(each["sk"]["S"] for each in answer["Items"])


# ── which items, in which order ───────────────────────────────────────────────────────────────────


def test_a_query_finds_the_items_of_one_partition_in_order(table: Table) -> None:
    answer = table.query("pk = :p", p="p")
    assert (letters(answer), answer["Count"], answer["ScannedCount"]) == ("abcde", 5, 5)
    assert "LastEvaluatedKey" not in answer


PLAIN = {
    "TableName": "T",
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": {"S": "p"}},
}
ODD_VALUES: list[Any] = [
    {}, [], "p", {":p": "p"}, {":p": {}}, {":p": {"S": ""}}, {":p": {"S": 5}}, {":p": {"N": "5"}},
    {":p": {"S": "p", "N": "5"}}, {":p": {"S": "nobody"}}, {":p": {"S": "p" * 3000}}, {":q": {"S": "p"}},
    {":p": {"S": "p"}, ":q": {"S": "q"}}, {":p": {"S": "\ud800"}}, {":p": None},
]  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [{}, {"Limit": 2}, {"Limit": 5}, {"Limit": 0}, {"Limit": -1}, {"Limit": "2"}, {"Limit": True}, {"Limit": 1 << 40},
     {"ScanIndexForward": False}, {"ScanIndexForward": False, "Limit": 2}, {"ScanIndexForward": "no"},
     {"ScanIndexForward": 0}, {"IndexName": "world"}, {"IndexName": "none"}, {"IndexName": 5}, {"TableName": "Nobody"},
     {"TableName": 7}, {"TableName": ["T"]}, {"KeyConditionExpression": "g = :p", "IndexName": "world", "Limit": 3},
     {"KeyConditionExpression": "g = :p", "IndexName": "keys"}, {"KeyConditionExpression": "g = :p"},
     {"KeyConditionExpression": ":p = pk"}, {"KeyConditionExpression": "(pk = :p)"},
     {"KeyConditionExpression": "pk = :q"}, {"KeyConditionExpression": "#p = :p"}, {"KeyConditionExpression": "pk = pk"},
     {"KeyConditionExpression": "pk <> :p"}, {"KeyConditionExpression": "pk > :p"}, {"KeyConditionExpression": "sk = :p"},
     {"KeyConditionExpression": "pk = :p AND sk = :p"}, {"KeyConditionExpression": "pk.x = :p"},
     {"KeyConditionExpression": "pk[0] = :p"}, {"KeyConditionExpression": "size(pk) = :p"},
     {"KeyConditionExpression": "name = :p"}, {"KeyConditionExpression": ""}, {"KeyConditionExpression": "pk ="},
     {"KeyConditionExpression": 5}, {"KeyConditionExpression": "NOT pk = :p"},
     *({"ExpressionAttributeValues": values} for values in ODD_VALUES)],
)  # fmt: skip
def test_a_plain_query_is_answered_as_the_rules_would(table: Table, asked: dict[str, Any]) -> None:
    request = {**PLAIN, "TableName": table.name, **asked}
    assert _outcome(table, request) == _outcome(table, {**request, "ReturnConsumedCapacity": "NONE"})


def _outcome(table: Table, request: dict[str, Any]) -> Any:
    try:
        return table.engine.call("Query", request)
    except WireError as refusal:
        return refusal.code, refusal.message


@clause("B1")
@pytest.mark.parametrize(
    ("condition", "values", "order"),
    [("sk = :s", {"s": "b"}, "b"), ("sk < :s", {"s": "c"}, "ab"), ("sk <= :s", {"s": "c"}, "abc"),
     ("sk > :s", {"s": "c"}, "de"), ("sk >= :s", {"s": "c"}, "cde"), (":s <= sk", {"s": "c"}, "cde"),
     (":s > sk", {"s": "c"}, "ab"), ("sk BETWEEN :s AND :t", {"s": "b", "t": "d"}, "bcd"),
     ("begins_with(sk, :s)", {"s": "d"}, "d"), ("sk > :s", {"s": "z"}, "")],
)  # fmt: skip
def test_one_condition_narrows_the_sort_key(
    table: Table, condition: str, values: dict[str, str], order: str
) -> None:
    assert letters(table.query(f"pk = :p AND {condition}", p="p", **values)) == order
    assert letters(table.query(f"({condition}) AND (:p = pk)", p="p", **values)) == order


@clause("R14")
@pytest.mark.parametrize(
    ("kind", "ordered"),
    [("N", [{"N": text} for text in ("-10", "-2", "-0.5", "0", "0.5", "2", "10", "1" + "0" * 20)]),
     ("S", [{"S": text} for text in ("10", "2", "A", "a", "aa", "b", "é", "가", "\U0001f35a")]),
     ("B", [{"B": text} for text in ("AA==", "AAA=", "AQ==", "fw==", "gA==", "/w==", "//8=")])],
)  # fmt: skip
def test_each_type_of_sort_key_has_its_own_order(
    engine: Engine, kind: str, ordered: list[dict[str, str]]
) -> None:
    sorts = create(engine, f"pk sk:{kind}", "Sorts")
    for each in reversed(ordered):
        sorts.put({"pk": {"S": "p"}, "sk": each})
    assert [each["sk"] for each in sorts.query("pk = :p", p="p")["Items"]] == ordered


@pytest.mark.parametrize(
    ("index", "condition", "order"),
    [("local", "pk = :k", "edcba"), ("local", "pk = :k AND l < :n", "edc"), ("world", "g = :k", "abcde"),
     ("some", "g = :k AND l BETWEEN :n AND :n", "c"), ("some", "g = :k AND l >= :n", "cba")],
)  # fmt: skip
def test_an_index_has_the_order_of_its_own_sort_key(
    table: Table, index: str, condition: str, order: str
) -> None:
    values: dict[str, Any] = {"k": "p" if "pk" in condition else "g"}
    if ":n" in condition:
        values["n"] = 8 if "<" in condition else 7
    assert letters(table.query(condition, IndexName=index, **values)) == order


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    by_arn = Table(table.engine, table.engine.table_arn(table.name))
    assert letters(by_arn.query("pk = :p", p="p")) == "abcde"


# ── filters and projections ───────────────────────────────────────────────────────────────────────


def test_a_filter_takes_away_after_the_items_are_counted(table: Table) -> None:
    answer = table.query("pk = :p", FilterExpression="x > :x", p="p", x=2)
    assert (letters(answer), answer["Count"], answer["ScannedCount"]) == ("de", 2, 5)


def test_a_projection_returns_what_it_names(table: Table) -> None:
    answer = table.query("pk = :p AND sk = :s", ProjectionExpression="x, nothing", p="p", s="b")
    assert answer["Items"] == [item(x=1)]


def test_a_projection_that_names_nothing_there_returns_empty_items(table: Table) -> None:
    assert table.query("pk = :p", ProjectionExpression="nothing", p="q")["Items"] == [{}]


@pytest.mark.parametrize(
    ("index", "condition", "name"),
    [(None, "pk = :k", "pk"), (None, "pk = :k", "sk"), ("world", "g = :k", "g"), ("world", "g = :k", "h"),
     ("local", "pk = :k", "l"), ("keys", "g = :k", "g")],
)  # fmt: skip
def test_a_filter_cannot_look_at_the_key_of_the_query(
    table: Table, index: str | None, condition: str, name: str
) -> None:
    options = {"IndexName": index} if index else {}
    with refused(
        f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
    ):
        table.query(condition, FilterExpression=f"x = :x AND {name} <> :x", k="g", x=1, **options)


def test_a_filter_on_an_index_may_look_at_the_key_of_the_table(table: Table) -> None:
    answer = table.query("g = :g", IndexName="keys", FilterExpression="sk < :s", g="g", s="c")
    assert sorted(letters(answer)) == ["a", "b"]


@pytest.mark.parametrize(
    ("index", "condition", "key"),
    [("keys", "g = :k", "g"), ("some", "g = :k", "g"), ("local", "pk = :k", "p")],
)
def test_a_filter_on_an_index_cannot_look_at_what_the_index_does_not_hold(
    table: Table, index: str, condition: str, key: str
) -> None:
    with refused(INVALID + f"Secondary index {index} does not project one or more filter attributes: [y]"):
        table.query(condition, IndexName=index, FilterExpression="y = :y", k=key, y="secret")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"FilterExpression": "g.x = :p"}, NESTED_KEY + "IndexKey: g"),
     ({"ProjectionExpression": "pk.x"}, NESTED_KEY + "Key: pk"),
     ({"ProjectionExpression": "x, h[0]"}, NESTED_KEY + "IndexKey: h")],
)  # fmt: skip
def test_nothing_can_look_into_a_key(table: Table, options: dict[str, str], message: str) -> None:
    with refused(message):
        table.query("pk = :p", p="p", **options)


# ── key conditions that are none ──────────────────────────────────────────────────────────────────

KEYLESS: list[tuple[str, dict[str, Any], str]] = [
    ("sk = :v", {"v": "a"}, "Query condition missed key schema element: pk"),
    ("x = :v", {"v": "a"}, "Query condition missed key schema element: pk"),
    ("pk = :v AND x = :v", {"v": "a"}, "Query condition missed key schema element: sk"),
    ("pk = :v AND sk = :v AND x = :v", {"v": "a"}, TOO_MANY),
    ("pk > :v", {"v": "a"}, UNSUPPORTED),
    ("pk <= :v AND sk = :v", {"v": "a"}, UNSUPPORTED),
    ("begins_with(pk, :v)", {"v": "a"}, UNSUPPORTED),
    ("pk BETWEEN :v AND :v", {"v": "a"}, UNSUPPORTED),
    ("pk = :v", {"v": 1}, INVALID + "Condition parameter type does not match schema type"),
    ("pk = :v AND sk > :n", {"v": "a", "n": 1}, INVALID + "Condition parameter type does not match schema type"),
    ("pk = :v AND begins_with(sk, :n)", {"v": "a", "n": b"x"},
     INVALID + "Condition parameter type does not match schema type"),
    ("pk = :v OR sk = :v", {"v": "a"}, "Invalid operator used in KeyConditionExpression: OR"),
    ("pk IN (:v)", {"v": "a"}, "Invalid operator used in KeyConditionExpression: IN"),
    ("NOT pk = :v", {"v": "a"}, "Invalid operator used in KeyConditionExpression: NOT"),
    ("pk <> :v", {"v": "a"}, "Invalid operator used in KeyConditionExpression: <>"),
    ("pk = :v AND contains(sk, :v)", {"v": "a"}, "Invalid operator used in KeyConditionExpression: contains"),
    ("pk = :v AND attribute_exists(sk)", {"v": "a"},
     "Invalid operator used in KeyConditionExpression: attribute_exists"),
    ("pk = :v AND size(sk) > :n", {"v": "a", "n": 1}, INVALID_KEYS + "cannot contain nested operations"),
    ("pk = sk", {}, "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"),
    (":v = :v", {"v": "a"}, "Invalid condition in KeyConditionExpression: No key attribute specified"),
    ("pk = :v AND sk.x = :v", {"v": "a"}, INVALID_KEYS + "cannot have conditions on nested attributes"),
    ("pk = :v AND pk = :v", {"v": "a"}, INVALID_KEYS + "must only contain one condition per key"),
    ("pk = :v AND sk > :v AND sk < :v", {"v": "a"},
     INVALID_KEYS + "must only contain one condition per key"),
    ("pk = :v", {"v": ""}, "One or more parameter values are not valid. The AttributeValue for a key attribute "
     "cannot contain an empty string value. Key: pk"),
    ("pk = :v AND sk < :s", {"v": "a", "s": ""}, "One or more parameter values are not valid. "
     "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk"),
    ("pk = :v AND sk BETWEEN :h AND :l", {"v": "a", "h": "b", "l": "a"},
     "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to "
     "lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"),
]  # fmt: skip


@clause("R1", "B1")
@pytest.mark.parametrize(("condition", "values", "message"), KEYLESS)
def test_what_is_no_condition_on_the_key_is_refused(
    table: Table, condition: str, values: dict[str, Any], message: str
) -> None:
    with refused(message):
        table.query(condition, **values)


@pytest.mark.parametrize("condition", ["pk = :v AND x = :v", "pk = :v AND pk2 > :v", "y = :v AND z = :v"])
def test_a_table_without_a_sort_key_takes_one_condition(engine: Engine, condition: str) -> None:
    with refused(UNSUPPORTED):
        create(engine, "pk", "Plain").query(condition, v="a")


@pytest.mark.parametrize(
    ("index", "condition", "missed"),
    [("world", "pk = :v", "g"), ("world", "g = :v AND sk = :v", "h"), ("local", "pk = :v AND sk = :v", "l")],
)
def test_an_index_is_queried_by_its_own_key(table: Table, index: str, condition: str, missed: str) -> None:
    with refused(f"Query condition missed key schema element: {missed}"):
        table.query(condition, IndexName=index, v="a")


# ── the other parameters ──────────────────────────────────────────────────────────────────────────

MISSHAPEN: list[tuple[dict[str, Any], str]] = [
    ({}, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."),
    ({"KeyConditionExpression": ""}, "Invalid KeyConditionExpression: The expression can not be empty;"),
    ({"KeyConditionExpression": "pk = :p"},
     "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; "
     "attribute value: :p"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "Limit": 0},
     "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
     "Member must have value greater than or equal to 1"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "FilterExpression": "#x = :p"},
     "Invalid FilterExpression: An expression attribute name used in the document path is not defined; "
     "attribute name: #x"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "ExpressionAttributeNames": {"#x": "x"}},
     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "q": "b"},
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:q}"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "Select": "HI"},
     "1 validation error detected: Value 'HI' at 'select' failed to satisfy constraint: Member must satisfy enum value "
     "set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "IndexName": "a"},
     "1 validation error detected: Value 'a' at 'indexName' failed to satisfy constraint: "
     "Member must have length greater than or equal to 3"),
    ({"KeyConditionExpression": "pk = :p", "p": "a", "QueryFilter": {}},
     "Can not use both expression and non-expression parameters in the same request: "
     "Non-expression parameters: {QueryFilter} Expression parameters: {KeyConditionExpression}"),
]  # fmt: skip


@clause("B3")
@pytest.mark.parametrize(("options", "message"), MISSHAPEN)
def test_a_misshapen_request_is_refused_before_the_table_is_looked_for(
    engine: Engine, options: dict[str, Any], message: str
) -> None:
    with refused(message):
        Table(engine, "missing").call("Query", **options)


def test_a_table_that_is_not_there_is_not_found_before_the_key_is_judged(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").query("z > :z", z=1, ExclusiveStartKey={})


def test_an_index_that_is_not_there_is_named(table: Table) -> None:
    with refused("The table does not have the specified index: whatever"):
        table.query("z > :z", z=1, IndexName="whatever", ExclusiveStartKey={})


@clause("R5")
def test_a_global_index_is_never_read_consistently(table: Table) -> None:
    with refused("Consistent reads are not supported on global secondary indexes"):
        table.query("z > :z", z=1, IndexName="world", ConsistentRead=True, ExclusiveStartKey={})


# ── Select ────────────────────────────────────────────────────────────────────────────────────────

FIRST: Item = item(pk="p", sk="a", l=9, m=1, g="g", h="a", x=0, y="secret")


def only(*names: str) -> Item:
    return {name: each for name, each in FIRST.items() if name in names}


@clause("B9")
@pytest.mark.parametrize(
    ("index", "select", "first"),
    [(None, None, FIRST), (None, "ALL_ATTRIBUTES", FIRST), ("world", None, FIRST), ("world", "ALL_ATTRIBUTES", FIRST),
     ("world", "ALL_PROJECTED_ATTRIBUTES", FIRST),
     ("keys", None, only("pk", "sk", "g")), ("keys", "ALL_PROJECTED_ATTRIBUTES", only("pk", "sk", "g")),
     ("some", None, only("pk", "sk", "g", "l", "x")),
     ("local", None, only("pk", "sk", "l")), ("local", "ALL_PROJECTED_ATTRIBUTES", only("pk", "sk", "l")),
     ("local", "ALL_ATTRIBUTES", FIRST),
     ("local_x", None, only("pk", "sk", "m", "x")), ("local_x", "ALL_ATTRIBUTES", FIRST)],
)  # fmt: skip
def test_each_kind_of_index_returns_its_own_attributes(
    table: Table, index: str | None, select: str | None, first: Item
) -> None:
    options = ({"IndexName": index} if index else {}) | ({"Select": select} if select else {})
    key = {"k": "g"} if index in ("world", "keys", "some") else {"k": "p"}
    answer = table.query("g = :k" if key["k"] == "g" else "pk = :k", **options, **key)
    assert first in answer["Items"]
    assert answer["Count"] == 5


@pytest.mark.parametrize("index", [None, "world", "keys", "local"])
def test_count_returns_no_items(table: Table, index: str | None) -> None:
    options = {"IndexName": index} if index else {}
    condition, key = ("g = :k", "g") if index in ("world", "keys") else ("pk = :k", "p")
    assert table.query(condition, Select="COUNT", k=key, **options) == {"Count": 5, "ScannedCount": 5}


def test_count_counts_after_the_filter(table: Table) -> None:
    answer = table.query("pk = :p", Select="COUNT", FilterExpression="x > :x", p="p", x=2)
    assert answer == {"Count": 2, "ScannedCount": 5}


def test_specific_attributes_are_those_of_the_projection(table: Table) -> None:
    answer = table.query("pk = :p", Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="x", p="q")
    assert answer["Items"] == [item(x=7)]


@clause("E9")
@pytest.mark.parametrize("index", ["local", "local_x"])
def test_a_local_index_fetches_what_it_does_not_hold(table: Table, index: str) -> None:
    answer = table.query("pk = :p", IndexName=index, ProjectionExpression="sk, y", p="p")
    assert item(sk="a", y="secret") in answer["Items"]


@clause("R3", "E9", "B9")
@pytest.mark.parametrize(
    ("options", "message"),
    [({"IndexName": "keys", "Select": "ALL_ATTRIBUTES"},
      INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index keys "
      "because its projection type is not ALL"),
     ({"IndexName": "some", "ProjectionExpression": "x, y, m"},
      INVALID + "Global secondary index some does not project [y, m]"),
     ({"IndexName": "keys", "ProjectionExpression": "x.a"},
      INVALID + "Global secondary index keys does not project [x]"),
     ({"IndexName": "world", "Select": "SPECIFIC_ATTRIBUTES"},
      "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
     ({"IndexName": "world", "Select": "COUNT", "ProjectionExpression": "x"},
      "Cannot specify the ProjectionExpression when choosing to get only the Count"),
     ({"IndexName": "world", "Select": "ALL_ATTRIBUTES", "ProjectionExpression": "x"},
      "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES"),
     ({"IndexName": "world", "Select": "ALL_PROJECTED_ATTRIBUTES", "ProjectionExpression": "x"},
      "Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES")],
)  # fmt: skip
def test_what_an_index_cannot_return_is_refused(table: Table, options: dict[str, str], message: str) -> None:
    with refused(message):
        table.query("g = :g", g="g", **options)


def test_a_table_projects_nothing(table: Table) -> None:
    with refused("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"):
        table.query("pk = :p", Select="ALL_PROJECTED_ATTRIBUTES", p="p")
