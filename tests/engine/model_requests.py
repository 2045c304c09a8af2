"""The requests that carry the steps of the model, and the responses that it expects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.engine.model import Change, Check, Delete, Put, Units, Update, Write, added
from tests.engine.model_conditions import Path, Placeholders, look
from tests.engine.model_tables import Table
from tests.engine.model_updates import update_text
from tests.engine.model_values import Item, Value, kind

Request = dict[str, Any]
OPERATIONS: dict[type, str] = {Put: "PutItem", Update: "UpdateItem", Delete: "DeleteItem"}
ACTIONS: dict[type, str] = {Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}


def write_request(write: Write, **options: str) -> Request:
    spell = Placeholders()
    request: Request = {"TableName": write.table.name, **options}
    if isinstance(write, Put):
        request["Item"] = write.item
    else:
        request["Key"] = write.key
    if isinstance(write, Update):
        request["UpdateExpression"] = update_text(write.actions, spell)
    if write.condition:
        request["ConditionExpression"] = write.condition.text(spell)
    return request | spell.parameters()


def batch_request(writes: Iterable[Put | Delete], **options: str) -> Request:
    tables: dict[str, list[Request]] = {}
    for write in writes:
        one = (
            {"PutRequest": {"Item": write.item}}
            if isinstance(write, Put)
            else {"DeleteRequest": {"Key": write.key}}
        )
        tables.setdefault(write.table.name, []).append(one)
    return {"RequestItems": tables, **options}


def transaction_request(writes: Iterable[Write], **options: str) -> Request:
    return {"TransactItems": [{ACTIONS[type(write)]: write_request(write)} for write in writes], **options}


def consumed(table: Table, units: Units, mode: str) -> dict[str, Any]:
    """The ConsumedCapacity of one table; what costs nothing is left out, as `without_zeros` does."""
    found: dict[str, Any] = {"TableName": table.name, "CapacityUnits": sum(units.values())}
    if mode == "TOTAL":
        return found
    parts: dict[str, Any] = {"Table": {"CapacityUnits": units.get(None, 0)}}
    for index in table.indexes:
        member = "LocalSecondaryIndexes" if index.local else "GlobalSecondaryIndexes"
        parts.setdefault(member, {})[index.name] = {"CapacityUnits": units.get(index.name, 0)}
    return without_zeros(found | parts)


def without_zeros(capacity: dict[str, Any]) -> dict[str, Any]:
    """A ConsumedCapacity without the parts that cost nothing, and without the read/write breakdown."""
    found: dict[str, Any] = {}
    for name, part in capacity.items():
        if name in ("ReadCapacityUnits", "WriteCapacityUnits"):
            continue
        kept = without_zeros(part) if isinstance(part, dict) else part
        if kept not in (0, {}):
            found[name] = kept
    return found


def consumed_by(changes: Sequence[Change], mode: str, transaction: bool = False) -> dict[str, dict[str, Any]]:
    """The ConsumedCapacity of each table that a batch or a transaction touched.

    In a transaction the table costs twice as much, its indexes do not.
    """
    tables: dict[str, tuple[Table, Units]] = {}
    for change in changes:
        table, units = tables.get(change.table.name, (change.table, {}))
        cost = change.units
        again: Units = {None: cost[None]} if transaction else {}
        tables[change.table.name] = table, added(added(units, cost), again)
    return {name: consumed(table, units, mode) for name, (table, units) in tables.items()}


def attributes(write: Write, change: Change, returns: str) -> Item:
    """The Attributes that a write answers with; none at all for an empty result."""
    source = (change.new if returns.endswith("NEW") else change.old) or {}
    if returns == "NONE":
        return {}
    if returns.startswith("ALL") or not isinstance(write, Update):
        return source
    return parts_at(source, [action.path for action in write.actions])


def parts_at(item: Item, paths: Iterable[Path]) -> Item:
    """Only the parts of an item at the given paths of names, each inside its maps."""
    found: Item = {}
    for path in paths:
        value = look(item, path)
        if value is not None:
            _graft(found, path, value)
    return found


def _graft(tree: dict[str, Value], path: Path, value: Value) -> None:
    name = str(path[0])
    if len(path) == 1:
        tree[name] = value
    else:
        branch = tree.setdefault(name, {"M": {}})
        _graft(branch[kind(branch)], path[1:], value)
