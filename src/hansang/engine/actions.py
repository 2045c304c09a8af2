"""Writes of one item, as single operations, batches and transactions share them.

An action is planned in two steps, because DynamoDB answers faults of the first for the whole
request and, in a transaction, faults of the second for the action alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.engine.capacity import Consumed, write_units
from hansang.engine.expressions import updates
from hansang.engine.expressions.binding import BoundExpressions, bind
from hansang.engine.faults import condition_failed, invalid, invalid_parameter, too_large
from hansang.engine.schema import TableSchema
from hansang.engine.sql.writer import Writer
from hansang.engine.values import LARGEST_ITEM, Item, accept_item, item_size, kind, text_size, value_size
from hansang.engine.values import accept as accept_value
from hansang.engine.writes import Stored, StoredChange, stored
from hansang.errors import WireError

Decide = Callable[[Stored | None], StoredChange]


@dataclass(slots=True)
class Action:
    """A write that knows its item, its condition, and what becomes of the item."""

    request: Mapping[str, Any]
    table: TableSchema
    key: bytes
    key_item: Item
    bound: BoundExpressions
    decide: Decide
    checks_only: bool = False
    """A ConditionCheck: nothing is written."""
    refusal: Callable[[Item | None], WireError] = condition_failed
    """The error when the condition does not hold, given the item that is there."""

    @property
    def table_name(self) -> str:
        """The table as the request names it: by its name or by its ARN."""
        name: str = self.request["TableName"]
        return name

    def attempt(self, writer: Writer) -> StoredChange:
        """Test the condition on the item as it is now, and work out the change."""
        old = stored(writer, self.table, self.key)
        if self.bound.condition is not None and not self.bound.holds(old.item if old else None):
            raise self._refused(old)
        return self.decide(old)

    def _refused(self, old: Stored | None) -> WireError:
        show_old = self.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        error = self.refusal(old.item if old and show_old else None)
        # DynamoDB charges a failed condition too (R8).
        cost = Consumed(write_units(old.size if old else 0))
        error.consumed = [cost.report(self.table_name, "INDEXES")]
        return error


@dataclass(slots=True)
class Plan:
    """An action whose expressions and values are read, and whose table is not yet looked at."""

    request: Mapping[str, Any]
    item: Item
    """The item to put, or the key of the item that is meant."""
    size: int
    bound: BoundExpressions
    locate: Callable[[TableSchema], Action]

    @property
    def weight(self) -> int:
        """What the request carries for this action: the item or the key, and the values."""
        return self.size + sum(map(value_size, self.bound.values.values()))


def item_to_put(given: Mapping[str, Any]) -> tuple[Item, int]:
    """An item that is to be stored in normal form, and its size; refused if it is not valid or too large."""
    item, size = accept_item(given)
    if size > LARGEST_ITEM:
        raise too_large()
    return item, size


def plan_put(request: Mapping[str, Any]) -> Plan:
    item, size = item_to_put(request["Item"])
    return put_plan(request, item, size, bind(request, "ConditionExpression"))


def put_plan(
    request: Mapping[str, Any],
    item: Item,
    size: int,
    bound: BoundExpressions,
    refusal: Callable[[Item | None], WireError] = condition_failed,
) -> Plan:
    def locate(table: TableSchema) -> Action:
        key = table.check_item(item)
        table.refuse_nested(bound.nested)

        def decide(old: Stored | None) -> StoredChange:
            return StoredChange(table, key, old, item, size)

        return Action(request, table, key, item, bound, decide, refusal=refusal)

    return Plan(request, item, size, bound, locate)


def plan_delete(request: Mapping[str, Any]) -> Plan:
    key_item, size = accept_item(request["Key"])
    return delete_plan(request, key_item, size, bind(request, "ConditionExpression"))


def delete_plan(request: Mapping[str, Any], key_item: Item, size: int, bound: BoundExpressions) -> Plan:
    def locate(table: TableSchema) -> Action:
        key = table.key_of(key_item)
        table.refuse_nested(bound.nested)
        return Action(request, table, key, key_item, bound, lambda old: StoredChange(table, key, old, None))

    return Plan(request, key_item, size, bound, locate)


def plan_check(request: Mapping[str, Any]) -> Plan:
    key_item, size = accept_item(request["Key"])
    return check_plan(request, key_item, size, bind(request, "ConditionExpression"))


def check_plan(request: Mapping[str, Any], key_item: Item, size: int, bound: BoundExpressions) -> Plan:
    def locate(table: TableSchema) -> Action:
        key = table.key_of(key_item)
        table.refuse_nested(bound.nested)

        def keep(old: Stored | None) -> StoredChange:
            return StoredChange(table, key, old, old.item if old else None, old.size if old else 0)

        return Action(request, table, key, key_item, bound, keep, checks_only=True)

    return Plan(request, key_item, size, bound, locate)


def plan_update(request: Mapping[str, Any], *, alone: bool = False) -> Plan:
    """An update; one that stands alone has less room, because its actions are weighed too."""
    key_item, size = accept_item(request["Key"])
    bound = bind(request, "UpdateExpression", "ConditionExpression")
    overhead = bound.update.overhead if alone and bound.update else 0
    return update_plan(request, key_item, size, bound, overhead)


def update_plan(
    request: Mapping[str, Any], key_item: Item, size: int, bound: BoundExpressions, overhead: int = 0
) -> Plan:
    def locate(table: TableSchema) -> Action:
        key = table.key_of(key_item)
        _refuse_key_update(table, bound)
        table.refuse_nested(bound.nested)
        _refuse_index_update(table, bound)

        def decide(old: Stored | None) -> StoredChange:
            return _updated(table, key, key_item, bound, old, overhead)

        return Action(request, table, key, key_item, bound, decide)

    return Plan(request, key_item, size, bound, locate)


def _refuse_key_update(table: TableSchema, bound: BoundExpressions) -> None:
    if bound.update is None:
        return
    for name in bound.update.roots:
        if name in table.key.names:
            raise invalid_parameter(f"Cannot update attribute {name}. This attribute is part of the key")


def _refuse_index_update(table: TableSchema, bound: BoundExpressions) -> None:
    """Refuse what can be told from the request to be no key of an index."""
    if table.indexes and bound.update is not None:
        for name, value in bound.update.known(bound.values):
            tag = kind(value)
            table.check_index_key_type(name, tag)
            if not value[tag]:
                table.check_updated_index_keys({name: value}, [name])


def _updated(
    table: TableSchema, key: bytes, key_item: Item, bound: BoundExpressions, old: Stored | None, overhead: int
) -> StoredChange:
    before = old.item if old else key_item
    size = old.size if old else item_size(before)
    if bound.update is None:
        return StoredChange(table, key, old, before, size)
    if old is None and bound.update.only_removes:
        return StoredChange(table, key, None, None)
    item = bound.update.apply(before, bound.values)
    written = 0
    for root in bound.update.roots:
        weight = _weight(item, root)
        written += weight
        size += weight - _known_weight(before, root)
    if size > LARGEST_ITEM or written + overhead > LARGEST_ITEM:
        raise invalid("Item size to update has exceeded the maximum allowed size")
    table.check_updated_index_keys(item, bound.update.roots)
    return StoredChange(table, key, old, item, size)


def _weight(item: Item, root: str) -> int:
    """What an attribute weighs, refusing what the update nested too deeply."""
    return accept_value(item[root])[1] + text_size(root) if root in item else 0


def _known_weight(item: Item, root: str) -> int:
    return value_size(item[root]) + text_size(root) if root in item else 0


def returned(wanted: str, update: updates.ParsedUpdate | None, change: StoredChange) -> Item | None:
    """What is asked for of an item that was updated."""
    if wanted == "NONE":
        return None
    old = change.old.item if change.old else None
    item = change.new if wanted.endswith("NEW") else old
    if item is None or wanted.startswith("ALL"):
        return item
    return None if update is None else updates.touched(update, item)
