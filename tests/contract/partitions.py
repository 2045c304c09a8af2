"""One partition of a shared table for each test, so that a slow service makes a table only once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from hansang.errors import WireError
from tests.contract.contenders import Contender

T = TypeVar("T")
Item = dict[str, Any]


def schema(*names: str) -> list[Item]:
    return [
        {"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)
    ]


ALL = {"ProjectionType": "ALL"}
NAMES = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Name"]}
TYPES = {"PK": "S", "SK": "S", "Kind": "S", "Rank": "N"}


def definition(name: str) -> Item:
    """A table with a local index on Rank, and two global ones on Kind."""
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": schema("PK", "SK"),
        "AttributeDefinitions": [
            {"AttributeName": each, "AttributeType": kind} for each, kind in TYPES.items()
        ],
        "LocalSecondaryIndexes": [
            {"IndexName": "by_rank", "KeySchema": schema("PK", "Rank"), "Projection": ALL}
        ],
        "GlobalSecondaryIndexes": [
            {"IndexName": "by_kind", "KeySchema": schema("Kind", "Rank"), "Projection": ALL},
            {"IndexName": "names", "KeySchema": schema("Kind"), "Projection": NAMES},
        ],
    }


def wait_until_active(contender: Contender, table: str) -> None:
    for _ in range(300):
        if contender.call("DescribeTable", {"TableName": table})["Table"]["TableStatus"] == "ACTIVE":
            return
        time.sleep(1)
    raise AssertionError(f"{table} did not become active")


def eventually(contender: Contender, ask: Callable[[], T], expected: T) -> None:
    """A global index is not asked for what it cannot promise: it may take a moment."""
    for _ in range(40 if contender.name in ("aws", "endpoint") else 0):
        if ask() == expected:
            return
        time.sleep(0.5)
    assert ask() == expected


@dataclass(frozen=True)
class Partition:
    """The items of one test."""

    contender: Contender
    table: str
    pk: str

    def call(self, operation: str, **request: Any) -> Item:
        return self.contender.call(operation, {"TableName": self.table, **request})

    def key(self, sk: str) -> Item:
        return {"PK": {"S": self.pk}, "SK": {"S": sk}}

    def item(self, sk: str, **attributes: Item) -> Item:
        return self.key(sk) | attributes

    def ranked(self, sk: str, rank: int) -> Item:
        """An item that is in every index."""
        return self.item(
            sk, Kind={"S": self.pk}, Rank={"N": str(rank)}, Name={"S": sk.upper()}, Extra={"N": "1"}
        )

    def put(self, sk: str, **attributes: Item) -> Item:
        return self.call("PutItem", Item=self.item(sk, **attributes))

    def get(self, sk: str) -> Item | None:
        found: Item | None = self.call("GetItem", Key=self.key(sk), ConsistentRead=True).get("Item")
        return found

    def update(self, sk: str, expression: str, **more: Any) -> Item:
        return self.call("UpdateItem", Key=self.key(sk), UpdateExpression=expression, **more)

    def query(self, condition: str = "", values: Item | None = None, key: str = "PK", **more: Any) -> Item:
        """Query this partition, or that of an index; `condition` is on the sort key."""
        return self.call(
            "Query",
            KeyConditionExpression=f"{key} = :pk" + (f" AND {condition}" if condition else ""),
            ExpressionAttributeValues={":pk": {"S": self.pk}, **(values or {})},
            **more,
        )

    def index(self, name: str, **more: Any) -> Item:
        return self.query(key="Kind", IndexName=name, **more)

    def scanned(self, **request: Any) -> list[str]:
        """The sort keys that a scan finds, to its last page: the table has the items of all other tests too."""
        found: list[str] = []
        start: Item = {}
        while True:
            page = self.call("Scan", **request, **start)
            found += names(page)
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def eventually(self, ask: Callable[[], T], expected: T) -> None:
        eventually(self.contender, ask, expected)

    def refused(self, operation: str, **request: Any) -> WireError:
        with pytest.raises(WireError) as caught:
            self.call(operation, **request)
        return caught.value


def names(response: Item) -> list[str]:
    """The sort keys of the items of a response."""
    return [item["SK"]["S"] for item in response["Items"]]
