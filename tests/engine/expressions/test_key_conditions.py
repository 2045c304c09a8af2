"""Key conditions: one partition by equality, one range of it, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.values import Item, Value, encoded
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.expressions.asking import Values, parameters, refusal
from tests.engine.expressions.conftest import create, index, schema

UNSUPPORTED = "Query key condition not supported"
MISSED = "Query condition missed key schema element: "
TYPE = "One or more parameter values were invalid: Condition parameter type does not match schema type"
CONTENTS: dict[str, list[str]] = {
    "S": ["a", "a\0", "a\0b", "aa", "b", "가", "\uffff", "😀"],
    "N": ["-10", "-9.5", "0", "0.001", "2", "10", "1" + "0" * 30],
    "B": [encoded(raw) for raw in (b"\0", b"\0\0", b"\0\xff", b"\x7f", b"\x80", b"\xff", b"\xff\xff")],
}


def fill(engine: Engine, tag: str) -> None:
    for partition in ("k", "k2"):
        for content in reversed(CONTENTS[tag]):
            item = {"a": {"S": partition}, "b": {tag: content}}
            engine.call("PutItem", {"TableName": f"sorted{tag}", "Item": item})


def found(
    engine: Engine, tag: str, text: str, *contents: str, names: dict[str, str] | None = None
) -> list[str]:
    """The sort keys that a key condition finds in the partition `k`."""
    values: Values = {":p": {"S": "k"}, **{f":{n}": {tag: each} for n, each in enumerate(contents)}}
    request = {"TableName": f"sorted{tag}", "KeyConditionExpression": text, **parameters(values, names)}
    items = engine.call("Query", request)["Items"]
    assert all(item["a"] == {"S": "k"} for item in items)
    return [item["b"][tag] for item in items]


@pytest.mark.parametrize("tag", "SNB")
def test_a_partition_comes_in_the_order_of_its_sort_keys(engine: Engine, tag: str) -> None:
    fill(engine, tag)
    assert found(engine, tag, " a  =   :p ") == CONTENTS[tag]


@pytest.mark.parametrize("tag", "SNB")
@pytest.mark.parametrize(
    ("sign", "flipped", "low", "high"),
    [
        ("=", "=", 0, 1),
        ("<", ">", None, 0),
        ("<=", ">=", None, 1),
        (">", "<", 1, None),
        (">=", "<=", 0, None),
    ],
)
def test_each_comparison_takes_its_range(
    engine: Engine, tag: str, sign: str, flipped: str, low: int | None, high: int | None
) -> None:
    fill(engine, tag)
    for place, content in enumerate(CONTENTS[tag]):
        first, last = (None if end is None else place + end for end in (low, high))
        expected = CONTENTS[tag][first:last]
        assert found(engine, tag, f"a = :p AND b {sign} :0", content) == expected
        assert found(engine, tag, f":0 {flipped} b AND :p = a", content) == expected


@pytest.mark.parametrize("tag", "SNB")
def test_between_takes_both_bounds(engine: Engine, tag: str) -> None:
    fill(engine, tag)
    keys = CONTENTS[tag]
    assert found(engine, tag, "a = :p AnD b BeTwEeN :0 aNd :1", keys[1], keys[4]) == keys[1:5]
    assert found(engine, tag, "b BETWEEN :0 AND :1 AND a = :p", keys[2], keys[2]) == [keys[2]]


@pytest.mark.parametrize(
    ("tag", "prefix"), [("S", "a"), ("S", "a\0"), ("S", "가"), ("S", "zz"), ("B", "AA=="), ("B", "/w==")]
)
def test_begins_with_takes_what_has_the_prefix(engine: Engine, tag: str, prefix: str) -> None:
    fill(engine, tag)
    expected = {
        "a": ["a", "a\0", "a\0b", "aa"],
        "a\0": ["a\0", "a\0b"],
        "가": ["가"],
        "zz": [],
        "AA==": CONTENTS["B"][:3],
        "/w==": CONTENTS["B"][5:],
    }
    assert found(engine, tag, "a = :p AND begins_with(b, :0)", prefix) == expected[prefix]


@clause("B1")
@pytest.mark.parametrize(
    "text",
    [
        "b = :0 AND a = :p",
        "(a = :p) AND (b = :0)",
        "((b = :0) AND (a = :p))",
        "(a = :p AND b = :0)",
        "a = :p AND (b = :0)",
        "(a) = (:p) AND b = :0",
    ],
)
def test_conditions_stand_in_either_order_and_in_brackets(engine: Engine, text: str) -> None:
    fill(engine, "N")
    assert found(engine, "N", text, "2.0") == ["2"]


def test_keys_may_be_aliased(engine: Engine) -> None:
    fill(engine, "N")
    assert found(engine, "N", "#a = :p AND #b > :0", "9", names={"#a": "a", "#b": "b"}) == CONTENTS["N"][5:]


def test_redundant_parentheses_are_refused(engine: Engine) -> None:
    request = {"TableName": "sortedN", "KeyConditionExpression": "((b = :n) AND ((a = :p)))"}
    request |= parameters({":p": {"S": "k"}, ":n": {"N": "1"}})
    message = "Invalid KeyConditionExpression: The expression has redundant parentheses;"
    assert refusal(engine, "Query", request) == message


# ── form: judged before the table is looked for ───────────────────────────────────────────────────


def form_fault(engine: Engine, text: str) -> str:
    values = {ref: value for ref, value in ((":x", {"S": "1"}), (":y", {"S": "1"})) if ref in text}
    request = {"TableName": "missing", "KeyConditionExpression": text, **parameters(values or None)}
    return refusal(engine, "Query", request)


OPERATORS = [
    ("a > b AND size(b) > c OR a > c", "OR"),
    ("a IN (b, size(c), d)", "IN"),
    ("attribute_exists(a)", "attribute_exists"),
    ("attribute_not_exists(a)", "attribute_not_exists"),
    ("contains(a.d, b)", "contains"),
    ("NOT a > b", "NOT"),
    ("a <> b", "<>"),
]


@pytest.mark.parametrize(("text", "name"), OPERATORS)
def test_an_operator_that_is_none_for_keys_is_refused(engine: Engine, text: str, name: str) -> None:
    assert form_fault(engine, text) == f"Invalid operator used in KeyConditionExpression: {name}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (":x BETWEEN size(b) AND size(a) AND b > :y", "BETWEEN"),
        ("begins_with(:x, b) AND a > :y", "begins_with"),
    ],
)
def test_the_key_comes_first_where_it_cannot_be_flipped(engine: Engine, text: str, name: str) -> None:
    assert form_fault(engine, text) == (
        f"Invalid condition in KeyConditionExpression: {name} operator must have the key attribute "
        "as its first operand"
    )


@pytest.mark.parametrize(
    "text", ["size(b) > a AND a.b > b AND b > c", "a > size(b.d)", "a BETWEEN size(b) AND size(a)"]
)
def test_nested_operations_are_refused(engine: Engine, text: str) -> None:
    assert (
        form_fault(engine, text)
        == "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"
    )


@pytest.mark.parametrize(
    "text", ["b > a.b", "b BETWEEN c[1] AND d", "a BETWEEN b AND size(a)", "begins_with(a, b)", "a = b"]
)
def test_a_condition_names_one_attribute(engine: Engine, text: str) -> None:
    assert form_fault(engine, text) == (
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
    )


@pytest.mark.parametrize("text", ["a.d > :x", "b[0] > :x", "a = :x AND b.c = :y"])
def test_nested_attributes_are_refused(engine: Engine, text: str) -> None:
    assert (
        form_fault(engine, text)
        == "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
    )


@pytest.mark.parametrize("text", [":y > :x AND a < :y", ":x > b AND :x < :y"])
def test_a_condition_without_a_key_is_refused(engine: Engine, text: str) -> None:
    assert (
        form_fault(engine, text) == "Invalid condition in KeyConditionExpression: No key attribute specified"
    )


@pytest.mark.parametrize(
    "text",
    ["a = :x AND a = :x", "b > :x AND b < :x AND c = :x", "(a > :x AND b > :x) AND (b > :x AND c > :x)"],
)
def test_a_key_has_one_condition(engine: Engine, text: str) -> None:
    assert (
        form_fault(engine, text)
        == "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
    )


@pytest.mark.parametrize(
    ("low", "high", "rule"),
    [
        ({"N": "1"}, {"S": "a"}, "same data type for lower and upper bounds"),
        ({"S": "b"}, {"S": "a"}, "upper bound to be greater than or equal to lower bound"),
    ],
)
def test_bounds_are_of_one_type_and_in_order(engine: Engine, low: Value, high: Value, rule: str) -> None:
    request = {"TableName": "missing", "KeyConditionExpression": "a BETWEEN :l AND :h"}
    message = refusal(engine, "Query", request | parameters({":l": low, ":h": high}))
    assert message.startswith(f"Invalid KeyConditionExpression: The BETWEEN operator requires {rule}; lower")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The expression can not be empty;"),
        ("dog(b, :x)", "Invalid function name; function: dog"),
        ("BEGINS_WITH(b, :x)", "Invalid function name; function: BEGINS_WITH"),
    ],
)
def test_a_key_condition_is_read_as_any_condition(engine: Engine, text: str, message: str) -> None:
    assert form_fault(engine, text) == f"Invalid KeyConditionExpression: {message}"


@pytest.mark.parametrize("text", ["a", ":x", "a != :x", "a > 4"])
def test_a_syntax_error_is_refused(engine: Engine, text: str) -> None:
    assert form_fault(engine, text).startswith("Invalid KeyConditionExpression: Syntax error; token: ")


# ── schema ────────────────────────────────────────────────────────────────────────────────────────


def misfit(engine: Engine, table: str, text: str, values: Values, **more: Any) -> str:
    request = {"TableName": table, "KeyConditionExpression": text, **parameters(values), **more}
    return refusal(engine, "Query", request)


X: Values = {":x": {"S": "1"}}


@pytest.mark.parametrize("table", ["single", "sortedS"])
@pytest.mark.parametrize(
    "text", ["a > :x", "a < :x", ":x <= a", ":x >= a", "begins_with(a, :x)", "a BETWEEN :x AND :x"]
)
def test_a_partition_is_asked_for_by_equality(engine: Engine, table: str, text: str) -> None:
    assert misfit(engine, table, text, X) == UNSUPPORTED


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        ("single", "z = :x", MISSED + "a"),
        ("single", "a = :x AND b = :x", UNSUPPORTED),
        ("single", "y = :x AND z = :x", UNSUPPORTED),
        ("sortedS", "b = :x", MISSED + "a"),
        ("sortedS", "a = :x AND c = :x", MISSED + "b"),
        (
            "sortedS",
            "a = :x AND b = :x AND c = :x",
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
        ),
    ],
)
def test_the_conditions_are_on_the_keys_of_the_table(
    engine: Engine, table: str, text: str, message: str
) -> None:
    assert misfit(engine, table, text, X) == message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("local", "a = :x AND b = :x", MISSED + "d"),
        ("local", "d = :x", MISSED + "a"),
        ("global", "c > :x", UNSUPPORTED),
        ("global", "c = :x AND b = :x", UNSUPPORTED),
        ("global", "a = :x", MISSED + "c"),
    ],
)
def test_the_conditions_are_on_the_keys_of_the_index(
    engine: Engine, name: str, text: str, message: str
) -> None:
    assert misfit(engine, "indexed", text, X, IndexName=name) == message


@pytest.mark.parametrize(
    ("table", "text", "value"),
    [
        ("single", "a = :v", {"N": "1"}),
        ("single", "a = :v", {"L": []}),
        ("single", ":v > a", {"N": "1"}),
        ("sortedN", "a = :p AND b = :v", {"S": "1"}),
        ("sortedN", "a = :p AND begins_with(b, :v)", {"S": "1"}),
        ("sortedS", "a = :p AND b BETWEEN :v AND :v", {"N": "1"}),
        ("sortedB", "a = :p AND b < :v", {"S": "1"}),
    ],
)
def test_the_type_is_that_of_the_key(engine: Engine, table: str, text: str, value: Value) -> None:
    values: Values = {":v": value, **({":p": {"S": "k"}} if ":p" in text else {})}
    assert misfit(engine, table, text, values) == TYPE


@clause("B2")
def test_begins_with_a_number_is_refused(engine: Engine) -> None:
    values: Values = {":p": {"S": "k"}, ":n": {"N": "1"}}
    assert misfit(engine, "sortedN", "a = :p AND begins_with(b, :n)", values) == (
        "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
        "operator or function: begins_with, operand type: N"
    )


@pytest.mark.parametrize("path", ["a", "b", "a.x", "b[1]"])
def test_a_filter_may_not_be_on_the_keys_of_the_query(engine: Engine, path: str) -> None:
    message = misfit(engine, "sortedS", "a = :x", X, FilterExpression=f"attribute_exists({path})")
    assert message == (
        f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {path[0]}"
    )


def test_a_filter_may_not_look_inside_another_index_key(engine: Engine) -> None:
    message = misfit(engine, "indexed", "a = :x", X, FilterExpression="attribute_exists(d.x)")
    assert message == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: d"
    )


def test_the_table_is_looked_for_before_the_keys_are_judged(engine: Engine) -> None:
    request = {"TableName": "missing", "KeyConditionExpression": "z = :x", **parameters(X)}
    with pytest.raises(WireError) as caught:
        engine.call("Query", request)
    assert caught.value.code == "ResourceNotFoundException"


# ── index keys of several attributes ──────────────────────────────────────────────────────────────

HASHED, RANGED = "h1 h2 h3 h4", "r1 r2 r3 r4"
ALL_HASHED = "h1 = :h AND h2 = :h AND h3 = :n AND h4 = :h"


def unequal(earlier: str, later: str) -> str:
    return (
        f"RANGE key attributes {earlier} must have equality conditions specified "
        f"in the query because a condition is present on key attribute {later}"
    )


HASHES: Values = {":h": {"S": "v"}, ":n": {"N": "7"}}


@pytest.fixture
def wide(engine: Engine) -> Engine:
    """A table with an index of four and four key attributes, and twelve items in one partition of it."""
    types = "a:S h1:S h2:S h3:N h4:S r1:N r2:S r3:S r4:B"
    create(engine, "wide", schema("a"), types, GlobalSecondaryIndexes=[index("all", HASHED, RANGED)])
    fixed: Item = {
        "h1": {"S": "v"},
        "h2": {"S": "v"},
        "h3": {"N": "7"},
        "h4": {"S": "v"},
        "r4": {"B": "AA=="},
    }
    keys = [
        (first, second, third)
        for first in ("-1", "2", "10")
        for second in ("x", "xy")
        for third in ("p", "q")
    ]
    for place, (first, second, third) in enumerate(reversed(keys)):
        item = {"a": {"S": str(place)}, **fixed, "r1": {"N": first}, "r2": {"S": second}, "r3": {"S": third}}
        engine.call("PutItem", {"TableName": "wide", "Item": item})
    return engine


def rows(engine: Engine, text: str, values: Values) -> list[str]:
    request = {"TableName": "wide", "IndexName": "all", "KeyConditionExpression": text, **parameters(values)}
    items = engine.call("Query", request)["Items"]
    return [f"{item['r1']['N']} {item['r2']['S']} {item['r3']['S']}" for item in items]


def test_sort_keys_of_several_attributes_sort_from_left_to_right(wide: Engine) -> None:
    ordered = rows(wide, ALL_HASHED, HASHES)
    assert ordered[:5] == ["-1 x p", "-1 x q", "-1 xy p", "-1 xy q", "2 x p"]
    assert [line.split()[0] for line in ordered[::4]] == ["-1", "2", "10"]


@clause("R15")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("r1 = :one", 4),
        ("r1 > :one", 4),
        ("r1 <= :one", 8),
        ("r1 BETWEEN :one AND :one", 4),
        ("r1 = :one AND r2 = :s", 2),
        ("r2 = :s AND r1 = :one", 2),
        ("r1 = :one AND begins_with(r2, :s)", 4),
        ("r1 = :one AND r2 > :s", 2),
        ("r1 = :one AND r2 = :s AND r3 = :q", 1),
        ("r1 = :one AND r2 = :s AND r3 < :q", 1),
        ("r1 = :one AND r2 = :s AND r3 = :q AND r4 >= :b", 1),
    ],
)
def test_sort_conditions_go_from_left_to_right(wide: Engine, text: str, count: int) -> None:
    known: Values = {":one": {"N": "2"}, ":s": {"S": "x"}, ":q": {"S": "q"}, ":b": {"B": "AA=="}}
    used = {ref: value for ref, value in known.items() if ref in text}
    assert len(rows(wide, f"{ALL_HASHED} AND {text}", HASHES | used)) == count
    assert len(rows(wide, f"{text} AND {ALL_HASHED}", HASHES | used)) == count


@pytest.mark.parametrize(
    "text",
    [
        "h1 = :h AND h2 = :h AND h4 = :h",
        "h1 = :h AND h2 > :h AND h3 = :n AND h4 = :h",
        "h1 = :h AND h2 = :h AND h3 = :n AND begins_with(h4, :h)",
        f"{ALL_HASHED} AND r2 = :h",
        f"{ALL_HASHED} AND r1 = :n AND r3 = :h",
        f"{ALL_HASHED} AND r1 > :n AND r2 = :h",
        f"{ALL_HASHED} AND r1 > :n AND r2 > :h",
        f"{ALL_HASHED} AND r1 = :n AND begins_with(r2, :h) AND r3 = :h",
        f"{ALL_HASHED} AND a = :h",
    ],
)
def test_gaps_and_early_inequalities_are_refused(wide: Engine, text: str) -> None:
    values = {ref: value for ref, value in HASHES.items() if ref in text}
    request = {"TableName": "wide", "IndexName": "all", "KeyConditionExpression": text, **parameters(values)}
    assert refusal(wide, "Query", request)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("h1 = :h AND h2 = :h AND h4 = :h", "Query condition missed key schema element: h3"),
        ("h1 = :h AND h2 > :h AND h3 = :n AND h4 = :h", "Query key condition not supported"),
        (f"{ALL_HASHED} AND r1 = :n AND r3 = :h", unequal("r2", "r3")),
        (f"{ALL_HASHED} AND r1 > :n AND r2 = :h", unequal("r1", "r2")),
    ],
)
def test_missing_and_unequal_conditions_are_named(wide: Engine, text: str, words: str) -> None:
    values = {ref: value for ref, value in HASHES.items() if ref in text}
    request = {"TableName": "wide", "IndexName": "all", "KeyConditionExpression": text, **parameters(values)}
    assert refusal(wide, "Query", request) == words


@pytest.mark.parametrize("name", ["h2", "r1"])
def test_an_item_without_one_of_the_keys_is_not_in_the_index(wide: Engine, name: str) -> None:
    request = {"TableName": "wide", "Key": {"a": {"S": "0"}}, "UpdateExpression": f"REMOVE {name}"}
    wide.call("UpdateItem", request)
    assert len(rows(wide, ALL_HASHED, HASHES)) == 11
