"""Query: the items of one partition, in the order of the sort key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hansang.engine.expressions.binding import BoundExpressions, bind
from hansang.engine.expressions.key_conditions import KeyRange, key_parts, key_range
from hansang.engine.expressions.key_parts import Part
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
from hansang.engine.start_keys import accepted, expect_number, place
from hansang.engine.values import Item

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


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    _refuse_small_limit(request)
    start = accepted(request, *_EXPRESSIONS)
    bound = bind(request, *_EXPRESSIONS)
    parts = _key_parts(bound)
    table = engine.catalog().table(request["TableName"])
    index = index_of(table, request)
    backward = request.get("ScanIndexForward") is False
    wanted = _wanted(table, index, parts, start, backward=backward)
    origin = source(table, index, request, bound, by_key=True)
    table.refuse_nested(bound.nested)
    limit = request.get("Limit")
    if limit is not None and _is_single(table, index, wanted):
        # What cannot be restarted does not say where it ended, though it reached its limit.
        limit = None
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


def _wanted(
    table: TableSchema,
    index: IndexSchema | None,
    parts: Mapping[str, Part],
    start: Item | None,
    *,
    backward: bool,
) -> KeyRange:
    """The rows that are asked for, and are still to come."""
    key = table.key if index is None else index.key
    if start is None:
        return key_range(parts, key)
    expect_number(start, table, index)
    wanted = key_range(parts, key, start)
    row = _restart(table, index, wanted, start)
    return replace(wanted, high=row) if backward else replace(wanted, low=row + b"\0")


def _restart(table: TableSchema, index: IndexSchema | None, wanted: KeyRange, start: Item) -> bytes:
    """The row behind which to go on, refused when the query could never have stopped there."""
    row = place(start, table, index)
    own = (table.key if index is None else index.key).partition(start)
    # The condition on the sort key is judged first, as if the place were in the right partition.
    if not wanted.low <= wanted.partition + row[len(own) :] < wanted.high:
        raise invalid("The provided starting key does not match the range key predicate")
    if own != wanted.partition and wanted.sort is None:
        raise invalid("The provided starting key is outside query boundaries based on provided conditions")
    if own != wanted.partition or _is_single(table, index, wanted):
        raise invalid("The query can return at most one row and cannot be restarted")
    return row


def _is_single(table: TableSchema, index: IndexSchema | None, wanted: KeyRange) -> bool:
    """Whether no more than one item can be found: the key of the table is given whole."""
    if index is not None:
        return False
    return not table.key.range or (wanted.sort is not None and wanted.sort.sign == "=")
