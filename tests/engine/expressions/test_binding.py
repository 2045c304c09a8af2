"""Names and values: defined, used, well formed, and judged in DynamoDB's order."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.expressions.asking import fault, holds, parameters, refusal

VALUE = {":v": {"S": "x"}}
LABELS = ("ConditionExpression", "FilterExpression", "KeyConditionExpression")


@pytest.mark.parametrize("label", LABELS)
def test_an_undefined_value_is_refused(label: str) -> None:
    assert fault(label, "a = :w", VALUE) == (
        f"Invalid {label}: An expression attribute value used in expression is not defined; "
        "attribute value: :w"
    )


@pytest.mark.parametrize("text", ["#n = :v", "a.#n = :v", "attribute_exists(#n) AND a = :v"])
def test_an_undefined_name_is_refused(text: str) -> None:
    assert fault("ConditionExpression", text, VALUE) == (
        "Invalid ConditionExpression: An expression attribute name used in the document path "
        "is not defined; attribute name: #n"
    )


def test_unused_names_are_refused_all_at_once() -> None:
    message = fault("ConditionExpression", "a = :v", VALUE, {"#x": "x", "#y": "y"})
    assert message == "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x, #y}"


def test_unused_values_are_refused_all_at_once() -> None:
    message = fault("ConditionExpression", "a = :v", {**VALUE, ":x": {"N": "1"}, ":y": {"N": "1"}})
    assert message == "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x, :y}"


def test_a_name_is_used_when_any_expression_uses_it(engine: Engine) -> None:
    request = {"TableName": "single", "KeyConditionExpression": "#a = :v", "ProjectionExpression": "#b"}
    answer = engine.call("Query", {**request, **parameters(VALUE, {"#a": "a", "#b": "b"})})
    assert answer["Count"] == 0


def test_a_value_in_a_part_that_is_never_reached_is_used() -> None:
    values = {":v": {"S": "x"}, ":w": {"S": "y"}}
    assert holds("a = :v OR b = :w", {"a": {"S": "x"}}, values)


@pytest.mark.parametrize("key", ["n", "#", "#a-b", "#a b", ":n", ""])
def test_a_malformed_alias_is_refused(key: str) -> None:
    message = f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"'
    assert fault("ConditionExpression", "a = :v", VALUE, {key: "n"}) == message


@pytest.mark.parametrize("key", ["v", ":", ":a-b", ":hi!there", "#v", ""])
def test_a_malformed_value_reference_is_refused(key: str) -> None:
    message = f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"'
    assert fault("ConditionExpression", "a = :v", {key: {"S": "x"}}) == message


def test_every_reference_is_read_before_any_value() -> None:
    values = {":v": {"N": "x"}, "w": {"S": "x"}}
    message = 'ExpressionAttributeValues contains invalid key: Syntax error; key: "w"'
    assert fault("ConditionExpression", "a = :v", values) == message


def test_a_value_that_is_nested_too_deeply_is_not_named() -> None:
    deep: dict[str, Any] = {"S": "x"}
    for _ in range(32):
        deep = {"L": [deep]}
    assert fault("ConditionExpression", "a = :v", {":v": deep}) == (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


@pytest.mark.parametrize("alias", ["#Alpha_Numeric_1", "#123a", "#123", "#_"])
def test_an_alias_may_begin_with_anything_alphanumeric(alias: str) -> None:
    assert holds(f"attribute_exists({alias})", {"3 any!.#=": {"S": "x"}}, names={alias: "3 any!.#="})


@pytest.mark.parametrize("ref", [":Alpha_1", ":123a", ":1", ":_"])
def test_a_value_reference_may_begin_with_anything_alphanumeric(ref: str) -> None:
    assert holds(f"a = {ref}", {"a": {"N": "1"}}, {ref: {"N": "1.0"}})


def test_a_dot_in_an_aliased_name_is_part_of_the_name() -> None:
    assert holds("attribute_exists(#n)", {"a.b": {"S": "x"}}, names={"#n": "a.b"})
    assert not holds("attribute_exists(#n)", {"a": {"M": {"b": {"S": "x"}}}}, names={"#n": "a.b"})


INVALID = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"SS": ["a", "a"]}, INVALID + "Input collection [a, a] contains duplicates."),
        ({"NS": ["1", "1"]}, "Input collection contains duplicates"),
        ({"N": "b"}, "The parameter cannot be converted to a numeric value: b"),
        (
            {"S": "a", "N": "1"},
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes",
        ),
    ],
)
def test_an_invalid_value_is_refused_with_its_reference(value: dict[str, Any], why: str) -> None:
    message = f"ExpressionAttributeValues contains invalid value: {why} for key :v"
    assert fault("ConditionExpression", "a = :v", {":v": value}) == message


def test_a_value_that_cannot_be_read_is_a_matter_of_form(engine: Engine) -> None:
    request = {"TableName": "single", "FilterExpression": "a = :v", **parameters({":v": {"N": 1}})}
    with pytest.raises(WireError) as caught:
        engine.call("Scan", request)
    assert caught.value.code == "SerializationException"


@pytest.mark.parametrize(
    ("names", "values", "text", "message"),
    [
        ({}, {}, "", "ExpressionAttributeNames must not be empty"),
        ({"a": "a"}, {}, "", 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
        (None, {}, "", "ExpressionAttributeValues must not be empty"),
        (
            None,
            {"a": {"S": "b"}},
            "",
            'ExpressionAttributeValues contains invalid key: Syntax error; key: "a"',
        ),
        (None, None, "", "Invalid ConditionExpression: The expression can not be empty;"),
        (None, None, " \t\n", "Invalid ConditionExpression: The expression can not be empty;"),
    ],
)
def test_names_are_judged_before_values_and_both_before_the_expression(
    names: Any, values: Any, text: str, message: str
) -> None:
    assert fault("ConditionExpression", text, values, names) == message


KEY = {"Key": {"a": {"S": "x"}}}
ALONE = "ExpressionAttributeValues can only be specified when using expressions: "


@pytest.mark.parametrize(
    ("operation", "extra", "message"),
    [
        ("PutItem", {"Item": {"a": {"S": "x"}}}, ALONE + "ConditionExpression is null"),
        ("DeleteItem", KEY, ALONE + "ConditionExpression is null"),
        ("UpdateItem", KEY, ALONE + "UpdateExpression and ConditionExpression are null"),
        ("Scan", {}, ALONE + "FilterExpression is null"),
        ("Query", {}, ALONE + "FilterExpression and KeyConditionExpression are null"),
    ],
)
def test_values_without_an_expression_are_refused(
    engine: Engine, operation: str, extra: dict[str, Any], message: str
) -> None:
    assert refusal(engine, operation, {"TableName": "single", **extra, **parameters(VALUE)}) == message


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem", "UpdateItem", "GetItem", "Scan", "Query"])
def test_names_without_an_expression_are_refused(engine: Engine, operation: str) -> None:
    request = {"TableName": "single", "Item": {"a": {"S": "x"}}, **KEY, **parameters(None, {"#n": "n"})}
    message = "ExpressionAttributeNames can only be specified when using expressions"
    assert refusal(engine, operation, request) == message


@clause("B3")
def test_an_expression_is_judged_before_the_table_is_looked_for(engine: Engine) -> None:
    request = {"TableName": "missing", "FilterExpression": "name = b"}
    assert refusal(engine, "Scan", request).endswith("reserved keyword: name")


QUERY_ORDER = [
    (
        {"KeyConditionExpression": "", "FilterExpression": "", "ProjectionExpression": ""},
        "KeyCondition",
    ),
    ({"KeyConditionExpression": "a = :v", "FilterExpression": "", "ProjectionExpression": ""}, "Filter"),
    (
        {"KeyConditionExpression": "a = :v", "FilterExpression": "b > c", "ProjectionExpression": ""},
        "Projection",
    ),
]


@pytest.mark.parametrize(("expressions", "first"), QUERY_ORDER)
def test_a_query_reads_key_condition_filter_and_projection_in_turn(
    engine: Engine, expressions: dict[str, str], first: str
) -> None:
    request = {"TableName": "missing", **expressions, **parameters(VALUE)}
    message = f"Invalid {first}Expression: The expression can not be empty;"
    assert refusal(engine, "Query", request) == message


def test_an_update_is_read_before_its_condition(engine: Engine) -> None:
    request = {"TableName": "missing", **KEY, "UpdateExpression": "", "ConditionExpression": ""}
    assert (
        refusal(engine, "UpdateItem", request) == "Invalid UpdateExpression: The expression can not be empty;"
    )


@pytest.mark.parametrize(
    ("operation", "legacy", "expressions"),
    [
        ("GetItem", {"AttributesToGet": ["a"]}, {"ProjectionExpression": "a"}),
        ("UpdateItem", {"AttributeUpdates": {}}, {"UpdateExpression": "REMOVE b"}),
        ("DeleteItem", {"Expected": {}}, {"ConditionExpression": "attribute_exists(a)"}),
        ("Scan", {"ScanFilter": {}}, {"FilterExpression": "attribute_exists(a)"}),
        ("Query", {"KeyConditions": {}}, {"KeyConditionExpression": "a = b"}),
    ],
)
def test_an_expression_beside_its_older_form_is_refused(
    engine: Engine, operation: str, legacy: dict[str, Any], expressions: dict[str, str]
) -> None:
    message = refusal(engine, operation, {"TableName": "single", **KEY, **legacy, **expressions})
    assert message == (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
    )
