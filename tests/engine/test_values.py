"""Values are accepted in normal form, measured, compared, and refused in DynamoDB's words."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import values
from hansang.engine.values import Value, accept, accept_item, comparable, encoded, equal, item_size, length
from hansang.errors import WireError
from tests.clauses import clause

INVALID = "One or more parameter values were invalid: "
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
NOT_A_NUMBER = "The parameter cannot be converted to a numeric value"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
names = texts.filter(bool)
numerals = st.integers(-(10**20), 10**20).map(str) | st.sampled_from(["1.0", "00042", "1.5E2", "-0", ".5"])
blobs = st.binary(max_size=5).map(encoded)


def sets(tag: str, members: st.SearchStrategy[str]) -> st.SearchStrategy[Value]:
    def key(text: str) -> object:
        return Decimal(text) if tag == "NS" else text

    return st.lists(members, min_size=1, max_size=4, unique_by=key).map(lambda found: {tag: found})


leaves: st.SearchStrategy[Value] = st.one_of(
    texts.map(lambda text: {"S": text}),
    numerals.map(lambda text: {"N": text}),
    blobs.map(lambda text: {"B": text}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    sets("SS", texts),
    sets("NS", numerals),
    sets("BS", blobs),
)
anything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda found: {"L": found})
        | st.dictionaries(names, inner, max_size=3).map(lambda found: {"M": found})
    ),
    max_leaves=6,
)


def shuffled(value: Value) -> Value:
    """The same value with every set and map the other way round."""
    [(tag, content)] = value.items()
    if tag in values.SETS:
        return {tag: content[::-1]}
    if tag == "L":
        return {tag: [shuffled(member) for member in content]}
    return {tag: {k: shuffled(v) for k, v in reversed(content.items())}} if tag == "M" else value


def nested(depth: int, tag: str = "L") -> Value:
    value: Value = {"S": "x"}
    for _ in range(depth):
        value = {"L": [value]} if tag == "L" else {"M": {"m": value}}
    return value


@given(anything)
def test_the_normal_form_of_a_value_is_its_own(value: Value) -> None:
    normal, size = accept(value)
    assert accept(normal) == (normal, size)


@given(st.dictionaries(names, anything, max_size=4))
def test_an_item_weighs_the_same_when_measured_again(item: dict[str, Value]) -> None:
    accepted, size = accept_item(item)
    assert item_size(accepted) == size


@given(anything)
def test_a_value_equals_itself_whatever_the_order_of_sets_and_maps(value: Value) -> None:
    normal, _ = accept(value)
    assert equal(normal, shuffled(normal))


@given(anything, anything)
def test_equality_has_no_direction(left: Value, right: Value) -> None:
    first, second = accept(left)[0], accept(right)[0]
    assert equal(first, second) == equal(second, first)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "가a"}, 4),
        ({"N": "-12.50"}, 4),
        ({"B": "AAEC"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "234"]}, 5),
        ({"BS": ["AA==", "AAE="]}, 3),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": "ab"}]}, 6),
        ({"M": {"key": {"S": "ab"}}}, 9),
    ],
)
def test_each_type_has_its_weight(value: Value, size: int) -> None:
    assert accept(value)[1] == size
    assert item_size({"name": accept(value)[0]}) == size + 4


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ({"N": "00042"}, {"N": "42"}),
        ({"NS": ["1.0", "2e1"]}, {"NS": ["1", "20"]}),
        ({"L": [{"N": "-0"}]}, {"L": [{"N": "0"}]}),
        ({"M": {"a": {"N": "1.50"}}}, {"M": {"a": {"N": "1.5"}}}),
        ({"S": ""}, {"S": ""}),
        ({"B": ""}, {"B": ""}),
    ],
)
def test_numbers_are_normal_wherever_they_stand(value: Value, normal: Value) -> None:
    assert accept(value)[0] == normal


@clause("B10")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, EMPTY),
        ({"X": "a"}, EMPTY),
        ({"S": None}, EMPTY),
        ({"M": {"a": {}}}, EMPTY),
        ({"L": [{}]}, EMPTY),
        ({"S": "a", "N": "1"}, SEVERAL),
        ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"NS": []}, INVALID + "An number set  may not be empty"),
        ({"BS": []}, INVALID + "Binary sets should not be empty"),
        ({"L": [{"M": {"k": {"SS": []}}}]}, INVALID + "An string set  may not be empty"),
        ({"SS": ["a", "b", "a"]}, INVALID + "Input collection [a, b, a] contains duplicates."),
        ({"BS": ["Yg==", "Yg=="]}, INVALID + "Input collection [Yg==, Yg==]of type BS contains duplicates."),
        ({"NS": ["1", "1"]}, "Input collection contains duplicates"),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        ({"NS": ["1", ""]}, NOT_A_NUMBER),
        ({"NS": ["1", "b"]}, NOT_A_NUMBER + ": b"),
        ({"N": ""}, NOT_A_NUMBER),
        ({"S": "a", "N": ""}, NOT_A_NUMBER),
        ({"S": "a", "N": "b"}, NOT_A_NUMBER + ": b"),
    ],
)
def test_an_invalid_value_is_refused(value: Any, message: str) -> None:
    with pytest.raises(WireError) as caught:
        accept(value)
    assert (caught.value.code, caught.value.message) == ("ValidationException", message)


@pytest.mark.parametrize(
    "value",
    [
        "text",
        ["S", "text"],
        {"S": 1},
        {"S": ["a"]},
        {"N": 1},
        {"B": "not base64"},
        {"B": "AA"},
        {"BOOL": "yes"},
        {"NULL": 1},
        {"L": {"S": "a"}},
        {"L": ["a"]},
        {"M": [{"S": "a"}]},
        {"M": {"a": "b"}},
        {"SS": "a"},
        {"SS": [1]},
        {"NS": [1]},
        {"BS": ["?"]},
        {"S": "a", "N": 1},
    ],
)
def test_json_of_another_form_cannot_be_read(value: Any) -> None:
    with pytest.raises(WireError) as caught:
        accept(value)
    assert caught.value.code == "SerializationException"


@pytest.mark.parametrize("tag", ["L", "M"])
def test_a_leaf_stands_in_31_lists_or_maps(tag: str) -> None:
    assert accept(nested(31, tag))[0] == nested(31, tag)
    with pytest.raises(WireError) as caught:
        accept(nested(32, tag))
    assert caught.value.message == (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


@pytest.mark.parametrize("wrapped", [lambda item: item, lambda item: {"m": {"M": item}}])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Empty attribute name"),
        ("가" * 21846, "Attribute name is too large, must be less than 65536 bytes"),
    ],
)
def test_a_name_has_up_to_65535_bytes(wrapped: Callable[[Any], Any], name: str, words: str) -> None:
    assert accept_item(wrapped({"가" * 21845: {"S": "x"}}))
    with pytest.raises(WireError) as caught:
        accept_item(wrapped({name: {"S": "x"}}))
    assert caught.value.message == words


@pytest.mark.parametrize(
    ("written", "answered"),
    [
        ({"SS": ["나", "b", "a", "Z"]}, {"SS": ["Z", "a", "b", "나"]}),
        ({"NS": ["10", "9", "-1", "0.5"]}, {"NS": ["-1", "0.5", "9", "10"]}),
        ({"BS": ["/w==", "AAE=", "AA=="]}, {"BS": ["AA==", "AAE=", "/w=="]}),
    ],
)
def test_sets_are_in_order(written: Value, answered: Value) -> None:
    [tag] = written
    assert accept(written)[0] == answered
    assert values.union(tag, written[tag][1:], written[tag]) == answered


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "가a😀"}, 4),
        ({"B": "AAEC"}, 3),
        ({"L": [{"S": "a"}, {"S": "b"}]}, 2),
        ({"M": {"a": {"S": "b"}}}, 1),
        ({"SS": ["a", "b"]}, 2),
        ({"NS": ["1"]}, 1),
        ({"BS": ["AA=="]}, 1),
        ({"N": "1"}, None),
        ({"BOOL": True}, None),
        ({"NULL": True}, None),
    ],
)
def test_size_counts_utf_16_units_bytes_or_members(value: Value, size: int | None) -> None:
    assert length(value) == size


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"S": "1"}, {"N": "1"}),
        ({"S": "AA=="}, {"B": "AA=="}),
        ({"BOOL": True}, {"NULL": True}),
        ({"SS": ["1"]}, {"NS": ["1"]}),
        ({"L": []}, {"M": {}}),
        ({"SS": ["a"]}, {"SS": ["a", "b"]}),
        ({"L": [{"S": "a"}, {"S": "b"}]}, {"L": [{"S": "b"}, {"S": "a"}]}),
        ({"L": [{"S": "a"}]}, {"L": [{"S": "a"}, {"S": "a"}]}),
        ({"M": {"a": {"N": "1"}}}, {"M": {"b": {"N": "1"}}}),
        ({"M": {"a": {"SS": ["x"]}}}, {"M": {"a": {"SS": ["y"]}}}),
    ],
)
def test_values_that_differ_are_not_equal(left: Value, right: Value) -> None:
    assert not equal(left, right)


@pytest.mark.parametrize(
    "rising",
    [
        [{"N": "-10"}, {"N": "-9.5"}, {"N": "0"}, {"N": "9"}, {"N": "10"}],
        [{"S": ""}, {"S": "A"}, {"S": "a"}, {"S": "가"}, {"S": "\uffff"}, {"S": "😀"}],
        [{"B": encoded(bytes([byte]))} for byte in (0, 1, 127, 128, 255)],
    ],
)
def test_values_of_one_type_have_an_order(rising: list[Value]) -> None:
    places = [comparable(value) for value in rising]
    assert all(first < second for first, second in pairwise(places))


def test_a_set_grows_without_duplicates_and_shrinks_to_nothing() -> None:
    assert values.union("SS", ["a", "b"], ["b", "c"]) == {"SS": ["a", "b", "c"]}
    assert values.difference("SS", ["a", "b"], ["b", "x"]) == {"SS": ["a"]}
    assert values.difference("SS", ["a"], ["a"]) is None
