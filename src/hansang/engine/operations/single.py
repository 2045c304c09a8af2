"""What PutItem, UpdateItem and DeleteItem do alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import item_collections
from hansang.engine.actions import Plan
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
        change = action.attempt(writer)
        consumed = apply(writer, change, engine.clock())
        response: dict[str, Any] = {}
        mode = request.get("ReturnConsumedCapacity", "NONE")
        if mode != "NONE":
            response["ConsumedCapacity"] = consumed.report(request["TableName"], mode)
        if measured:
            response["ItemCollectionMetrics"] = item_collections.metrics(writer, table, action.key_item)
        return change, response

    return engine.write(catalog, job)
