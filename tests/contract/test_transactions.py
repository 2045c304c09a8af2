"""Transactions: all or nothing, with a reason for each action, and once for each token."""

from __future__ import annotations

import uuid
from typing import Any

from tests.clauses import clause
from tests.contract.partitions import Partition


def write(partition: Partition, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return partition.contender.call("TransactWriteItems", {"TransactItems": list(actions), **more})


def put(partition: Partition, sk: str, **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": partition.table, "Item": partition.item(sk), **more}}


def change(partition: Partition, kind: str, sk: str, **more: Any) -> dict[str, Any]:
    return {kind: {"TableName": partition.table, "Key": partition.key(sk), **more}}


def test_a_transaction_puts_updates_deletes_and_checks(partition: Partition) -> None:
    for sk in "bcd":
        partition.put(sk, n={"N": "1"})
    write(
        partition,
        put(partition, "a"),
        change(
            partition,
            "Update",
            "b",
            UpdateExpression="ADD n :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        ),
        change(partition, "Delete", "c"),
        change(partition, "ConditionCheck", "d", ConditionExpression="attribute_exists(PK)"),
    )
    assert partition.get("a") == partition.item("a")
    assert partition.get("b") == partition.item("b", n={"N": "2"})
    assert partition.get("c") is None


@clause("B11")
def test_one_condition_that_fails_undoes_everything_and_is_named(partition: Partition) -> None:
    partition.put("b", picture={"B": "AP8="})
    once = {
        "ConditionExpression": "attribute_not_exists(PK)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    error = partition.refused(
        "TransactWriteItems", TransactItems=[put(partition, "a"), put(partition, "b", **once)], TableName=None
    )
    assert error.code == "TransactionCanceledException"
    first, second = error.fields["CancellationReasons"]
    assert first == {"Code": "None"}
    assert second["Code"] == "ConditionalCheckFailed"
    assert second["Message"] == "The conditional request failed"
    assert second["Item"] == partition.item("b", picture={"B": "AP8="})
    assert partition.get("a") is None


@clause("B11")
def test_a_token_makes_a_transaction_happen_once(partition: Partition) -> None:
    partition.put("a", n={"N": "0"})
    action = change(
        partition,
        "Update",
        "a",
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )
    token = str(uuid.uuid4())
    for _ in range(2):
        write(partition, action, ClientRequestToken=token)
    assert partition.get("a") == partition.item("a", n={"N": "1"})
    error = partition.refused(
        "TransactWriteItems",
        TransactItems=[put(partition, "b")],
        ClientRequestToken=token,
        TableName=None,
    )
    assert error.code == "IdempotentParameterMismatchException"


def test_a_transaction_cannot_name_an_item_twice(partition: Partition) -> None:
    actions = [put(partition, "a"), change(partition, "Delete", "a")]
    error = partition.refused("TransactWriteItems", TransactItems=actions, TableName=None)
    assert error.code == "ValidationException"


def test_a_transaction_reads_in_order_and_says_what_is_not_there(partition: Partition) -> None:
    for sk in "ac":
        partition.put(sk)
    gets = [change(partition, "Get", sk) for sk in "cba"]
    response = partition.contender.call("TransactGetItems", {"TransactItems": gets})
    assert response["Responses"] == [{"Item": partition.item("c")}, {}, {"Item": partition.item("a")}]
