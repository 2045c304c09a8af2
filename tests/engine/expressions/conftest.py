"""An engine with a table of each kind that expressions are asked of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.engine import Engine


def schema(hashed: str, ranged: str = "") -> list[dict[str, str]]:
    """A KeySchema from the names of attributes, parted by spaces."""
    kinds = [("HASH", name) for name in hashed.split()] + [("RANGE", name) for name in ranged.split()]
    return [{"AttributeName": name, "KeyType": kind} for kind, name in kinds]


def index(name: str, hashed: str, ranged: str = "") -> dict[str, Any]:
    projection = {"ProjectionType": "ALL"}
    return {"IndexName": name, "KeySchema": schema(hashed, ranged), "Projection": projection}


def create(engine: Engine, name: str, key: list[dict[str, str]], types: str, **more: Any) -> None:
    definitions = [
        {"AttributeName": attribute, "AttributeType": tag}
        for attribute, tag in (pair.split(":") for pair in types.split())
    ]
    request = {"TableName": name, "KeySchema": key, "AttributeDefinitions": definitions}
    engine.call("CreateTable", {**request, "BillingMode": "PAY_PER_REQUEST", **more})


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.open(":memory:", sweep_seconds=None) as opened:
        create(opened, "single", schema("a"), "a:S")
        for tag in "SNB":
            create(opened, f"sorted{tag}", schema("a", "b"), f"a:S b:{tag}")
        create(
            opened,
            "indexed",
            schema("a", "b"),
            "a:S b:S c:S d:S",
            LocalSecondaryIndexes=[index("local", "a", "d")],
            GlobalSecondaryIndexes=[index("global", "c")],
        )
        yield opened
