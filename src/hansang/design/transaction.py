"""Transactions: several writes to any entities, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hansang.design import requests
from hansang.design.entity import Entity, Key
from hansang.design.expressions import Condition, Presence, Update
from hansang.design.seen import AsSeen, entity_of
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.errors import AlreadyExists, Conflict, DataError, NotFound, Refused, Throttled

if TYPE_CHECKING:
    from hansang.design.runner import Runner


@dataclass(frozen=True, slots=True)
class _Step:
    action: dict[str, Any]
    failed: Callable[[Any], DataError]
    decode: Callable[[Any], Any]


class Transaction:
    """Collects writes; they are sent together when the block ends without an error."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._steps: list[_Step] = []

    def create(self, entity: Entity) -> None:
        """Store an entity that is not there yet."""
        self._add("Put", requests.create(self._runner, entity), entity, requests.already_exists)

    def put(self, entity: Entity, when: Condition | bool | None = None) -> None:
        """Store an entity, in place of any with the same key."""
        self._add("Put", requests.put(self._runner, entity, when), entity, requests.conflict)

    def update(
        self, key: Key[Any], *updates: Update[Any], when: Condition | bool | None = None, upsert: bool = False
    ) -> None:
        """Change parts of an entity that is there."""
        self._add(
            "Update",
            requests.update(self._runner, key, updates, when, upsert=upsert),
            key,
            requests.missing_or_conflict,
        )

    def delete(self, key: Key[Any], when: Condition | bool | None = None) -> None:
        """Delete an entity."""
        self._add("Delete", requests.delete(self._runner, key, when), key, requests.missing_or_conflict)

    def check(self, key: Key[Any], when: Condition | bool) -> None:
        """Let the transaction go through only if this is true of another item."""
        self._add(
            "ConditionCheck", requests.check(self._runner, key, when), key, requests.missing_or_conflict
        )

    def put_item(self, table: type[Table], item: Item, seen: Item | None) -> None:
        """Store an item as it is, in place of exactly the one that was seen, or where none was."""
        when = Presence(table.pk, there=False) if seen is None else AsSeen(table, seen)
        request = requests.put_item(self._runner, table, item, when)
        self._add_item("Put", request, table, item, is_new=seen is None)

    def delete_item(self, table: type[Table], seen: Item) -> None:
        """Delete an item that is exactly as it was seen."""
        key = {name: seen[name] for name in table.key_attributes()}
        request = requests.delete_item(self._runner, table, key, AsSeen(table, seen))
        self._add_item("Delete", request, table, seen, is_new=False)

    def _add_item(
        self, kind: str, request: dict[str, Any], table: type[Table], item: Item, *, is_new: bool
    ) -> None:
        step = _Step(
            {kind: request}, lambda found: _item_error(table, item, found, is_new), partial(entity_of, table)
        )
        self._steps.append(step)

    def _add(
        self, kind: str, request: dict[str, Any], subject: Any, failed: Callable[[Any, Any], DataError]
    ) -> None:
        shape = requests.shape_of(subject)
        self._steps.append(_Step({kind: request}, lambda item: failed(subject, item), shape.decode))

    def request(self, token: str | None) -> dict[str, Any]:
        request: dict[str, Any] = {"TransactItems": [step.action for step in self._steps]}
        return request if token is None else {**request, "ClientRequestToken": token}

    def __len__(self) -> int:
        return len(self._steps)

    def error(self, reasons: list[dict[str, Any]]) -> DataError:
        """The error of the first action that stood in the way."""
        for step, reason in zip(self._steps, reasons, strict=False):
            code = reason.get("Code", "None")
            if code == "ConditionalCheckFailed":
                item = reason.get("Item")
                return step.failed(step.decode(item) if item else None)
            if code in ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"):
                return Throttled(
                    f"{code}: {reason.get('Message', 'the transaction met another one')}. Try again."
                )
            if code != "None":
                return Refused(f"{code}: {reason.get('Message', '')}")
        return Refused("The transaction was cancelled, and no reason was given.")


def _item_error(table: type[Table], item: Item, found: object, is_new: bool) -> DataError:
    key = " ".join(f"{name}={next(iter(item[name].values()))}" for name in table.key_attributes())
    if is_new:
        return AlreadyExists(f"There is an item {key} in {table.name} already.", found)
    if found is None:
        return NotFound(f"There is no item {key} in {table.name}.")
    message = f"The item {key} is not as it was when it was read. Read it again and decide anew."
    return Conflict(message, found)


__all__ = ["AlreadyExists", "Conflict", "NotFound", "Transaction"]
