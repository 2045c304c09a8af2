"""Query: the items of one partition, in the order of the sort key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hansang.engine.expressions import conditions
from hansang.engine.expressions.binding import BoundExpressions, bind
from hansang.engine.expressions.key_conditions import key_parts
from hansang.engine.expressions.key_parts import Part
from hansang.engine.expressions.tree import AttributePath, Compare, Ref
from hansang.engine.faults import invalid
from hansang.engine.key_order import after
from hansang.engine.key_spans import is_single, wanted_rows
from hansang.engine.legacy_shapes import ATTRIBUTES_TO_GET, CONDITIONAL_OPERATOR, CONDITIONS
from hansang.engine.paging import PageSource, RowSpan, index_of, page, source
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
from hansang.errors import WireError

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


_PLAIN = frozenset({"TableName", "IndexName", "Limit", "ScanIndexForward"}).union(
    {"KeyConditionExpression", "ExpressionAttributeValues"}
)


def run(engine: Engine, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
    origin, span = _plainly_asked(engine, request) or _asked(engine, request)
    origin.splices = splices
    return page(engine, origin, span, request)


def _plainly_asked(engine: Engine, request: Mapping[str, Any]) -> tuple[PageSource, RowSpan] | None:
    """The rows of a whole partition that is named by a string; None if all of the rules have to be asked."""
    values = request.get("ExpressionAttributeValues")
    if type(values) is not dict or len(values) != 1 or not _PLAIN.issuperset(request):
        return None
    name, text = request.get("TableName"), request.get("KeyConditionExpression")
    limit, forward = request.get("Limit", 1), request.get("ScanIndexForward", True)
    if not (type(name) is type(text) is str and type(limit) is int and limit > 0 and type(forward) is bool):
        return None
    try:
        table = engine.catalog().table(name)
        index = index_of(table, request)
        low = (index or table).key.plain_partition(*_equality(text), values)
    except (WireError, UnicodeEncodeError):
        return None
    if low is None or (index is None and not table.key.range):
        return None
    span = RowSpan(low, after(low), request.get("Limit"), not forward)
    return source(table, index, request, BoundExpressions({}), by_key=True), span


@lru_cache(maxsize=1024)
def _equality(text: str) -> tuple[str, str]:
    """The attribute and the value of a condition that is nothing but an equality; of another, names that nothing has."""
    parsed = conditions.parse("KeyConditionExpression", text, ())
    parsed.check({ref: {"S": "text"} for ref in parsed.refs})
    tree = parsed.tree
    if not (isinstance(tree, Compare) and tree.sign == "=" and len(parsed.refs) == 1):
        return "", ""
    if not (isinstance(tree.left, AttributePath) and isinstance(tree.right, Ref)) or parsed.nested:
        return "", ""
    return str(tree.left.path[0]), tree.right.name


def _asked(engine: Engine, request: Mapping[str, Any]) -> tuple[PageSource, RowSpan]:
    """The same for any request, refused if it breaks a rule."""
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
    return origin, RowSpan(wanted.low, wanted.high, limit, backward)


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
