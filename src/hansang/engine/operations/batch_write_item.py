"""BatchWriteItem: up to 25 puts and deletes, with no conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import item_collections
from hansang.engine.actions import Action, Plan, plan_delete, plan_put
from hansang.engine.capacity import Consumed
from hansang.engine.faults import invalid
from hansang.engine.operations.several import merge, report
from hansang.engine.operations.single import performed
from hansang.engine.shapes import (
    COLLECTION_METRICS,
    CONSUMED_CAPACITY,
    ITEM,
    TABLE_NAME,
    Many,
    Map,
    RequestShape,
    Struct,
    required,
)
from hansang.engine.sql.writer import Writer
from hansang.engine.throttling import THROTTLED
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.catalog import Catalog
    from hansang.engine.engine import Engine

_MOST = 25

SHAPE = RequestShape(
    RequestItems=required(
        Map(
            Many(
                Struct(
                    "WriteRequest",
                    PutRequest=Struct("PutRequest", Item=required(ITEM)),
                    DeleteRequest=Struct("DeleteRequest", Key=required(ITEM)),
                )
            ),
            lengths=(1, _MOST),
            names=TABLE_NAME,
        )
    ),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    if request.get("RequestItems") == {}:
        raise invalid("The requestItems parameter is required for BatchWriteItem")
    SHAPE.check(request)
    plans = [_plan(name, each) for name, requests in request["RequestItems"].items() for each in requests]
    if len(plans) > _MOST:
        raise invalid("Too many items requested for the BatchWriteItem call")
    catalog = engine.catalog()
    actions = [_located(catalog, plan) for plan in plans]
    if len({(action.table.name, action.key) for action in actions}) < len(actions):
        raise invalid("Provided list of item keys contains duplicates")

    def job(writer: Writer) -> dict[str, Any]:
        return _write(engine, writer, request, actions)

    return engine.write(catalog, job, len(actions), decides_first=True)


def _plan(name: str, request: Mapping[str, Any]) -> Plan:
    put, delete = request.get("PutRequest"), request.get("DeleteRequest")
    if (put is None) == (delete is None):
        # DynamoDB says so of a request that is neither, too.
        raise invalid(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    if put is not None:
        return plan_put({"TableName": name, "Item": put["Item"]})
    assert delete is not None
    return plan_delete({"TableName": name, "Key": delete["Key"]})


def _located(catalog: Catalog, plan: Plan) -> Action:
    """Of the key of a put a batch says what others say of a key that stands alone."""
    table = catalog.table(plan.request["TableName"])
    if not table.is_plainly_keyed(plan.item):
        table.key_of({name: plan.item[name] for name in table.key.names if name in plan.item})
    return plan.locate(table)


def _write(
    engine: Engine, writer: Writer, request: Mapping[str, Any], actions: list[Action]
) -> dict[str, Any]:
    consumed: dict[str, Consumed] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    refused: list[tuple[Action, WireError]] = []
    measured = request.get("ReturnItemCollectionMetrics") == "SIZE"
    for action in sorted(actions, key=lambda action: (action.table.rows, action.key)):
        name = action.table_name
        try:
            _, cost = performed(engine, writer, action)
        except WireError as refusal:
            if refusal.code not in THROTTLED:
                raise
            refused.append((action, refusal))
            continue
        merge(consumed, name, cost)
        if measured and action.table.has_local:
            found = item_collections.metrics(writer, action.table, action.key_item)
            if found not in metrics.setdefault(name, []):
                metrics[name].append(found)
    if len(refused) == len(actions):
        raise refused[0][1]
    response: dict[str, Any] = {"UnprocessedItems": _unprocessed(action for action, _ in refused)}
    if metrics:
        response["ItemCollectionMetrics"] = metrics
    return response | report(request, consumed)


def _unprocessed(actions: Iterable[Action]) -> dict[str, list[dict[str, Any]]]:
    """What was throttled, to be sent again."""
    found: dict[str, list[dict[str, Any]]] = {}
    for action in actions:
        item, key = action.request.get("Item"), action.request.get("Key")
        again = {"DeleteRequest": {"Key": key}} if item is None else {"PutRequest": {"Item": item}}
        found.setdefault(action.table_name, []).append(again)
    return found
