"""PutItem: the item whole, the words of every refusal, what is returned, and the edge of 400 KB."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.fuzz_engine import contents
from tests.engine.items import LARGEST, Item, filled, item
from tests.engine.model_tables import TABLES
from tests.engine.strategies import items
from tests.engine.tables import Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(
        engine,
        "pk sk:N",
        local=[Index("by_l", "pk l:B")],
        world=[Index("by_g", "g h"), Index("by_i", "i:N")],
    )


@pytest.fixture
def plain(engine: Engine) -> Table:
    return create(engine, "pk", "Plain")


# ── the item ──────────────────────────────────────────────────────────────────────────────────────


def test_an_item_may_consist_of_its_key_alone(table: Table) -> None:
    table.put(item(pk="a", sk=1))
    assert table.all() == [item(pk="a", sk=1)]


def test_equal_numbers_are_the_same_key(table: Table) -> None:
    table.put({"pk": {"S": "a"}, "sk": {"N": "1.0"}, "x": {"N": "1"}})
    table.put({"pk": {"S": "a"}, "sk": {"N": "10E-1"}, "x": {"N": "2"}})
    assert table.all() == [item(pk="a", sk=1, x=2)]


def test_the_table_may_be_named_by_its_arn(plain: Table) -> None:
    by_arn = Table(plain.engine, plain.engine.table_arn("Plain"))
    by_arn.put(item(pk="a"))
    assert plain.all() == [item(pk="a")]


NUMBERS = {
    "00042": "42", "1.0": "1", "1.5E2": "150", "-0": "0", "1" * 38: "1" * 38, "1E-130": "0." + "0" * 129 + "1",
    "9.9999999999999999999999999999999999999E+125": "9" * 38 + "0" * 88, "100": "100", "1E2": "100", ".5": "0.5",
}  # fmt: skip


@clause("B4")
def test_numbers_are_kept_in_their_normal_form(plain: Table) -> None:
    plain.put(item(pk="a") | {f"n{text}": {"N": text} for text in NUMBERS})
    assert plain.all() == [item(pk="a") | {f"n{text}": {"N": normal} for text, normal in NUMBERS.items()}]


# ── refusals that need no table ───────────────────────────────────────────────────────────────────

MISSHAPEN: list[tuple[dict[str, Any], str]] = [
    ({"Item": {}}, "1 validation error detected: Value null at 'tableName' "
     "failed to satisfy constraint: Member must not be null"),
    ({"TableName": "", "Item": {}}, "1 validation error detected: Value '' at 'tableName' "
     "failed to satisfy constraint: Member must have length greater than or equal to 1"),
    ({"TableName": "a" * 256, "Item": {}}, f"1 validation error detected: Value '{'a' * 256}' at 'tableName' "
     "failed to satisfy constraint: Member must have length less than or equal to 255"),
    ({"TableName": "bad table!@#", "Item": {}, "ReturnValues": "hi"},
     "1 validation error detected: Value 'bad table!@#' at 'tableName' "
     "failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ({"TableName": "abc"}, "1 validation error detected: Value null at 'item' "
     "failed to satisfy constraint: Member must not be null"),
    ({"TableName": "abc", "Item": {}, "ReturnValues": "ALL_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
    ({"TableName": "abc", "Item": {}, "ReturnValues": "UPDATED_OLD"}, "ReturnValues can only be ALL_OLD or NONE"),
    ({"TableName": "abc", "Item": {}, "ReturnValues": "UPDATED_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
    ({"TableName": "abc", "Item": {"a": {}}},
     "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"TableName": "abc", "Item": {"a": {"S": "a", "N": "1"}}},
     "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
    ({"TableName": "abc", "Item": {"a": {"NULL": False}}},
     INVALID + "Null attribute value types must have the value of true"),
    ({"TableName": "abc", "Item": {"a": {"SS": []}}}, INVALID + "An string set  may not be empty"),
    ({"TableName": "abc", "Item": {"a": {"SS": ["a", "a"]}}},
     INVALID + "Input collection [a, a] contains duplicates."),
    ({"TableName": "abc", "Item": {}, "ExpressionAttributeNames": {"#a": "a"}},
     "ExpressionAttributeNames can only be specified when using expressions"),
    ({"TableName": "abc", "Item": {}, "ExpressionAttributeValues": {":a": {"S": "a"}}},
     "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"),
    ({"TableName": "abc", "Item": {}, "ConditionExpression": ""},
     "Invalid ConditionExpression: The expression can not be empty;"),
    ({"TableName": "abc", "Item": {}, "ConditionExpression": "attribute_exists(#a)"},
     "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
     "attribute name: #a"),
    ({"TableName": "abc", "Item": {}, "ConditionExpression": "a = :a"},
     "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
     "attribute value: :a"),
    ({"TableName": "abc", "Item": {}, "ConditionExpression": "attribute_exists(a)", "Expected": {}},
     "Can not use both expression and non-expression parameters in the same request: "
     "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "message"), MISSHAPEN)
def test_a_misshapen_request_is_refused_before_the_table_is_looked_for(
    engine: Engine, request_: dict[str, Any], message: str
) -> None:
    with refused(message):
        engine.call("PutItem", request_)


def test_all_choices_that_do_not_exist_are_named_together(plain: Table) -> None:
    with pytest.raises(WireError) as caught:
        plain.put(
            item(pk="a"), ReturnConsumedCapacity="hi", ReturnItemCollectionMetrics="hi", ReturnValues="hi"
        )
    message = caught.value.message or ""
    assert message.startswith("3 validation errors detected: ")
    for words in (
        "'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
        "'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
        "'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    ):
        assert f"Value 'hi' at {words}" in message


def test_a_table_that_is_not_there_is_not_found(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").put({})


# ── refusals of keys ──────────────────────────────────────────────────────────────────────────────

UNKEYED: list[tuple[Item, str]] = [
    ({}, INVALID + "Missing the key pk in the item"),
    (item(sk=1), INVALID + "Missing the key pk in the item"),
    (item(pk="a"), INVALID + "Missing the key sk in the item"),
    (item(pk=1, sk=1), INVALID + "Type mismatch for key pk expected: S actual: N"),
    (item(pk=None, sk=1), INVALID + "Type mismatch for key pk expected: S actual: NULL"),
    (item(pk="a", sk="1"), INVALID + "Type mismatch for key sk expected: N actual: S"),
    (item(pk="a", sk=[1]), INVALID + "Type mismatch for key sk expected: N actual: L"),
    (item(pk="", sk=1),
     NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"),
    (item(pk="a" * 2049, sk=1), INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    (item(pk="a", sk=1, g=1, h="h"), INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"),
    (item(pk="a", sk=1, h=True), INVALID + "Type mismatch for Index Key h Expected: S Actual: BOOL IndexName: by_g"),
    (item(pk="a", sk=1, g={"g"}, h="h"),
     INVALID + "Type mismatch for Index Key g Expected: S Actual: SS IndexName: by_g"),
    (item(pk="a", sk=1, i=None), INVALID + "Type mismatch for Index Key i Expected: N Actual: NULL IndexName: by_i"),
    (item(pk="a", sk=1, l="x"), INVALID + "Type mismatch for Index Key l Expected: B Actual: S IndexName: by_l"),
    (item(pk="a", sk=1, g=""),
     NOT_VALID + "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
     "cannot contain an empty string value. IndexName: by_g, IndexKey: g"),
    (item(pk="a", sk=1, l=b""),
     NOT_VALID + "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
     "cannot contain an empty binary value. IndexName: by_l, IndexKey: l"),
    (item(pk="a", sk=1, g="g" * 2049, h="h"),
     INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    (item(pk="a", sk=1, g="g", h="h" * 1025),
     INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
]  # fmt: skip


@clause("R6", "E8", "B6", "B10")
@pytest.mark.parametrize(("given", "message"), UNKEYED)
def test_an_item_that_does_not_fit_the_keys_is_refused(table: Table, given: Item, message: str) -> None:
    with refused(message):
        table.put(given)
    assert table.all() == []


def test_a_sort_key_has_up_to_1024_bytes(engine: Engine) -> None:
    texts = create(engine, "pk sk", "Texts")
    texts.put(item(pk="가" * 682 + "xx", sk="x" * 1024))
    with refused(INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"):
        texts.put(item(pk="a", sk="x" * 1025))


@clause("E8")
def test_a_key_of_an_index_is_as_long_as_one_of_a_table(table: Table) -> None:
    whole = item(pk="a", sk=1, g="g" * 2048, h="h" * 1024)
    table.put(whole)
    assert table.all(IndexName="by_g") == [whole]


@pytest.mark.parametrize(
    ("key", "message"),
    [(b"", NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. Key: pk"),
     (b"\x00" * 2049, INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes")],
)  # fmt: skip
def test_a_binary_key_is_neither_empty_nor_too_long(engine: Engine, key: bytes, message: str) -> None:
    binary = create(engine, "pk:B", "Binary")
    binary.put(item(pk=b"\x00" * 2048))
    with refused(message):
        binary.put(item(pk=key))


# ── 400 KB ────────────────────────────────────────────────────────────────────────────────────────


@clause("R11")
def test_an_item_weighs_up_to_400_kilobytes(plain: Table) -> None:
    plain.put(filled(LARGEST, pk="a"))
    with refused("Item size has exceeded the maximum allowed size"):
        plain.put(filled(LARGEST + 1, pk="b"))
    assert plain.scan(Select="COUNT")["Count"] == 1


def test_names_and_values_weigh_their_utf8_bytes(plain: Table) -> None:
    plain.put({"pk": {"S": "a"}, "가": {"S": "나" * ((LARGEST - 6) // 3)}})
    with refused("Item size has exceeded the maximum allowed size"):
        plain.put({"pk": {"S": "a"}, "가": {"S": "나" * ((LARGEST - 6) // 3 + 1)}})


def test_an_item_that_is_too_large_is_refused_before_the_table_is_looked_for(engine: Engine) -> None:
    with refused("Item size has exceeded the maximum allowed size"):
        Table(engine, "missing").put(filled(LARGEST + 1, pk="a"))


# ── conditions ────────────────────────────────────────────────────────────────────────────────────


def test_a_condition_that_holds_lets_the_put_through(plain: Table) -> None:
    plain.put(item(pk="a", n=1), ConditionExpression="attribute_not_exists(pk)")
    plain.put(item(pk="a", n=2), ConditionExpression="n = :n", n=1)
    assert plain.found(item(pk="a")) == item(pk="a", n=2)


def test_a_condition_that_fails_changes_nothing(plain: Table) -> None:
    plain.put(item(pk="a", n=1))
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        plain.put(item(pk="a", n=2), ConditionExpression="attribute_not_exists(pk)")
    assert plain.found(item(pk="a")) == item(pk="a", n=1)


def test_a_condition_on_an_item_that_is_not_there_sees_no_attributes(plain: Table) -> None:
    plain.put(item(pk="a"), ConditionExpression="n <> :n AND NOT n = :n AND attribute_not_exists(pk)", n=1)
    assert plain.all() == [item(pk="a")]


@pytest.mark.parametrize(
    ("condition", "which"),
    [("pk.x = :v", "Key: pk"), ("x = :v AND contains(sk[0], :v)", "Key: sk"), ("g.x = :v", "IndexKey: g")],
)
def test_a_condition_cannot_look_into_a_key(table: Table, condition: str, which: str) -> None:
    with refused(NESTED_KEY + which):
        table.put(item(pk="a", sk=1), ConditionExpression=condition, v="v")


def test_the_condition_is_looked_at_after_the_item(table: Table) -> None:
    with refused(INVALID + "Missing the key sk in the item"):
        table.put(item(pk="a"), ConditionExpression="attribute_exists(pk)")


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [({}, {}), ({"ReturnValuesOnConditionCheckFailure": "NONE"}, {}),
     ({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}, {"Item": item(pk="a", n=1)})],
)  # fmt: skip
def test_a_failed_condition_shows_the_item_when_asked(
    plain: Table, wanted: dict[str, str], fields: dict[str, Any]
) -> None:
    plain.put(item(pk="a", n=1))
    with pytest.raises(WireError) as caught:
        plain.put(item(pk="a", n=2), ConditionExpression="n > :n", n=1, **wanted)
    assert caught.value.fields == fields


def test_a_failed_condition_has_no_item_to_show_where_there_is_none(plain: Table) -> None:
    with pytest.raises(WireError) as caught:
        plain.put(
            item(pk="a"),
            ConditionExpression="attribute_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.fields == {}


# ── what is returned ──────────────────────────────────────────────────────────────────────────────


def test_all_old_returns_nothing_for_a_new_item(plain: Table) -> None:
    assert plain.put(item(pk="a", n=2), ReturnValues="ALL_OLD") == {}


def test_none_returns_nothing(plain: Table) -> None:
    plain.put(item(pk="a", n=1))
    assert plain.put(item(pk="a", n=2), ReturnValues="NONE", ReturnConsumedCapacity="NONE") == {}


@clause("E13")
def test_the_item_collection_is_measured_on_a_table_with_a_local_index(table: Table) -> None:
    answer = table.put(item(pk="a", sk=1, x=1), ReturnItemCollectionMetrics="SIZE")
    assert answer == {
        "ItemCollectionMetrics": {"ItemCollectionKey": item(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}
    }


def test_no_item_collection_is_measured_without_a_local_index(plain: Table) -> None:
    assert plain.put(item(pk="a"), ReturnItemCollectionMetrics="SIZE") == {}


def test_no_item_collection_is_measured_unless_asked_for(table: Table) -> None:
    assert table.put(item(pk="a", sk=1), ReturnItemCollectionMetrics="NONE") == {}


# ── a request for nothing else ────────────────────────────────────────────────────────────────────


def test_a_plain_request_is_refused_as_one_that_says_more(table: Table) -> None:
    engine, text = table.engine, {"S": "b"}
    sorts: list[Any] = [
        {"N": "1"},
        {"N": "x"},
        {"N": 1},
        {"N": None},
        {"N": "1", "S": "b"},
        text,
        {},
        "b",
        None,
    ]
    others: list[Any] = [
        {},
        {"g": text},
        {"g": {"S": ""}},
        {"g": {"N": "1"}},
        {"i": {"N": "1e999"}},
        {"": text},
    ]
    others += [{"l": {"B": "?"}}, {"x": {"L": [None]}}, {"x": {"SS": []}}, {"fill": {"S": "x" * LARGEST}}]
    given: list[Any] = [{"pk": {"S": "a"}, "sk": sort, **other} for sort in sorts for other in others]
    names: list[Any] = [table.name, engine.table_arn(table.name), "nowhere", "", "a b", 5, []]
    for name, each in product(names, (*given, {"pk": text}, {}, [], None, "a")):
        request = {"TableName": name, "Item": each}
        assert _outcome(engine, request) == _outcome(engine, request | {"ReturnConsumedCapacity": "NONE"})


@given(st.data())
def test_a_plain_request_does_what_one_does_that_says_more(data: st.DataObject) -> None:
    model = data.draw(st.sampled_from(list(TABLES.values())))
    with Engine.open(":memory:") as plain, Engine.open(":memory:") as other:
        for engine in (plain, other):
            engine.call("CreateTable", model.creation())
        for each in data.draw(st.lists(items(model), max_size=8)):
            request = {"TableName": model.name, "Item": each}
            assert _outcome(plain, request) == _outcome(other, request | {"ReturnValues": "NONE"})
        assert contents(plain, model) == contents(other, model)


def _outcome(engine: Engine, request: dict[str, Any]) -> Any:
    try:
        return engine.call("PutItem", request)
    except WireError as refusal:
        return refusal.code, refusal.message
