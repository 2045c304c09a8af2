"""GetItem: one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.capacity import Consumed, read_units
from hansang.engine.expressions import projections
from hansang.engine.expressions.binding import bind
from hansang.engine.legacy_shapes import ATTRIBUTES_TO_GET
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    TABLE_NAME,
    Flag,
    RequestShape,
    required,
)
from hansang.engine.values import accept_item
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    Key=required(ITEM),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    ConsistentRead=Flag(),
    AttributesToGet=ATTRIBUTES_TO_GET,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
)


def run(engine: Engine, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
    table, key, projection = _plainly_asked(engine, request) or _asked(engine, request)
    throttling = engine.throttling
    if throttling is not None:
        throttling.expect_read(table, None, key)
    reader = engine.store.acquire()
    try:
        row = reader.get(table.rows, key)
    finally:
        engine.store.release(reader)
    response: dict[str, Any] = {}
    if row is not None:
        if splices and projection is None:
            response["Item"] = orjson.Fragment(row[0])
        else:
            item = orjson.loads(row[0])
            response["Item"] = projection.pick(item) if projection else item
    mode = request.get("ReturnConsumedCapacity", "NONE")
    if mode != "NONE" or throttling is not None:
        units = read_units(row[1] if row else 0, consistent=bool(request.get("ConsistentRead")))
        if throttling is not None:
            throttling.spend_read(table, None, key, units)
    if mode != "NONE":
        response["ConsumedCapacity"] = Consumed(units).report(request["TableName"], mode)
    return response


def _plainly_asked(engine: Engine, request: Mapping[str, Any]) -> tuple[TableSchema, bytes, None] | None:
    """The table and the row of a request for a whole item by strings; None if all of the rules have to be asked."""
    name = request.get("TableName")
    if len(request) != 2 and (len(request) != 3 or type(request.get("ConsistentRead")) is not bool):
        return None
    if type(name) is not str:
        return None
    try:
        table = engine.catalog().table(name)
    except WireError:
        return None
    key = table.plain_key(request.get("Key"))
    return None if key is None else (table, key, None)


def _asked(
    engine: Engine, request: Mapping[str, Any]
) -> tuple[TableSchema, bytes, projections.ParsedProjection | None]:
    """The same for any request, refused if it breaks a rule."""
    SHAPE.check(request)
    key_item, _ = accept_item(request["Key"])
    bound = bind(request, "ProjectionExpression")
    table = engine.catalog().table(request["TableName"])
    key = table.key_of(key_item)
    if bound.nested:
        table.refuse_nested(bound.nested)
    return table, key, bound.projection
