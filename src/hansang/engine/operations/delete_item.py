"""DeleteItem: remove an item; removing what is not there is no error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.actions import plan_delete
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

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    Key=required(ITEM),
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
    SHAPE.check(request)
    if request.get("ReturnValues") not in (None, "ALL_OLD", "NONE"):
        raise invalid("ReturnValues can only be ALL_OLD or NONE")
    change, response = write_one(engine, request, plan_delete(request))
    if request.get("ReturnValues") == "ALL_OLD" and change.old is not None:
        response["Attributes"] = change.old.item
    return response
