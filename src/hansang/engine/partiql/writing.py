"""INSERT, UPDATE, DELETE and EXISTS: each becomes the plan of a write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.engine.actions import Plan, check_plan, delete_plan, put_plan, returned, update_plan
from hansang.engine.expressions.binding import BoundExpressions
from hansang.engine.expressions.tree import AttributePath, Condition, FunctionCall
from hansang.engine.faults import duplicate_item, invalid, too_large
from hansang.engine.partiql.routes import Route, checked, condition, route, value_of
from hansang.engine.partiql.statements import BoundStatement
from hansang.engine.schema import TableSchema
from hansang.engine.values import LARGEST_ITEM, Item, accept_item, item_size
from hansang.engine.writes import StoredChange

_RETURN_VALUES = {
    "ALL OLD": "ALL_OLD",
    "ALL NEW": "ALL_NEW",
    "MODIFIED OLD": "UPDATED_OLD",
    "MODIFIED NEW": "UPDATED_NEW",
}


def plan(table: TableSchema, bound: BoundStatement, request: Mapping[str, Any]) -> Plan:
    """The write that a statement asks of a table; the request says how it shall be answered."""
    statement = bound.statement
    if statement.index is not None:
        raise invalid("This operation is not supported on an index")
    if statement.verb == "INSERT":
        return _insert(table, bound, request)
    if statement.verb == "DELETE" and statement.returning not in (None, "ALL OLD"):
        raise invalid(
            f"Invalid returning clause: RETURNING {statement.returning} *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    way = route(statement, table.key)
    key, expressions = key_of(table, bound, way), checked(bound, way)
    there = FunctionCall("attribute_exists", (AttributePath((table.key.names[0],)),))
    rest: list[Condition] = [way.rest.tree] if way.rest is not None else []
    if statement.verb == "DELETE":
        # What is not there is deleted without a word, whatever else is asked of it.
        missing = FunctionCall("attribute_not_exists", there.operands)
        expressions.condition = condition([missing, *rest], "OR") if rest else None
        return delete_plan(request, key, item_size(key), expressions)
    # An UPDATE makes no item.
    expressions.condition = condition([there, *rest])
    if statement.verb == "EXISTS":
        return check_plan(request, key, item_size(key), expressions)
    return update_plan(request, key, item_size(key), expressions)


def key_of(table: TableSchema, bound: BoundStatement, way: Route) -> Item:
    """The key of the one item that a statement means."""
    if not way.is_whole(table.key):
        raise invalid("Where clause does not contain a mandatory equality on all key attributes")
    return {name: value_of(leaf, bound.values) for name, leaf in way.keys.items()}


def answered(bound: BoundStatement, change: StoredChange) -> Item | None:
    """What the statement returns of the item that it changed."""
    wanted = _RETURN_VALUES.get(bound.statement.returning or "", "NONE")
    if bound.statement.verb == "DELETE":
        return change.old.item if change.old is not None and wanted == "ALL_OLD" else None
    return returned(wanted, bound.statement.update, change) or None


def _insert(table: TableSchema, bound: BoundStatement, request: Mapping[str, Any]) -> Plan:
    assert bound.item is not None
    item, size = accept_item(bound.item["M"])
    if size > LARGEST_ITEM:
        raise too_large()
    missing = FunctionCall("attribute_not_exists", (AttributePath((table.key.names[0],)),))
    expressions = BoundExpressions({}, condition=condition([missing]))
    return put_plan(request, item, size, expressions, duplicate_item)
