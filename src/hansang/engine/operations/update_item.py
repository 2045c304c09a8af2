"""UpdateItem: change parts of an item, or make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.actions import plan_update
from hansang.engine.expressions import updates
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
from hansang.engine.values import Item
from hansang.engine.writes import StoredChange

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TableName=required(TABLE_NAME),
    Key=required(ITEM),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    ReturnValues=Text("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    ReturnValuesOnConditionCheckFailure=ON_CONDITION_FAILURE,
    UpdateExpression=EXPRESSION,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    change, response = write_one(engine, request, plan_update(request, alone=True))
    attributes = _returned(request, change)
    if attributes:
        response["Attributes"] = attributes
    return response


def _returned(request: Mapping[str, Any], change: StoredChange) -> Item | None:
    wanted = request.get("ReturnValues", "NONE")
    if wanted == "NONE":
        return None
    old = change.old.item if change.old else None
    item = change.new if wanted.endswith("NEW") else old
    if item is None or wanted.startswith("ALL"):
        return item
    text, names = request.get("UpdateExpression"), request.get("ExpressionAttributeNames") or {}
    if text is None:
        return None
    return updates.touched(updates.parse("UpdateExpression", text, tuple(names.items())), item)
