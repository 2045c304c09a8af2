"""What DynamoDB demands of the definition of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansang.engine.faults import invalid, invalid_parameter

_MOST_LOCAL = 5
_MOST_GLOBAL = 20
_MOST_PER_SIDE = 4
_MOST_INCLUDED = 100

Elements = Sequence[Mapping[str, str]]


def check_new_table(request: Mapping[str, Any]) -> None:
    """Refuse a CreateTable request whose parts do not fit together."""
    _check_billing(request)
    defined = _defined(request["AttributeDefinitions"])
    schema = request["KeySchema"]
    _check_table_key(schema, defined)
    local, world = request.get("LocalSecondaryIndexes"), request.get("GlobalSecondaryIndexes")
    if local is not None:
        _check_local_indexes(local, schema, defined)
    if world is not None:
        _check_global_indexes(world, defined, request.get("BillingMode", "PROVISIONED"))
    indexes = [*(local or ()), *(world or ())]
    check_names(indexes)
    _check_included(indexes)
    _check_all_used(request["AttributeDefinitions"], schema, indexes)


def _defined(definitions: Sequence[Mapping[str, str]]) -> list[str]:
    names = [each["AttributeName"] for each in definitions]
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(f"Duplicate AttributeName in AttributeDefinitions: {name}")
    return names


def _check_billing(request: Mapping[str, Any]) -> None:
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        if throughput is not None:
            raise invalid_parameter(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None:
        raise invalid_parameter(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )


def _check_table_key(schema: Elements, defined: list[str]) -> None:
    names = [element["AttributeName"] for element in schema]
    if any(name not in defined for name in names) or len(names) > len(defined):
        raise invalid("Invalid KeySchema: Some index key attribute have no definition")
    check_roles(schema)
    if len(set(names)) < len(names):
        raise invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")


def check_roles(schema: Elements, most_per_side: int = 1) -> None:
    """Partition key attributes first, then sort key attributes, not too many of either."""
    roles = [element["KeyType"] for element in schema]
    if roles[0] != "HASH":
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if most_per_side == 1:
        if len(roles) > 1 and roles[1] != "RANGE":
            raise invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
        return
    if roles != sorted(roles):
        raise invalid("Invalid KeySchema: All HASH key elements must precede the RANGE key elements")
    for role in ("HASH", "RANGE"):
        if roles.count(role) > most_per_side:
            raise invalid(f"Invalid KeySchema: At most {most_per_side} {role} key elements are allowed")


def check_index_key(index: Mapping[str, Any], defined: Sequence[str], most_per_side: int) -> None:
    names = [element["AttributeName"] for element in index["KeySchema"]]
    missing = [name for name in names if name not in defined]
    if missing:
        raise invalid_parameter(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(missing)}], AttributeDefinitions: [{', '.join(defined)}]"
        )
    check_roles(index["KeySchema"], most_per_side)
    if len(set(names)) < len(names):
        raise invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")


def check_projection(projection: Mapping[str, Any]) -> None:
    kind, included = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
    if kind is None:
        raise invalid_parameter("Unknown ProjectionType: null")
    if kind == "INCLUDE" and included is None:
        raise invalid_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if kind != "INCLUDE" and included is not None:
        raise invalid_parameter(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if included is not None and len(set(included)) < len(included):
        raise invalid_parameter("NonKeyAttributes contains duplicate attribute names")


def _check_local_indexes(indexes: Sequence[Mapping[str, Any]], schema: Elements, defined: list[str]) -> None:
    if not indexes:
        raise invalid_parameter("List of LocalSecondaryIndexes is empty")
    if len(schema) < 2:
        raise invalid_parameter(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
        )
    for index in indexes:
        check_index_key(index, defined, 1)
        _check_local_key(index, schema)
        check_projection(index["Projection"])
    if len(indexes) > _MOST_LOCAL:
        raise invalid_parameter(f"Number of LocalSecondaryIndexes exceeds per-table limit of {_MOST_LOCAL}")


def _check_local_key(index: Mapping[str, Any], schema: Elements) -> None:
    ours, theirs = index["KeySchema"][0]["AttributeName"], schema[0]["AttributeName"]
    if ours != theirs:
        raise invalid_parameter(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
            f"{index['IndexName']}. index hash key: {ours}, table hash key: {theirs}"
        )
    if len(index["KeySchema"]) < 2:
        raise invalid_parameter(f"Index KeySchema does not have a range key for index: {index['IndexName']}")


def _check_global_indexes(indexes: Sequence[Mapping[str, Any]], defined: list[str], billing: str) -> None:
    if not indexes:
        raise invalid_parameter("List of GlobalSecondaryIndexes is empty")
    for index in indexes:
        check_global_index(index, defined, billing)
    if len(indexes) > _MOST_GLOBAL:
        raise invalid_parameter(f"GlobalSecondaryIndex count exceeds the per-table limit of {_MOST_GLOBAL}")


def check_global_index(index: Mapping[str, Any], defined: Sequence[str], billing: str) -> None:
    check_index_key(index, defined, _MOST_PER_SIDE)
    check_projection(index["Projection"])
    given = index.get("ProvisionedThroughput") is not None
    if billing == "PAY_PER_REQUEST" and given:
        raise invalid_parameter(
            f"ProvisionedThroughput should not be specified for index: {index['IndexName']} "
            "when BillingMode is PAY_PER_REQUEST"
        )
    if billing == "PROVISIONED" and not given:
        raise invalid_parameter(f"ProvisionedThroughput must be specified for index: {index['IndexName']}")


def check_names(indexes: Sequence[Mapping[str, Any]]) -> None:
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


def _check_all_used(
    definitions: Sequence[Mapping[str, str]], schema: Elements, indexes: Sequence[Mapping[str, Any]]
) -> None:
    elements = [*schema, *(element for index in indexes for element in index["KeySchema"])]
    used = dict.fromkeys(element["AttributeName"] for element in elements)
    if len(used) == len(definitions):
        return
    if not indexes:
        raise invalid_parameter(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
        )
    defined = ", ".join(each["AttributeName"] for each in definitions)
    raise invalid_parameter(
        f"Some AttributeDefinitions are not used. AttributeDefinitions: [{defined}], keys used: [{', '.join(used)}]"
    )
