"""What PutItem, UpdateItem and DeleteItem do alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import item_collections
from hansang.engine.actions import Action, Plan
from hansang.engine.capacity import Consumed
from hansang.engine.sql.writer import Writer
from hansang.engine.writes import StoredChange, apply

if TYPE_CHECKING:
    from hansang.engine.engine import Engine


def write_one(engine: Engine, request: Mapping[str, Any], plan: Plan) -> tuple[StoredChange, dict[str, Any]]:
    """Run a planned write in its own transaction; the change, and the response so far."""
    catalog = engine.catalog()
    table = catalog.table(request["TableName"])
    action = plan.locate(table)
    measured = table.has_local and request.get("ReturnItemCollectionMetrics") == "SIZE"

    def job(writer: Writer) -> tuple[StoredChange, dict[str, Any]]:
        change, consumed = performed(engine, writer, action)
        response: dict[str, Any] = {}
        mode = request.get("ReturnConsumedCapacity", "NONE")
        if mode != "NONE":
            response["ConsumedCapacity"] = consumed.report(request["TableName"], mode)
        if measured:
            response["ItemCollectionMetrics"] = item_collections.metrics(writer, table, action.key_item)
        return change, response

    return engine.write(catalog, job, decides_first=True)


def performed(engine: Engine, writer: Writer, action: Action) -> tuple[StoredChange, Consumed]:
    """Do a write that stands by itself, and say what it costs."""
    if engine.throttling is not None:
        return engine.throttling.performed(writer, action)
    change = action.attempt(writer)
    return change, apply(writer, change, engine.clock())
