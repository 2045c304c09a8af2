"""The global indexes of a table come, change and go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansang.engine import billing
from hansang.engine.faults import invalid, invalid_parameter, resource_not_found
from hansang.engine.sql.writer import Writer
from hansang.engine.table_rules import MOST_GLOBAL, check_index_key, check_projection
from hansang.engine.update_rules import IndexUpdate
from hansang.errors import WireError

Definition = dict[str, Any]
Attributes = Sequence[Mapping[str, str]]


def check_one_at_a_time(definition: Definition, updates: Sequence[IndexUpdate]) -> None:
    """One index comes or goes at a time; one that is being filled may itself go."""
    moving = [
        index["IndexName"] for index in definition["GlobalSecondaryIndexes"] if index.get("Backfilling")
    ]
    asked = [(kind, update["IndexName"]) for kind, update in updates if kind != "Update"]
    alone = not moving or all(kind == "Delete" and [name] == moving for kind, name in asked)
    if len(asked) > 1 or not alone:
        raise _exceeded("Only 1 online index can be created or deleted simultaneously per table")


def apply(writer: Writer, definition: Definition, attributes: Attributes, update: IndexUpdate) -> None:
    kind, index = update
    if kind == "Create":
        _create(writer, definition, attributes, index)
    elif kind == "Delete":
        _delete(writer, definition, _found(definition, index["IndexName"], "delete"))
    else:
        found = _found(definition, index["IndexName"], "update")
        billing.change_index(found, index, definition["BillingMode"])


def _create(writer: Writer, definition: Definition, attributes: Attributes, index: Mapping[str, Any]) -> None:
    if not attributes:
        raise invalid_parameter(f"AttributeDefinitions is not specified for index: {index['IndexName']}")
    if any(each["IndexName"] == index["IndexName"] for each in _indexes(definition)):
        raise invalid("Attempting to create an index which already exists")
    if len(definition["GlobalSecondaryIndexes"]) >= MOST_GLOBAL:
        raise _exceeded(f"Number of global secondary indexes exceeds per-table limit of {MOST_GLOBAL}")
    _define(definition, attributes, index)
    check_index_key(index, [each["AttributeName"] for each in definition["AttributeDefinitions"]])
    check_projection(index["Projection"])
    billing.check_added_index(index, definition["BillingMode"])
    definition["GlobalSecondaryIndexes"].append({**index, "rows": writer.create_rows(), "Backfilling": True})


def _define(definition: Definition, attributes: Attributes, index: Mapping[str, Any]) -> None:
    """Add the attributes that the key of the index brings; one that is known keeps its type, as on AWS."""
    needed = {element["AttributeName"] for element in index["KeySchema"]}
    known = {each["AttributeName"]: each for each in definition["AttributeDefinitions"]}
    for each in attributes:
        name, kind = each["AttributeName"], each["AttributeType"]
        if name in needed:
            known.setdefault(name, {"AttributeName": name, "AttributeType": kind})
    definition["AttributeDefinitions"] = list(known.values())


def _delete(writer: Writer, definition: Definition, index: Definition) -> None:
    writer.drop_rows(index["rows"])
    definition["GlobalSecondaryIndexes"].remove(index)
    schemas = [definition["KeySchema"], *(each["KeySchema"] for each in _indexes(definition))]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    definition["AttributeDefinitions"] = [
        each for each in definition["AttributeDefinitions"] if each["AttributeName"] in used
    ]


def _found(definition: Definition, name: str, verb: str) -> Definition:
    for index in definition["GlobalSecondaryIndexes"]:
        if index["IndexName"] == name:
            found: Definition = index
            return found
    if any(index["IndexName"] == name for index in definition["LocalSecondaryIndexes"]):
        raise invalid(f"Cannot {verb} an index that is not a GlobalSecondaryIndex: {name}")
    raise resource_not_found(
        f"Requested resource not found: Index {name} for table {definition['TableName']}"
    )


def _indexes(definition: Definition) -> list[Definition]:
    return [*definition["LocalSecondaryIndexes"], *definition["GlobalSecondaryIndexes"]]


def _exceeded(message: str) -> WireError:
    return WireError("LimitExceededException", f"Subscriber limit exceeded: {message}")
