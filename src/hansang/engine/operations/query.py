"""Query: the items of one partition, in the order of the sort key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.expressions.binding import BoundExpressions, bind
from hansang.engine.expressions.key_conditions import key_parts
from hansang.engine.expressions.key_parts import Part
from hansang.engine.faults import invalid
from hansang.engine.key_spans import is_single, wanted_rows
from hansang.engine.legacy_shapes import ATTRIBUTES_TO_GET, CONDITIONAL_OPERATOR, CONDITIONS
from hansang.engine.paging import RowSpan, index_of, page, source
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
from hansang.engine.start_keys import accepted

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    IndexName=INDEX_NAME,
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    Select=Text("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    Limit=Whole(),
    QueryFilter=CONDITIONS,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    AttributesToGet=ATTRIBUTES_TO_GET,
    KeyConditions=CONDITIONS,
    ConsistentRead=Flag(),
    ScanIndexForward=Flag(),
    ExclusiveStartKey=ITEM,
    KeyConditionExpression=EXPRESSION,
    FilterExpression=EXPRESSION,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
    SHAPE.check(request)
    _refuse_small_limit(request)
    start = accepted(request, *_EXPRESSIONS)
    bound = bind(request, *_EXPRESSIONS)
    parts = _key_parts(bound)
    table = engine.catalog().table(request["TableName"])
    index = index_of(table, request)
    backward = request.get("ScanIndexForward") is False
    wanted = wanted_rows(table, index, parts, start, backward=backward)
    origin = source(table, index, request, bound, by_key=True)
    table.refuse_nested(bound.nested)
    limit = request.get("Limit")
    if limit is not None and is_single(table, index, wanted):
        # What cannot be restarted does not say where it ended, though it reached its limit.
        limit = None
    origin.splices = splices
    return page(engine, origin, RowSpan(wanted.low, wanted.high, limit, backward), request)


def _refuse_small_limit(request: Mapping[str, Any]) -> None:
    if request.get("Limit", 1) < 1:
        # Query says this in other words than Scan does.
        raise invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )


def _key_parts(bound: BoundExpressions) -> Mapping[str, Part]:
    if bound.keys is not None:
        return bound.keys
    if bound.key_condition is None:
        raise invalid(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    return key_parts(bound.key_condition, bound.values)
