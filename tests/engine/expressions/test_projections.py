"""Projections: the parts of an item that are asked for, nested as they are in the item."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.values import Item
from tests.clauses import clause
from tests.engine.expressions.asking import fault, parameters, picked, refusal

LABEL = "ProjectionExpression"
PREFIX = f"Invalid {LABEL}: "
LAST = {"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}
ITEM: Item = {
    "p": {"S": "k"},
    "m": {"M": {"l": {"L": [{"N": "2"}, {"N": "4"}, LAST]}, "c": {"N": "5"}}},
    "b": {"S": "hello"},
    "m.c": {"S": "dotted"},
    "none": {"NULL": True},
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("b", {"b": {"S": "hello"}}),
        (" b  ,   p  ", {"b": {"S": "hello"}, "p": {"S": "k"}}),
        ("gone", {}),
        ("b, gone", {"b": {"S": "hello"}}),
        ("m", {"m": ITEM["m"]}),
        ("m.c", {"m": {"M": {"c": {"N": "5"}}}}),
        ("m.l", {"m": {"M": {"l": ITEM["m"]["M"]["l"]}}}),
        ("m.l[0]", {"m": {"M": {"l": {"L": [{"N": "2"}]}}}}),
        ("m.l[2].y", {"m": {"M": {"l": {"L": [{"M": {"y": {"S": "yo"}}}]}}}}),
        ("m.l[2].y, m.l[2].x", {"m": {"M": {"l": {"L": [LAST]}}}}),
        ("m.l[0], m.c", {"m": {"M": {"l": {"L": [{"N": "2"}]}, "c": {"N": "5"}}}}),
        ("m.c, b", {"m": {"M": {"c": {"N": "5"}}}, "b": {"S": "hello"}}),
        ("m.gone, m.l[0], gone, m.l[3].x", {"m": {"M": {"l": {"L": [{"N": "2"}]}}}}),
    ],
)
def test_a_projection_keeps_the_surroundings_of_what_it_takes(text: str, found: Item) -> None:
    assert picked(text, ITEM) == found


@pytest.mark.parametrize("text", ["m.l[2], m.l[0]", "m.l[0], m.l[2]", "m.l[0], m.l[7], m.l[2]"])
def test_elements_are_closed_up_in_the_order_of_the_list(text: str) -> None:
    assert picked(text, ITEM) == {"m": {"M": {"l": {"L": [{"N": "2"}, LAST]}}}}


@pytest.mark.parametrize(
    "text", ["m.gone", "m.gone.x", "m.l[3]", "m.l.x", "m[0]", "m.l[0].x", "m.l[0][0]", "b.x", "b[0]"]
)
def test_a_path_that_leads_nowhere_takes_nothing(text: str) -> None:
    assert picked(text, ITEM) == {}


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("#b", {"#b": "b"}, {"b": {"S": "hello"}}),
        ("#m.c", {"#m": "m"}, {"m": {"M": {"c": {"N": "5"}}}}),
        ("m.#c", {"#c": "c"}, {"m": {"M": {"c": {"N": "5"}}}}),
        ("#m.#l[1]", {"#m": "m", "#l": "l"}, {"m": {"M": {"l": {"L": [{"N": "4"}]}}}}),
        ("#n", {"#n": "m.c"}, {"m.c": {"S": "dotted"}}),
        ("#n", {"#n": "none"}, {"none": {"NULL": True}}),
    ],
)
def test_an_alias_is_one_part_of_a_path(text: str, names: dict[str, str], found: Item) -> None:
    assert picked(text, ITEM, names) == found


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("x, x", "[x]", "[x]"),
        ("#x, x", "[x]", "[x]"),
        ("x.y, x.y", "[x, y]", "[x, y]"),
        ("x[1], x[1]", "[x, [1]]", "[x, [1]]"),
        ("x, x.y", "[x]", "[x, y]"),
        ("x.y.z.w, x.y", "[x, y, z, w]", "[x, y]"),
        ("x, x.y[2].z", "[x]", "[x, y, [2], z]"),
        ("x, #x[1]", "[x]", "[x, [1]]"),
    ],
)
def test_overlapping_paths_are_refused(text: str, one: str, two: str) -> None:
    assert fault(LABEL, text, None, {"#x": "x"} if "#x" in text else None) == (
        f"{PREFIX}Two document paths overlap with each other; must remove or rewrite one of these "
        f"paths; path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("x.y, x[1]", "[x, y]", "[x, [1]]"),
        ("x[1], x.y", "[x, [1]]", "[x, y]"),
        ("x.y[1], x.y.z", "[x, y, [1]]", "[x, y, z]"),
        ("x[3].y, x.#n.y", "[x, [3], y]", "[x, [3], y]"),
    ],
)
def test_conflicting_paths_are_refused(text: str, one: str, two: str) -> None:
    assert fault(LABEL, text, None, {"#n": "[3]"} if "#n" in text else None) == (
        f"{PREFIX}Two document paths conflict with each other; must remove or rewrite one of these "
        f"paths; path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize("text", ["x, y", "x.y, x.z", "x.y.z, x.y.w", "x[1], x[2]", "x.y, x.z[2]"])
def test_paths_that_only_begin_alike_are_allowed(text: str) -> None:
    assert picked(text, ITEM) == {}


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        ":x",
        "abort,",
        "x,",
        ",x",
        "x,,y",
        "x..y",
        "x.",
        "x[y]",
        "x[]",
        "x[-1]",
        "(x.y).z",
        "(x)",
        "(x,y)",
        "x-y",
        "_x",
        "1x",
        "!!",
    ],
)
def test_a_syntax_error_is_refused(text: str) -> None:
    assert fault(LABEL, text).startswith(f"{PREFIX}Syntax error; token: ")


def test_a_syntax_error_shows_the_token_and_its_neighbours() -> None:
    assert fault(LABEL, "!!") == f'{PREFIX}Syntax error; token: "!", near: "!!"'


@clause("E12")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The expression can not be empty;"),
        ("#a,ABSoLUTE", "Attribute name is a reserved keyword; reserved keyword: ABSoLUTE"),
        ("x.abORt", "Attribute name is a reserved keyword; reserved keyword: abORt"),
        (
            "x,y,x,#a",
            "An expression attribute name used in the document path is not defined; attribute name: #a",
        ),
        ("x[99999999999999]", "List index is not within the allowable range; index: [99999999999999]"),
        ("x" + ".y" * 32, "The document path has too many nesting levels; nesting levels: 33"),
        ("x" * 4097, "Expression size has exceeded the maximum allowed size; expression size: 4097"),
    ],
)
def test_a_faulty_projection_is_refused(text: str, message: str) -> None:
    assert fault(LABEL, text) == PREFIX + message


@clause("E12")
@pytest.mark.parametrize("text", ["x" * 4096, "x" + ".y" * 31, "x[999]"])
def test_a_projection_at_its_limits_is_allowed(text: str) -> None:
    assert picked(text, ITEM) == {}


KEY: Item = {"a": {"S": "k"}}


def stored(engine: Engine) -> None:
    item = {**KEY, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}, "z": {"S": "z"}}
    engine.call("PutItem", {"TableName": "single", "Item": item})


@pytest.mark.parametrize(
    ("operation", "extra"),
    [
        ("GetItem", {"Key": KEY}),
        ("Scan", {}),
        ("Query", {"KeyConditionExpression": "a = :a", **parameters({":a": {"S": "k"}})}),
    ],
)
def test_every_read_takes_a_projection(engine: Engine, operation: str, extra: dict[str, Any]) -> None:
    stored(engine)
    answer = engine.call(operation, {"TableName": "single", LABEL: "m.y", **extra})
    assert answer.get("Item", answer.get("Items")) in (
        {"m": {"M": {"y": {"N": "2"}}}},
        [{"m": {"M": {"y": {"N": "2"}}}}],
    )


def test_keys_are_taken_only_when_asked_for(engine: Engine) -> None:
    stored(engine)
    assert engine.call("GetItem", {"TableName": "single", "Key": KEY, LABEL: "a, z"})["Item"].keys() == {
        "a",
        "z",
    }
    assert engine.call("GetItem", {"TableName": "single", "Key": KEY, LABEL: "z"})["Item"].keys() == {"z"}


def test_an_item_without_what_is_asked_for_is_empty_and_a_missing_item_is_none(engine: Engine) -> None:
    stored(engine)
    assert engine.call("GetItem", {"TableName": "single", "Key": KEY, LABEL: "gone"}) == {"Item": {}}
    assert engine.call("GetItem", {"TableName": "single", "Key": {"a": {"S": "no"}}, LABEL: "z"}) == {}


def test_a_filter_may_look_at_what_the_projection_leaves_out(engine: Engine) -> None:
    stored(engine)
    request = {
        "TableName": "single",
        "FilterExpression": "z = :z",
        LABEL: "m.x",
        **parameters({":z": {"S": "z"}}),
    }
    assert engine.call("Scan", request)["Items"] == [{"m": {"M": {"x": {"N": "1"}}}}]


@pytest.mark.parametrize(
    ("table", "path", "role"),
    [("single", "a.b.c", "Key: a"), ("single", "a[0]", "Key: a"), ("indexed", "d.x", "IndexKey: d")],
)
def test_a_projection_may_not_look_inside_a_key(engine: Engine, table: str, path: str, role: str) -> None:
    key = KEY if table == "single" else {**KEY, "b": {"S": "k"}}
    assert refusal(engine, "GetItem", {"TableName": table, "Key": key, LABEL: path}) == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: " + role
    )
