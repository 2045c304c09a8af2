"""Transactions: several writes to any entities, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hansang.design import requests
from hansang.design.attributes import Update
from hansang.design.entity import Entity, Key
from hansang.design.expressions import Condition, Presence
from hansang.design.requests import Write
from hansang.design.seen import AsSeen, entity_of
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.design.translation import translated
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DataError,
    DesignError,
    HansangError,
    NotFound,
    Refused,
    Throttled,
    TooLarge,
    WireError,
)

if TYPE_CHECKING:
    from hansang.design.runner import Runner

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class _Step:
    action: dict[str, Any]
    explain: Callable[[Item | None], HansangError]
    place: tuple[str, ...]
    """Which item it is of: its table and its key."""


LARGEST = 100
"""How many actions DynamoDB takes in one transaction (R19)."""


class Transaction:
    """Collects writes; they are sent together when the block ends without an error."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._steps: list[_Step] = []
        self._listeners: list[Callable[[], object]] = []
        self._is_over = False

    def create(self, entity: E) -> E:
        """Store an entity that is not there yet. Returns it as it will be written."""
        return cast(E, self._add("Put", requests.create(self._runner, entity)).entity)

    def put(
        self, entity: E, when: Condition | bool | None = None, *, otherwise: HansangError | None = None
    ) -> E:
        """Store an entity, in place of any with the same key. Returns it as it will be written.

        `otherwise` is the error of the transaction when the condition does not hold, in place of the usual ones.
        """
        return cast(E, self._add("Put", requests.put(self._runner, entity, when), otherwise).entity)

    def replace(self, entity: E, *, seen: E, by: object = None) -> E:
        """Store an entity in place of the one that was seen."""
        return cast(E, self._add("Put", requests.replace(self._runner, entity, seen, by)).entity)

    def update(
        self, key: Key[Any], *updates: Update[Any], when: Condition | bool | None = None, upsert: bool = False
    ) -> None:
        """Change parts of an entity that is there."""
        self._add("Update", requests.update(self._runner, key, updates, when, upsert=upsert))

    def delete(self, key: Key[Any], when: Condition | bool | None = None) -> None:
        """Delete an entity."""
        self._add("Delete", requests.delete(self._runner, key, when))

    def check(self, key: Key[Any], when: Condition | bool) -> None:
        """Let the transaction go through only if this is true of another item."""
        self._add("ConditionCheck", requests.check(self._runner, key, when))

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

    def put_request(self, table: type[Table], request: dict[str, Any]) -> None:
        """Create an item by a request of the caller's own making, whose condition is that there is none."""
        self._add_item("Put", request, table, request["Item"], is_new=True)

    def update_request(self, table: type[Table], request: dict[str, Any]) -> None:
        """Change an item by a request of the caller's own making; its condition says how the item was seen."""
        self._add_item("Update", request, table, request["Key"], is_new=False)

    def _add_item(
        self, kind: str, request: dict[str, Any], table: type[Table], item: Item, *, is_new: bool
    ) -> None:
        place = _place_of(table, request)
        self._append(_Step({kind: request}, lambda found: _item_error(table, item, found, is_new), place))

    def _add(self, kind: str, write: Write, otherwise: HansangError | None = None) -> Write:
        explain = write.explain if otherwise is None else lambda _: otherwise
        self._append(_Step({kind: write.request}, explain, _place_of(write.table, write.request)))
        return write

    def _append(self, step: _Step) -> None:
        if self._is_over:
            raise DesignError("This transaction is over. Write in its block, or begin another one.")
        self._steps.append(step)

    def when_written(self, tell: Callable[[], object]) -> None:
        """Call this when the writes have happened and the answer has come; not after an answer that was lost."""
        self._listeners.append(tell)

    def end(self) -> None:
        """Take no more writes."""
        self._is_over = True

    def tell_written(self) -> None:
        for tell in self._listeners:
            tell()

    def request(self, token: str | None) -> dict[str, Any]:
        if len(self._steps) > LARGEST:
            raise TooLarge(
                f"A transaction has {LARGEST} actions at most, and this one has {len(self._steps)}. Split it up."
            )
        self._expect_once()
        request: dict[str, Any] = {"TransactItems": [step.action for step in self._steps]}
        return request if token is None else {**request, "ClientRequestToken": token}

    def _expect_once(self) -> None:
        """Refuse two writes of one item, which DynamoDB refuses too and does not name."""
        seen: set[tuple[str, ...]] = set()
        for step in self._steps:
            if step.place in seen:
                table, *key = step.place
                raise DesignError(
                    f"The item {' / '.join(key)} of {table} is written twice in one transaction. Put its changes into one "
                    "write."
                )
            seen.add(step.place)

    def __len__(self) -> int:
        return len(self._steps)

    def error(self, reasons: list[dict[str, Any]]) -> HansangError:
        """The error of the first action that stood in the way."""
        for step, reason in zip(self._steps, reasons, strict=False):
            code = reason.get("Code", "None")
            if code == "ConditionalCheckFailed":
                return step.explain(reason.get("Item"))
            if code in ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"):
                return Throttled(
                    f"{code}: {reason.get('Message', 'it conflicted with another transaction')}. Try again."
                )
            if code != "None":
                return translated(WireError.answered("ValidationException", reason.get("Message"), {}))
        return Refused("The transaction was cancelled, and no reason was given.")


def _place_of(table: type[Table], request: dict[str, Any]) -> tuple[str, ...]:
    item = request.get("Key") or request["Item"]
    return (
        str(request["TableName"]),
        *(str(next(iter(item[name].values()))) for name in table.key_attributes()),
    )


def _item_error(table: type[Table], item: Item, found: Item | None, is_new: bool) -> DataError:
    key = " ".join(f"{name}={next(iter(item[name].values()))}" for name in table.key_attributes())
    entity = None if found is None else entity_of(table, found)
    if is_new:
        return AlreadyExists(
            "The item {key} already exists in {table}.",
            entity,
            code="design.item-exists",
            values={"key": key, "table": table.name},
        )
    if found is None:
        return NotFound(
            "The item {key} was not found in {table}.",
            code="design.no-item",
            values={"key": key, "table": table.name},
        )
    message = f"The item {key} has changed since it was read. Read it again and decide again."
    return Conflict(message, entity)


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def found_together(runner: Runner, keys: Sequence[Key[Any]]) -> tuple[Any, ...]:
    """The entities of these keys as they were at one moment, None where there is none."""
    if len(keys) > LARGEST:
        raise TooLarge(
            f"A transaction reads {LARGEST} items at most, and these are {len(keys)}. Split them up."
        )
    if not keys:
        return ()
    shapes = [requests.shape_of(key) for key in keys]
    gets = [
        {"Get": {"TableName": runner.name(shape.table), "Key": shape.key(key.__dict__)}}
        for shape, key in zip(shapes, keys, strict=True)
    ]
    responses = runner.call("TransactGetItems", {"TransactItems": gets}, "transact_get")["Responses"]
    return tuple(
        None if not response.get("Item") else shape.decode(response["Item"])
        for shape, response in zip(shapes, responses, strict=True)
    )
