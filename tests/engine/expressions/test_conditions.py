"""Conditions: what holds of an item, and what is refused whatever the item is."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.values import Item, Value
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.expressions.asking import fault, holds, parameters, refusal

LABEL = "ConditionExpression"
PREFIX = f"Invalid {LABEL}: "
SAMPLES: dict[str, Value] = {
    "S": {"S": "hello"},
    "N": {"N": "5"},
    "B": {"B": "aGkgdGhlcmU="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "L": {"L": [{"S": "x"}, {"N": "4"}, {"SS": ["a", "b"]}, {"L": [{"N": "3"}]}]},
    "M": {"M": {"x": {"N": "1"}, "y": {"SS": ["a", "b"]}}},
    "SS": {"SS": ["a", "b"]},
    "NS": {"NS": ["1", "2"]},
    "BS": {"BS": ["AA==", "AQ=="]},
}
SIGNS = ("<", "<=", ">", ">=")
UNORDERED = ("BOOL", "NULL", "L", "M", "SS", "NS", "BS")
ITEM: Item = {
    **{f"v{tag}": value for tag, value in SAMPLES.items()},
    "one": {"N": "1"},
    "two": {"N": "2"},
    "three": {"N": "3"},
    "deep": {"M": {"x": {"N": "1"}, "y": {"L": [{"N": "-1"}, {"N": "2"}]}}},
}


def wrong_type(name: str, tag: str) -> str:
    return (
        f"{PREFIX}Incorrect operand type for operator or function; "
        f"operator or function: {name}, operand type: {tag}"
    )


# ── comparison ────────────────────────────────────────────────────────────────────────────────────


@clause("B13")
@pytest.mark.parametrize("sign", ["=", "<>"])
def test_only_values_of_one_type_are_equal(sign: str) -> None:
    pairs = list(product(SAMPLES, SAMPLES))
    found = [pair for pair in pairs if holds(f"v{pair[0]} {sign} :v", ITEM, {":v": SAMPLES[pair[1]]})]
    assert found == [(left, right) for left, right in pairs if (left == right) is (sign == "=")]


@clause("R14")
@pytest.mark.parametrize(
    ("path", "value", "same"),
    [
        ("vSS", {"SS": ["b", "a"]}, True),
        ("vNS", {"NS": ["2.0", "1e0"]}, True),
        ("vBS", {"BS": ["AQ==", "AA=="]}, True),
        ("vSS", {"SS": ["a"]}, False),
        ("vM", {"M": {"y": {"SS": ["b", "a"]}, "x": {"N": "1.0"}}}, True),
        ("vM", {"M": {"y": {"SS": ["b", "c"]}, "x": {"N": "1"}}}, False),
        ("deep.y", {"L": [{"N": "-1"}, {"N": "2"}]}, True),
        ("deep.y", {"L": [{"N": "2"}, {"N": "-1"}]}, False),
    ],
)
def test_equality_looks_deep_and_sets_have_no_order(path: str, value: Value, same: bool) -> None:
    assert holds(f"{path} = :v", ITEM, {":v": value}) == same
    assert holds(f"{path} <> :v", ITEM, {":v": value}) != same


@pytest.mark.parametrize("text", ["gone = :v", "gone = away", ":v = gone"])
def test_a_missing_attribute_equals_nothing_and_differs_from_everything(text: str) -> None:
    values = {":v": {"N": "1"}} if ":v" in text else None
    assert not holds(text, ITEM, values)
    assert holds(text.replace("=", "<>"), ITEM, values)


@pytest.mark.parametrize(
    ("tag", "low", "high"), [("N", "9", "10"), ("S", "Z", "a"), ("B", "fw==", "gA=="), ("S", "\uffff", "😀")]
)
@pytest.mark.parametrize(
    ("sign", "rising", "level", "falling"),
    [
        ("<", True, False, False),
        ("<=", True, True, False),
        (">", False, False, True),
        (">=", False, True, True),
    ],
)
def test_scalars_have_an_order(
    tag: str, low: str, high: str, sign: str, rising: bool, level: bool, falling: bool
) -> None:
    item: Item = {"x": {tag: low}, "y": {tag: high}}
    answers = [holds(f"x {sign} y", item), holds(f"x {sign} :v", item, {":v": {tag: low}})]
    assert [*answers, holds(f"y {sign} x", item)] == [rising, level, falling]


@clause("B13")
@pytest.mark.parametrize("sign", SIGNS)
def test_an_order_between_types_or_with_nothing_is_false(sign: str) -> None:
    sides = ["one {} :v", ":v {} one", "gone {} :v", ":v {} gone", "gone {} away", "vL {} :v"]
    texts = [text.format(sign) for text in sides]
    values = {":v": {"S": "17"}}
    assert [text for text in texts if holds(text, ITEM, values if ":v" in text else None)] == []


@clause("E1")
@pytest.mark.parametrize("tag", UNORDERED)
def test_a_literal_without_an_order_is_refused(tag: str) -> None:
    texts = {f"{left} {sign} {right}": sign for sign in SIGNS for left, right in (("x", ":v"), (":v", "x"))}
    said = {text: fault(LABEL, text, {":v": SAMPLES[tag]}) for text in texts}
    assert said == {text: wrong_type(sign, tag) for text, sign in texts.items()}


@clause("E1")
@pytest.mark.parametrize("tag", UNORDERED)
def test_a_literal_without_an_order_is_refused_even_if_nothing_matches(engine: Engine, tag: str) -> None:
    request = {"TableName": "single", "FilterExpression": "x < :v", **parameters({":v": SAMPLES[tag]})}
    assert refusal(engine, "Scan", request).endswith(f"operator or function: <, operand type: {tag}")


# ── BETWEEN and IN ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("two BETWEEN one AND three", True),
        ("two between two and TWO2", False),
        ("one BETWEEN two AND three", False),
        ("two BETWEEN three AND one", False),
        ("gone BETWEEN one AND three", False),
        ("two BETWEEN vL AND three", False),
        ("two BETWEEN one AND three AND one < two", True),
        ("size(vS) BETWEEN one AND vN", True),
    ],
)
def test_between_includes_its_bounds(text: str, answer: bool) -> None:
    assert holds(text, ITEM) == answer


@pytest.mark.parametrize(("low", "high"), [("2", "2"), ("1", "2"), ("2", "3")])
def test_a_value_at_a_bound_is_between(low: str, high: str) -> None:
    assert holds("two BETWEEN :l AND :h", ITEM, {":l": {"N": low}, ":h": {"N": high}})


BOUNDS = "lower bound operand: AttributeValue: {}, upper bound operand: AttributeValue: {}"


@pytest.mark.parametrize(
    ("low", "high", "rule", "shown"),
    [
        ({"N": "1"}, {"S": "a"}, "same data type for lower and upper bounds", ("{N:1}", "{S:a}")),
        (
            {"S": "b"},
            {"S": "a"},
            "upper bound to be greater than or equal to lower bound",
            ("{S:b}", "{S:a}"),
        ),
        (
            {"N": "10"},
            {"N": "9"},
            "upper bound to be greater than or equal to lower bound",
            ("{N:10}", "{N:9}"),
        ),
    ],
)
def test_literal_bounds_must_be_of_one_type_and_in_order(
    low: Value, high: Value, rule: str, shown: tuple[str, str]
) -> None:
    message = f"{PREFIX}The BETWEEN operator requires {rule}; {BOUNDS.format(*shown)}"
    assert fault(LABEL, "a BETWEEN :l AND :h", {":l": low, ":h": high}) == message


@clause("E1")
@pytest.mark.parametrize("tag", UNORDERED)
def test_a_bound_without_an_order_is_refused(tag: str) -> None:
    values = {":l": SAMPLES[tag], ":h": SAMPLES[tag]}
    assert fault(LABEL, "a BETWEEN :l AND :h", values) == wrong_type("BETWEEN", tag)


@pytest.mark.parametrize("tag", SAMPLES)
def test_in_compares_values_of_any_type(tag: str) -> None:
    values: dict[str, Value] = {":x": {"S": "away"}, ":y": SAMPLES[tag]}
    assert holds(f"v{tag} IN (:x, :y)", ITEM, values)
    assert not holds("gone in (:x, :y)", ITEM, values)
    assert not holds(f"v{tag} IN (:x)", ITEM, {":x": {"S": "away"}})


def choices(count: int) -> tuple[str, dict[str, Value]]:
    values: dict[str, Value] = {f":v{number}": {"N": str(number)} for number in range(count)}
    return f"two IN ({', '.join(values)})", values


def test_in_takes_100_choices() -> None:
    text, values = choices(100)
    assert holds(text, ITEM, values)


def test_in_with_more_than_100_choices_is_refused() -> None:
    assert fault(LABEL, *choices(101)) == (
        PREFIX + "The IN operator is provided with too many operands; number of operands: 101"
    )


# ── functions ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "there"), [("one", True), ("deep.y[1]", True), ("deep.y[2]", False), ("gone", False)]
)
def test_existence_is_asked_of_paths(path: str, there: bool) -> None:
    assert holds(f"attribute_exists ({path})", ITEM) == there
    assert holds(f"attribute_not_exists({path})", ITEM) != there


@clause("B13")
def test_an_attribute_has_one_type() -> None:
    found = [
        (tag, asked)
        for tag, asked in product(SAMPLES, SAMPLES)
        if holds(f"attribute_type(v{tag}, :t)", ITEM, {":t": {"S": asked}})
    ]
    assert found == [(tag, tag) for tag in SAMPLES]


def test_a_missing_attribute_has_no_type() -> None:
    assert not holds("attribute_type(gone, :t)", ITEM, {":t": {"S": "NULL"}})


def test_the_type_of_a_literal_may_be_asked() -> None:
    assert holds("attribute_type(:v, :t)", ITEM, {":v": {"N": "0"}, ":t": {"S": "N"}})


def test_an_unknown_type_is_refused() -> None:
    message = fault(LABEL, "attribute_type(a, :t)", {":t": {"S": "DOG"}})
    assert message.startswith(f"{PREFIX}Invalid attribute type name found; type: DOG, valid types: {{")
    assert set(message.partition("valid types: {")[2].rstrip("}").split(",")) == set(SAMPLES)


@pytest.mark.parametrize("tag", [tag for tag in SAMPLES if tag != "S"])
def test_a_type_is_named_by_a_string(tag: str) -> None:
    assert fault(LABEL, "attribute_type(a, :t)", {":t": SAMPLES[tag]}) == wrong_type("attribute_type", tag)


def test_a_type_may_not_come_from_the_item() -> None:
    assert fault(LABEL, "attribute_type(a, b)").startswith(wrong_type("attribute_type", "{"))


@pytest.mark.parametrize(
    ("text", "value", "answer"),
    [
        ("begins_with(vS, :v)", {"S": "hell"}, True),
        ("begins_with(vS, :v)", {"S": ""}, True),
        ("begins_with(vS, :v)", {"S": "ello"}, False),
        ("begins_with(vB, :v)", {"B": "aGk="}, True),
        ("begins_with(vB, :v)", {"S": "hi"}, False),
        ("begins_with(:v, vS)", {"S": "hello you"}, True),
        ("begins_with(vN, :v)", {"S": "5"}, False),
        ("begins_with(gone, :v)", {"S": ""}, False),
    ],
)
def test_strings_and_binaries_begin_with_their_like(text: str, value: Value, answer: bool) -> None:
    assert holds(text, ITEM, {":v": value}) == answer


@pytest.mark.parametrize("tag", [tag for tag in SAMPLES if tag not in "SB"])
@pytest.mark.parametrize("text", ["begins_with(a, :v)", "begins_with(:v, a)"])
def test_nothing_else_begins_with_anything(tag: str, text: str) -> None:
    assert fault(LABEL, text, {":v": SAMPLES[tag]}) == wrong_type("begins_with", tag)


@clause("B13")
@pytest.mark.parametrize(
    ("path", "value", "answer"),
    [
        ("vS", {"S": "ell"}, True),
        ("vS", {"S": "elo"}, False),
        ("vS", {"N": "1"}, False),
        ("vB", {"B": "dGhlcmU="}, True),
        ("vB", {"B": "eA=="}, False),
        ("vSS", {"S": "a"}, True),
        ("vSS", {"S": "ab"}, False),
        ("vSS", {"SS": ["a", "b"]}, False),
        ("vNS", {"N": "2.0"}, True),
        ("vNS", {"S": "2"}, False),
        ("vBS", {"B": "AQ=="}, True),
        ("vL", {"N": "4.0"}, True),
        ("vL", {"SS": ["b", "a"]}, True),
        ("vL", {"L": [{"N": "3"}]}, True),
        ("vL", {"N": "3"}, False),
        ("vM", {"S": "x"}, False),
        ("vM", {"N": "1"}, False),
        ("vN", {"N": "5"}, False),
        ("vBOOL", {"BOOL": True}, False),
        ("gone", {"S": ""}, False),
    ],
)
def test_contains_looks_for_a_part_or_a_member(path: str, value: Value, answer: bool) -> None:
    assert holds(f"contains({path}, :v)", ITEM, {":v": value}) == answer


@clause("B13")
@pytest.mark.parametrize(
    ("tag", "size"), [("S", 5), ("B", 8), ("L", 4), ("M", 2), ("SS", 2), ("NS", 2), ("BS", 2)]
)
def test_size_counts_bytes_or_members(tag: str, size: int) -> None:
    values = {":n": {"N": str(size)}}
    assert holds(f"size(v{tag}) = :n", ITEM, values)
    assert not holds(f"size(v{tag}) < :n", ITEM, values)


@pytest.mark.parametrize("tag", ["N", "BOOL", "NULL"])
@pytest.mark.parametrize("sign", ["=", "<", ">="])
def test_what_has_no_size_compares_with_nothing(tag: str, sign: str) -> None:
    assert not holds(f"size(v{tag}) {sign} :n", ITEM, {":n": {"N": "1"}})


@pytest.mark.parametrize("tag", SAMPLES)
def test_size_of_a_literal_is_known_or_refused(tag: str) -> None:
    values = {":v": SAMPLES[tag], ":n": {"N": "1"}}
    if tag in ("N", "BOOL", "NULL"):
        assert fault(LABEL, "size(:v) > :n", values) == wrong_type("size", tag)
    else:
        assert holds("size(:v) > :n", ITEM, values)


@pytest.mark.parametrize(("text", "size"), [("한글", "2"), ("가a", "2"), ("😀", "2"), ("", "0")])
def test_size_of_a_text_is_in_utf_16_units(text: str, size: str) -> None:
    assert holds("size(x) = :n", {"x": {"S": text}}, {":n": {"N": size}})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("size(size(a)) > :n", "size"),
        ("begins_with(a, size(b)) AND c = :n", "begins_with"),
        ("attribute_type(a, size(b)) AND c = :n", "attribute_type"),
        ("attribute_not_exists(size(:n))", "size"),
    ],
)
def test_a_size_is_a_number(text: str, name: str) -> None:
    assert fault(LABEL, text, {":n": {"N": "1"}}) == wrong_type(name, "N")


@pytest.mark.parametrize("name", ["attribute_exists", "attribute_not_exists"])
@pytest.mark.parametrize("operand", [":v", "size(:v)"])
def test_existence_needs_a_document_path(name: str, operand: str) -> None:
    message = f"{PREFIX}Operator or function requires a document path; operator or function: {name}"
    assert fault(LABEL, f"{name}({operand})", {":v": {"S": "x"}}) == message


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("attribute_exists(b, a)", "attribute_exists", 2),
        ("attribute_not_exists(b, a)", "attribute_not_exists", 2),
        ("attribute_type(b)", "attribute_type", 1),
        ("begins_with(b)", "begins_with", 1),
        ("begins_with(b, size(a), c)", "begins_with", 3),
        ("contains(b)", "contains", 1),
        ("size(b, a) > c", "size", 2),
    ],
)
def test_a_function_takes_its_number_of_operands(text: str, name: str, count: int) -> None:
    assert fault(LABEL, text) == (
        f"{PREFIX}Incorrect number of operands for operator or function; "
        f"operator or function: {name}, number of operands: {count}"
    )


@pytest.mark.parametrize("name", ["dog", "SIZE", "Begins_With", "attRIbute_exIsts"])
@pytest.mark.parametrize("text", ["{}(a)", "{}(a) = b", "a IN (b, {}(c))"])
def test_an_unknown_function_is_refused(name: str, text: str) -> None:
    assert fault(LABEL, text.format(name)) == f"{PREFIX}Invalid function name; function: {name}"


@pytest.mark.parametrize("name", ["if_not_exists", "list_append"])
def test_a_function_of_updates_is_not_allowed_in_a_condition(name: str) -> None:
    message = fault(LABEL, f"{name}(a, b) = c")
    assert "not allowed" in message
    assert message.endswith(f"function: {name}")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("attribute_exists(c) > b", "attribute_exists"),
        ("attribute_not_exists(c) = b", "attribute_not_exists"),
        ("attribute_type(c, :a) > b", "attribute_type"),
        ("begins_with(c, a) > b", "begins_with"),
        ("contains(:c, d) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(c)", "size"),
        ("a = b AND size(c)", "size"),
        ("a BETWEEN b AND attribute_exists(c)", "attribute_exists"),
        ("a IN (b, attribute_exists(c))", "attribute_exists"),
    ],
)
def test_a_function_in_the_wrong_place_is_refused(text: str, name: str) -> None:
    assert fault(LABEL, text) == (
        f"{PREFIX}The function is not allowed to be used this way in an expression; function: {name}"
    )


@pytest.mark.parametrize(
    ("text", "sign", "path"),
    [
        ("a = a", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((#a = a) OR (b = c))", "=", "[a]"),
        ("contains(x.y[1].a, x.y[1].#a)", "contains", "[x, y, [1], a]"),
        ("attribute_type(x.y[1].#a, x.y[1].a)", "attribute_type", "[x, y, [1], a]"),
        ("begins_with(x.y[1].a, x.y[1].#a)", "begins_with", "[x, y, [1], a]"),
        ("a = a AND #a = b AND :undefined > a", "=", "[a]"),
    ],
)
def test_the_operands_must_be_distinct(text: str, sign: str, path: str) -> None:
    names = {"#a": "a"} if "#a" in text else None
    assert fault(LABEL, text, None, names) == (
        f"{PREFIX}The first operand must be distinct from the remaining operands for this operator "
        f"or function; operator: {sign}, first operand: {path}"
    )


def test_the_same_literal_may_stand_on_both_sides() -> None:
    assert holds(":v >= :v", ITEM, {":v": {"N": "1"}})


# ── logic and syntax ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("one < two AND two < three", True),
        ("one < two aNd three < two", False),
        ("two < one OR two < three", True),
        ("two < one oR three < two", False),
        ("NOT two < one", True),
        ("nOt one < two", False),
        ("NOT NOT NOT NOT one < two", True),
        ("NOT NOT NOT one < two", False),
        ("one < two OR three < two AND two < one", True),
        ("(one < two OR three < two) AND two < one", False),
        ("NOT one < two AND three < two", False),
        ("NOT (one < two AND three < two)", True),
        ("((one < two) AND (two < three))", True),
        ("(one < two)", True),
        ("  one\n<\ttwo ", True),
        ("one<two", True),
    ],
)
def test_words_of_logic_bind_as_they_should(text: str, answer: bool) -> None:
    assert holds(text, ITEM) == answer


@pytest.mark.parametrize(
    "text", ["(one) < (two)", "(two)between(one)and(three)", "contains((vS), vS2)", "two IN ((one), (two2))"]
)
def test_an_operand_may_stand_in_brackets(text: str) -> None:
    item: Item = {**ITEM, "vS2": {"S": "ell"}, "two2": {"N": "2"}}
    assert holds(text, item)


@pytest.mark.parametrize(
    "text",
    [
        "((a = b))",
        "a = b AND ((a = b AND c = d)) AND e = f",
        "a = b OR ((c = d OR (e = f OR g = h)))",
        "(((a = b)))",
        "NOT ((a = b))",
        "a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
    ],
)
def test_redundant_parentheses_are_refused(text: str) -> None:
    assert fault(LABEL, text) == f"{PREFIX}The expression has redundant parentheses;"


@pytest.mark.parametrize(
    "text",
    [
        "things are not gonna be ok",
        "a",
        ":v",
        "NOT a",
        "a AND :v",
        "a = b OR NOT :v",
        "a > 4",
        "a != b",
        "a == b",
        "a = 'b'",
        'attribute_exists("a.b")',
        "attribute_exists(a-b)",
        "attribute_exists(a..b)",
        "attribute_exists(a#b)",
        "attribute_exists(a[b])",
        "attribute_exists(a[:b])",
        "attribute_exists(a[#b])",
        "attribute_exists(a[-1])",
        "attribute_exists(a[])",
        "attribute_exists()",
        "attribute_exists(a",
        "a in b, c",
        "a in b",
        "a in ()",
        "a in (b,c,)",
        "a > between",
        "a BETWEEN b",
        "a BETWEEN b OR c",
        "#$.b > a",
        "# > a",
        ": > a",
        "a > :x.y",
        "ü > a",
        "a = b AND",
        "a = b c = d",
        "a = b)",
        "(a = b",
        "()",
        "size(a).b > a",
        "size(a)[0] > a",
        "(size(a)).b > a",
    ],
)
def test_a_syntax_error_is_refused(text: str) -> None:
    assert fault(LABEL, text).startswith(f"{PREFIX}Syntax error; token: ")


@clause("E12")
@pytest.mark.parametrize("name", ["_", "_a", "_1", "1a", "123"])
def test_a_bare_name_may_not_begin_with_an_underscore_or_a_digit(name: str) -> None:
    assert fault(LABEL, f"attribute_exists({name})").startswith(f"{PREFIX}Syntax error; token: ")


@pytest.mark.parametrize("name", ["a1", "A_b_1", "A123_", "alnum"])
def test_a_bare_name_is_a_letter_and_then_letters_digits_and_underscores(name: str) -> None:
    assert holds(f"attribute_exists({name})", {name: {"S": "x"}})


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [("a = !!", "!", "= !!"), ("a = b c", "c", "b c"), ("a =", "<EOF>", "="), ("a ! b", "!", "a ! b")],
)
def test_a_syntax_error_shows_the_token_and_its_neighbours(text: str, token: str, near: str) -> None:
    assert fault(LABEL, text) == f'{PREFIX}Syntax error; token: "{token}", near: "{near}"'


# ── order of faults ───────────────────────────────────────────────────────────────────────────────

UNDEFINED_NAME = "An expression attribute name used in the document path is not defined; attribute name: "
UNDEFINED_VALUE = "An expression attribute value used in expression is not defined; attribute value: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a > dog((:x), ((name)))", "The expression has redundant parentheses;"),
        ("dog(name, #a)", "Invalid function name; function: dog"),
        (
            "a = b AND attribute_exists(views, #a) > b",
            "The function is not allowed to be used this way in an expression; function: attribute_exists",
        ),
        ("attribute_exists(views, #a)", "Attribute name is a reserved keyword; reserved keyword: views"),
        (":a < abOrT", "Attribute name is a reserved keyword; reserved keyword: abOrT"),
        ("attribute_exists(#p.q, :a) AND a = a", UNDEFINED_NAME + "#p"),
        ("begins_with(p.#q)", UNDEFINED_NAME + "#q"),
        ("#p BETWEEN :l AND :h AND #c IN (:x, :y)", UNDEFINED_NAME + "#p"),
        ("begins_with(:hello, #a, #b)", UNDEFINED_VALUE + ":hello"),
        (":a < :b", UNDEFINED_VALUE + ":a"),
        (
            "a = a AND #x = b",
            "The first operand must be distinct from the remaining operands for this operator or "
            "function; operator: =, first operand: [a]",
        ),
    ],
)
def test_of_several_faults_the_first_of_the_first_kind_is_named(text: str, message: str) -> None:
    assert fault(LABEL, text) == PREFIX + message


# ── limits ────────────────────────────────────────────────────────────────────────────────────────


def test_an_expression_has_4096_bytes() -> None:
    assert holds("one" + " " * 4084 + " <  three", ITEM)
    message = fault(LABEL, "one" + " " * 4085 + " <  three")
    assert message == f"{PREFIX}Expression size has exceeded the maximum allowed size; expression size: 4097"


def test_the_size_is_judged_before_the_syntax() -> None:
    assert fault(LABEL, "(" * 15_000).endswith("expression size: 15000")


def chain(conditions: int) -> str:
    return " OR ".join(["a<b"] * conditions)


def test_an_expression_has_300_operators() -> None:
    assert holds(" OR ".join(["one<two"] * 150), ITEM)
    assert fault(LABEL, chain(151)) == (
        f"{PREFIX}The expression contains too many operators; operator count: 301"
    )


def test_every_not_is_an_operator() -> None:
    assert holds("NOT " * 298 + "one<two", ITEM)
    assert "too many operators" in fault(LABEL, "NOT " * 300 + "a<b")


def rising(depth: int) -> str:
    return "one<two " + "or (one<two " * depth + ")" * depth


def test_brackets_nest_as_far_as_operators_allow() -> None:
    assert holds(rising(149), ITEM)


def test_brackets_are_no_operators() -> None:
    text = "a<b " + "or (a<b " * 454 + ")" * 454
    message = f"{PREFIX}The expression contains too many operators; operator count: 301"
    assert fault(LABEL, text) == message


def test_brackets_without_end_are_refused_and_crash_nothing() -> None:
    assert fault(LABEL, "(" * 4096).startswith(PREFIX)
    redundant = f"{PREFIX}The expression has redundant parentheses;"
    assert fault(LABEL, "(" * 2046 + "a<b" + ")" * 2046) == redundant


def test_function_calls_are_no_operators() -> None:
    text = "a < " + "f(" * 1355 + "b" + ")" * 1355
    assert fault(LABEL, text) == f"{PREFIX}Invalid function name; function: f"


def test_a_path_has_32_levels() -> None:
    assert not holds("attribute_exists(a" + ".b" * 31 + ")", ITEM)
    assert fault(LABEL, "attribute_exists(a" + ".b" * 32 + ")") == (
        f"{PREFIX}The document path has too many nesting levels; nesting levels: 33"
    )


def test_a_list_index_has_a_range() -> None:
    assert not holds("attribute_exists(deep.y[999])", ITEM)
    message = f"{PREFIX}List index is not within the allowable range; index: [99999999999999]"
    assert fault(LABEL, "attribute_exists(a[99999999999999])") == message


# ── through requests ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("operation", "extra"),
    [
        ("PutItem", {"Item": {"a": {"S": "k"}}}),
        ("DeleteItem", {"Key": {"a": {"S": "k"}}}),
        ("UpdateItem", {"Key": {"a": {"S": "k"}}}),
    ],
)
def test_a_condition_that_does_not_hold_fails_the_write(
    engine: Engine, operation: str, extra: dict[str, Any]
) -> None:
    condition = {"ConditionExpression": "attribute_exists(a)"}
    with pytest.raises(WireError) as caught:
        engine.call(operation, {"TableName": "single", **extra, **condition})
    assert caught.value.code == "ConditionalCheckFailedException"
    assert caught.value.message == "The conditional request failed"


def test_a_key_that_differs_from_nothing_creates_an_item_once(engine: Engine) -> None:
    request = {"TableName": "single", "Key": {"a": {"S": "k"}}, "ConditionExpression": "a <> :a"}
    request |= parameters({":a": {"S": "k"}})
    engine.call("UpdateItem", request)
    with pytest.raises(WireError) as caught:
        engine.call("UpdateItem", request)
    assert caught.value.code == "ConditionalCheckFailedException"


@pytest.mark.parametrize(
    ("table", "path", "role"),
    [("single", "a.b", "Key: a"), ("single", "a[0]", "Key: a"), ("indexed", "d.x", "IndexKey: d")],
)
def test_a_filter_may_not_look_inside_a_key(engine: Engine, table: str, path: str, role: str) -> None:
    request = {"TableName": table, "FilterExpression": f"attribute_exists({path})"}
    assert refusal(engine, "Scan", request) == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: " + role
    )
