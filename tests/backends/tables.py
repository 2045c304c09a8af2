"""A table with a global and a local index, for tests of backends."""

from __future__ import annotations

from typing import Any

from hansang.backends.base import Backend

Item = dict[str, Any]


def schema(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)
    ]


ALL = {"ProjectionType": "ALL"}
TABLE: Item = {
    "TableName": "Rice",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": schema("PK", "SK"),
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
        {"AttributeName": "Rank", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [{"IndexName": "ranks", "KeySchema": schema("PK", "Rank"), "Projection": ALL}],
    "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": schema("PK", "Rank"), "Projection": ALL}],
}


def key(sk: str) -> Item:
    return {"PK": {"S": "p"}, "SK": {"S": sk}}


def item(sk: str, rank: int = 1) -> Item:
    return key(sk) | {"Rank": {"N": str(rank)}}


def put(backend: Backend, sk: str, rank: int = 1, **more: Any) -> Item:
    return backend.call("PutItem", {"TableName": "Rice", "Item": item(sk, rank), **more})


def get(backend: Backend, sk: str, **more: Any) -> Item:
    return backend.call("GetItem", {"TableName": "Rice", "Key": key(sk), **more})


def query(backend: Backend, index: str | None = None, **more: Any) -> list[str]:
    """The sort keys of the items of the one partition, by an index or by the table."""
    request = {
        "TableName": "Rice",
        "KeyConditionExpression": "PK = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    }
    found = backend.call("Query", request | ({"IndexName": index} if index else {}) | more)
    return [each["SK"]["S"] for each in found["Items"]]


def batch(*writes: Item) -> Item:
    return {"RequestItems": {"Rice": list(writes)}}
