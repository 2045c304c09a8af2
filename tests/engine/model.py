"""A plain model of DynamoDB's rules: dictionaries, and no expression language.

It takes steps as data (see `model_conditions` and `model_updates`), answers what DynamoDB would
answer, and keeps what DynamoDB would keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from tests.engine.model_conditions import Condition
from tests.engine.model_tables import TABLES, Index, Table
from tests.engine.model_updates import Action, Add, Discard, Literal, Remove, Set, check_actions, updated
from tests.engine.model_values import Item, Refused, Unspecified, Value, comparable, item_size, order

Units = dict[str | None, float]
"""Capacity by index name; the table's own is under None."""


@dataclass(frozen=True)
class Put:
    table: Table
    item: Item
    condition: Condition | None = None


@dataclass(frozen=True)
class Update:
    table: Table
    key: Item
    actions: Sequence[Action]
    condition: Condition | None = None


@dataclass(frozen=True)
class Delete:
    table: Table
    key: Item
    condition: Condition | None = None


@dataclass(frozen=True)
class Check:
    table: Table
    key: Item
    condition: Condition


Write = Put | Update | Delete | Check


@dataclass(frozen=True)
class Change:
    """One write, decided and not yet done."""

    table: Table
    key: Item
    old: Item | None
    new: Item | None

    @property
    def units(self) -> Units:
        found: Units = {None: write_units(self.old, self.new)}
        for index in self.table.indexes:
            before = index.entry(self.old, self.table) if self.old else None
            after = index.entry(self.new, self.table) if self.new else None
            found[index.name] = _index_units(index, before, after)
        return found

    @property
    def event(self) -> str | None:
        """The name of its stream record; a write that changes nothing leaves none."""
        if comparable(self.old) == comparable(self.new):
            return None
        return "INSERT" if self.old is None else "REMOVE" if self.new is None else "MODIFY"


def write_units(*versions: Item | None) -> float:
    return max(1, *(ceil(item_size(item) / 1024) for item in versions if item is not None), 1)


def read_units(sizes: int, consistent: bool) -> float:
    return max(1, ceil(sizes / 4096)) * (1.0 if consistent else 0.5)


def _index_units(index: Index, before: Item | None, after: Item | None) -> float:
    if before is None or after is None:
        return 0 if before is after else write_units(before, after)
    if any(order(before[name]) != order(after[name]) for name in index.keys):
        return write_units(before) + write_units(after)
    return 0 if comparable(before) == comparable(after) else write_units(before, after)


def added(left: Units, right: Units) -> Units:
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


@dataclass
class Model:
    """Every table, as DynamoDB would hold it."""

    items: dict[str, dict[tuple[Any, ...], Item]] = field(
        default_factory=lambda: {name: {} for name in TABLES}
    )
    log: dict[str, list[Change]] = field(default_factory=lambda: {name: [] for name in TABLES})
    """What the stream of each table has to say."""

    def find(self, table: Table, key: Item) -> Item | None:
        return self.items[table.name].get(table.key(table.check_key(key)))

    def entries(self, table: Table, index: Index) -> list[Item]:
        """All that an index holds, in the order of its keys, the table's own last."""
        held = [index.entry(item, table) for item in self.items[table.name].values()]
        names = (*index.keys, *table.keys)
        return sorted(
            (item for item in held if item is not None), key=lambda item: [order(item[n]) for n in names]
        )

    def decide(self, write: Write) -> Change:
        """What the write would do, or Refused; nothing is changed."""
        self.check(write)
        key = written_key(write)
        if isinstance(write, Put):
            write.table.check_item(write.item)
        old = self.find(write.table, key)
        if write.condition and not write.condition.holds(old or {}):
            _leave_open(write)
            raise Refused("ConditionalCheckFailedException", **({"Item": old} if old else {}))
        return Change(write.table, key, old, self._new(write, key, old))

    def check(self, write: Write) -> None:
        """Refused, when the request is faulty whatever the table holds."""
        if write.condition:
            write.condition.check()
        written_key(write)
        if isinstance(write, Put):
            write.table.check_not_empty(write.item)
        if isinstance(write, Update):
            check_actions(write.actions, write.table.keys)

    def _new(self, write: Write, key: Item, old: Item | None) -> Item | None:
        match write:
            case Put():
                return write.table.check_item(write.item)
            case Delete():
                return None
            case Check():
                return old
        if old is not None:
            return write.table.check_item(updated(old, write.actions))
        if all(isinstance(action, Remove) for action in write.actions):
            return None
        new = updated(key, _on_nothing(write.actions))
        takes_only = all(isinstance(action, Remove | Discard) for action in write.actions)
        return None if takes_only else write.table.check_item(new)

    def do(self, changes: Sequence[Change]) -> None:
        for change in changes:
            table, place = self.items[change.table.name], change.table.key(change.key)
            if change.new is None:
                table.pop(place, None)
            else:
                table[place] = change.new
            if change.event:
                self.log[change.table.name].append(change)

    def decide_all(self, writes: Sequence[Write]) -> list[Change]:
        """A transaction: the changes of all its writes, or Refused with a reason for each."""
        for write in writes:
            self.check(write)
            _leave_open(write)
        distinct = self._are_distinct(writes)
        changes, reasons = [], []
        for write in writes:
            try:
                changes.append(self.decide(write))
                reasons.append("None")
            except Refused as refusal:
                failed = refusal.code == "ConditionalCheckFailedException"
                reasons.append("ConditionalCheckFailed" if failed else "ValidationError")
        if not distinct and "ValidationError" in reasons:
            raise Unspecified
        if not distinct:
            raise Refused
        if set(reasons) != {"None"}:
            raise Refused("TransactionCanceledException", reasons=reasons)
        return changes

    def _are_distinct(self, writes: Sequence[Write]) -> bool:
        places = [(write.table.name, write.table.key(written_key(write))) for write in writes]
        return len(set(places)) == len(places)

    def decide_batch(self, writes: Sequence[Put | Delete]) -> list[Change]:
        for write in writes:
            self.check(write)
        if not self._are_distinct(writes):
            raise Refused
        return [self.decide(write) for write in writes]


def _on_nothing(actions: Sequence[Action]) -> Sequence[Action]:
    """The actions of an update on a missing item; what becomes of nested parts taken from it is open."""
    if any(isinstance(action, Remove | Discard) and len(action.path) > 1 for action in actions):
        raise Unspecified
    return actions


def _leave_open(write: Write) -> None:
    """Unspecified, when a literal of an update is no key for an index: is that seen before all else?"""
    types = write.table.types
    for action in write.actions if isinstance(write, Update) else ():
        literal = action.value if isinstance(action, Add | Discard) else _literal(action)
        if action.path[0] in types and literal and literal.get(types[str(action.path[0])], "") == "":
            raise Unspecified


def _literal(action: Action) -> Value | None:
    operand = action.operand if isinstance(action, Set) else None
    return operand.literal if isinstance(operand, Literal) else None


def written_key(write: Write) -> Item:
    """The key that a write is about, in normal form."""
    if isinstance(write, Put):
        return write.table.key_of(write.table.check_values(write.item))
    return write.table.check_key(write.key)
