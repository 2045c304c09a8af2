"""What DynamoDB demands of the definition of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansang.engine import billing, stream_control, tags
from hansang.engine.faults import invalid, invalid_parameter

_MOST_LOCAL = 5
MOST_GLOBAL = 20
_MOST_PER_SIDE = 4
_MOST_INCLUDED = 100
_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")

Elements = Sequence[Mapping[str, str]]


def check_new_table(request: Mapping[str, Any]) -> None:
    """Refuse a CreateTable request whose parts do not fit together."""
    check_class(request)
    mode = billing.check_new(request)
    defined = _defined(request["AttributeDefinitions"])
    schema = request["KeySchema"]
    _check_table_key(schema, defined)
    local, world = request.get("LocalSecondaryIndexes"), request.get("GlobalSecondaryIndexes")
    _check_lists(local, world)
    for index in local or ():
        _check_local_key(index, schema, defined)
    for index in world or ():
        check_index_key(index, defined)
    indexes = [*(local or ()), *(world or ())]
    _check_all_used(defined, schema, indexes)
    for index in indexes:
        check_projection(index["Projection"])
    for index in world or ():
        billing.check_new_index(index, mode)
    _check_names([*(world or ()), *(local or ())])
    _check_included(indexes)
    stream_control.check_new(request.get("StreamSpecification"))
    tags.check(request.get("Tags") or ())


def check_class(request: Mapping[str, Any]) -> None:
    if request.get("TableClass") not in (None, *_CLASSES):
        raise invalid(
            "Invalid table-class parameter provided. "
            f"Please try again with a valid table-class value: [{', '.join(_CLASSES)}]."
        )


def _defined(definitions: Sequence[Mapping[str, str]]) -> list[str]:
    names = [each["AttributeName"] for each in definitions]
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"Attribute Name is duplicated: {name}")
    return names


def _check_table_key(schema: Elements, defined: list[str]) -> None:
    names = [element["AttributeName"] for element in schema]
    if len(names) > len(defined):
        raise invalid("Invalid KeySchema: Some index key attribute have no definition")
    _expect_defined(names, defined)
    _check_pair(schema)


def _check_pair(schema: Elements) -> None:
    """A partition key and perhaps a sort key."""
    names = [element["AttributeName"] for element in schema]
    roles = [element["KeyType"] for element in schema]
    if len(set(names)) < len(names):
        raise invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    if roles[0] != "HASH":
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if len(roles) > 1 and roles[1] != "RANGE":
        raise invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _expect_defined(names: list[str], defined: Sequence[str]) -> None:
    if any(name not in defined for name in names):
        raise invalid_parameter(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(defined)}]"
        )


def _check_lists(local: Sequence[Any] | None, world: Sequence[Any] | None) -> None:
    if local is not None and not local:
        raise invalid_parameter("List of LocalSecondaryIndexes is empty")
    if world is not None and not world:
        raise invalid_parameter("List of GlobalSecondaryIndexes is empty")
    if len(local or ()) > _MOST_LOCAL:
        raise invalid_parameter(f"Number of LocalSecondaryIndexes exceeds per-table limit of {_MOST_LOCAL}")
    if len(world or ()) > MOST_GLOBAL:
        raise invalid_parameter(f"GlobalSecondaryIndex count exceeds the per-table limit of {MOST_GLOBAL}")


def _check_local_key(index: Mapping[str, Any], schema: Elements, defined: list[str]) -> None:
    if len(schema) < 2:
        raise invalid_parameter(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
        )
    _expect_defined([element["AttributeName"] for element in index["KeySchema"]], defined)
    _check_pair(index["KeySchema"])
    if len(index["KeySchema"]) < 2:
        raise invalid_parameter(f"Index KeySchema does not have a range key for index: {index['IndexName']}")
    ours, theirs = index["KeySchema"][0]["AttributeName"], schema[0]["AttributeName"]
    if ours != theirs:
        raise invalid_parameter(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
            f"{index['IndexName']}. index hash key: {ours}, table hash key: {theirs}"
        )


def check_index_key(index: Mapping[str, Any], defined: Sequence[str]) -> None:
    """The key of a global index: up to four attributes on either side, partition key first (R15)."""
    names = [element["AttributeName"] for element in index["KeySchema"]]
    roles = [element["KeyType"] for element in index["KeySchema"]]
    _expect_defined(names, defined)
    if len(names) <= 2 and roles.count("HASH") == 1:
        _check_pair(index["KeySchema"])
        return
    if len(set(names)) < len(names):
        raise invalid("The KeySchema contains multiple key attributes with the same name")
    if roles[0] != "HASH":
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    for role in ("HASH", "RANGE"):
        if roles.count(role) > _MOST_PER_SIDE:
            raise invalid_parameter(
                f"The KeySchema exceeds the maximum allowed number of {role} key attributes"
            )
    if roles != sorted(roles):
        raise invalid_parameter("All HASH key attributes must precede RANGE key attributes in the KeySchema")


def check_projection(projection: Mapping[str, Any]) -> None:
    kind, included = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
    if kind is None:
        raise invalid_parameter("Unknown ProjectionType: null")
    if kind == "INCLUDE" and included is None:
        raise invalid_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if kind != "INCLUDE" and included is not None:
        raise invalid_parameter(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if included is not None and len(set(included)) < len(included):
        twice = next(name for name in included if included.count(name) > 1)
        raise invalid_parameter(f"Duplicate element in NonKeyAttributes: {twice}")


def _check_names(indexes: Sequence[Mapping[str, Any]]) -> None:
    names = [index["IndexName"] for index in indexes]
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(f"Duplicate index name: {name}")


def _check_included(indexes: Sequence[Mapping[str, Any]]) -> None:
    total = sum(len(index["Projection"].get("NonKeyAttributes") or ()) for index in indexes)
    if total > _MOST_INCLUDED:
        raise invalid_parameter(
            f"Number of NonKeyAttributes in all indexes exceeds the per-table limit of {_MOST_INCLUDED}"
        )


def _check_all_used(defined: list[str], schema: Elements, indexes: Sequence[Mapping[str, Any]]) -> None:
    elements = [*schema, *(element for index in indexes for element in index["KeySchema"])]
    used = dict.fromkeys(element["AttributeName"] for element in elements)
    if len(used) == len(defined):
        return
    if not indexes:
        raise invalid_parameter(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
        )
    raise invalid_parameter(
        f"Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(defined)}], "
        f"keys used: [{', '.join(used)}]"
    )
