"""The work of the comparison: the items, the tables, and the requests of each column."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

Item = dict[str, dict[str, Any]]
Request = dict[str, Any]

LOADED = 20_000
GROUP = 100
"""Items that share a group, so that a query of a group reads a hundred."""

PLAIN, INDEXED = "Plain", "Indexed"
SINGLES = ("put", "cond. put", "get", "update", "query 100", "transact 3")
COLUMNS = ("put", "cond. put", "get", "update", "query 100", "walk", "transact 3", "load")

LEGEND = """\
put         one new item in a table without indexes
cond. put   one new item under attribute_not_exists in a table with two indexes
get         one item by its key
update      one attribute of one item in a table with two indexes that hold it
query 100   a hundred items of an index by its partition
walk        items a second, page by page through a whole index
transact 3  three new items in one transaction, in a table with two indexes
load        items a second, 20,000 of them in batches of 25 into a table with two indexes"""


def item(number: int, items: int = LOADED) -> Item:
    """An item of 187 bytes by DynamoDB's rule, in six attributes."""
    scattered = number * 2_654_435_761 % 2**32
    return {
        "PK": {"S": f"USER#{scattered:010d}"},
        "SK": {"S": f"PROFILE#{number:010d}"},
        "team": {"S": f"TEAM#{scattered % max(items // GROUP, 1):08d}"},
        "score": {"N": str(1_000_000 + scattered % 8_999_999)},
        "email": {"S": f"player-{scattered:010d}@example.com"},
        "about": {
            "S": "A line about the player, as the profile page shows it, and a little more text of it."
        },
    }


def key(found: Item) -> Item:
    return {"PK": found["PK"], "SK": found["SK"]}


def _key_schema(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": sort} for name, sort in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def _index(name: str, *names: str) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": _key_schema(*names), "Projection": {"ProjectionType": "ALL"}}


def plain_table(name: str = PLAIN) -> Request:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema("PK", "SK"),
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in ("PK", "SK")
        ],
    }


def indexed_table(name: str = INDEXED) -> Request:
    types = {"PK": "S", "SK": "S", "team": "S", "score": "N", "email": "S"}
    return plain_table(name) | {
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": sort} for attribute, sort in types.items()
        ],
        "GlobalSecondaryIndexes": [_index("ByTeam", "team", "score"), _index("ByEmail", "email", "SK")],
    }


def put(number: int) -> Request:
    return {"TableName": PLAIN, "Item": item(number)}


def conditional_put(number: int) -> Request:
    return {"TableName": INDEXED, "Item": item(number), "ConditionExpression": "attribute_not_exists(PK)"}


def get(number: int) -> Request:
    return {"TableName": INDEXED, "Key": key(item(number))}


_texts = count()


def new_text() -> dict[str, str]:
    """A text that no item has yet: an update that changes nothing would write nothing."""
    return {"S": f"{next(_texts):084d}"}


def update(number: int) -> Request:
    return {
        "TableName": INDEXED,
        "Key": key(item(number)),
        "UpdateExpression": "SET about = :about",
        "ExpressionAttributeValues": {":about": new_text()},
    }


def query(number: int) -> Request:
    return {
        "TableName": INDEXED,
        "IndexName": "ByTeam",
        "KeyConditionExpression": "team = :team",
        "ExpressionAttributeValues": {":team": item(number)["team"]},
        "Limit": GROUP,
    }


def transaction(number: int) -> Request:
    writes = [{"Put": {"TableName": INDEXED, "Item": item(number + step * 100_000_000)}} for step in range(3)]
    return {"TransactItems": writes}


REQUESTS: dict[str, tuple[str, Callable[[int], Request]]] = {
    "put": ("PutItem", put),
    "cond. put": ("PutItem", conditional_put),
    "get": ("GetItem", get),
    "update": ("UpdateItem", update),
    "query 100": ("Query", query),
    "transact 3": ("TransactWriteItems", transaction),
}


def batches(table: str, numbers: Sequence[int], items: int = LOADED) -> list[Request]:
    """BatchWriteItem requests that load these items."""
    found = []
    for start in range(0, len(numbers), 25):
        writes = [{"PutRequest": {"Item": item(number, items)}} for number in numbers[start : start + 25]]
        found.append({"RequestItems": {table: writes}})
    return found


def numbers_for(column: str, turn: int, count: int) -> list[int]:
    """The items that a column works on in a turn: new ones to put, known ones to read."""
    if column in ("put", "cond. put", "transact 3"):
        first = LOADED + turn * 1_000_000 + SINGLES.index(column) * 100_000
        return list(range(first, first + count))
    picker = random.Random(turn)
    return [picker.randrange(LOADED) for _ in range(count)]
