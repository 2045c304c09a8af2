"""UpdateTable: capacity, billing, stream, class, deletion protection, and one global index at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import backfill, billing, index_changes, stream_control
from hansang.engine.descriptions import describe, warmer
from hansang.engine.operations.bulk_operations import refuse_vectors
from hansang.engine.operations.global_tables import refuse_replicas
from hansang.engine.shapes import TABLE_NAME, Flag, Many, RequestShape, required
from hansang.engine.sql.writer import Writer
from hansang.engine.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    ENCRYPTION,
    INDEX_UPDATE,
    ON_DEMAND,
    STREAM,
    TABLE_CLASS,
    THROUGHPUT,
    WARM,
)
from hansang.engine.update_rules import IndexUpdate, check_update

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    AttributeDefinitions=ATTRIBUTE_DEFINITIONS,
    BillingMode=BILLING_MODE,
    ProvisionedThroughput=THROUGHPUT,
    OnDemandThroughput=ON_DEMAND,
    GlobalSecondaryIndexUpdates=Many(INDEX_UPDATE),
    StreamSpecification=STREAM,
    DeletionProtectionEnabled=Flag(),
    TableClass=TABLE_CLASS,
    SSESpecification=ENCRYPTION,
    WarmThroughput=WARM,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    refuse_replicas(engine, request)
    refuse_vectors(request)
    updates = check_update(request)
    catalog = engine.catalog()
    table = catalog.changeable(request["TableName"])

    def job(writer: Writer) -> dict[str, Any]:
        definition = orjson.loads(orjson.dumps(table.definition))
        _change(writer, definition, request, engine.clock())
        _change_indexes(writer, definition, request, updates)
        catalog.expect_served(definition)
        writer.save_table(definition)
        return {"TableDescription": describe(engine, writer, definition, "UPDATING")}

    response = engine.change(catalog, job)
    for kind, update in updates:
        if kind == "Create":
            backfill.fill_index(engine, table.name, update["IndexName"])
    return response


def _change(writer: Writer, definition: dict[str, Any], request: Mapping[str, Any], now: float) -> None:
    billing.change(definition, request, now)
    for kept in ("TableClass", "SSESpecification"):
        if request.get(kept) is not None:
            definition[kept] = request[kept]
    if request.get("WarmThroughput") is not None:
        definition["WarmThroughput"] = warmer(definition, request["WarmThroughput"])
    if request.get("DeletionProtectionEnabled") is not None:
        definition["protected"] = request["DeletionProtectionEnabled"]
    if request.get("StreamSpecification") is not None:
        stream_control.change(writer, definition, request["StreamSpecification"], now)


def _change_indexes(
    writer: Writer, definition: dict[str, Any], request: Mapping[str, Any], updates: list[IndexUpdate]
) -> None:
    index_changes.check_one_at_a_time(definition, updates)
    for update in updates:
        index_changes.apply(writer, definition, request.get("AttributeDefinitions") or (), update)
    billing.check_every_index(definition)
