"""Scan: every item of a table or of an index, or of one segment of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import key_order
from hansang.engine.expressions.binding import bind
from hansang.engine.faults import invalid
from hansang.engine.legacy_shapes import ATTRIBUTES_TO_GET, CONDITIONAL_OPERATOR, CONDITIONS
from hansang.engine.paging import RowSpan, index_of, page, source
from hansang.engine.schema import IndexSchema, TableSchema
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    EXPRESSION,
    INDEX_NAME,
    ITEM,
    NAMES,
    TABLE_NAME,
    VALUES,
    Flag,
    RequestShape,
    Text,
    Whole,
    required,
)
from hansang.engine.start_keys import accepted, expect_attribute, expect_number, place
from hansang.engine.values import Item
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_EXPRESSIONS = ("FilterExpression", "ProjectionExpression")
SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    IndexName=INDEX_NAME,
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    Select=Text("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    Limit=Whole(least=1),
    Segment=Whole(least=0, most=999_999),
    TotalSegments=Whole(least=1, most=1_000_000),
    ScanFilter=CONDITIONS,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    AttributesToGet=ATTRIBUTES_TO_GET,
    ConsistentRead=Flag(),
    ExclusiveStartKey=ITEM,
    FilterExpression=EXPRESSION,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
    SHAPE.check(request)
    low, high = _segment(request.get("Segment"), request.get("TotalSegments"))
    start = accepted(request, *_EXPRESSIONS)
    bound = bind(request, *_EXPRESSIONS)
    table = engine.catalog().table(request["TableName"])
    index = index_of(table, request)
    if start is not None and index is not None:
        _expect_entry(start, table, index)
    origin = source(table, index, request, bound, by_key=False)
    if start is not None:
        row = place(start, table, index)
        if not low <= row < high:
            raise _elsewhere(request)
        low = row + b"\0"
    table.refuse_nested(bound.nested)
    origin.splices = splices
    return page(engine, origin, RowSpan(low, high, request.get("Limit")), request)


def _expect_entry(start: Item, table: TableSchema, index: IndexSchema) -> None:
    """Refuse a start key that cannot name an entry of this index."""
    expect_number(start, table, index)
    for attribute in index.key.attributes:
        expect_attribute(start, attribute)


def _elsewhere(request: Mapping[str, Any]) -> WireError:
    return invalid(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. "
        "Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: {request['TotalSegments']} Segment: {request['Segment']}"
    )


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
