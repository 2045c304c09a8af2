"""TransactWriteItems: all actions or none, the reasons of each refusal, and the client's token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import LARGEST, Item, filled, item, value
from tests.engine.tables import Answer, Index, Table, create, refused, request

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


def put(whole: Item, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": whole, **request(**options)}}


def update(key: Item, expression: str, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Update": {"TableName": table, "Key": key, "UpdateExpression": expression, **request(**options)}}


def delete(key: Item, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": table, "Key": key, **request(**options)}}


def check(key: Item, condition: str, table: str = "Table", **options: Any) -> dict[str, Any]:
    return {
        "ConditionCheck": {
            "TableName": table,
            "Key": key,
            "ConditionExpression": condition,
            **request(**options),
        }
    }


def transact(engine: Engine, *actions: dict[str, Any], **options: Any) -> Answer:
    return engine.call("TransactWriteItems", {"TransactItems": list(actions), **options})


def reasons(engine: Engine, *actions: dict[str, Any]) -> list[dict[str, Any]]:
    """Why the transaction was cancelled, action by action."""
    with pytest.raises(WireError) as caught:
        transact(engine, *actions)
    assert caught.value.code == "TransactionCanceledException", caught.value
    found: list[dict[str, Any]] = caught.value.fields["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in found)
    assert (
        caught.value.message
        == f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return found


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


def test_a_hundred_actions_are_done_together(table: Table) -> None:
    transact(table.engine, *(put(item(pk=str(number))) for number in range(100)))
    assert table.scan(Select="COUNT")["Count"] == 100


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    transact(table.engine, put(item(pk="a"), table.engine.table_arn("Table")))
    assert table.all() == [item(pk="a")]


# ── the reasons ───────────────────────────────────────────────────────────────────────────────────


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


def test_a_transaction_has_at_least_one_action(engine: Engine) -> None:
    with refused(
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    ):
        transact(engine)


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


# ── the client's token ────────────────────────────────────────────────────────────────────────────


class Timed:
    """A table whose engine tells the time it is given."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.engine = Engine.open(":memory:", clock=lambda: self.now, sweep_seconds=None)
        self.table = create(self.engine, "pk")

    def add(self, number: int, token: str = "token", **options: Any) -> Answer:
        action = update(item(pk="a"), "ADD n :n", n=number)
        return transact(self.engine, action, ClientRequestToken=token, **options)

    @property
    def sum(self) -> Item | None:
        return self.table.found(item(pk="a"))


@pytest.fixture
def timed() -> Iterator[Timed]:
    found = Timed()
    yield found
    found.engine.close()


def test_without_a_token_a_request_is_done_each_time(table: Table) -> None:
    for _ in range(2):
        transact(table.engine, update(item(pk="a"), "ADD n :n", n=1))
    assert table.found(item(pk="a")) == item(pk="a", n=2)


def test_a_request_with_the_same_token_is_done_once(timed: Timed) -> None:
    assert timed.add(1) == timed.add(1) == {}
    assert timed.sum == item(pk="a", n=1)


@pytest.mark.parametrize(("seconds", "total"), [(0, 1), (599, 1), (600, 1), (601, 2), (86_400, 2)])
def test_a_token_is_known_for_ten_minutes(timed: Timed, seconds: int, total: int) -> None:
    timed.add(1)
    timed.now += seconds
    timed.add(1)
    assert timed.sum == item(pk="a", n=total)


def test_a_repetition_does_not_make_the_token_last_longer(timed: Timed) -> None:
    for _ in range(3):
        timed.add(1)
        timed.now += 400
    assert timed.sum == item(pk="a", n=2)


def test_another_token_is_another_request(timed: Timed) -> None:
    timed.add(1)
    timed.add(1, token="other")
    assert timed.sum == item(pk="a", n=2)


def test_another_request_with_the_same_token_is_refused(timed: Timed) -> None:
    timed.add(1)
    with pytest.raises(WireError) as caught:
        timed.add(2)
    assert caught.value.code == "IdempotentParameterMismatchException"
    assert timed.sum == item(pk="a", n=1)


def test_the_same_request_may_ask_for_its_capacity_the_second_time(timed: Timed) -> None:
    timed.add(1)
    answer = timed.add(1, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Table", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    ]


def test_the_token_of_a_cancelled_transaction_is_not_used_up(timed: Timed) -> None:
    guarded = put(item(pk="b"), ConditionExpression="attribute_exists(pk)")
    for _ in range(2):
        with pytest.raises(WireError, match="ConditionalCheckFailed"):
            transact(timed.engine, guarded, ClientRequestToken="token")
    timed.table.put(item(pk="b"))
    assert transact(timed.engine, guarded, ClientRequestToken="token") == {}


def test_members_in_another_order_are_the_same_request(timed: Timed) -> None:
    whole = item(pk="a", x=1, y=2)
    forward = {"TableName": "Table", "Item": whole}
    backward = {"Item": dict(reversed(whole.items())), "TableName": "Table"}
    transact(timed.engine, {"Put": forward}, ClientRequestToken="token")
    assert transact(timed.engine, {"Put": backward}, ClientRequestToken="token") == {}


@pytest.mark.parametrize("length", [1, 36])
def test_a_token_has_up_to_36_characters(timed: Timed, length: int) -> None:
    timed.add(1, token="t" * length)
    assert timed.sum == item(pk="a", n=1)


def test_a_longer_token_is_refused(timed: Timed) -> None:
    with refused(
        f"1 validation error detected: Value '{'t' * 37}' at 'clientRequestToken' failed to satisfy constraint: "
        "Member must have length less than or equal to 36"
    ):
        timed.add(1, token="t" * 37)


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
