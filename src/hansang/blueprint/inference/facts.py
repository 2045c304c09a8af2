"""What is known of a table before its design: its keys, its indexes, and some of its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hansang.design.index_key import IndexKey
from hansang.design.shape import Item

_HALVES = ("HASH", "RANGE")


@dataclass(frozen=True, slots=True)
class IndexFacts(IndexKey):
    """An index as it is there."""

    name: str
    pk: str
    sk: str | None
    projection: str
    attributes: tuple[str, ...] = ()
    """What it projects beside the keys, where the projection is INCLUDE."""
    is_global: bool = True
    more_pk: tuple[str, ...] = ()
    more_sk: tuple[str, ...] = ()
    """What the halves of its key have behind their first attributes."""


@dataclass(frozen=True)
class TableFacts:
    """A table as it is there, with a sample of its items."""

    name: str
    pk: str
    sk: str | None
    key_kinds: Mapping[str, str]
    """S, N or B for every attribute that is part of a key."""
    indexes: tuple[IndexFacts, ...] = ()
    stream: str | None = None
    expiry: str | None = None
    """The attribute of the time to live, where that is on."""
    items: Sequence[Item] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    """Attributes that the source names without an item, with their types."""

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    @property
    def index_keys(self) -> tuple[str, ...]:
        """The attributes that indexes have in their keys and the table has not, each once."""
        found = dict.fromkeys(key for index in self.indexes for key in index.keys)
        return tuple(key for key in found if key not in self.keys)

    @property
    def composable(self) -> tuple[str, ...]:
        """Those that a design may compose of fields: of keys of several attributes, none."""
        plain = {key for index in self.indexes if index.is_compound for key in index.keys}
        return tuple(key for key in self.index_keys if key not in plain)


def facts_of(
    definition: Mapping[str, Any],
    *,
    expiry: str | None = None,
    items: Sequence[Item] = (),
    named: Mapping[str, str] | None = None,
) -> TableFacts:
    """The facts of a table in the form of CreateTable or DescribeTable."""
    [pk], [sk] = _keys(definition["KeySchema"])
    stream = definition.get("StreamSpecification") or {}
    return TableFacts(
        name=str(definition["TableName"]),
        pk=pk,
        sk=sk,
        key_kinds={
            str(each["AttributeName"]): str(each["AttributeType"])
            for each in definition["AttributeDefinitions"]
        },
        indexes=tuple(_indexes(definition)),
        stream=stream.get("StreamViewType") if stream.get("StreamEnabled", True) else None,
        expiry=expiry,
        items=items,
        named=named or {},
    )


def _keys(schema: Sequence[Mapping[str, str]]) -> tuple[list[str], list[str | None]]:
    """The attributes of both halves of a key, in their order; None where there is no sort key."""
    halves = {kind: [each["AttributeName"] for each in schema if each["KeyType"] == kind] for kind in _HALVES}
    return halves["HASH"], [*halves["RANGE"]] or [None]


def _indexes(definition: Mapping[str, Any]) -> Iterator[IndexFacts]:
    for title, is_global in (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False)):
        for each in definition.get(title) or ():
            [pk, *more_pk], [sk, *more_sk] = _keys(each["KeySchema"])
            projection = each.get("Projection") or {}
            yield IndexFacts(
                name=str(each["IndexName"]),
                pk=pk,
                sk=sk,
                projection=str(projection.get("ProjectionType", "ALL")),
                attributes=tuple(map(str, projection.get("NonKeyAttributes") or ())),
                is_global=is_global,
                more_pk=tuple(more_pk),
                more_sk=tuple(name for name in more_sk if name is not None),
            )
