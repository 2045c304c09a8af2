"""Updates: what becomes of an item, what is reported of it, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.values import Item, Value
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.expressions.asking import Names, Values, fault, parameters, refusal, updated

LABEL = "UpdateExpression"
PREFIX = f"Invalid {LABEL}: "
NO_PATH = "The document path provided in the update expression is invalid for update"
NO_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
SAMPLES: dict[str, Value] = {
    "S": {"S": "a"},
    "N": {"N": "1"},
    "B": {"B": "YQ=="},
    "BOOL": {"BOOL": False},
    "NULL": {"NULL": True},
    "SS": {"SS": ["a"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YQ=="]},
    "M": {"M": {}},
    "L": {"L": []},
}
TYPE_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "M": "MAP",
    "L": "LIST",
}
KEY: Item = {"a": {"S": "k"}}


def number(value: int) -> Value:
    return {"N": str(value)}


def row(*members: int) -> Value:
    """A list of numbers."""
    return {"L": [number(member) for member in members]}


def misfit(text: str, item: Item, values: Values | None = None, names: Names | None = None) -> str:
    """What is wrong with an update of this item."""
    with pytest.raises(WireError) as caught:
        updated(text, item, values, names)
    assert caught.value.code == "ValidationException"
    return caught.value.message or ""


# ── SET ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text", ["SET x = :v", "set x = :v", "  sEt   x=:v ", "SET\n#x\t= :v", "SET x = (:v)"]
)
def test_set_writes_an_attribute_and_keeps_the_others(text: str) -> None:
    names = {"#x": "x"} if "#x" in text else None
    assert updated(text, {"y": number(1)}, {":v": number(4)}, names) == {"y": number(1), "x": number(4)}


@pytest.mark.parametrize("tag", SAMPLES)
def test_set_takes_a_value_of_any_type(tag: str) -> None:
    assert updated("SET x = :v", {"x": {"S": "old"}}, {":v": SAMPLES[tag]}) == {"x": SAMPLES[tag]}


@clause("B12")
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("SET x = y, y = x", {"x": number(2), "y": number(1)}),
        ("REMOVE x SET z = x", {"y": number(2), "z": number(1)}),
        ("SET z = y REMOVE y", {"x": number(1), "z": number(2)}),
        ("SET x = x + y, y = x - y", {"x": number(3), "y": number(-1)}),
        ("SET x = x", {"x": number(1), "y": number(2)}),
    ],
)
def test_operands_are_read_before_anything_is_written(text: str, after: Item) -> None:
    assert updated(text, {"x": number(1), "y": number(2)}) == after


@pytest.mark.parametrize(
    "text", ["SET x = z", "SET z = z", "SET x = z + x", "SET y = list_append(z, y)", "SET w = y.q"]
)
def test_reading_what_is_not_there_is_refused(text: str) -> None:
    assert misfit(text, {"x": number(1), "y": row(1)}) == NO_ATTRIBUTE


def test_what_the_update_itself_writes_cannot_be_read() -> None:
    assert misfit("SET z = :v, w = z", {}, {":v": number(4)}) == NO_ATTRIBUTE


def test_the_item_before_the_update_stays_as_it_was() -> None:
    item: Item = {"m": {"M": {"x": row(1)}}}
    updated("SET m.x[0] = :v REMOVE m.y", item, {":v": number(2)})
    assert item == {"m": {"M": {"x": row(1)}}}


# ── arithmetic ────────────────────────────────────────────────────────────────────────────────────


@clause("B4")
@pytest.mark.parametrize(
    ("text", "left", "right", "result"),
    [
        ("SET x = :l + :r", "4", "3", "7"),
        ("SET x = :l - :r", "5", "2", "3"),
        ("SET x = :l+:r", "0.1", "0.2", "0.3"),
        ("SET x = ((:l)+(:r))", "1", "1E22", "10000000000000000000001"),
        ("SET x = :l - :r", "1E22", "1", "9" * 22),
        ("SET x = :l + :r", "9" * 37 + "8", "1", "9" * 38),
        ("SET x = :l + :r", "9E125", "9E124", "99" + "0" * 124),
    ],
)
def test_arithmetic_is_exact(text: str, left: str, right: str, result: str) -> None:
    assert updated(text, {}, {":l": {"N": left}, ":r": {"N": right}}) == {"x": {"N": result}}


OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"


@pytest.mark.parametrize(
    ("left", "sign", "right"),
    [("9E125", "+", "9E125"), ("9E125", "-", "-9E125"), ("1E50", "+", "1"), ("1E50", "-", "1")],
)
def test_a_result_that_cannot_be_kept_is_an_overflow(left: str, sign: str, right: str) -> None:
    assert misfit(f"SET x = :l {sign} :r", {}, {":l": {"N": left}, ":r": {"N": right}}) == OVERFLOW


@pytest.mark.parametrize("sign", "+-")
@pytest.mark.parametrize("tag", [tag for tag in SAMPLES if tag != "N"])
def test_only_numbers_are_added(sign: str, tag: str) -> None:
    for text in (f"SET x = y {sign} :v", f"SET x = :v {sign} y"):
        assert fault(LABEL, text, {":v": SAMPLES[tag]}) == (
            f"{PREFIX}Incorrect operand type for operator or function; "
            f"operator or function: {sign}, operand type: {tag}"
        )
    assert misfit(f"SET x = y {sign} :n", {"y": SAMPLES[tag]}, {":n": number(1)}) == WRONG_TYPE


# ── functions ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("SET r = if_not_exists(x, :v)", number(1)),
        ("SET r = if_not_exists(z, :v)", number(9)),
        ("SET r = if_not_exists(z, x)", number(1)),
        ("SET r = if_not_exists(m.q, :v)", number(9)),
        ("SET r = if_not_exists(m.p, :v)", number(2)),
        ("SET r = if_not_exists(z, if_not_exists(w, :v))", number(9)),
        ("SET r = if_not_exists(z, if_not_exists(x, :v))", number(1)),
        ("SET r = if_not_exists(z, :v) + x", number(10)),
        ("SET r = x - if_not_exists(z, :v)", number(-8)),
    ],
)
def test_if_not_exists_takes_what_is_there_or_else_the_other(text: str, result: Value) -> None:
    item: Item = {"x": number(1), "m": {"M": {"p": number(2)}}}
    assert updated(text, item, {":v": number(9)} if ":v" in text else None)["r"] == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("SET l = list_append(l, :v)", row(1, 2, 8, 9)),
        ("SET l = list_append(:v, l)", row(8, 9, 1, 2)),
        ("SET l = list_append(:v, :v)", row(8, 9, 8, 9)),
        ("SET l = list_append(if_not_exists(z, :v), l)", row(8, 9, 1, 2)),
        ("SET l = list_append(if_not_exists(l, :v), :v)", row(1, 2, 8, 9)),
    ],
)
def test_list_append_joins_two_lists(text: str, result: Value) -> None:
    assert updated(text, {"l": row(1, 2)}, {":v": row(8, 9)})["l"] == result


def test_list_append_does_not_nest() -> None:
    text = "SET l = list_append(list_append(:x, :y), :z)"
    message = fault(LABEL, text, {":x": row(1), ":y": row(2), ":z": row(3)})
    assert message == (
        f"{PREFIX}The function is not allowed to be used this way in an expression; function: list_append"
    )


@pytest.mark.parametrize("tag", [tag for tag in SAMPLES if tag != "L"])
def test_only_lists_are_joined(tag: str) -> None:
    for text in ("SET x = list_append(:v, y)", "SET x = list_append(y, :v)"):
        assert fault(LABEL, text, {":v": SAMPLES[tag]}) == (
            f"{PREFIX}Incorrect operand type for operator or function; "
            f"operator or function: list_append, operand type: {tag}"
        )
    assert misfit("SET x = list_append(y, :l)", {"y": SAMPLES[tag]}, {":l": row(1)}) == WRONG_TYPE


@pytest.mark.parametrize("first", [":v", "if_not_exists(x, :v)"])
def test_if_not_exists_needs_a_document_path(first: str) -> None:
    assert fault(LABEL, f"SET y = if_not_exists({first}, :v)", {":v": number(1)}) == (
        f"{PREFIX}Operator or function requires a document path; operator or function: if_not_exists"
    )


@pytest.mark.parametrize("name", ["if_not_exists", "list_append"])
@pytest.mark.parametrize("operands", ["x", "x, y, z"])
def test_a_function_takes_two_operands(name: str, operands: str) -> None:
    assert fault(LABEL, f"SET w = {name}({operands})") == (
        f"{PREFIX}Incorrect number of operands for operator or function; "
        f"operator or function: {name}, number of operands: {operands.count(',') + 1}"
    )


@pytest.mark.parametrize("name", ["f", "f123_hi", "LIST_APPEND", "If_Not_Exists"])
def test_an_unknown_function_is_refused(name: str) -> None:
    assert fault(LABEL, f"SET x = {name}(y, z)") == f"{PREFIX}Invalid function name; function: {name}"


# ── REMOVE ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("REMOVE x", {"l": row(0, 1, 2, 3), "m": {"M": {"p": number(1)}}}),
        ("REMOVE x, m", {"l": row(0, 1, 2, 3)}),
        ("REMOVE x, m.p", {"l": row(0, 1, 2, 3), "m": {"M": {}}}),
        ("REMOVE x, m, l[1]", {"l": row(0, 2, 3)}),
        ("REMOVE x, m, l[0], l[2]", {"l": row(1, 3)}),
        ("REMOVE x, m, l[3], l[0], l[1], l[2]", {"l": row()}),
        ("REMOVE x, m, gone, l[17]", {"l": row(0, 1, 2, 3)}),
    ],
)
def test_remove_takes_attributes_members_and_elements_away(text: str, after: Item) -> None:
    item: Item = {"x": number(1), "l": row(0, 1, 2, 3), "m": {"M": {"p": number(1)}}}
    assert updated(text, item) == after


@pytest.mark.parametrize("text", ["REMOVE l[1] SET l[3] = :v", "SET l[3] = :v REMOVE l[1]"])
def test_indexes_mean_the_list_before_the_update(text: str) -> None:
    assert updated(text, {"l": row(2, 3, 4, 5, 6, 7)}, {":v": number(17)}) == {"l": row(2, 4, 17, 6, 7)}


@pytest.mark.parametrize("text", ["REMOVE x.y", "REMOVE x[0]", "REMOVE x", "REMOVE x.y, z"])
def test_removing_from_a_missing_item_is_nothing(engine: Engine, text: str) -> None:
    request = {"TableName": "single", "Key": KEY, "UpdateExpression": text, "ReturnValues": "ALL_NEW"}
    assert engine.call("UpdateItem", request) == {}
    assert "Item" not in engine.call("GetItem", {"TableName": "single", "Key": KEY})


# ── lists and paths ───────────────────────────────────────────────────────────────────────────────


@clause("B12")
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("SET l[1] = :a", row(0, 101)),
        ("SET l[2] = :a", row(0, 1, 101)),
        ("SET l[7] = :a", row(0, 1, 101)),
        ("SET l[84] = :a, l[37] = :b, l[17] = :c, l[50] = :d", row(0, 1, 103, 102, 104, 101)),
        ("SET l[9] = :a, l[0] = :b", row(102, 1, 101)),
        ("SET l[9] = :a REMOVE l[0]", row(1, 101)),
        ("SET l[5] = :a ADD l[3] :b", row(0, 1, 102, 101)),
    ],
)
def test_an_index_past_the_end_appends_in_the_order_of_indexes(text: str, after: Value) -> None:
    values = {f":{name}": number(101 + place) for place, name in enumerate("abcd") if f":{name}" in text}
    assert updated(text, {"l": row(0, 1)}, values) == {"l": after}


def test_several_parts_of_one_attribute_are_changed_at_once() -> None:
    item: Item = {"m": {"M": {"x": number(3), "c": {"M": {"y": number(3)}}}}, "b": {"M": {"y": number(2)}}}
    text = "SET m.b = :v, m.c.d = :v, b.x = :v REMOVE m.x, b.y"
    inner: Value = {"M": {"y": number(3), "d": number(9)}}
    after = {"m": {"M": {"c": inner, "b": number(9)}}, "b": {"M": {"x": number(9)}}}
    assert updated(text, item, {":v": number(9)}) == after


def test_a_deep_path_may_be_written_and_read() -> None:
    item: Item = {"m": {"M": {"c": {"L": [number(0), {"M": {"x": row(3, 5)}}]}}}}
    after = updated("SET m.c[1].#x[1] = :v, y = m.c[1].#x[0]", item, {":v": number(9)}, {"#x": "x"})
    assert after == {"m": {"M": {"c": {"L": [number(0), {"M": {"x": row(3, 9)}}]}}}, "y": number(3)}


PLACES = ["s.x", "s[1]", "gone.x", "gone[1]", "m[1]", "l.x"]
HOLDER: Item = {"s": {"S": "k"}, "m": {"M": {"x": {"S": "a"}}}, "l": {"L": [{"S": "a"}]}}


@pytest.mark.parametrize("text", ["SET {} = :v", "ADD {} :v", "DELETE {} :v", "REMOVE {}"])
def test_a_path_through_nothing_or_another_type_is_refused(text: str) -> None:
    values = {":v": {"SS": ["a"]}} if ":v" in text else None
    said = {place: misfit(text.format(place), HOLDER, values) for place in PLACES}
    assert said == dict.fromkeys(PLACES, NO_PATH)


@pytest.mark.parametrize("text", ["SET x.y = :v", "SET x[0] = :v", "ADD x.y :v"])
def test_a_path_into_a_missing_item_is_refused(engine: Engine, text: str) -> None:
    request = {"TableName": "single", "Key": KEY, "UpdateExpression": text, **parameters({":v": number(1)})}
    assert refusal(engine, "UpdateItem", request) == NO_PATH


@clause("B12")
@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("SET x = :v, x = :v", "[x]", "[x]"),
        ("SET x = :v REMOVE x", "[x]", "[x]"),
        ("SET #x = :v, x = :v", "[x]", "[x]"),
        ("SET x = :v, x.y = :v", "[x]", "[x, y]"),
        ("SET x.y.z = :v, x.y = :v", "[x, y, z]", "[x, y]"),
        ("SET x[1] = :v, x = :v", "[x, [1]]", "[x]"),
        ("SET x[1] = :v, x[1][2] = :v", "[x, [1]]", "[x, [1], [2]]"),
        ("SET x = :v ADD x.y :v", "[x]", "[x, y]"),
    ],
)
def test_overlapping_paths_are_refused(text: str, one: str, two: str) -> None:
    names = {"#x": "x"} if "#x" in text else None
    assert fault(LABEL, text, {":v": number(1)}, names) == (
        f"{PREFIX}Two document paths overlap with each other; must remove or rewrite one of these "
        f"paths; path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("SET x.y = :v, x[1] = :v", "[x, y]", "[x, [1]]"),
        ("SET x.y.z = :v, x.y[2] = :v", "[x, y, z]", "[x, y, [2]]"),
        ("REMOVE x.y SET x[1] = :v", "[x, y]", "[x, [1]]"),
    ],
)
def test_conflicting_paths_are_refused(text: str, one: str, two: str) -> None:
    assert fault(LABEL, text, {":v": number(1)}) == (
        f"{PREFIX}Two document paths conflict with each other; must remove or rewrite one of these "
        f"paths; path one: {one}, path two: {two}"
    )


# ── ADD and DELETE ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "operand", "after"),
    [
        (None, number(5), number(5)),
        (number(3), number(4), number(7)),
        (number(3), number(-4), number(-1)),
        (None, {"SS": ["a"]}, {"SS": ["a"]}),
        ({"SS": ["a", "b"]}, {"SS": ["b", "c"]}, {"SS": ["a", "b", "c"]}),
        ({"NS": ["1", "2"]}, {"NS": ["1.0", "3"]}, {"NS": ["1", "2", "3"]}),
        ({"BS": ["AQ=="]}, {"BS": ["AQ==", "Ag=="]}, {"BS": ["AQ==", "Ag=="]}),
    ],
)
def test_add_counts_or_unites(before: Value | None, operand: Value, after: Value) -> None:
    item = {} if before is None else {"x": before}
    assert updated("ADD x :v", item, {":v": operand}) == {"x": after}


@pytest.mark.parametrize(
    ("before", "operand", "after"),
    [
        ({"SS": ["a", "b"]}, {"SS": ["b", "z"]}, {"SS": ["a"]}),
        ({"SS": ["a"]}, {"SS": ["z"]}, {"SS": ["a"]}),
        ({"NS": ["10", "20"]}, {"NS": ["1e1"]}, {"NS": ["20"]}),
        ({"SS": ["a"]}, {"SS": ["a"]}, None),
        ({"BS": ["AQ=="]}, {"BS": ["AQ==", "Ag=="]}, None),
        (None, {"SS": ["a"]}, None),
    ],
)
def test_delete_takes_members_away_and_an_emptied_set_is_gone(
    before: Value | None, operand: Value, after: Value | None
) -> None:
    item = {} if before is None else {"x": before}
    assert updated("DELETE x :v", item, {":v": operand}) == ({} if after is None else {"x": after})


def test_a_nested_set_is_emptied_out_of_its_map() -> None:
    item: Item = {"m": {"M": {"s": {"SS": ["a"]}, "t": number(1)}}}
    assert updated("DELETE m.s :v", item, {":v": {"SS": ["a"]}}) == {"m": {"M": {"t": number(1)}}}


@pytest.mark.parametrize(
    ("clause", "tag"),
    [*(("ADD", tag) for tag in TYPE_NAMES if tag != "N"), *(("DELETE", tag) for tag in TYPE_NAMES)],
)
def test_add_and_delete_refuse_operands_of_other_types(clause: str, tag: str) -> None:
    message = fault(LABEL, f"{clause} x :v", {":v": SAMPLES[tag]})
    assert message.startswith(
        f"{PREFIX}Incorrect operand type for operator or function; "
        f"operator: {clause}, operand type: {TYPE_NAMES[tag]}"
    )


@pytest.mark.parametrize(
    ("text", "tag", "operand"),
    [
        ("ADD x :v", "NS", number(1)),
        ("ADD x :v", "N", {"NS": ["1"]}),
        ("ADD x :v", "SS", {"NS": ["1"]}),
        ("ADD x :v", "L", {"SS": ["a"]}),
        ("ADD x :v", "S", number(1)),
        ("DELETE x :v", "NS", {"SS": ["1"]}),
        ("DELETE x :v", "N", {"NS": ["1"]}),
        ("DELETE x :v", "M", {"SS": ["a"]}),
    ],
)
def test_an_attribute_of_another_type_cannot_be_added_to_or_deleted_from(
    text: str, tag: str, operand: Value
) -> None:
    assert misfit(text, {"x": SAMPLES[tag]}, {":v": operand}) == WRONG_TYPE


# ── clauses and syntax ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("SET x = :v SET y = :v", "SET"),
        ("SET x = :v REMOVE z SET y = :v", "SET"),
        ("REMOVE x SET y = :v REMOVE z", "REMOVE"),
        ("ADD x :v SET y = :v ADD z :v", "ADD"),
        ("DELETE x :v SET y = :v DELETE z :v", "DELETE"),
        ("set x = :v sEt y = :v", "SET"),
    ],
)
def test_each_clause_stands_once(text: str, clause: str) -> None:
    message = f'{PREFIX}The "{clause}" section can only be used once in an update expression;'
    assert fault(LABEL, text, {":v": number(1)}) == message


@pytest.mark.parametrize(
    "text", ["REMOVE x DELETE s :s ADD n :n SET y = :n", "SET y = :n ADD n :n DELETE s :s REMOVE x"]
)
def test_clauses_stand_in_any_order(text: str) -> None:
    item: Item = {"x": number(1), "s": {"SS": ["a", "b"]}}
    after = updated(text, item, {":n": number(5), ":s": {"SS": ["a"]}})
    assert after == {"s": {"SS": ["b"]}, "n": number(5), "y": number(5)}


@pytest.mark.parametrize(
    "text",
    [
        "whatever",
        "HELLO x = :v",
        "SET",
        "SET x",
        "SET x =",
        "SET x y",
        "SET x = y,",
        "SET x = set",
        "REMOVE x = y",
        "REMOVE x y",
        "REMOVE :x",
        "ADD x",
        "ADD x = y",
        "ADD x y",
        "ADD x f(y)",
        "DELETE x",
        "DELETE x y",
        "DELETE x = y",
        "SET :x = y",
        "SET x = y / z",
        "SET x = y * z",
        "SET x = y + z + w",
        "SET x = f(y + z)",
        'SET x[1] = "eight"',
        "SET x[1] = 1",
        "SET x[:v] = y",
        "SET x[#v] = y",
        "SET f(x, y) = x",
        "SET (x = (y + z))",
        "SET x = (y.z).w + v",
        "SET x = (y.z)[0] + v",
        "SET x = _f(y)",
        "SET _abc = y",
        "SET 123a = y",
        "SET hi-there = y",
        "SET hi$there = y",
        "SET x = :",
        "SET # = y",
    ],
)
def test_a_syntax_error_is_refused(text: str) -> None:
    assert fault(LABEL, text).startswith(f"{PREFIX}Syntax error; token: ")


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("SET _123 = :v", "_", "SET _123"),
        ("INVALID SYNTAX", "INVALID", "INVALID SYNTAX"),
        ("ADD hits : incr", ":", "hits : incr"),
    ],
)
def test_a_syntax_error_shows_the_token_and_its_neighbours(text: str, token: str, near: str) -> None:
    assert fault(LABEL, text) == f'{PREFIX}Syntax error; token: "{token}", near: "{near}"'


UNDEFINED = "An expression attribute {} is not defined; attribute {}: "
NAME = UNDEFINED.format("name used in the document path", "name")
VALUE = UNDEFINED.format("value used in expression", "value")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SET #c = :c SET abOrt = b",
            "Attribute name is a reserved keyword; reserved keyword: abOrt",
        ),
        ("SET #c = dog(:c) SET c = d", "Invalid function name; function: dog"),
        ("SET b = #c SET c = :d", 'The "SET" section can only be used once in an update expression;'),
        ("SET #c = if_not_exists(:c)", NAME + "#c"),
        ("SET b = if_not_exists(:c)", VALUE + ":c"),
        ("SET b = c ADD b :d", VALUE + ":d"),
    ],
)
def test_of_several_faults_the_first_kind_is_named(text: str, message: str) -> None:
    assert fault(LABEL, text) == PREFIX + message


def test_the_type_of_an_added_value_is_judged_before_functions() -> None:
    text = "SET b = list_append(:v, c), d = if_not_exists(c) ADD e.f :v"
    assert "operator: ADD, operand type: STRING" in fault(LABEL, text, {":v": {"S": "x"}})


def test_an_update_has_4096_bytes() -> None:
    spaces = " " * 4085
    assert updated(f"SET{spaces}x = :val", {}, {":val": number(1)}) == {"x": number(1)}
    assert fault(LABEL, f"SET {spaces}x = :val", {":val": number(1)}).endswith("expression size: 4097")


# ── what is reported ──────────────────────────────────────────────────────────────────────────────


def report(engine: Engine, text: str, wanted: str, values: Values | None = None) -> Any:
    item: Item = {
        **KEY,
        "x": number(1),
        "m": {"M": {"p": {"S": "dog"}, "l": row(1, 2, 3)}},
        "l": {"L": [{"M": {"p": number(1), "q": number(2)}}, number(8), number(9)]},
    }
    engine.call("PutItem", {"TableName": "single", "Item": item})
    request = {"TableName": "single", "Key": KEY, "UpdateExpression": text, "ReturnValues": wanted}
    return engine.call("UpdateItem", {**request, **parameters(values)}).get("Attributes")


NINE: Values = {":v": number(9)}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("SET x = :v", {"x": number(1)}, {"x": number(9)}),
        ("SET y = :v", None, {"y": number(9)}),
        ("SET x = :v, y = :v", {"x": number(1)}, {"x": number(9), "y": number(9)}),
        ("SET m.p = :v", {"m": {"M": {"p": {"S": "dog"}}}}, {"m": {"M": {"p": number(9)}}}),
        ("SET m.l[1] = :v", {"m": {"M": {"l": row(2)}}}, {"m": {"M": {"l": row(9)}}}),
        ("SET m.q = :v", None, {"m": {"M": {"q": number(9)}}}),
        ("SET m.l[100] = :v", None, None),
        ("ADD x :v", {"x": number(1)}, {"x": number(10)}),
        (
            "SET l[0].p = :v, l[0].q = :v",
            {"l": {"L": [{"M": {"p": number(1), "q": number(2)}}]}},
            {"l": {"L": [{"M": {"p": number(9), "q": number(9)}}]}},
        ),
        ("SET l[2] = :v, l[1] = x", {"l": row(8, 9)}, {"l": row(1, 9)}),
    ],
)
def test_only_the_changed_parts_are_reported(
    engine: Engine, text: str, old: Item | None, new: Item | None
) -> None:
    assert report(engine, text, "UPDATED_OLD", NINE) == old
    assert report(engine, text, "UPDATED_NEW", NINE) == new


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("REMOVE x", {"x": number(1)}, None),
        ("REMOVE gone", None, None),
        ("REMOVE m.l[1], m.l[3]", {"m": {"M": {"l": row(2)}}}, {"m": {"M": {"l": row(3)}}}),
        ("REMOVE m.p", {"m": {"M": {"p": {"S": "dog"}}}}, None),
    ],
)
def test_what_was_removed_is_reported_as_it_was(
    engine: Engine, text: str, old: Item | None, new: Item | None
) -> None:
    assert report(engine, text, "UPDATED_OLD") == old
    assert report(engine, text, "UPDATED_NEW") == new


def test_the_whole_item_is_reported_before_or_after(engine: Engine) -> None:
    before, after = (report(engine, "SET m.p = :v", wanted, NINE) for wanted in ("ALL_OLD", "ALL_NEW"))
    assert before["m"] == {"M": {"p": {"S": "dog"}, "l": row(1, 2, 3)}}
    assert after == {**before, "m": {"M": {"p": number(9), "l": row(1, 2, 3)}}}
    assert report(engine, "SET m.p = :v", "NONE", NINE) is None


# ── keys ──────────────────────────────────────────────────────────────────────────────────────────

PLACE: Item = {"a": {"S": "k"}, "b": {"S": "k"}}


@pytest.mark.parametrize("name", "ab")
@pytest.mark.parametrize("text", ["SET {} = :n", "ADD {} :n", "REMOVE {}", "DELETE {} :s"])
def test_a_key_attribute_cannot_be_updated(engine: Engine, name: str, text: str) -> None:
    values: Values = {ref: value for ref, value in ((":n", number(1)), (":s", {"SS": ["x"]})) if ref in text}
    request = {"TableName": "sortedS", "Key": PLACE, "UpdateExpression": text.format(name)}
    assert refusal(engine, "UpdateItem", {**request, **parameters(values or None)}) == (
        f"One or more parameter values were invalid: Cannot update attribute {name}. "
        "This attribute is part of the key"
    )


def test_a_key_attribute_can_be_read(engine: Engine) -> None:
    request = {
        "TableName": "sortedS",
        "Key": PLACE,
        "UpdateExpression": "SET c = a",
        "ReturnValues": "UPDATED_NEW",
    }
    assert engine.call("UpdateItem", request)["Attributes"] == {"c": {"S": "k"}}


@pytest.mark.parametrize("text", ["ADD d.x :v", "SET d[1] = :v", "SET e = d[1], f = :v"])
def test_a_path_into_an_index_key_is_refused(engine: Engine, text: str) -> None:
    request = {"TableName": "indexed", "Key": PLACE, "UpdateExpression": text, **parameters(NINE)}
    assert refusal(engine, "UpdateItem", request) == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: d"
    )


@pytest.mark.parametrize("text", ["ADD c :v", "SET c = :v", "SET c = x + :v"])
def test_an_index_key_of_a_type_known_to_be_wrong_is_refused(engine: Engine, text: str) -> None:
    request = {"TableName": "indexed", "Key": PLACE, "UpdateExpression": text, **parameters(NINE)}
    assert refusal(engine, "UpdateItem", request) == (
        "One or more parameter values were invalid: Type mismatch for Index Key c Expected: S Actual: N "
        "IndexName: global"
    )


def test_an_index_key_found_to_be_of_a_wrong_type_is_refused(engine: Engine) -> None:
    engine.call("PutItem", {"TableName": "indexed", "Item": {**PLACE, "e": number(1)}})
    request = {"TableName": "indexed", "Key": PLACE, "UpdateExpression": "SET c = e"}
    message = "The update expression attempted to update the secondary index key to unsupported type"
    assert refusal(engine, "UpdateItem", request) == message
