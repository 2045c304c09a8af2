"""The tables of a NoSQL Workbench model, with the items that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hansang.blueprint.inference.facts import TableFacts, facts_of
from hansang.errors import SettingsError

_KINDS = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})


def is_workbench(document: Any) -> bool:
    return isinstance(document, Mapping) and isinstance(document.get("DataModel"), list)


def workbench_tables(document: Mapping[str, Any]) -> list[TableFacts]:
    """The tables of a model."""
    found = []
    for number, model in enumerate(document["DataModel"], 1):
        name = (
            model.get("TableName", f"number {number}") if isinstance(model, Mapping) else f"number {number}"
        )
        try:
            found.append(_table(model))
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            raise SettingsError(
                f"The table {name} cannot be read from the model: {fault!r}. Export it from NoSQL Workbench again."
            ) from fault
    return found


def _table(model: Mapping[str, Any]) -> TableFacts:
    named = {
        str(each["AttributeName"]): str(each["AttributeType"]) for each in model.get("NonKeyAttributes", ())
    }
    keys = [model["KeyAttributes"]]
    definition: dict[str, Any] = {
        "TableName": model["TableName"],
        "KeySchema": _schema(model["KeyAttributes"]),
    }
    for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        indexes = model.get(title) or ()
        keys += [each["KeyAttributes"] for each in indexes]
        definition[title] = [
            {
                "IndexName": each["IndexName"],
                "KeySchema": _schema(each["KeyAttributes"]),
                "Projection": each.get("Projection") or {"ProjectionType": "ALL"},
            }
            for each in indexes
        ]
    kinds = {str(each["AttributeName"]): str(each["AttributeType"]) for one in keys for each in one.values()}
    definition["AttributeDefinitions"] = [
        {"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()
    ]
    return facts_of(definition, items=list(_items(model.get("TableData") or ())), named=named)


def _schema(keys: Mapping[str, Any]) -> list[dict[str, str]]:
    parts = (("PartitionKey", "HASH"), ("SortKey", "RANGE"))
    return [
        {"AttributeName": str(keys[part]["AttributeName"]), "KeyType": kind}
        for part, kind in parts
        if part in keys
    ]


def _items(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, dict[str, Any]]]:
    for row in rows:
        item = {str(name): dict(value) for name, value in row.items()}
        for name, value in item.items():
            if len(value) != 1 or not value.keys() <= _KINDS:
                raise ValueError(f"{name} is {value}, which is no attribute value")
        yield item
