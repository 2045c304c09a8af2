"""A request is read first and judged second, and every limit that it breaks is named at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.shapes import (
    Flag,
    Many,
    Map,
    RequestShape,
    Struct,
    Text,
    Value,
    Whole,
    required,
    table_in,
)
from hansang.errors import WireError

SHAPE = RequestShape(
    TableName=required(Text(shortest=3, longest=5, pattern="[a-z]+", alone=True)),
    Mode=Text("ON", "OFF"),
    Limit=Whole(least=1, most=9),
    Deep=Flag(),
    Keys=Many(Struct("Key", Name=required(Text(longest=2)), Kind=Text("S", "N")), fewest=1, most=2),
    Item=Map(Value(), fewest=1),
    Batches=Map(Many(Text()), lengths=(1, 2)),
)
GOOD: dict[str, Any] = {"TableName": "abc"}


def refusal(request: dict[str, Any]) -> tuple[str, str | None]:
    with pytest.raises(WireError) as caught:
        SHAPE.check(request)
    return caught.value.code, caught.value.message


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"Mode": "OFF", "Limit": 9, "Deep": False},
        {"Mode": None, "Limit": None, "Keys": None},
        {"Keys": [{"Name": "a"}, {"Name": "b", "Kind": "N"}]},
        {"Item": {"a": {"S": "x"}}, "Batches": {"t": ["x", "y"]}},
        {"Unknown": object()},
    ],
)
def test_a_request_within_its_limits_passes(extra: dict[str, Any]) -> None:
    SHAPE.check({**GOOD, **extra})


FAULTS = [
    ({"Mode": "on"}, "Value 'on' at 'mode'", "Member must satisfy enum value set: [ON, OFF]"),
    ({"Limit": 0}, "Value '0' at 'limit'", "Member must have value greater than or equal to 1"),
    ({"Limit": 10}, "Value '10' at 'limit'", "Member must have value less than or equal to 9"),
    ({"Keys": []}, "Value '[]' at 'keys'", "Member must have length greater than or equal to 1"),
    ({"Keys": [{}]}, "Value null at 'keys.1.member.name'", "Member must not be null"),
    (
        {"Keys": [{"Name": "a"}, {"Name": "abc"}]},
        "Value 'abc' at 'keys.2.member.name'",
        "Member must have length less than or equal to 2",
    ),
    (
        {"Keys": [{"Name": "a"}] * 3},
        "Value '[Key(name=a, kind=null), Key(name=a, kind=null), Key(name=a, kind=null)]' at 'keys'",
        "Member must have length less than or equal to 2",
    ),
    ({"Item": {}}, "Value '{}' at 'item'", "Member must have length greater than or equal to 1"),
    (
        {"Batches": {"t": []}},
        "Value '{t=[]}' at 'batches'",
        "Map value must satisfy constraint: [Member must have length less than or equal to 2, "
        "Member must have length greater than or equal to 1]",
    ),
]


@pytest.mark.parametrize(("extra", "what", "constraint"), FAULTS)
def test_a_broken_limit_is_named(extra: dict[str, Any], what: str, constraint: str) -> None:
    message = f"1 validation error detected: {what} failed to satisfy constraint: {constraint}"
    assert refusal({**GOOD, **extra}) == ("ValidationException", message)


def test_all_broken_limits_are_named_in_the_order_of_the_shape() -> None:
    assert refusal({"Limit": 0, "Mode": "x"})[1] == (
        "3 validation errors detected: "
        "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
        "Value 'x' at 'mode' failed to satisfy constraint: Member must satisfy enum value set: [ON, OFF]; "
        "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
    )


def test_a_parameter_judged_alone_hides_the_others() -> None:
    code, message = refusal({"TableName": "ab", "Limit": 0})
    assert code == "ValidationException"
    assert message == (
        "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3"
    )


def test_what_is_missing_is_said_beside_a_parameter_judged_alone(engine: Engine) -> None:
    with pytest.raises(WireError) as caught:
        engine.call("GetItem", {"TableName": "", "ReturnConsumedCapacity": "x"})
    assert caught.value.message == (
        "2 validation errors detected: "
        "Value '' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1; "
        "Value null at 'key' failed to satisfy constraint: Member must not be null"
    )


def test_a_name_that_is_too_short_and_out_of_pattern_has_two_faults() -> None:
    assert refusal({"TableName": "A;"})[1] == (
        "2 validation errors detected: Value 'A;' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-z]+; Value 'A;' at 'tableName' failed to "
        "satisfy constraint: Member must have length greater than or equal to 3"
    )


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"TableName": True}, "TRUE_VALUE cannot be converted to String"),
        ({"TableName": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"TableName": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"TableName": ["a"]}, "Unrecognized collection type class java.lang.String"),
        ({"TableName": {"a": 1}}, "Start of structure or map found where not expected"),
        ({"Limit": "1"}, "STRING_VALUE cannot be converted to Integer"),
        ({"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
        ({"Deep": "yes"}, "STRING_VALUE cannot be converted to Boolean"),
        ({"Keys": {"a": 1}}, "Start of structure or map found where not expected"),
        ({"Keys": "a"}, "Unexpected field type"),
        ({"Keys": [None]}, "Unexpected value type in payload"),
        ({"Keys": [[]]}, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Key"),
        ({"Item": []}, "Unrecognized collection type java.util.Map"),
        ({"Item": "a"}, "Unexpected field type"),
        ({"Item": {"a": None}}, "Unexpected value type in payload"),
    ],
)
def test_json_of_another_form_cannot_be_read(extra: dict[str, Any], message: str) -> None:
    assert refusal({**GOOD, "Mode": "wrong too", **extra}) == ("SerializationException", message)


def test_required_leaves_the_field_it_copies_as_it_was() -> None:
    field = Text(longest=2)
    assert required(field).required
    assert not field.required


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("arn:aws:dynamodb:us-east-1:123456789012:table/notes", "notes"),
        ("notes", "notes"),
        ("arn:aws:dynamodb:us-east-1:12:table/notes", "arn:aws:dynamodb:us-east-1:12:table/notes"),
    ],
)
def test_a_table_may_be_named_by_its_arn(given: str, name: str) -> None:
    assert table_in(given) == name


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.open(":memory:", sweep_seconds=None) as opened:
        yield opened


def test_a_request_is_read_before_its_limits_are_judged(engine: Engine) -> None:
    with pytest.raises(WireError) as caught:
        engine.call("Scan", {"TableName": "abc", "Limit": "many", "Select": "wrong"})
    assert caught.value.code == "SerializationException"


def test_limits_are_judged_before_the_table_is_looked_for(engine: Engine) -> None:
    with pytest.raises(WireError) as caught:
        engine.call("GetItem", {"TableName": "abc", "Key": {}, "ReturnConsumedCapacity": "hi"})
    assert caught.value.message == (
        "1 validation error detected: Value 'hi' at 'returnConsumedCapacity' failed to satisfy "
        "constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    )
