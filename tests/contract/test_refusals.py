"""Refusals: the same code for the same mistake."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.errors import WireError
from tests.contract.contenders import Contender
from tests.contract.partitions import Partition, definition


@pytest.mark.parametrize("operation", ["DescribeTable", "DeleteTable", "Scan"])
def test_a_table_that_is_not_there(contender: Contender, operation: str) -> None:
    with pytest.raises(WireError) as caught:
        contender.call(operation, {"TableName": "hansang-no-such-table"})
    assert caught.value.code == "ResourceNotFoundException"


def test_a_table_that_is_there_already(partition: Partition) -> None:
    with pytest.raises(WireError) as caught:
        partition.contender.call("CreateTable", definition(partition.table))
    assert caught.value.code == "ResourceInUseException"


def test_an_operation_that_does_not_exist(contender: Contender) -> None:
    if contender.name == "endpoint":
        pytest.skip("The SDK refuses it before any endpoint is asked.")
    with pytest.raises(WireError) as caught:
        contender.call("MakeCoffee", {})
    assert caught.value.code == "UnknownOperationException"


REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a key without its sort key": ("GetItem", {"Key": {"PK": {"S": "a"}}}),
    "a key of another type": ("GetItem", {"Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}}),
    "a key with one attribute too many": (
        "GetItem",
        {"Key": {"PK": {"S": "a"}, "SK": {"S": "a"}, "more": {"S": "a"}}},
    ),
    "an item without its key": ("PutItem", {"Item": {"PK": {"S": "a"}}}),
    "an empty text in a key": ("PutItem", {"Item": {"PK": {"S": "a"}, "SK": {"S": ""}}}),
    "an index key of another type": (
        "PutItem",
        {"Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "Kind": {"S": "a"}, "Rank": {"S": "first"}}},
    ),
    "an item over 400 KB": (
        "PutItem",
        {"Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "x": {"S": "x" * 410_000}}},
    ),
    "a request without its item": ("PutItem", {}),
    "a query without a condition": ("Query", {}),
    "a query of no such index": (
        "Query",
        {
            "IndexName": "none",
            "KeyConditionExpression": "PK = :a",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
        },
    ),
    "a query without the partition key": (
        "Query",
        {"KeyConditionExpression": "SK = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}},
    ),
    "an expression that is none": (
        "PutItem",
        {"Item": {"PK": {"S": "a"}, "SK": {"S": "a"}}, "ConditionExpression": "PK = = 1"},
    ),
    "a reserved word in an expression": (
        "PutItem",
        {"Item": {"PK": {"S": "a"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_exists(name)"},
    ),
    "a value that is not defined": (
        "PutItem",
        {"Item": {"PK": {"S": "a"}, "SK": {"S": "a"}}, "ConditionExpression": "PK = :a"},
    ),
    "a value that is not used": (
        "PutItem",
        {
            "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}},
            "ConditionExpression": "attribute_exists(PK)",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
        },
    ),
}


@pytest.mark.parametrize("mistake", REQUESTS)
def test_a_request_that_means_nothing(partition: Partition, mistake: str) -> None:
    operation, request = REQUESTS[mistake]
    assert partition.refused(operation, **request).code == "ValidationException"
