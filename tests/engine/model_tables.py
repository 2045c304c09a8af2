"""The tables of the model: their keys, their indexes, and what each index holds of an item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.engine.model_values import Item, Refused, Value, kind, normal_item, order

ATTRIBUTE_TYPES = {"g": "S", "n": "N", "l": "B"}
"""The attributes that indexes are made of, alike in every table."""


@dataclass(frozen=True, repr=False)
class Index:
    name: str
    hash: tuple[str, ...]
    range: tuple[str, ...] = ()
    local: bool = False
    include: tuple[str, ...] | None = None
    """The attributes projected besides keys; None for all of them."""

    def __repr__(self) -> str:
        return self.name

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return self.hash + self.range

    def holds(self, name: str | int, table: Table) -> bool:
        """Whether the index has this attribute of its items."""
        return self.include is None or name in self.keys or name in table.keys or name in self.include

    def entry(self, item: Item, table: Table) -> Item | None:
        """What the index holds of an item: nothing, when a key attribute is missing."""
        if not all(name in item for name in self.keys):
            return None
        if self.include is None:
            return item
        return {name: value for name, value in item.items() if self.holds(name, table)}

    def schema(self) -> dict[str, Any]:
        projection: dict[str, Any] = {"ProjectionType": "ALL" if self.include is None else "KEYS_ONLY"}
        if self.include:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self.include)}
        return {
            "IndexName": self.name,
            "KeySchema": key_schema(self.hash, self.range),
            "Projection": projection,
        }


@dataclass(frozen=True, repr=False)
class Table:
    name: str
    key_types: tuple[tuple[str, str], ...]
    indexes: tuple[Index, ...] = ()

    def __repr__(self) -> str:
        return self.name.upper()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.key_types)

    @cached_property
    def base(self) -> Index:
        """The table itself, seen as an index of all attributes."""
        return Index(self.name, self.keys[:1], self.keys[1:], local=True)

    @cached_property
    def types(self) -> dict[str, str]:
        named = {name for index in self.indexes for name in index.keys}
        return {
            **{name: ATTRIBUTE_TYPES[name] for name in named if name in ATTRIBUTE_TYPES},
            **dict(self.key_types),
        }

    def key(self, item: Item) -> tuple[Any, ...]:
        return tuple(order(item[name]) for name in self.keys)

    def key_of(self, item: Item) -> Item:
        return {name: item[name] for name in self.keys}

    def check_key(self, key: Item) -> Item:
        if set(key) != set(self.keys):
            raise Refused
        return self.check_values(key)

    def check_item(self, item: Item) -> Item:
        """The item as it will be stored, or Refused."""
        found = self.check_values(item)
        for name, sort in self.types.items():
            if name in found:
                _check_key_value(found[name], sort)
        return found

    def check_values(self, item: Item) -> Item:
        """The item in normal form, its key right; the keys of indexes are not looked at."""
        found = normal_item(item)
        for name, sort in self.key_types:
            _check_key_value(found.get(name, {"": ""}), sort)
        return found

    def check_not_empty(self, item: Item) -> None:
        """An empty index key is seen in the request already, one of a wrong type later."""
        for name in self.types:
            if item.get(name) in ({"S": ""}, {"B": ""}):
                raise Refused

    def creation(self) -> dict[str, Any]:
        """The CreateTable request."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": key_schema(self.keys[:1], self.keys[1:]),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": sort} for name, sort in sorted(self.types.items())
            ],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        }
        for parameter, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
            schemas = [index.schema() for index in self.indexes if index.local is local]
            if schemas:
                request[parameter] = schemas
        return request


def key_schema(hashes: Iterable[str], ranges: Iterable[str]) -> list[dict[str, str]]:
    kinds = [("HASH", name) for name in hashes] + [("RANGE", name) for name in ranges]
    return [{"AttributeName": name, "KeyType": sort} for sort, name in kinds]


def _check_key_value(value: Value, sort: str) -> None:
    if kind(value) != sort or (sort in ("S", "B") and not value[sort]):
        raise Refused


WORDS = Table(
    "Words",
    (("h", "S"), ("r", "S")),
    (
        Index("by_group", ("g",), ("n",)),
        Index("by_number", ("n",), include=()),
        Index("local_bytes", ("h",), ("l",), local=True, include=("txt",)),
    ),
)
COUNTS = Table(
    "Counts",
    (("h", "N"), ("r", "N")),
    (
        Index("by_bytes", ("l",), ("g",), include=("m",)),
        Index("by_two_and_two", ("g", "l"), ("n", "r")),
        Index("local_text", ("h",), ("g",), local=True, include=()),
    ),
)
BLOBS = Table(
    "Blobs",
    (("h", "B"), ("r", "B")),
    (
        Index("turned", ("r",), ("h",), include=()),
        Index("local_number", ("h",), ("n",), local=True),
    ),
)
SINGLES = Table("Singles", (("h", "S"),), (Index("by_group", ("g",), ("h",), include=("num",)),))

TABLES = {table.name: table for table in (WORDS, COUNTS, BLOBS, SINGLES)}
