"""Scan: every item of a table or of an index, or of one segment of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import key_order
from hansang.engine.expressions.binding import bind
from hansang.engine.faults import invalid
from hansang.engine.paging import page, place, source, start_key
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    INDEX_NAME,
    ITEM,
    NAMES,
    TABLE_NAME,
    VALUES,
    Flag,
    Shape,
    Text,
    Whole,
    required,
)

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = Shape(
    TableName=required(TABLE_NAME),
    IndexName=INDEX_NAME,
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    Select=Text("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    Limit=Whole(least=1),
    Segment=Whole(least=0, most=999_999),
    TotalSegments=Whole(least=1, most=1_000_000),
    ConsistentRead=Flag(),
    ExclusiveStartKey=ITEM,
    FilterExpression=EXPRESSION,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    low, high = _segment(request.get("Segment"), request.get("TotalSegments"))
    bound = bind(request, "FilterExpression", "ProjectionExpression")
    table = engine.catalog().table(request["TableName"])
    origin = source(table, request, bound, by_key=False)
    if request.get("ExclusiveStartKey") is not None:
        row = place(origin, start_key(origin, request["ExclusiveStartKey"]))
        if not low <= row < high:
            raise invalid(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. "
                "Please use ExclusiveStartKey with correct Segment. "
                f"TotalSegments: {request['TotalSegments']} Segment: {request['Segment']}"
            )
        low = row + b"\0"
    return page(engine, origin, request, low, high, backward=False)


def _segment(number: int | None, total: int | None) -> tuple[bytes, bytes]:
    if number is None and total is None:
        return key_order.EVERYTHING
    if total is None:
        raise invalid(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if number is None:
        raise invalid(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if number >= total:
        raise invalid(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {number} is not less than TotalSegments: {total}"
        )
    return key_order.segment(number, total)
