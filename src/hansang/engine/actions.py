"""Writes of one item, as single operations, batches and transactions share them.

An action is planned in two steps, because DynamoDB answers faults of the first for the whole
request and, in a transaction, faults of the second for the action alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.engine.capacity import Consumed, write_units
from hansang.engine.expressions.binding import Bound, bind
from hansang.engine.faults import condition_failed, invalid, invalid_parameter
from hansang.engine.schema import Table
from hansang.engine.store import Writer
from hansang.engine.values import LARGEST_ITEM, Item, accept_item, item_size, text_size, value_size
from hansang.engine.values import accept as accept_value
from hansang.engine.writes import Change, Stored, stored
from hansang.errors import WireError

Decide = Callable[[Stored | None], Change]


@dataclass(slots=True)
class Action:
    """A write that knows its item, its condition, and what becomes of the item."""

    table: Table
    key: bytes
    key_item: Item
    bound: Bound
    decide: Decide
    show_old: bool = False
    checks_only: bool = False
    """A ConditionCheck: nothing is written."""

    def attempt(self, writer: Writer) -> Change:
        """Test the condition on the item as it is now, and work out the change."""
        old = stored(writer, self.table, self.key)
        if self.bound.condition is not None and not self.bound.holds(old.item if old else None):
            raise self._refused(old)
        return self.decide(old)

    def _refused(self, old: Stored | None) -> WireError:
        error = condition_failed(old.item if old and self.show_old else None)
        # DynamoDB charges a failed condition too (R8).
        cost = Consumed(write_units(old.size if old else 0))
        error.consumed = [cost.report(self.table.name, "INDEXES")]
        return error


@dataclass(slots=True)
class Plan:
    """An action whose expressions and values are read, and whose table is not yet looked at."""

    table_name: str
    locate: Callable[[Table], Action]


def plan_put(request: Mapping[str, Any]) -> Plan:
    item, size = accept_item(request["Item"])
    bound = bind(request, "ConditionExpression")
    show_old = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def locate(table: Table) -> Action:
        if size > LARGEST_ITEM:
            raise invalid("Item size has exceeded the maximum allowed size")
        key = table.check_item(item)
        table.refuse_nested(bound.nested)
        return Action(table, key, item, bound, lambda old: Change(table, key, old, item, size), show_old)

    return Plan(request["TableName"], locate)


def plan_delete(request: Mapping[str, Any]) -> Plan:
    key_item, _ = accept_item(request["Key"])
    bound = bind(request, "ConditionExpression")
    show_old = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def locate(table: Table) -> Action:
        key = table.key_of(key_item)
        table.refuse_nested(bound.nested)
        return Action(table, key, key_item, bound, lambda old: Change(table, key, old, None), show_old)

    return Plan(request["TableName"], locate)


def plan_check(request: Mapping[str, Any]) -> Plan:
    key_item, _ = accept_item(request["Key"])
    bound = bind(request, "ConditionExpression")
    show_old = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def locate(table: Table) -> Action:
        key = table.key_of(key_item)
        table.refuse_nested(bound.nested)

        def keep(old: Stored | None) -> Change:
            return Change(table, key, old, old.item if old else None, old.size if old else 0)

        return Action(table, key, key_item, bound, keep, show_old, checks_only=True)

    return Plan(request["TableName"], locate)


def plan_update(request: Mapping[str, Any]) -> Plan:
    key_item, _ = accept_item(request["Key"])
    bound = bind(request, "UpdateExpression", "ConditionExpression")
    show_old = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def locate(table: Table) -> Action:
        key = table.key_of(key_item)
        _refuse_key_update(table, bound)
        table.refuse_nested(bound.nested)
        _refuse_index_update(table, bound)
        return Action(
            table, key, key_item, bound, lambda old: _updated(table, key, key_item, bound, old), show_old
        )

    return Plan(request["TableName"], locate)


def _refuse_key_update(table: Table, bound: Bound) -> None:
    if bound.update is None:
        return
    for name in bound.update.roots:
        if name in table.key.names:
            raise invalid_parameter(f"Cannot update attribute {name}. This attribute is part of the key")


def _refuse_index_update(table: Table, bound: Bound) -> None:
    if table.indexes and bound.update is not None:
        for name, tag in bound.update.known_types(bound.values):
            table.check_index_key_type(name, tag)


def _updated(table: Table, key: bytes, key_item: Item, bound: Bound, old: Stored | None) -> Change:
    before = old.item if old else key_item
    if bound.update is None:
        return Change(table, key, old, before, old.size if old else item_size(before))
    if old is None and bound.update.only_removes:
        return Change(table, key, None, None)
    item = bound.update.apply(before, bound.values)
    size = old.size if old else item_size(before)
    for root in bound.update.roots:
        size += _weight(item, root) - _known_weight(before, root)
    if size > LARGEST_ITEM:
        raise invalid("Item size to update has exceeded the maximum allowed size")
    table.check_updated_index_keys(item, bound.update.roots)
    return Change(table, key, old, item, size)


def _weight(item: Item, root: str) -> int:
    """What an attribute weighs, refusing what the update nested too deeply."""
    return accept_value(item[root])[1] + text_size(root) if root in item else 0


def _known_weight(item: Item, root: str) -> int:
    return value_size(item[root]) + text_size(root) if root in item else 0
