"""Tables for the tests of the control plane, and what the engine answers to a wrong request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError

Request = dict[str, Any]

NOW = 1_700_000_000.0
INVALID = "One or more parameter values were invalid: "
STILL_IN_USE = "Attempt to change a resource which is still in use: "


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def key(*names: str, hashes: int = 1) -> list[Request]:
    """A KeySchema: so many partition key attributes, then sort key attributes."""
    return [
        {"AttributeName": name, "KeyType": "HASH" if place < hashes else "RANGE"}
        for place, name in enumerate(names)
    ]


def attributes(**kinds: str) -> list[Request]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


def units(reads: int, writes: int) -> Request:
    return {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}


def index(name: str, *names: str, projection: str = "ALL", **more: Any) -> Request:
    described = {"IndexName": name, "KeySchema": key(*names), "Projection": {"ProjectionType": projection}}
    return described | more


def definition(name: str = "rice", **changes: Any) -> Request:
    """A CreateTable request for a table with the key `pk`; a change to None leaves the parameter out."""
    request: Request = {
        "TableName": name,
        "AttributeDefinitions": attributes(pk="S"),
        "KeySchema": key("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    return {name: value for name, value in (request | changes).items() if value is not None}


def with_index(name: str = "rice", **changes: Any) -> Request:
    """A table with the key `pk` and the global index `by-colour`."""
    return definition(
        name,
        **{
            "AttributeDefinitions": attributes(pk="S", colour="S"),
            "GlobalSecondaryIndexes": [index("by-colour", "colour")],
        }
        | changes,
    )


def with_stream(name: str = "rice", view: str = "NEW_AND_OLD_IMAGES", **changes: Any) -> Request:
    stream = {"StreamEnabled": True, "StreamViewType": view}
    return definition(name, StreamSpecification=stream, **changes)


def add_index(name: str, *names: str, kinds: Mapping[str, str] | None = None, **more: Any) -> Request:
    """An UpdateTable request that adds a global index; its keys are strings unless it is said otherwise."""
    return {
        "TableName": "rice",
        "AttributeDefinitions": attributes(**dict.fromkeys(names, "S") | dict(kinds or {})),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, *names, **more)}],
    }


def drop_index(name: str) -> Request:
    return {"TableName": "rice", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def create(engine: Engine, request: Request | None = None) -> Request:
    description: Request = engine.call("CreateTable", request or definition())["TableDescription"]
    return description


def describe(engine: Engine, name: str = "rice") -> Request:
    description: Request = engine.call("DescribeTable", {"TableName": name})["Table"]
    return description


def described_index(engine: Engine, name: str) -> Request:
    found: list[Request] = describe(engine)["GlobalSecondaryIndexes"]
    return next(each for each in found if each["IndexName"] == name)


def put(engine: Engine, pk: str, **item: Request) -> None:
    engine.call("PutItem", {"TableName": "rice", "Item": {"pk": {"S": pk}, **item}})


def put_many(engine: Engine, items: list[Request], table: str = "rice") -> None:
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        engine.call("BatchWriteItem", {"RequestItems": {table: requests}})


def scanned(engine: Engine, table: str = "rice", **more: Any) -> list[Request]:
    """Every item of a table or of an index."""
    return list(_scan(engine, {"TableName": table, **more}))


def _scan(engine: Engine, request: Request) -> Iterator[Request]:
    while True:
        page = engine.call("Scan", request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request = request | {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def names(items: list[Request], name: str = "pk") -> list[str]:
    """The string attribute of some items, in order of the strings."""
    return sorted(item[name]["S"] for item in items)


def refusal(engine: Engine, operation: str, request: Mapping[str, Any]) -> tuple[str, str]:
    """The code and the message of the error that a request gets."""
    with pytest.raises(WireError) as caught:
        engine.call(operation, request)
    return caught.value.code, caught.value.message or ""


def invalid(engine: Engine, operation: str, request: Mapping[str, Any]) -> str:
    """The message of the ValidationException that a request gets."""
    code, message = refusal(engine, operation, request)
    assert code == "ValidationException", f"{code}: {message}"
    return message


def faults(message: str) -> list[str]:
    """The faults in a message about the shape of a request, in no order, after checking their number."""
    count, _, rest = message.partition(" detected: ")
    found = rest.split("; ")
    assert count == f"{len(found)} validation error{'s' if len(found) > 1 else ''}"
    return sorted(found)


def fault(value: str, place: str, constraint: str) -> str:
    shown = "null" if value == "null" else f"'{value}'"
    return f"Value {shown} at '{place}' failed to satisfy constraint: {constraint}"
