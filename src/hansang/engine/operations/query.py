"""Query: the items of one partition, in the order of the sort key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.expressions.binding import bind
from hansang.engine.expressions.key_conditions import Range, key_parts, key_range
from hansang.engine.faults import invalid
from hansang.engine.paging import Source, page, place, source, start_key
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
from hansang.engine.values import Item

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = Shape(
    TableName=required(TABLE_NAME),
    IndexName=INDEX_NAME,
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    Select=Text("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    Limit=Whole(),
    ConsistentRead=Flag(),
    ScanIndexForward=Flag(),
    ExclusiveStartKey=ITEM,
    KeyConditionExpression=EXPRESSION,
    FilterExpression=EXPRESSION,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    if request.get("Limit", 1) < 1:
        # Query says this in other words than Scan does.
        raise invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )
    bound = bind(request, "KeyConditionExpression", "FilterExpression", "ProjectionExpression")
    if bound.key_condition is None:
        raise invalid(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    parts = key_parts(bound.key_condition, bound.values)
    table = engine.catalog().table(request["TableName"])
    origin = source(table, request, bound, by_key=True)
    wanted = key_range(parts, origin.key)
    backward = request.get("ScanIndexForward") is False
    low, high = wanted.low, wanted.high
    if request.get("ExclusiveStartKey") is not None:
        start = start_key(origin, request["ExclusiveStartKey"])
        row = _restart(origin, wanted, start)
        low, high = (low, row) if backward else (row + b"\0", high)
    return page(engine, origin, request, low, high, backward=backward)


def _restart(origin: Source, wanted: Range, start: Item) -> bytes:
    """The row behind which to go on, refused when the query could never have stopped there."""
    unique = origin.index is None and (
        not origin.key.range or (wanted.sort is not None and wanted.sort.sign == "=")
    )
    row = place(origin, start)
    if unique:
        raise invalid("The query can return at most one row and cannot be restarted")
    if not row.startswith(wanted.partition):
        raise invalid("The provided starting key is outside query boundaries based on provided conditions")
    if not wanted.low <= row < wanted.high:
        raise invalid("The provided starting key does not match the range key predicate")
    return row
