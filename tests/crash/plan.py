"""What the storm writes: the tables, and for every writer a plan that anyone can work out again.

The n-th write of a writer is a pure function of its name and n. So the writer only has to report how far
it came, and the judge knows what must be in the file, and what may be: the one write that was under way.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Item = dict[str, dict[str, Any]]
Kind = Literal["put", "update", "delete"]
Place = tuple[str, str]
"""A table's name and the key of an item in it."""

KINDS: tuple[Kind, ...] = ("put", "update", "delete")
LEDGER, JOURNAL = "Ledger", "Journal"
KEYS = 12
"""Single items that each writer has in each table; besides, it has as many triples."""


def _schema(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": sort} for name, sort in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def _index(name: str, projection: dict[str, Any], *names: str) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": _schema(*names), "Projection": projection}


ALL = {"ProjectionType": "ALL"}
KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}
TURN_ONLY = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["turn"]}


def table(name: str, key: list[str], **indexes: list[dict[str, Any]]) -> dict[str, Any]:
    types = {"PK": "S", "SK": "S", "owner": "S", "turn": "N", "mark": "S"}
    used = {
        *key,
        *(part["AttributeName"] for found in indexes.values() for ix in found for part in ix["KeySchema"]),
    }
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(*key),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": types[name]} for name in sorted(used)
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        **indexes,
    }


TABLES = {
    LEDGER: table(
        LEDGER,
        ["PK", "SK"],
        GlobalSecondaryIndexes=[
            _index("ByOwner", ALL, "owner", "turn"),
            _index("ByMark", KEYS_ONLY, "mark"),
        ],
        LocalSecondaryIndexes=[_index("ByTurn", TURN_ONLY, "PK", "turn")],
    ),
    JOURNAL: table(JOURNAL, ["PK"], GlobalSecondaryIndexes=[_index("ByMark", TURN_ONLY, "mark", "turn")]),
}


@dataclass(frozen=True)
class Touch:
    """One item that a write is about."""

    kind: Kind
    place: Place
    turn: int
    mark: str | None
    """Only some items have one, so that its index is sparse and is entered and left all the time."""

    @property
    def key(self) -> Item:
        table, key = self.place
        pk, _, sk = key.partition("/")
        return {"PK": {"S": pk}, "SK": {"S": sk}} if table == LEDGER else {"PK": {"S": key}}

    @property
    def item(self) -> Item:
        """The item that a put leaves."""
        mark: Item = {"mark": {"S": self.mark}} if self.mark else {}
        text = f"{self.turn} " * (1 + self.turn % 40)
        return {
            **self.key,
            **mark,
            "owner": {"S": f"o{self.turn % 5}"},
            "turn": _n(self.turn),
            "text": {"S": text},
        }

    def after(self, before: Item | None) -> Item | None:
        """What is there once the write is done."""
        if self.kind == "put":
            return self.item
        if self.kind == "delete":
            return None
        known = before or self.key
        count = int(known.get("updates", {"N": "0"})["N"]) + 1
        mark: Item = {"mark": {"S": self.mark}} if self.mark else {}
        rest = {name: value for name, value in known.items() if name != "mark"}
        return {**rest, **mark, "turn": _n(self.turn), "updates": _n(count)}


def _n(number: int) -> dict[str, str]:
    return {"N": str(number)}


@dataclass(frozen=True)
class Write:
    operation: Literal["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"]
    touches: tuple[Touch, ...]

    @property
    def whole(self) -> bool:
        """Whether it is done entirely or not at all; a batch is not."""
        return self.operation != "BatchWriteItem"

    def request(self) -> dict[str, Any]:
        if self.operation == "BatchWriteItem":
            return {"RequestItems": self._batch()}
        if self.operation == "TransactWriteItems":
            names = {"put": "Put", "update": "Update", "delete": "Delete"}
            return {"TransactItems": [{names[touch.kind]: _request(touch)} for touch in self.touches]}
        return _request(self.touches[0])

    def _batch(self) -> dict[str, list[dict[str, Any]]]:
        tables: dict[str, list[dict[str, Any]]] = {}
        for touch in self.touches:
            put, delete = {"PutRequest": {"Item": touch.item}}, {"DeleteRequest": {"Key": touch.key}}
            tables.setdefault(touch.place[0], []).append(delete if touch.kind == "delete" else put)
        return tables


def _request(touch: Touch) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": touch.place[0]}
    if touch.kind == "put":
        return request | {"Item": touch.item}
    request["Key"] = touch.key
    if touch.kind == "delete":
        return request
    names = {"#turn": "turn", "#updates": "updates", "#mark": "mark"}
    values = {":turn": _n(touch.turn), ":one": _n(1)} | ({":mark": {"S": touch.mark}} if touch.mark else {})
    mark = ", #mark = :mark" if touch.mark else " REMOVE #mark"
    expression = f"SET #turn = :turn{mark} ADD #updates :one"
    return request | {
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def write(writer: str, turn: int) -> Write:
    """The write that a writer does at its turn."""
    dice = random.Random(f"{writer}/{turn}")
    drawn = dice.random()
    if drawn < 0.25:
        return Write("TransactWriteItems", tuple(_triple(writer, turn, dice)))
    if drawn < 0.45:
        return Write("BatchWriteItem", tuple(_batch(writer, turn, dice)))
    place = dice.choice(singles(writer))
    kind = dice.choices(KINDS, [4, 4, 2])[0]
    operations: dict[Kind, Any] = {"put": "PutItem", "update": "UpdateItem", "delete": "DeleteItem"}
    return Write(operations[kind], (_touch(kind, place, turn, dice),))


def _touch(kind: Kind, place: Place, turn: int, dice: random.Random) -> Touch:
    return Touch(kind, place, turn, f"m{dice.randrange(4)}" if dice.random() < 0.5 else None)


def _triple(writer: str, turn: int, dice: random.Random) -> Iterator[Touch]:
    """Three items in two tables that are only ever written together, with the same turn in each."""
    kind = dice.choices(KINDS, [4, 4, 1])[0]
    for place in triple(writer, dice.randrange(KEYS)):
        yield _touch(kind, place, turn, dice)


def _batch(writer: str, turn: int, dice: random.Random) -> Iterator[Touch]:
    for place in dice.sample(singles(writer), dice.randrange(2, 2 * KEYS)):
        yield _touch("delete" if dice.random() < 0.2 else "put", place, turn, dice)


def singles(writer: str) -> list[Place]:
    rows = [(LEDGER, f"{writer}-{number % 3}/s{number}") for number in range(KEYS)]
    return rows + [(JOURNAL, f"{writer}-s{number}") for number in range(KEYS)]


def triple(writer: str, number: int) -> list[Place]:
    return [
        (LEDGER, f"{writer}-x/{number}a"),
        (LEDGER, f"{writer}-x/{number}b"),
        (JOURNAL, f"{writer}-x{number}"),
    ]
