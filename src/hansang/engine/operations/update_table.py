"""UpdateTable: capacity, billing, stream, deletion protection, and one global index at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import backfill, stream_control
from hansang.engine.descriptions import describe
from hansang.engine.faults import invalid, invalid_parameter, resource_not_found
from hansang.engine.shapes import TABLE_NAME, Flag, Many, Shape, required
from hansang.engine.store import Writer
from hansang.engine.table_rules import check_added_index, check_bounds, check_class, check_on_demand
from hansang.engine.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    INDEX_UPDATE,
    ON_DEMAND,
    STREAM,
    TABLE_CLASS,
    THROUGHPUT,
)
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST_GLOBAL = 20

SHAPE = Shape(
    TableName=required(TABLE_NAME),
    AttributeDefinitions=ATTRIBUTE_DEFINITIONS,
    BillingMode=BILLING_MODE,
    ProvisionedThroughput=THROUGHPUT,
    OnDemandThroughput=ON_DEMAND,
    GlobalSecondaryIndexUpdates=Many(INDEX_UPDATE),
    StreamSpecification=STREAM,
    DeletionProtectionEnabled=Flag(),
    TableClass=TABLE_CLASS,
)
_CHANGES = (
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "StreamSpecification",
    "DeletionProtectionEnabled",
    "TableClass",
)

Definition = dict[str, Any]


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    updates = _index_updates(request)
    if not updates and all(request.get(name) is None for name in _CHANGES):
        raise invalid(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    check_class(request)
    check_bounds(request)
    catalog = engine.catalog()
    table = catalog.described(request["TableName"])
    check_on_demand(request, request.get("BillingMode") or table.definition["BillingMode"])

    def job(writer: Writer) -> dict[str, Any]:
        definition: Definition = orjson.loads(orjson.dumps(table.definition))
        _change(writer, definition, request, engine.clock())
        for kind, update in updates:
            _INDEX_CHANGES[kind](writer, definition, request, update)
        writer.save_table(definition)
        return {"TableDescription": describe(engine, writer, definition, "UPDATING")}

    response = engine.write(catalog, job)
    for kind, update in updates:
        if kind == "Create":
            backfill.fill_index(engine, table.name, update["IndexName"])
    return response


def _index_updates(request: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    updates = []
    for each in request.get("GlobalSecondaryIndexUpdates") or ():
        given = [(kind, each[kind]) for kind in _INDEX_CHANGES if each.get(kind) is not None]
        if len(given) != 1:
            raise invalid_parameter(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        updates += given
    names = [update["IndexName"] for _, update in updates]
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(
                f"Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )
    if sum(kind != "Update" for kind, _ in updates) > 1:
        raise WireError(
            "LimitExceededException",
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        )
    return updates


# ── the table ─────────────────────────────────────────────────────────────────────────────────────


def _change(writer: Writer, definition: Definition, request: Mapping[str, Any], now: float) -> None:
    _change_billing(definition, request, now)
    for name in ("TableClass", "OnDemandThroughput"):
        if request.get(name) is not None:
            definition[name] = request[name]
    if request.get("DeletionProtectionEnabled") is not None:
        definition["protected"] = request["DeletionProtectionEnabled"]
    if request.get("StreamSpecification") is not None:
        stream_control.apply(writer, definition, request["StreamSpecification"], now)


def _change_billing(definition: Definition, request: Mapping[str, Any], now: float) -> None:
    mode, throughput = request.get("BillingMode"), request.get("ProvisionedThroughput")
    wanted = mode or definition["BillingMode"]
    if wanted == "PAY_PER_REQUEST":
        if throughput is not None:
            raise invalid_parameter(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
        if definition["BillingMode"] != wanted:
            definition["billed"] = now
        definition["ProvisionedThroughput"] = None
        for index in definition["GlobalSecondaryIndexes"]:
            index.pop("ProvisionedThroughput", None)
    elif mode is not None and throughput is None:
        raise invalid_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    elif throughput is not None:
        _refuse_unchanged(definition.get("ProvisionedThroughput"), throughput)
        definition["ProvisionedThroughput"] = dict(throughput)
    definition["BillingMode"] = wanted


def _refuse_unchanged(current: Mapping[str, int] | None, wanted: Mapping[str, int]) -> None:
    if current is None or any(current[name] != wanted[name] for name in current):
        return
    numbers = " ".join(
        f"Current {name} provisioned for the table: {current[name]}. Requested {name}: {wanted[name]}."
        for name in ("ReadCapacityUnits", "WriteCapacityUnits")
    )
    raise invalid(
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        f"{numbers} Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


# ── its indexes ───────────────────────────────────────────────────────────────────────────────────


def _create(
    writer: Writer, definition: Definition, request: Mapping[str, Any], index: Mapping[str, Any]
) -> None:
    _merge_attributes(definition, request.get("AttributeDefinitions") or ())
    existing = [*definition["LocalSecondaryIndexes"], *definition["GlobalSecondaryIndexes"]]
    if any(each["IndexName"] == index["IndexName"] for each in existing):
        raise invalid_parameter(f"Duplicate index name: {index['IndexName']}")
    if len(definition["GlobalSecondaryIndexes"]) >= _MOST_GLOBAL:
        raise invalid_parameter(f"GlobalSecondaryIndex count exceeds the per-table limit of {_MOST_GLOBAL}")
    defined = [each["AttributeName"] for each in definition["AttributeDefinitions"]]
    check_added_index(index, defined, definition["BillingMode"])
    definition["GlobalSecondaryIndexes"].append({**index, "rows": writer.create_rows(), "Backfilling": True})
    _drop_unused_attributes(definition)


def _merge_attributes(definition: Definition, given: Sequence[Mapping[str, str]]) -> None:
    known = {each["AttributeName"]: each for each in definition["AttributeDefinitions"]}
    for each in given:
        before = known.get(each["AttributeName"])
        if before is not None and before["AttributeType"] != each["AttributeType"]:
            raise invalid_parameter(
                f"Attribute {each['AttributeName']} is already defined with type {before['AttributeType']}"
            )
        known[each["AttributeName"]] = dict(each)
    definition["AttributeDefinitions"] = list(known.values())


def _delete(
    writer: Writer, definition: Definition, request: Mapping[str, Any], index: Mapping[str, Any]
) -> None:
    found = _found(definition, index["IndexName"])
    writer.drop_rows(found["rows"])
    definition["GlobalSecondaryIndexes"].remove(found)
    _drop_unused_attributes(definition)


def _update(
    writer: Writer, definition: Definition, request: Mapping[str, Any], index: Mapping[str, Any]
) -> None:
    found = _found(definition, index["IndexName"])
    throughput = index.get("ProvisionedThroughput")
    if throughput is not None:
        if definition["BillingMode"] == "PAY_PER_REQUEST":
            raise invalid_parameter(
                f"ProvisionedThroughput should not be specified for index: {index['IndexName']} "
                "when BillingMode is PAY_PER_REQUEST"
            )
        found["ProvisionedThroughput"] = dict(throughput)
    if index.get("OnDemandThroughput") is not None:
        found["OnDemandThroughput"] = index["OnDemandThroughput"]


def _found(definition: Definition, name: str) -> Definition:
    for index in definition["GlobalSecondaryIndexes"]:
        if index["IndexName"] == name:
            found: Definition = index
            return found
    raise resource_not_found("Requested resource not found")


def _drop_unused_attributes(definition: Definition) -> None:
    indexes = [*definition["LocalSecondaryIndexes"], *definition["GlobalSecondaryIndexes"]]
    schemas = [definition["KeySchema"], *(index["KeySchema"] for index in indexes)]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    definition["AttributeDefinitions"] = [
        each for each in definition["AttributeDefinitions"] if each["AttributeName"] in used
    ]


_INDEX_CHANGES = {"Create": _create, "Update": _update, "Delete": _delete}
