"""UpdateTimeToLive: name the attribute that says when an item expires, or stop looking at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import backfill
from hansang.engine.faults import invalid
from hansang.engine.shapes import TABLE_NAME, Flag, RequestShape, Struct, Text, required
from hansang.engine.sql.writer import Writer

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    TimeToLiveSpecification=required(
        Struct(
            "TimeToLiveSpecification",
            Enabled=required(Flag()),
            AttributeName=required(Text(shortest=1, longest=255)),
        )
    ),
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    catalog = engine.catalog()
    table = catalog.changeable(request["TableName"])
    specification = request["TimeToLiveSpecification"]
    _refuse_unchanged(table.expiry, specification)

    def job(writer: Writer) -> None:
        definition = orjson.loads(orjson.dumps(table.definition))
        if specification["Enabled"]:
            attribute = specification["AttributeName"]
            definition["expiry"] = {"attribute": attribute, "rows": writer.create_rows(), "filling": True}
        else:
            writer.drop_rows(definition["expiry"]["rows"])
            definition["expiry"] = None
        writer.save_table(definition)

    engine.change(catalog, job)
    if specification["Enabled"]:
        backfill.fill_expiry(engine, table.name)
    return {"TimeToLiveSpecification": dict(specification)}


def _refuse_unchanged(current: str | None, wanted: Mapping[str, Any]) -> None:
    if current is not None and current != wanted["AttributeName"]:
        raise invalid(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if wanted["Enabled"] and current is not None:
        raise invalid("TimeToLive is already enabled")
    if current is None and not wanted["Enabled"]:
        raise invalid("TimeToLive is already disabled")
