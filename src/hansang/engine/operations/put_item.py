"""PutItem: store an item whole, in place of any with the same key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.actions import item_to_put, plan_put
from hansang.engine.faults import invalid
from hansang.engine.legacy_shapes import CONDITIONAL_OPERATOR, EXPECTED
from hansang.engine.operations.single import write_one
from hansang.engine.shapes import (
    COLLECTION_METRICS,
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    ON_CONDITION_FAILURE,
    TABLE_NAME,
    VALUES,
    RequestShape,
    Text,
    required,
)
from hansang.engine.sql.writer import Writer
from hansang.engine.writes import StoredChange, apply, stored
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    Item=required(ITEM),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    ReturnValues=Text("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    ReturnValuesOnConditionCheckFailure=ON_CONDITION_FAILURE,
    Expected=EXPECTED,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    if _is_put_plainly(engine, request):
        return {}
    SHAPE.check(request)
    if request.get("ReturnValues") not in (None, "ALL_OLD", "NONE"):
        raise invalid("ReturnValues can only be ALL_OLD or NONE")
    change, response = write_one(engine, request, plan_put(request))
    if request.get("ReturnValues") == "ALL_OLD" and change.old is not None:
        response["Attributes"] = change.old.item
    return response


def _is_put_plainly(engine: Engine, request: Mapping[str, Any]) -> bool:
    """Whether nothing is asked for but an item in a table that is there, which is then put; else the rules are asked."""
    name, given = request.get("TableName"), request.get("Item")
    if len(request) != 2 or type(name) is not str or type(given) is not dict or engine.throttling is not None:
        return False
    catalog = engine.catalog()
    try:
        table = catalog.table(name)
    except WireError:
        return False
    item, size = item_to_put(given)
    key = table.check_item(item)

    def put(writer: Writer) -> None:
        apply(writer, StoredChange(table, key, stored(writer, table, key), item, size), engine.clock())

    engine.write(catalog, put, decides_first=True)
    return True
