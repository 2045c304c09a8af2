"""Transactions: several writes to any entities, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hansang.design import requests
from hansang.design.entity import Entity, Key
from hansang.design.expressions import Condition, Update
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


__all__ = ["AlreadyExists", "Conflict", "NotFound", "Transaction"]
