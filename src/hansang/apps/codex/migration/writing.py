"""Writing into the new table what comes from the old ones: whole pages at a time, and never over something newer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hansang.apps.codex.design import FMWebApp, PostKey, PostLocator, PostLocatorKey
from hansang.design import Database
from hansang.design.requests import key_of, shape_of
from hansang.design.shape import Item
from hansang.errors import Throttled, WireError
from hansang.parts.etags import digest
from hansang.parts.retry import PATIENT, retry

T = TypeVar("T")

MARK = "migratedDigest"
"""The digest of an item as it was brought over: what has another one was changed since, here or there."""
_POSTS = 45
"""How many posts are written in one transaction, each with its locator."""
_READ = 100


class TargetWriter:
    """The new table, as the migration writes and reads it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ── copying ───────────────────────────────────────────────────────────────────────────────────

    def create(self, targets: Sequence[Item]) -> None:
        """Store items that are not there; what is there already stays, unless it is older."""
        found = self._stored(targets)
        missing = [each for each in targets if _key(each) not in found]
        for some in _parts(missing, _POSTS):
            if not self._create_together(some):
                for each in some:
                    self.store(each, None)
        self.update([each for each in targets if _key(each) in found])

    def _create_together(self, targets: Sequence[Item]) -> bool:
        """Store all in one transaction, if none of them is there."""
        actions = [action for each in targets for action in self._actions(each, None)]
        try:
            self._transact(actions)
        except WireError as fault:
            if fault.code != "TransactionCanceledException":
                raise
            return False
        return True

    def update(self, targets: Sequence[Item]) -> tuple[int, int]:
        """Store what differs from what is there; how many were stored, and how many stay because they are newer."""
        found, written, kept = self._stored(targets), 0, 0
        places = self._places(targets)
        for each in targets:
            old, before = found.get(_key(each)), places.get(each["id"]["S"])
            moved = before is not None and each.get("categoryId") != {"S": before}
            if old is not None and digest(_plain(old)) == digest(each) and not moved:
                continue
            if old is not None and old["UpdatedAt"]["S"] > each["UpdatedAt"]["S"]:
                kept += 1
                continue
            done = self.store(each, old, before if moved else None)
            written, kept = written + done, kept + (not done)
        return written, kept

    def store(self, target: Item, old: Item | None, moved_from: str | None = None) -> bool:
        """Store one item in place of the one that is there, unless that is newer; whether it was stored."""
        actions = self._actions(target, old)
        if moved_from is not None:
            key = key_of(PostKey(category_id=moved_from, id=target["id"]["S"]))
            actions.append({"Delete": {"TableName": self._name, "Key": key}})
        try:
            self._transact(actions)
        except WireError as fault:
            if fault.code != "TransactionCanceledException":
                raise
            return False
        return True

    def _actions(self, target: Item, old: Item | None) -> list[dict[str, Any]]:
        item = {**target, MARK: {"S": digest(target)}}
        put: dict[str, Any] = {"TableName": self._name, "Item": item}
        put |= {
            "ConditionExpression": "attribute_not_exists(#k) OR #u <= :u",
            "ExpressionAttributeNames": {"#k": "PK", "#u": "UpdatedAt"},
            "ExpressionAttributeValues": {":u": target["UpdatedAt"]},
        }
        if target["Type"] != {"S": "Post"}:
            return [{"Put": put}]
        locator = PostLocator(post_id=target["id"]["S"], category_id=target["categoryId"]["S"])
        return [{"Put": put}, {"Put": {"TableName": self._name, "Item": shape_of(locator).encode(locator)}}]

    def _transact(self, actions: list[dict[str, Any]]) -> None:
        def send() -> None:
            try:
                self._database.backend.call("TransactWriteItems", {"TransactItems": actions})
            except WireError as fault:
                reasons = fault.fields.get("CancellationReasons", [])
                if any(each.get("Code") in ("TransactionConflict", "ThrottlingError") for each in reasons):
                    raise Throttled(str(fault)) from fault
                raise

        retry(send, pauses=PATIENT)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    @property
    def _name(self) -> str:
        return self._database.name(FMWebApp)

    def _stored(self, targets: Sequence[Item]) -> dict[tuple[str, str], Item]:
        """What is there under the keys of these items."""
        keys = [{"PK": each["PK"], "SK": each["SK"]} for each in targets]
        return {_key(item): item for item in self._batch(keys)}

    def _places(self, targets: Sequence[Item]) -> dict[str, str]:
        """In which category each of these posts is, by its locator."""
        posts = [each["id"]["S"] for each in targets if each["Type"] == {"S": "Post"}]
        keys = [key_of(PostLocatorKey(post_id=each)) for each in posts]
        found = [shape_of(PostLocatorKey(post_id="_")).decode(item) for item in self._batch(keys)]
        return {each.post_id: each.category_id for each in found}

    def _batch(self, keys: Sequence[Item]) -> Iterator[Item]:
        for some in _parts(keys, _READ):
            wanted: dict[str, Any] = {self._name: {"Keys": list(some), "ConsistentRead": True}}
            while wanted:
                answer = self._database.call("BatchGetItem", {"RequestItems": wanted}, "Migration.read")
                yield from answer["Responses"].get(self._name, ())
                wanted = answer.get("UnprocessedKeys") or {}

    def _of_type(self, kind: str) -> Iterator[Item]:
        """All items of a type, by the index."""
        request: dict[str, Any] = {
            "TableName": self._name,
            "IndexName": FMWebApp.type_created_at.name,
            "KeyConditionExpression": "#t = :t",
            "ExpressionAttributeNames": {"#t": "Type"},
            "ExpressionAttributeValues": {":t": {"S": kind}},
        }
        while True:
            answer = self._database.call("Query", request, "Migration.list")
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    # ── verifying ─────────────────────────────────────────────────────────────────────────────────

    def compare(self, targets: Sequence[Item], tell: Callable[[str], object]) -> None:
        """Tell of every item that is not there, or is not what it has to be."""
        found = self._stored(targets)
        for each in targets:
            there, name = found.get(_key(each)), f"{each['Type']['S']} {each['id']['S']}"
            if there is None:
                tell(f"{name} is missing")
            elif digest(_plain(there)) != digest(each):
                tell(f"{name} differs")

    def migrated_ids(self, kind: str) -> set[str]:
        """The ids of what was brought over of a type."""
        return {each["id"]["S"] for each in self._of_type(kind) if MARK in each}

    def count_in_index(self, kind: str, ids: set[str]) -> int:
        """How many of these ids the index lists."""
        return len(ids & {each["id"]["S"] for each in self._of_type(kind)})

    def delete_missing(self, kind: str, seen: set[str]) -> int:
        """Delete what was brought over and is not in the old table any more, unless it was changed here."""
        count = 0
        for item in list(self._of_type(kind)):
            if item["id"]["S"] in seen or MARK not in item or item[MARK]["S"] != digest(_plain(item)):
                continue
            keys = [{"PK": item["PK"], "SK": item["SK"]}]
            if kind == "Post":
                keys.append(key_of(PostLocatorKey(post_id=item["id"]["S"])))
            self._transact([{"Delete": {"TableName": self._name, "Key": key}} for key in keys])
            count += 1
        return count


def _key(item: Item) -> tuple[str, str]:
    return item["PK"]["S"], item["SK"]["S"]


def _plain(item: Item) -> Item:
    """An item without the mark of the migration."""
    return {name: value for name, value in item.items() if name != MARK}


def _parts(found: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (found[at : at + size] for at in range(0, len(found), size))
