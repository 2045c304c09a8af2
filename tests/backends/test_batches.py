"""What is in a write or a batch."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.backends.batches import changes, chosen, entries, joined

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/Rice"


@pytest.mark.parametrize(
    ("operation", "request_", "expected"),
    [
        ("PutItem", {"TableName": ARN, "Item": {"a": 1}}, [("Rice", {"a": 1})]),
        ("UpdateItem", {"TableName": "Rice", "Key": {"a": 1}}, [("Rice", {"a": 1})]),
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    "Rice": [{"PutRequest": {"Item": {"a": 1}}}],
                    "Soup": [{"DeleteRequest": {"Key": {"b": 2}}}],
                }
            },
            [("Rice", {"a": 1}), ("Soup", {"b": 2})],
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"ConditionCheck": {"TableName": "Rice", "Key": {"c": 3}}},
                    {"Update": {"TableName": ARN, "Key": {"a": 1}}},
                ]
            },
            [("Rice", {"a": 1})],
        ),
    ],
)
def test_a_write_changes_these_items(
    operation: str, request_: dict[str, Any], expected: list[tuple[str, dict[str, Any]]]
) -> None:
    assert list(changes(operation, request_)) == expected


def test_a_batch_is_cut_in_two_and_joined_again() -> None:
    request = {"RequestItems": {"Rice": {"Keys": [1, 2, 3], "ConsistentRead": True}, "Soup": {"Keys": [4]}}}
    found = entries("BatchGetItem", request)
    assert found == [("Rice", 1), ("Rice", 2), ("Rice", 3), ("Soup", 4)]
    first, second = chosen(request, found[:2]), chosen(request, found[2:])
    assert first == {"Rice": {"Keys": [1, 2], "ConsistentRead": True}}
    assert joined(first, second) == request["RequestItems"]


def test_what_two_answers_leave_over_is_one_list() -> None:
    assert joined({"Rice": [1]}, {"Rice": [2], "Soup": [3]}) == {"Rice": [1, 2], "Soup": [3]}


@pytest.mark.parametrize("wanted", [None, 1, {"Rice": None}, {"Rice": {"Keys": "a"}}])
def test_what_is_not_formed_as_a_batch_has_no_entries(wanted: object) -> None:
    assert entries("BatchGetItem", {"RequestItems": wanted}) == []
