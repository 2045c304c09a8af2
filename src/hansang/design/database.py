"""The database: runs plans on a backend."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from hansang.backends.base import Backend
from hansang.design import cursor as cursors
from hansang.design import requests
from hansang.design.entity import Entity, Key
from hansang.design.expressions import Condition, Field, Update
from hansang.design.feed import Feed
from hansang.design.meter import Cost
from hansang.design.query import Query
from hansang.design.runner import Observer, Runner, meter
from hansang.design.shape import Item, Shape
from hansang.design.table import Table
from hansang.design.transaction import Transaction
from hansang.design.translation import translated
from hansang.errors import DataError, DesignError, NotFound, Refused, WireError

E = TypeVar("E", bound=Entity)
R = TypeVar("R")

_WRITTEN_AT_ONCE = 25
_READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """A page of answers. `cursor` leads to the next one; `offset` is how many items came before."""

    items: list[R]
    cursor: str | None
    offset: int

    def __iter__(self) -> Iterator[R]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class Database:
    """A design's tables on a backend. Safe to use from many threads."""

    def __init__(
        self,
        backend: Backend,
        *,
        secret: bytes | None = None,
        names: Mapping[type[Table], str] | None = None,
        observer: Observer | None = None,
    ) -> None:
        """`secret` signs cursors; without one, cursors are good for this process only.

        `names` gives tables other names than the design has; `observer` hears what every request cost.
        """
        self._runner = Runner(backend, names or {}, observer=observer)
        self._secret = secret or secrets.token_bytes(32)

    @property
    def backend(self) -> Backend:
        return self._runner.backend

    def meter(self) -> AbstractContextManager[Cost]:
        """Count the units that the block consumes."""
        return meter()

    def name(self, table: type[Table]) -> str:
        """The name that a table has here."""
        return self._runner.name(table)

    def create_tables(self, *tables: type[Table]) -> list[str]:
        """Create the tables that are not there; the names of those that were created."""
        made = []
        for table in tables:
            try:
                self._runner.send("CreateTable", table.definition(self.name(table)), "")
            except WireError as error:
                if error.code != "ResourceInUseException":
                    raise translated(error) from error
                continue
            made.append(self.name(table))
            self._wait_until_active(table)
            self._enable_expiry(table)
        return made

    def _wait_until_active(self, table: type[Table]) -> None:
        for _ in range(600):
            described = self._runner.call("DescribeTable", {"TableName": self.name(table)}, "")
            if described["Table"]["TableStatus"] == "ACTIVE":
                return
            self._runner.pause(0.5)
        raise Refused(f"The table {self.name(table)} did not become active.")

    def _enable_expiry(self, table: type[Table]) -> None:
        attribute = table.time_to_live()
        if attribute is not None:
            specification = {"Enabled": True, "AttributeName": attribute}
            request = {"TableName": self.name(table), "TimeToLiveSpecification": specification}
            self._runner.call("UpdateTimeToLive", request, "")

    # ── one item ──────────────────────────────────────────────────────────────────────────────────

    def get(self, key: Key[E], *, consistent: bool = False) -> E:
        """The entity with this key, or NotFound."""
        found = self.find(key, consistent=consistent)
        if found is None:
            raise requests.not_found(key)
        return found

    def find(self, key: Key[E], *, consistent: bool = False) -> E | None:
        """The entity with this key, or None."""
        shape = requests.shape_of(key)
        request: dict[str, Any] = {"TableName": self.name(shape.table), "Key": shape.key(key.__dict__)}
        if consistent:
            request["ConsistentRead"] = True
        response = self._runner.call("GetItem", request, f"{shape.cls.__name__}.get")
        item = response.get("Item")
        found: E | None = None if item is None else shape.decode(item)
        return found

    def find_item(self, table: type[Table], key: Item) -> Item | None:
        """The item with this key as it is stored, read consistently, or None."""
        request = {"TableName": self.name(table), "Key": key, "ConsistentRead": True}
        return self._runner.call("GetItem", request, f"{table.__name__}.find_item").get("Item")

    def call(self, operation: str, request: dict[str, Any], pattern: str) -> dict[str, Any]:
        """The answer to a request of the caller's own making, counted under a pattern as all others are."""
        return self._runner.call(operation, request, pattern)

    def create(self, entity: E) -> E:
        """Store an entity that is not there yet, or AlreadyExists."""
        request = requests.create(self._runner, entity)
        self._write("PutItem", request, entity, "create", requests.already_exists)
        return entity

    def put(self, entity: E, when: Condition | bool | None = None) -> E:
        """Store an entity, in place of any with the same key."""
        request = requests.put(self._runner, entity, when)
        self._write("PutItem", request, entity, "put", requests.missing_or_conflict)
        return entity

    def replace(self, entity: E, *, seen: E, by: object) -> E:
        """Store an entity in place of the one that was seen, or Conflict if that is no longer there.

        `by` is the field that tells versions apart: `by=Post.updated_at`, or `by=Post.version`.
        """
        if not isinstance(by, Field):
            raise DesignError(
                f"{by!r} is no field. Write by=Post.updated_at, with the class and not an instance."
            )
        return self.put(entity, when=by == getattr(seen, by.name))

    def update(
        self, key: Key[E], *updates: Update[Any], when: Condition | bool | None = None, upsert: bool = False
    ) -> E:
        """Change parts of an entity, and return it as it is then; NotFound if it is not there."""
        request = requests.update(self._runner, key, updates, when, upsert=upsert)
        request["ReturnValues"] = "ALL_NEW"
        response = self._write("UpdateItem", request, key, "update", requests.missing_or_conflict)
        found: E = requests.shape_of(key).decode(response["Attributes"])
        return found

    def delete(self, key: Key[E], when: Condition | bool | None = None) -> E | None:
        """Delete an entity, and return what it was; deleting what is not there is no error."""
        request = requests.delete(self._runner, key, when)
        request["ReturnValues"] = "ALL_OLD"
        response = self._write("DeleteItem", request, key, "delete", requests.missing_or_conflict)
        item = response.get("Attributes")
        found: E | None = requests.shape_of(key).decode(item) if item else None
        return found

    def _write(
        self,
        operation: str,
        request: dict[str, Any],
        subject: Any,
        verb: str,
        failed: Callable[[Any, Any], DataError],
    ) -> dict[str, Any]:
        shape = requests.shape_of(subject)
        try:
            return self._runner.send(operation, request, f"{shape.cls.__name__}.{verb}")
        except WireError as error:
            if error.code != "ConditionalCheckFailedException":
                raise translated(error) from error
            item = error.fields.get("Item")
            raise failed(subject, shape.decode(item) if item else None) from error

    # ── many items ────────────────────────────────────────────────────────────────────────────────

    def page(self, query: Query[R], limit: int = 20, cursor: str | None = None) -> Page[R]:
        """At most `limit` answers, and a cursor to the next ones."""
        place = cursors.Place({}, 0) if cursor is None else cursors.read(self._secret, query, cursor)
        found: list[R] = []
        start: dict[str, Any] | None = place.start or None
        while True:
            response = self._query(query, start, limit - len(found))
            found += map(query.decoder, response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None or len(found) >= limit:
                break
        following = None
        if start is not None:
            following = cursors.write(self._secret, query, cursors.Place(start, place.offset + len(found)))
        return Page(found, following, place.offset)

    def beginning(self, query: Query[Any], offset: int) -> str:
        """A cursor to the first answer of a question that goes on where others have answered `offset` items."""
        return cursors.write(self._secret, query, cursors.Place({}, offset))

    def _query(
        self, query: Query[Any], start: dict[str, Any] | None, limit: int | None, **extra: Any
    ) -> dict[str, Any]:
        request = query.request(self.name(query.table)) | extra
        if start is not None:
            request["ExclusiveStartKey"] = start
        if limit is not None:
            request["Limit"] = limit
        return self._runner.call("Query", request, query.name or "query")

    def _pages(self, query: Query[Any], **extra: Any) -> Iterator[dict[str, Any]]:
        start = None
        while True:
            response = self._query(query, start, None, **extra)
            yield response
            start = response.get("LastEvaluatedKey")
            if start is None:
                return

    def each(self, query: Query[R]) -> Iterator[R]:
        """Every answer, read a page at a time as they are used."""
        for response in self._pages(query):
            yield from map(query.decoder, response["Items"])

    def all(self, query: Query[R]) -> list[R]:
        """Every answer, in a list."""
        return list(self.each(query))

    def first(self, query: Query[R]) -> R | None:
        """The first answer, or None."""
        return next(iter(self.page(query, limit=1)), None)

    def count(self, query: Query[Any]) -> int:
        """How many answers there are; they are read and paid for, and not returned."""
        return sum(response["Count"] for response in self._pages(query, Select="COUNT"))

    def batch_get(self, keys: Iterable[Key[E]], *, consistent: bool = False) -> list[E]:
        """The entities that are there, of any number of keys, in the order of the keys."""
        found: list[E] = []
        waiting: list[Key[E]] = []
        for key in keys:
            waiting.append(key)
            if len(waiting) == _READ_AT_ONCE:
                found += self._batch_get(waiting, consistent=consistent)
                waiting = []
        return found + (self._batch_get(waiting, consistent=consistent) if waiting else [])

    def _batch_get(self, keys: Sequence[Key[E]], *, consistent: bool) -> list[E]:
        wanted: dict[str, dict[str, Any]] = {}
        places: list[tuple[str, bytes, Shape]] = []
        for key in keys:
            shape = requests.shape_of(key)
            name, item = self.name(shape.table), shape.key(key.__dict__)
            place = (name, _fingerprint(item), shape)
            if place[:2] in {each[:2] for each in places}:
                continue
            places.append(place)
            table = wanted.setdefault(name, {"Keys": [], **({"ConsistentRead": True} if consistent else {})})
            table["Keys"].append(item)
        found = self._fetched(wanted, {name: shape.table for name, _, shape in places})
        return [
            shape.decode(found[name, print_]) for name, print_, shape in places if (name, print_) in found
        ]

    def _fetched(
        self, wanted: dict[str, Any], tables: Mapping[str, type[Table]]
    ) -> dict[tuple[str, bytes], Item]:
        found: dict[tuple[str, bytes], Item] = {}
        for response in self._runner.until_done(
            "BatchGetItem", {"RequestItems": wanted}, "UnprocessedKeys", "batch_get"
        ):
            for name, items in response["Responses"].items():
                for item in items:
                    key = {each: item[each] for each in tables[name].key_attributes()}
                    found[name, _fingerprint(key)] = item
        return found

    def batch_write(self, puts: Iterable[Entity] = (), deletes: Iterable[Key[Any]] = ()) -> int:
        """Store and delete any number of entities, 25 at a time, with no conditions; how many."""
        waiting: list[tuple[str, dict[str, Any]]] = []
        written = 0
        for name, request in self._batch_requests(puts, deletes):
            waiting.append((name, request))
            if len(waiting) == _WRITTEN_AT_ONCE:
                written += self._batch_write(waiting)
                waiting = []
        return written + (self._batch_write(waiting) if waiting else 0)

    def _batch_requests(
        self, puts: Iterable[Entity], deletes: Iterable[Key[Any]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for entity in puts:
            shape = requests.shape_of(entity)
            yield self.name(shape.table), {"PutRequest": {"Item": shape.encode(entity)}}
        for key in deletes:
            shape = requests.shape_of(key)
            yield self.name(shape.table), {"DeleteRequest": {"Key": shape.key(key.__dict__)}}

    def _batch_write(self, waiting: list[tuple[str, dict[str, Any]]]) -> int:
        wanted: dict[str, list[dict[str, Any]]] = {}
        for name, request in waiting:
            wanted.setdefault(name, []).append(request)
        for _ in self._runner.until_done(
            "BatchWriteItem", {"RequestItems": wanted}, "UnprocessedItems", "batch_write"
        ):
            pass
        return len(waiting)

    # ── changes ───────────────────────────────────────────────────────────────────────────────────

    def feed(
        self,
        table: type[Table],
        *,
        start: Literal["oldest", "newest"] = "newest",
        position: Mapping[str, str] | None = None,
    ) -> Feed:
        """The changes of a table from now on, from the oldest that is kept, or from where a feed was left."""
        return Feed(self._runner, table, start, position)

    # ── transactions ──────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def transaction(self, token: str | None = None, name: str = "transaction") -> Iterator[Transaction]:
        """Writes that happen together or not at all, when the block ends without an error.

        A `token` makes the transaction happen once, however often it is sent in ten minutes; `name` is what
        its cost is counted under.
        """
        transaction = Transaction(self._runner)
        yield transaction
        if not len(transaction):
            return
        try:
            self._runner.send("TransactWriteItems", transaction.request(token), name)
        except WireError as error:
            if error.code != "TransactionCanceledException":
                raise translated(error) from error
            raise transaction.error(error.fields.get("CancellationReasons", [])) from error


def _fingerprint(key: Item) -> bytes:
    return repr(sorted((name, *value.items()) for name, value in key.items())).encode()


__all__ = ["Database", "NotFound", "Page"]
