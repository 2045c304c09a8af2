"""TransactWriteItems: up to 100 writes and checks, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import item_collections
from hansang.engine.actions import Action, Plan, plan_check, plan_delete, plan_put, plan_update
from hansang.engine.capacity import Consumed, read_units, write_units
from hansang.engine.expressions.legacy import ignored
from hansang.engine.faults import invalid, transaction_cancelled
from hansang.engine.operations.several import merge, report
from hansang.engine.operations.transaction import (
    LARGEST,
    NO_REASON,
    faults_the_request,
    refuse_faulty,
    refuse_repeated,
    throttled_reason,
)
from hansang.engine.shapes import (
    COLLECTION_METRICS,
    CONSUMED_CAPACITY,
    EXPRESSION,
    ITEM,
    NAMES,
    ON_CONDITION_FAILURE,
    TABLE_NAME,
    VALUES,
    Many,
    RequestShape,
    Struct,
    Text,
    required,
)
from hansang.engine.sql.writer import Writer
from hansang.engine.throttling import THROTTLED
from hansang.engine.writes import StoredChange, apply, stored
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.catalog import Catalog
    from hansang.engine.engine import Engine

_TOKEN_SECONDS = 600
_FAILED = frozenset({"ConditionalCheckFailedException", "DuplicateItemException"})
_SHARED = {
    "TableName": required(TABLE_NAME),
    "ExpressionAttributeNames": NAMES,
    "ExpressionAttributeValues": VALUES,
    "ReturnValuesOnConditionCheckFailure": ON_CONDITION_FAILURE,
}
SHAPE = RequestShape(
    TransactItems=required(
        Many(
            Struct(
                "TransactWriteItem",
                ConditionCheck=Struct(
                    "ConditionCheck", Key=required(ITEM), ConditionExpression=required(EXPRESSION), **_SHARED
                ),
                Put=Struct("Put", Item=required(ITEM), ConditionExpression=EXPRESSION, **_SHARED),
                Delete=Struct("Delete", Key=required(ITEM), ConditionExpression=EXPRESSION, **_SHARED),
                Update=Struct(
                    "Update",
                    Key=required(ITEM),
                    UpdateExpression=required(EXPRESSION),
                    ConditionExpression=EXPRESSION,
                    **_SHARED,
                ),
            ),
            fewest=1,
            most=100,
        )
    ),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    ClientRequestToken=Text(shortest=1, longest=36),
)
_PLANS: dict[str, Callable[[Mapping[str, Any]], Plan]] = {
    "ConditionCheck": plan_check,
    "Put": plan_put,
    "Delete": plan_delete,
    "Update": plan_update,
}


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    return write_items(engine, request, [_plan(each) for each in request["TransactItems"]], "TransactItems")


def write_items(
    engine: Engine, request: Mapping[str, Any], plans: list[Plan], parameter: str
) -> dict[str, Any]:
    """All of these plans or none; the parameter is what a token stands for."""
    if sum(plan.weight for plan in plans) > LARGEST:
        raise invalid("Transaction payload size cannot exceed 4 MB")
    catalog = engine.catalog()
    actions = _located(catalog, plans)
    refuse_repeated([(action.table.name, action.key) for action in actions])
    asked = request[parameter]
    return engine.write(
        catalog,
        lambda writer: _once(engine, writer, request, asked, actions),
        len(actions),
        decides_first=True,
    )


def _plan(request: Mapping[str, Any]) -> Plan:
    given = [name for name in _PLANS if request.get(name) is not None]
    if len(given) != 1:
        raise invalid(
            "TransactItems can only contain one of Check, Put, Update or Delete"
            if given
            else "Supplied TransactWriteItem is empty, must contain exactly one of Check, Put, Update or Delete"
        )
    return _PLANS[given[0]](ignored(request[given[0]]))


def _located(catalog: Catalog, plans: list[Plan]) -> list[Action]:
    tables = [catalog.table(plan.request["TableName"]) for plan in plans]
    actions: list[Action] = []
    faults: list[WireError | None] = []
    for plan, table in zip(plans, tables, strict=True):
        try:
            actions.append(plan.locate(table))
            faults.append(None)
        except WireError as fault:
            if faults_the_request(fault):
                raise
            faults.append(fault)
    refuse_faulty(faults)
    return actions


def _once(
    engine: Engine, writer: Writer, request: Mapping[str, Any], asked: Any, actions: list[Action]
) -> dict[str, Any]:
    """Write, unless a request with the same token was written in the last ten minutes."""
    token, now = request.get("ClientRequestToken"), engine.clock()
    if token is None:
        return _write(engine, writer, request, actions, _attempted(engine, writer, actions), now)
    digest = sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).digest()
    known = writer.token(token, now - _TOKEN_SECONDS)
    if known is None:
        changes = _attempted(engine, writer, actions)
        writer.save_token(token, now, digest, [_size(change) for change in changes], now - _TOKEN_SECONDS)
        return _write(engine, writer, request, actions, changes, now)
    if known[0] != digest:
        raise WireError(
            "IdempotentParameterMismatchException",
            "The request uses the same client token as a previous, but non-identical request.",
        )
    return _repeated(request, actions, known[1])


def _size(change: StoredChange) -> int:
    return max(change.size, change.old.size if change.old else 0)


def _repeated(request: Mapping[str, Any], actions: list[Action], sizes: list[int]) -> dict[str, Any]:
    """The answer to a request that was served before: charged as reads of what it met then."""
    consumed: dict[str, Consumed] = {}
    for action, size in zip(actions, sizes, strict=True):
        merge(consumed, action.table_name, Consumed(2 * read_units(size, consistent=True)))
    return report(request, consumed, "Read")


def _write(
    engine: Engine,
    writer: Writer,
    request: Mapping[str, Any],
    actions: list[Action],
    changes: list[StoredChange],
    now: float,
) -> dict[str, Any]:
    consumed: dict[str, Consumed] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    for action, change in zip(actions, changes, strict=True):
        cost = _applied(writer, action, change, now)
        # In a transaction the table's units are double; those of its indexes are not (measured).
        cost.table *= 2
        if engine.throttling is not None:
            engine.throttling.spend_write(change, cost)
        merge(consumed, action.table_name, cost)
        if request.get("ReturnItemCollectionMetrics") == "SIZE" and action.table.has_local:
            found = item_collections.metrics(writer, action.table, action.key_item)
            metrics.setdefault(action.table_name, []).append(found)
    return report(request, consumed, "Write") | ({"ItemCollectionMetrics": metrics} if metrics else {})


def _applied(writer: Writer, action: Action, change: StoredChange, now: float) -> Consumed:
    if action.checks_only:
        return Consumed(write_units(change.old.size if change.old else 0))
    return apply(writer, change, now)


def _attempted(engine: Engine, writer: Writer, actions: list[Action]) -> list[StoredChange]:
    """Every change, worked out on the items as they are before the transaction."""
    changes: list[StoredChange] = []
    faults: list[WireError | None] = []
    throttling = engine.throttling
    for action in actions:
        try:
            if throttling is not None:
                throttling.expect_write(action.table, action.key)
            changes.append(action.attempt(writer))
            if throttling is not None:
                throttling.expect_indexes(changes[-1])
            faults.append(None)
        except WireError as fault:
            faults.append(fault)
    if not any(faults):
        return changes
    failed = [fault for fault in faults if fault and fault.code in _FAILED | THROTTLED]
    if not failed:
        refuse_faulty(faults)
    error = transaction_cancelled([_reason(fault) for fault in faults])
    error.consumed = _charged(engine, writer, actions)
    raise error


def _reason(fault: WireError | None) -> dict[str, Any]:
    if fault is None:
        return dict(NO_REASON)
    if fault.code in THROTTLED:
        return throttled_reason(fault)
    if fault.code in _FAILED:
        return {"Code": fault.code.removesuffix("Exception"), "Message": fault.message, **fault.fields}
    return {"Code": "ValidationError", "Message": fault.message}


def _charged(engine: Engine, writer: Writer, actions: list[Action]) -> list[dict[str, Any]]:
    """A cancelled transaction is charged for every item it looked at (R8, R9)."""
    consumed: dict[str, Consumed] = {}
    for action in actions:
        old = stored(writer, action.table, action.key)
        units = 2 * write_units(old.size if old else 0)
        merge(consumed, action.table_name, Consumed(units))
        if engine.throttling is not None:
            engine.throttling.spend_refused(action, units)
    return [cost.report(table, "INDEXES", "Write") for table, cost in consumed.items()]
