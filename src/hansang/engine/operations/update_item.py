"""UpdateItem: change parts of an item, or make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.actions import plan_update, returned
from hansang.engine.legacy_shapes import ATTRIBUTE_UPDATES, CONDITIONAL_OPERATOR, EXPECTED
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
    AttributeUpdates=ATTRIBUTE_UPDATES,
    Expected=EXPECTED,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    UpdateExpression=EXPRESSION,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    plan = plan_update(request, alone=True)
    change, response = write_one(engine, request, plan)
    attributes = returned(request.get("ReturnValues", "NONE"), plan.bound.update, change)
    if attributes:
        response["Attributes"] = attributes
    return response
