"""TransactWriteItems: all actions or none, the reasons of each refusal, and what is refused whole."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import LARGEST, filled, item, value
from tests.engine.tables import Index, Table, create, refused
from tests.engine.transactions import check, delete, put, reasons, transact, update

INVALID = "One or more parameter values were invalid: "
NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
MISFIT = "The provided key element does not match the schema"


@pytest.fixture
def table(engine: Engine) -> Table:
    return create(engine, "pk")


@pytest.fixture
def indexed(engine: Engine) -> Table:
    return create(engine, "pk sk", "Indexed", local=[Index("by_l", "pk l:N")], world=[Index("by_g", "g")])


# ── all or nothing ────────────────────────────────────────────────────────────────────────────────


def test_all_actions_are_done_together(table: Table, indexed: Table) -> None:
    table.put(item(pk="gone"))
    table.put(item(pk="old", n=1))
    answer = transact(
        table.engine,
        put(item(pk="new", x=1)),
        update(item(pk="old"), "SET n = n + :n", n=1),
        delete(item(pk="gone")),
        check(item(pk="none"), "attribute_not_exists(pk)"),
        put(item(pk="a", sk="b", g="g"), "Indexed"),
    )
    assert answer == {}
    assert table.all() == [item(pk="new", x=1), item(pk="old", n=2)]
    assert indexed.all(IndexName="by_g") == [item(pk="a", sk="b", g="g")]


def test_one_failed_condition_leaves_everything_as_it_was(table: Table, indexed: Table) -> None:
    table.put(item(pk="old", n=1))
    found = reasons(
        table.engine,
        put(item(pk="a", sk="b", g="g"), "Indexed"),
        update(item(pk="old"), "SET n = :n", n=2),
        check(item(pk="none"), "attribute_exists(pk)"),
    )
    assert found == [NONE, NONE, FAILED]
    assert table.all() == [item(pk="old", n=1)]
    assert indexed.all() == indexed.all(IndexName="by_g") == []


@pytest.mark.parametrize(
    "action",
    [put(item(pk="a"), ConditionExpression="n > :n", n=1), delete(item(pk="a"), ConditionExpression="n > :n", n=1),
     update(item(pk="a"), "SET n = :n", ConditionExpression="n > :n", n=1), check(item(pk="a"), "n > :n", n=1)],
)  # fmt: skip
def test_every_kind_of_action_can_have_a_condition(table: Table, action: dict[str, Any]) -> None:
    table.put(item(pk="a", n=1))
    assert reasons(table.engine, action) == [FAILED]
    table.put(item(pk="a", n=2))
    assert transact(table.engine, action) == {}


def test_a_check_writes_nothing(table: Table) -> None:
    transact(table.engine, check(item(pk="a"), "attribute_not_exists(pk)"))
    assert table.all() == []


def test_a_put_replaces_the_whole_item(table: Table) -> None:
    table.put(item(pk="a", x=1))
    transact(table.engine, put(item(pk="a", y=2)))
    assert table.all() == [item(pk="a", y=2)]


def test_an_update_that_only_removes_makes_no_item(table: Table) -> None:
    transact(table.engine, update(item(pk="a"), "REMOVE x"))
    assert table.all() == []


@clause("R9")
def test_a_hundred_actions_are_done_together(table: Table) -> None:
    transact(table.engine, *(put(item(pk=str(number))) for number in range(100)))
    assert table.scan(Select="COUNT")["Count"] == 100


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    transact(table.engine, put(item(pk="a"), table.engine.table_arn("Table")))
    assert table.all() == [item(pk="a")]


# ── the reasons ───────────────────────────────────────────────────────────────────────────────────


@clause("B11")
def test_the_reasons_come_in_the_order_of_the_actions(table: Table) -> None:
    table.put(item(pk="there"))
    found = reasons(
        table.engine,
        check(item(pk="none"), "attribute_exists(pk)"),
        put(item(pk="a")),
        put(item(pk="there"), ConditionExpression="attribute_not_exists(pk)"),
        delete(item(pk="b")),
    )
    assert found == [FAILED, NONE, FAILED, NONE]


def test_a_failed_condition_shows_the_item_of_the_action_that_asks(table: Table) -> None:
    table.put(item(pk="a", n=1))
    table.put(item(pk="b", n=2))
    wanted = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    found = reasons(
        table.engine,
        check(item(pk="a"), "n > :n", n=5, **wanted),
        delete(item(pk="b"), ConditionExpression="n > :n", n=5),
        put(item(pk="c"), ConditionExpression="attribute_exists(pk)", **wanted),
    )
    assert found == [{**FAILED, "Item": item(pk="a", n=1)}, FAILED, FAILED]


INVALID_ACTIONS: list[tuple[dict[str, Any], str]] = [
    (put(item(sk="b"), "Indexed"), INVALID + "Missing the key pk in the item"),
    (put(item(pk=7, sk="b"), "Indexed"), INVALID + "Type mismatch for key pk expected: S actual: N"),
    (put(item(pk="a", sk="b", g=1), "Indexed"),
     INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"),
    (put(item(pk="a" * 2049, sk="b"), "Indexed"),
     INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    (update({}, "SET x = :x", "Indexed", x=1), MISFIT),
    (delete(item(pk="a"), "Indexed"), MISFIT),
    (check(item(pk="a", sk=1), "attribute_exists(pk)", "Indexed"), MISFIT),
    (update(item(pk="a", sk="b"), "SET pk = :x", "Indexed", x=1),
     INVALID + "Cannot update attribute pk. This attribute is part of the key"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "message"), INVALID_ACTIONS)
def test_an_invalid_action_cancels_the_transaction(
    table: Table, indexed: Table, action: dict[str, Any], message: str
) -> None:
    found = reasons(table.engine, put(item(pk="a")), action)
    assert found == [NONE, {"Code": "ValidationError", "Message": message}]
    assert table.all() == indexed.all() == []


@clause("E4")
def test_only_the_first_invalid_action_is_named_and_no_condition_is_looked_at(table: Table) -> None:
    found = reasons(
        table.engine,
        put(item(pk="a"), ConditionExpression="attribute_exists(pk)"),
        put(item(pk=7)),
        put(item(pk=8)),
    )
    message = INVALID + "Type mismatch for key pk expected: S actual: N"
    assert found == [NONE, {"Code": "ValidationError", "Message": message}, NONE]


UNFIT_UPDATES: list[tuple[dict[str, Any], str]] = [
    (update(item(pk="a", sk="b"), "SET y = x + :n", "Indexed", n=1),
     "An operand in the update expression has an incorrect data type"),
    (update(item(pk="a", sk="b"), "SET y = nothing", "Indexed"),
     "The provided expression refers to an attribute that does not exist in the item"),
    (update(item(pk="a", sk="b"), "SET x.y = :n", "Indexed", n=1),
     "The document path provided in the update expression is invalid for update"),
    (update(item(pk="a", sk="b"), "SET g = n", "Indexed"),
     "The update expression attempted to update the secondary index key to unsupported type"),
    (update(item(pk="a", sk="b"), "SET g = :g", "Indexed", g="g" * 2049),
     "The update expression attempted to update the secondary index key beyond allowed size limits"),
    (update(item(pk="a", sk="b"), "SET big = :big", "Indexed", big="x" * LARGEST),
     "Item size to update has exceeded the maximum allowed size"),
    (update(item(pk="a", sk="b"), "ADD huge :n", "Indexed", n=9 * 10**125),
     "Number overflow. Attempting to store a number with magnitude larger than supported range"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "message"), UNFIT_UPDATES)
def test_an_update_that_does_not_fit_the_item_cancels_the_transaction(
    table: Table, indexed: Table, action: dict[str, Any], message: str
) -> None:
    whole = item(pk="a", sk="b", x="text", n=1, huge=9 * 10**125)
    indexed.put(whole)
    found = reasons(table.engine, action, put(item(pk="a")))
    assert found == [{"Code": "ValidationError", "Message": message}, NONE]
    assert (table.all(), indexed.all()) == ([], [whole])


def test_of_several_updates_that_do_not_fit_only_the_first_is_named(table: Table) -> None:
    unfit = [update(item(pk=key), "SET x = nothing") for key in "ab"]
    found = reasons(table.engine, put(item(pk="c")), *unfit)
    message = "The provided expression refers to an attribute that does not exist in the item"
    assert found == [NONE, {"Code": "ValidationError", "Message": message}, NONE]


# ── the whole request refused ─────────────────────────────────────────────────────────────────────

UNREADABLE: list[tuple[dict[str, Any], str]] = [
    (put(item(pk="a"), ConditionExpression="hello!"),
     'Invalid ConditionExpression: Syntax error; token: "!", near: "hello!"'),
    (put(item(pk="a"), ConditionExpression=""), "Invalid ConditionExpression: The expression can not be empty;"),
    (put(item(pk="a"), ConditionExpression="attribute_exists(#xyz)"),
     "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
     "attribute name: #xyz"),
    (put(item(pk="a"), ConditionExpression="pk = :xyz"),
     "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
     "attribute value: :xyz"),
    (put(item(pk="a"), ConditionExpression="attribute_exists(pk)", ExpressionAttributeNames={"#xyz": "x"}),
     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#xyz}"),
    (put(item(pk="a"), ConditionExpression="attribute_exists(pk)", xyz=1),
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:xyz}"),
    (update(item(pk="a"), "SET"), 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"'),
    (check(item(pk="a"), "name = :n", n=1),
     "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: name"),
    (put({"pk": {"S": "a"}, "s": {"SS": []}}), INVALID + "An string set  may not be empty"),
    (put({"pk": {"S": "a"}, "n": {"N": "one"}}), "The parameter cannot be converted to a numeric value: one"),
    (put(filled(LARGEST + 1, pk="a")), "Item size has exceeded the maximum allowed size"),
    (put(item(pk="")), "One or more parameter values are not valid. The AttributeValue for a key attribute "
     "cannot contain an empty string value. Key: pk"),
    (delete(item(pk="")), "One or more parameter values are not valid. The AttributeValue for a key attribute "
     "cannot contain an empty string value. Key: pk"),
    (put(item(pk="a", sk="b", g=""), "Indexed"), "One or more parameter values are not valid. A value specified for a "
     "secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string "
     "value. IndexName: by_g, IndexKey: g"),
    (update(item(pk="a", sk="b"), "SET g = :g", "Indexed", g=""), "One or more parameter values are not valid. "
     "The update expression attempted to update a secondary index key to a value that is not supported. "
     "The AttributeValue for a key attribute cannot contain an empty string value."),
]  # fmt: skip


@clause("E3")
@pytest.mark.parametrize(("action", "message"), UNREADABLE)
def test_what_can_be_told_from_the_request_refuses_it_whole(
    table: Table, indexed: Table, action: dict[str, Any], message: str
) -> None:
    with refused(message):
        transact(table.engine, put(item(pk="first")), action)
    assert table.all() == []


def test_an_unknown_choice_in_one_action_refuses_the_whole_request(table: Table) -> None:
    with refused(
        "1 validation error detected: Value 'dog' at 'transactItems.1.member.put.returnValuesOnConditionCheckFailure' "
        "failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]"
    ):
        transact(table.engine, put(item(pk="a"), ReturnValuesOnConditionCheckFailure="dog"))


def test_a_check_needs_a_condition(table: Table) -> None:
    with refused(
        "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' "
        "failed to satisfy constraint: Member must not be null"
    ):
        transact(table.engine, {"ConditionCheck": {"TableName": "Table", "Key": item(pk="a")}})


def test_a_table_that_is_not_there_is_not_found(table: Table) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        transact(table.engine, put(item(pk=7)), put(item(pk="a"), "missing"))


@clause("E14")
def test_a_transaction_has_at_least_one_action(engine: Engine) -> None:
    with refused(
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    ):
        transact(engine)


@clause("R9", "B11", "E14")
def test_a_transaction_has_at_most_a_hundred_actions(table: Table) -> None:
    with pytest.raises(WireError) as caught:
        transact(table.engine, *(put(item(pk=str(number))) for number in range(101)))
    message = caught.value.message or ""
    assert message.startswith("1 validation error detected: Value '[")
    assert message.endswith(
        "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


def test_an_action_is_of_one_kind(table: Table) -> None:
    with refused("TransactItems can only contain one of Check, Put, Update or Delete"):
        transact(table.engine, put(item(pk="a")) | delete(item(pk="b")))


@clause("R9", "B11")
@pytest.mark.parametrize(
    "second",
    [put(item(pk="a")), delete(item(pk="a")), check(item(pk="a"), "attribute_exists(pk)"),
     update(item(pk="a"), "SET x = :x", x=1)],
)  # fmt: skip
def test_no_item_is_named_twice(table: Table, second: dict[str, Any]) -> None:
    with refused("Transaction request cannot include multiple operations on one item"):
        transact(table.engine, put(item(pk="a")), put(item(pk="b")), second)
    assert table.all() == []


def test_the_same_key_in_two_tables_is_not_the_same(table: Table) -> None:
    other = create(table.engine, "pk", "Other")
    transact(table.engine, put(item(pk="a")), put(item(pk="a"), "Other"))
    assert table.all() == other.all() == [item(pk="a")]


# ── 400 KB and 4 MB ───────────────────────────────────────────────────────────────────────────────


def test_items_of_exactly_400_kilobytes_are_written(table: Table) -> None:
    fill = filled(LARGEST, pk="b")["fill"]["S"]
    transact(table.engine, put(filled(LARGEST, pk="a")), update(item(pk="b"), "SET fill = :fill", fill=fill))
    assert table.found(item(pk="b")) == filled(LARGEST, pk="b")


@clause("B11")
def test_ten_items_of_400_kilobytes_fit_into_a_transaction_and_eleven_do_not(table: Table) -> None:
    puts = [put(filled(LARGEST, pk=f"{number:02}")) for number in range(11)]
    transact(table.engine, *puts[:10])
    with pytest.raises(WireError, match=r"^ValidationException: .*size cannot exceed"):
        transact(table.engine, *puts)
    assert table.found(item(pk="10")) is None


def test_the_values_of_updates_count_toward_the_four_megabytes(table: Table) -> None:
    fill = "x" * (LARGEST - 100)
    updates = [update(item(pk=str(number)), "SET fill = :fill", fill=fill) for number in range(11)]
    transact(table.engine, *updates[:10])
    with pytest.raises(WireError, match=r"^ValidationException: .*size cannot exceed"):
        transact(table.engine, *updates)


def test_four_megabytes_are_what_the_request_carries_not_what_it_touches(table: Table) -> None:
    for number in range(11):
        table.put(filled(LARGEST, pk=f"{number:02}"))
    keys = [item(pk=f"{number:02}") for number in range(11)]
    transact(
        table.engine, *(update(key, "SET x = :x", x=1) for key in keys[:0]), *(delete(key) for key in keys)
    )
    assert table.all() == []


# ── item collections ──────────────────────────────────────────────────────────────────────────────


def test_the_item_collections_are_measured_by_table(table: Table, indexed: Table) -> None:
    answer = transact(
        table.engine,
        put(item(pk="a", sk="b"), "Indexed"),
        put(item(pk="a")),
        ReturnItemCollectionMetrics="SIZE",
    )
    metrics = {"ItemCollectionKey": item(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}
    assert answer == {"ItemCollectionMetrics": {"Indexed": [metrics]}}


def test_no_item_collection_is_measured_without_a_local_index(table: Table) -> None:
    assert transact(table.engine, put(item(pk="a", x=value("x"))), ReturnItemCollectionMetrics="SIZE") == {}
