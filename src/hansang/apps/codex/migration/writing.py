"""Writing into the new table what comes from the old ones: whole pages at a time, and never over something newer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from hansang.apps.codex.design import CategoryKey, FMWebApp, PostKey, PostLocator, PostLocatorKey
from hansang.design import Database
from hansang.design.requests import key_of, shape_of
from hansang.design.shape import Item
from hansang.errors import Throttled, WireError
from hansang.parts.etags import digest
from hansang.parts.retry import PATIENT, Sleep, retry

T = TypeVar("T")

MARK = "migratedDigest"
"""The digest of an item as it was brought over: what has another one was changed since, here or there."""
_POSTS = 45
"""How many posts are written in one transaction, each with its locator."""
_READ = 100


class TargetWriter:
    """The new table, as the migration writes and reads it."""

    def __init__(self, database: Database, sleep: Sleep = time.sleep) -> None:
        self._database, self._sleep = database, sleep

    # ── copying ───────────────────────────────────────────────────────────────────────────────────

    def create(self, targets: Sequence[Item]) -> None:
        """Store items that are not there; what is there already stays, unless it is older."""
        for some in _parts(_latest(targets), _POSTS):
            actions = [action for each in some for action in self._creation(each)]
            if not self._transacted(actions):
                self.update(some)

    def _creation(self, target: Item) -> Iterator[dict[str, Any]]:
        puts = [{**target, MARK: {"S": digest(target)}}]
        if target["Type"] == {"S": "Post"}:
            puts.append(_locator(target))
        for item in puts:
            put = {"TableName": self._name, "Item": item, "ConditionExpression": "attribute_not_exists(PK)"}
            yield {"Put": put}

    def update(self, targets: Sequence[Item]) -> tuple[int, int]:
        """Store what differs from what is there; how many were stored, and how many stay because they are newer."""
        targets = _latest(targets)
        found, written, kept = self._stored(targets), 0, 0
        places = self._places([each["id"]["S"] for each in targets if each["Type"] == {"S": "Post"}])
        for each in targets:
            old, before = found.get(_key(each)), places.get(each["id"]["S"])
            moved = before is not None and each.get("categoryId") != {"S": before}
            if old is not None and digest(_plain(old)) == digest(each) and not moved:
                continue
            done = self._store(each, before, is_moved=moved)
            written, kept = written + done, kept + (not done)
        return written, kept

    def _store(self, target: Item, before: str | None, *, is_moved: bool) -> bool:
        """Store one item, unless what is there is newer; a post that was elsewhere is there no more."""
        not_newer = {
            "TableName": self._name,
            "ConditionExpression": "attribute_not_exists(#k) OR #u <= :u",
            "ExpressionAttributeNames": {"#k": "PK", "#u": "UpdatedAt"},
            "ExpressionAttributeValues": {":u": target["UpdatedAt"]},
        }
        actions: list[dict[str, Any]] = [
            {"Put": {**not_newer, "Item": {**target, MARK: {"S": digest(target)}}}},
        ]
        if target["Type"] == {"S": "Post"}:
            actions.append({"Put": self._placing(target, before)})
        if is_moved and before is not None:
            key = key_of(PostKey(category_id=before, id=target["id"]["S"]))
            actions.append({"Delete": {**not_newer, "Key": key}})
        return self._transacted(actions)

    def _placing(self, target: Item, before: str | None) -> dict[str, Any]:
        """The locator of a post, if that is still where it was found: a post is never in two categories."""
        put: dict[str, Any] = {"TableName": self._name, "Item": _locator(target)}
        if before is None:
            return put | {"ConditionExpression": "attribute_not_exists(PK)"}
        values = {":c": {"S": before}}
        return put | {"ConditionExpression": "categoryId = :c", "ExpressionAttributeValues": values}

    def _transacted(self, actions: list[dict[str, Any]]) -> bool:
        """Whether all of it was done; nothing was if a condition did not hold."""

        def send() -> None:
            try:
                self._database.backend.call("TransactWriteItems", {"TransactItems": actions})
            except WireError as fault:
                reasons = fault.fields.get("CancellationReasons", [])
                if any(each.get("Code") in ("TransactionConflict", "ThrottlingError") for each in reasons):
                    raise Throttled(str(fault)) from fault
                raise

        try:
            retry(send, self._sleep, PATIENT)
        except WireError as fault:
            if fault.code != "TransactionCanceledException":
                raise
            return False
        return True

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    @property
    def _name(self) -> str:
        return self._database.name(FMWebApp)

    def _stored(self, targets: Sequence[Item]) -> dict[tuple[str, str], Item]:
        """What is there under the keys of these items."""
        keys = [{"PK": each["PK"], "SK": each["SK"]} for each in targets]
        return {_key(item): item for item in self._batch(keys)}

    def _places(self, posts: Sequence[str]) -> dict[str, str]:
        """In which category each of these posts is, by its locator."""
        keys = [key_of(PostLocatorKey(post_id=each)) for each in posts]
        found = [shape_of(PostLocatorKey(post_id="_")).decode(item) for item in self._batch(keys)]
        return {each.post_id: each.category_id for each in found}

    def _batch(self, keys: Sequence[Item]) -> Iterator[Item]:
        for some in _parts([*{repr(sorted(each.items())): each for each in keys}.values()], _READ):
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
        """How many items with these ids the index lists; one that is there twice counts twice."""
        return sum(each["id"]["S"] in ids for each in self._of_type(kind))

    # ── deleting ──────────────────────────────────────────────────────────────────────────────────

    def delete_missing(self, kind: str, seen: set[str]) -> int:
        """Delete what was brought over and is not in the old table any more, unless it was changed here."""
        gone = [each for each in self._of_type(kind) if each["id"]["S"] not in seen]
        return sum(map(self._delete, gone))

    def delete(self, kind: str, gone: Mapping[str, str | None]) -> int:
        """Delete what was brought over under these ids, unless it was changed here, or is in another category by now."""
        keys = [key_of(CategoryKey(id=each)) for each in gone]
        if kind == "Post":
            places = self._places([*gone]).items()
            keys = [
                key_of(PostKey(category_id=at, id=each)) for each, at in places if gone[each] in (None, at)
            ]
        return sum(map(self._delete, self._batch(keys)))

    def _delete(self, item: Item) -> bool:
        if MARK not in item or item[MARK]["S"] != digest(_plain(item)):
            return False
        gone: dict[str, Any] = {"TableName": self._name, "Key": {"PK": item["PK"], "SK": item["SK"]}}
        gone |= {
            "ConditionExpression": "#u = :u",
            "ExpressionAttributeNames": {"#u": "UpdatedAt"},
            "ExpressionAttributeValues": {":u": item["UpdatedAt"]},
        }
        actions = [{"Delete": gone}]
        if item["Type"] == {"S": "Post"}:
            locator = key_of(PostLocatorKey(post_id=item["id"]["S"]))
            actions.append({"Delete": {"TableName": self._name, "Key": locator}})
        return self._transacted(actions)


def _latest(targets: Sequence[Item]) -> list[Item]:
    """One item for each id: of two items of an old table with one id the later is taken, and `verify` tells the other."""
    found: dict[str, Item] = {}
    for each in targets:
        before = found.get(each["id"]["S"])
        if before is None or before["UpdatedAt"]["S"] <= each["UpdatedAt"]["S"]:
            found[each["id"]["S"]] = each
    return [*found.values()]


def _locator(post: Item) -> Item:
    found = PostLocator(post_id=post["id"]["S"], category_id=post["categoryId"]["S"])
    return shape_of(found).encode(found)


def _key(item: Item) -> tuple[str, str]:
    return item["PK"]["S"], item["SK"]["S"]


def _plain(item: Item) -> Item:
    """An item without the mark of the migration."""
    return {name: value for name, value in item.items() if name != MARK}


def _parts(found: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (found[at : at + size] for at in range(0, len(found), size))
