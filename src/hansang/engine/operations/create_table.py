"""CreateTable: a new table with its indexes. It can be used at once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import stream_control
from hansang.engine.descriptions import describe
from hansang.engine.faults import invalid, resource_in_use
from hansang.engine.operations.bulk_operations import refuse_vectors
from hansang.engine.operations.global_tables import refuse_replicas
from hansang.engine.operations.resource_policies import new_policy
from hansang.engine.shapes import NEW_TABLE_NAME, Flag, Many, RequestShape, Text, required
from hansang.engine.sql.writer import Writer
from hansang.engine.table_rules import check_new_table
from hansang.engine.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    ENCRYPTION,
    GLOBAL_INDEX,
    KEY_SCHEMA,
    LOCAL_INDEX,
    ON_DEMAND,
    STREAM,
    TABLE_CLASS,
    TAGS,
    THROUGHPUT,
    WARM,
)

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(NEW_TABLE_NAME),
    AttributeDefinitions=required(ATTRIBUTE_DEFINITIONS),
    KeySchema=required(KEY_SCHEMA),
    BillingMode=BILLING_MODE,
    ProvisionedThroughput=THROUGHPUT,
    OnDemandThroughput=ON_DEMAND,
    LocalSecondaryIndexes=Many(LOCAL_INDEX),
    GlobalSecondaryIndexes=Many(GLOBAL_INDEX),
    StreamSpecification=STREAM,
    DeletionProtectionEnabled=Flag(),
    TableClass=TABLE_CLASS,
    Tags=TAGS,
    ResourcePolicy=Text(),
    SSESpecification=ENCRYPTION,
    WarmThroughput=WARM,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    if request.get("TableName") is None:
        SHAPE.read(request)
        raise invalid("The parameter 'TableName' is required but was not present in the request")
    SHAPE.check(request)
    refuse_replicas(engine, request)
    refuse_vectors(request)
    check_new_table(request)
    policy = new_policy(request["ResourcePolicy"]) if request.get("ResourcePolicy") else None
    catalog = engine.catalog()
    catalog.expect_served(request)
    if catalog.find(request["TableName"]) is not None:
        raise resource_in_use(f"Table already exists: {request['TableName']}")

    def job(writer: Writer) -> dict[str, Any]:
        definition = _created(engine, writer, request) | {"policy": policy}
        writer.save_table(definition)
        return {"TableDescription": describe(engine, writer, definition, "CREATING")}

    return engine.change(catalog, job)


def _created(engine: Engine, writer: Writer, request: Mapping[str, Any]) -> dict[str, Any]:
    now, mode = engine.clock(), request.get("BillingMode") or "PROVISIONED"
    definition = {
        "TableName": request["TableName"],
        "AttributeDefinitions": request["AttributeDefinitions"],
        "KeySchema": request["KeySchema"],
        "BillingMode": mode,
        "ProvisionedThroughput": request.get("ProvisionedThroughput"),
        "OnDemandThroughput": request.get("OnDemandThroughput"),
        "WarmThroughput": request.get("WarmThroughput"),
        "TableClass": request.get("TableClass"),
        "SSESpecification": request.get("SSESpecification"),
        "LocalSecondaryIndexes": [
            _index(writer, each) for each in request.get("LocalSecondaryIndexes") or ()
        ],
        "GlobalSecondaryIndexes": [
            _index(writer, each) for each in request.get("GlobalSecondaryIndexes") or ()
        ],
        "id": str(uuid.uuid4()),
        "created": now,
        "billed": now if mode == "PAY_PER_REQUEST" else None,
        "protected": bool(request.get("DeletionProtectionEnabled")),
        "tags": {tag["Key"]: tag["Value"] for tag in request.get("Tags") or ()},
        "stream": None,
        "expiry": None,
        "rows": writer.create_rows(),
    }
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"]:
        stream_control.start(writer, definition, stream["StreamViewType"], now)
    return definition


def _index(writer: Writer, description: Mapping[str, Any]) -> dict[str, Any]:
    return {**description, "rows": writer.create_rows()}
