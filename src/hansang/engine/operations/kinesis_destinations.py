"""Kinesis streams as destinations of a table's changes: there are none that this endpoint could reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.shapes import TABLE_NAME, RequestShape, Struct, Text, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PRECISION = Struct(
    "KinesisStreamingConfiguration", ApproximateCreationDateTimePrecision=Text("MILLISECOND", "MICROSECOND")
)
DESCRIBE = RequestShape(TableName=required(TABLE_NAME))
CHANGE = RequestShape(
    TableName=required(TABLE_NAME),
    StreamArn=required(Text(shortest=37, longest=1024)),
    EnableKinesisStreamingConfiguration=_PRECISION,
    UpdateKinesisStreamingConfiguration=_PRECISION,
)


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    DESCRIBE.check(request)
    table = engine.catalog().described(request["TableName"])
    return {"TableName": table.name, "KinesisDataStreamDestinations": []}


def enable(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CHANGE.check(request)
    engine.catalog().described(request["TableName"])
    raise invalid("User does not have a permission to use kinesis stream")


def disable(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CHANGE.check(request)
    engine.catalog().described(request["TableName"])
    raise _inactive("Disable")


def update(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CHANGE.check(request)
    engine.catalog().described(request["TableName"])
    raise _inactive("Update")


def _inactive(verb: str) -> Exception:
    return invalid(
        f"Table is not in a valid state to {verb.lower()} Kinesis Streaming Destination: "
        f"{verb}KinesisStreamingDestination must be ACTIVE to perform {verb.upper()} operation."
    )
