"""Tables for tests, and their operations with what every request repeats left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item, value

Answer = dict[str, Any]
ENVELOPE = "1 validation error detected: "


@dataclass(frozen=True)
class Index:
    """A secondary index; `key` is written as `create` writes keys."""

    name: str
    key: str
    include: tuple[str, ...] | None = None
    """The attributes it projects besides keys; None for all of them."""

    def described(self) -> dict[str, Any]:
        projection: dict[str, Any] = {"ProjectionType": "ALL" if self.include is None else "KEYS_ONLY"}
        if self.include:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self.include)}
        return {"IndexName": self.name, "KeySchema": schema(self.key), "Projection": projection}


def schema(key: str) -> list[dict[str, str]]:
    """The KeySchema of `pk sk:N`: the partition key, then the sort key."""
    names = [part.partition(":")[0] for part in key.split()]
    return [
        {"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def definitions(*keys: str) -> list[dict[str, str]]:
    """The AttributeDefinitions of all keys; an attribute without a type is a string."""
    kinds: dict[str, str] = {}
    for part in " ".join(keys).split():
        name, _, kind = part.partition(":")
        kinds[name] = kind or kinds.get(name, "S")
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


class Table:
    """One table. A lower-case argument of an operation is an expression value: `n=1` stands for `:n`."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name = engine, name

    def call(self, operation: str, **given: Any) -> Answer:
        return self.engine.call(operation, {"TableName": self.name, **request(**given)})

    def put(self, item: Item, **given: Any) -> Answer:
        return self.call("PutItem", Item=item, **given)

    def get(self, key: Item, **given: Any) -> Answer:
        return self.call("GetItem", Key=key, **given)

    def delete(self, key: Item, **given: Any) -> Answer:
        return self.call("DeleteItem", Key=key, **given)

    def update(self, key: Item, expression: str, **given: Any) -> Answer:
        return self.call("UpdateItem", Key=key, UpdateExpression=expression, **given)

    def query(self, condition: str, **given: Any) -> Answer:
        return self.call("Query", KeyConditionExpression=condition, **given)

    def scan(self, **given: Any) -> Answer:
        return self.call("Scan", **given)

    def found(self, key: Item) -> Item | None:
        """The item under this key, or None."""
        item: Item | None = self.get(key, ConsistentRead=True).get("Item")
        return item

    def all(self, **given: Any) -> list[Item]:
        """Everything that a scan finds, in an order of its own."""
        items: list[Item] = self.scan(**given)["Items"]
        return sorted(items, key=repr)


def request(**given: Any) -> dict[str, Any]:
    """Parameters by their names, and lower-case ones as expression values."""
    values = {f":{name}": value(thing) for name, thing in given.items() if name[0].islower()}
    parameters = {name: thing for name, thing in given.items() if not name[0].islower()}
    return {**parameters, "ExpressionAttributeValues": values} if values else parameters


def create(
    engine: Engine, key: str, name: str = "Table", local: Sequence[Index] = (), world: Sequence[Index] = ()
) -> Table:
    """A table whose key is written as `pk` or `pk sk:N`, with its local and global indexes."""
    parameters: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": schema(key),
        "AttributeDefinitions": definitions(key, *(index.key for index in (*local, *world))),
    }
    for title, indexes in (("LocalSecondaryIndexes", local), ("GlobalSecondaryIndexes", world)):
        if indexes:
            parameters[title] = [index.described() for index in indexes]
    engine.call("CreateTable", parameters)
    return Table(engine, name)


@contextmanager
def refused(message: str, code: str = "ValidationException") -> Iterator[None]:
    """What is done inside is refused in these words, with or without the envelope of newer regions."""
    with pytest.raises(WireError) as caught:
        yield
    assert (caught.value.code, bare(caught.value.message)) == (code, bare(message)), caught.value


def bare(message: str | None) -> str:
    text = message or ""
    enveloped = text.startswith(ENVELOPE) and not text.startswith(f"{ENVELOPE}Value ")
    return text.removeprefix(ENVELOPE) if enveloped else text


def cost(
    table: float,
    local: dict[str, float] | None = None,
    world: dict[str, float] | None = None,
    name: str = "Table",
    kind: str = "",
) -> dict[str, Any]:
    """The ConsumedCapacity of a table under INDEXES; `kind` is Read or Write in a transaction."""

    def units(number: float) -> dict[str, float]:
        return {"CapacityUnits": number} | ({f"{kind}CapacityUnits": number} if kind else {})

    local, world = local or {}, world or {}
    report: dict[str, Any] = {"TableName": name, **units(table + sum([*local.values(), *world.values()]))}
    report["Table"] = units(table)
    for title, side in (("LocalSecondaryIndexes", local), ("GlobalSecondaryIndexes", world)):
        if side:
            report[title] = {index: units(number) for index, number in side.items()}
    return report
