"""The database: runs plans on a backend."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast, overload

from hansang.backends.base import Backend
from hansang.clock import Clock, system_clock
from hansang.design import batches, repairs, requests
from hansang.design import cursor as cursors
from hansang.design.attributes import Update
from hansang.design.entity import Entity, Key, View
from hansang.design.expressions import Condition
from hansang.design.feed import Feed
from hansang.design.meter import Cost
from hansang.design.pages import Page, QueryAnswers, Unreadable, expect_limit, expect_query
from hansang.design.projecting import expect_selectable, selection
from hansang.design.query import Query
from hansang.design.requests import Write
from hansang.design.runner import Observer, Runner, meter
from hansang.design.shape import Item, Shape
from hansang.design.table import Table
from hansang.design.transaction import Transaction, found_together
from hansang.design.translation import translated
from hansang.errors import DesignError, NotFound, Refused, WireError

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Entity)
G = TypeVar("G", bound=Entity)
R = TypeVar("R")
V = TypeVar("V", bound=View)


class Database:
    """A design's tables on a backend. Safe to use from many threads."""

    def __init__(
        self,
        backend: Backend,
        *,
        secret: bytes | None = None,
        names: Mapping[type[Table], str] | None = None,
        observer: Observer | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """`secret` signs cursors; without one, cursors are good for this process only.

        `names` gives tables other names than the design has; `observer` hears what every request cost; `clock`
        tells the time of fields that are kept up on every write.
        """
        if isinstance(cast(object, backend), Database):
            raise DesignError("This is a Database, and a backend is wanted. Give its own: db.backend.")
        if not callable(getattr(backend, "call", None)):
            raise DesignError(f"{backend!r} is not a backend. Open one, such as Embedded.open('data.db').")
        if secret is not None and not isinstance(secret, bytes):
            raise DesignError("The secret of a database is bytes.")
        self._runner = Runner(backend, names or {}, observer=observer, clock=clock)
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

    def renamed(self, names: Mapping[type[Table], str]) -> Database:
        """The same database, in which some tables have other names: one design under a second name."""
        found = copy(self)
        found._runner = self._runner.renamed(names)
        return found

    def patient(self, sleep: Callable[[float], object] = time.sleep) -> Database:
        """The same database for long work: what the data file is too busy for is sent again, for some minutes."""
        found = copy(self)
        found._runner = self._runner.patient(sleep)
        return found

    def create_tables(self, *tables: type[Table]) -> list[str]:
        """Create the tables that are not there; the names of those that were created."""
        made = []
        for table in tables:
            if not (isinstance(table, type) and issubclass(table, Table)):
                raise DesignError(f"{table!r} is not a table. Give the classes that are derived from Table.")
            try:
                self._runner.send("CreateTable", table.definition(self.name(table)), "")
            except WireError as error:
                if error.code != "ResourceInUseException":
                    raise translated(error) from error
                continue
            made.append(self.name(table))
            self._wait_until_active(table)
            self._enable_expiry(table)
            self._enable_recovery(table)
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

    def _enable_recovery(self, table: type[Table]) -> None:
        """Point-in-time recovery, where there is one."""
        if not table.options.point_in_time_recovery:
            return
        specification = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": self.name(table), "PointInTimeRecoverySpecification": specification}
        try:
            self._runner.send("UpdateContinuousBackups", request, "")
        except WireError as error:
            if error.code != "ContinuousBackupsUnavailableException":
                raise translated(error) from error

    # ── one item ──────────────────────────────────────────────────────────────────────────────────

    @overload
    def get(self, key: Key[E], *, consistent: bool = False, select: None = None) -> E: ...
    @overload
    def get(self, key: Key[Any], *, consistent: bool = False, select: type[V]) -> V: ...
    def get(self, key: Key[Any], *, consistent: bool = False, select: type[View] | None = None) -> Any:
        """The entity with this key, or NotFound; with `select`, some of its fields alone, as of a question."""
        shape, item = self._item(key, consistent, select)
        if item is None:
            raise requests.not_found(key)
        return shape.decode(item)

    def stamped(self, entity: E, version: int) -> E:
        """The entity as a write would store it: with this version, and the time of the write where it keeps one."""
        found: E = requests.stamped(self._runner, requests.shape_of(entity), entity, version)
        return found

    @overload
    def find(self, key: Key[E], *, consistent: bool = False, select: None = None) -> E | None: ...
    @overload
    def find(self, key: Key[Any], *, consistent: bool = False, select: type[V]) -> V | None: ...
    def find(self, key: Key[Any], *, consistent: bool = False, select: type[View] | None = None) -> Any:
        """The entity with this key, or some of its fields, or None."""
        shape, item = self._item(key, consistent, select)
        return None if item is None else shape.decode(item)

    def _item(self, key: Key[Any], consistent: bool, select: type[View] | None) -> tuple[Shape, Item | None]:
        """What is stored under a key, and the shape to read it with."""
        shape, runner = requests.shape_of(key), self._runner
        request: dict[str, Any] = {"TableName": runner.name(shape.table), "Key": shape.key(key.__dict__)}
        if consistent:
            request["ConsistentRead"] = True
        read = shape
        if select is not None:
            read = expect_selectable((shape,), None, select)
            request |= selection(read)
        return read, runner.call("GetItem", request, shape.get_pattern).get("Item")

    def find_item(self, table: type[Table], key: Item) -> Item | None:
        """The item with this key as it is stored, read consistently, or None."""
        request = {"TableName": self.name(table), "Key": key, "ConsistentRead": True}
        return self._runner.call("GetItem", request, f"{table.__name__}.find_item").get("Item")

    def call(self, operation: str, request: dict[str, Any], pattern: str) -> dict[str, Any]:
        """The answer to a request of the caller's own making, counted under a pattern as all others are."""
        return self._runner.call(operation, request, pattern)

    def create(self, entity: E) -> E:
        """Store an entity that is not there yet, or AlreadyExists. Returns it as it was written."""
        write = requests.create(self._runner, entity)
        self._write("PutItem", write)
        return cast(E, write.entity)

    def put(self, entity: E, when: Condition | bool | None = None) -> E:
        """Store an entity, in place of any with the same key. Returns it as it was written."""
        write = requests.put(self._runner, entity, when)
        self._write("PutItem", write)
        return cast(E, write.entity)

    def replace(self, entity: E, *, seen: E, by: object = None) -> E:
        """Store an entity in place of the one that was seen, or Conflict if that is no longer there.

        `by` is a field that differs with every version: `by=Post.updated_at`. It is not needed where the entity has
        a Version.
        """
        write = requests.replace(self._runner, entity, seen, by)
        self._write("PutItem", write)
        return cast(E, write.entity)

    def update(
        self, key: Key[E], *updates: Update[Any], when: Condition | bool | None = None, upsert: bool = False
    ) -> E:
        """Change parts of an entity, and return it as it is then; NotFound if it is not there."""
        write = requests.update(self._runner, key, updates, when, upsert=upsert)
        write.request["ReturnValues"] = "ALL_NEW"
        response = self._write("UpdateItem", write)
        found: E = requests.shape_of(key).decode(response["Attributes"])
        return found

    def delete(self, key: Key[E], when: Condition | bool | None = None) -> E | None:
        """Delete an entity, and return what it was, None if it was not there or could not be read."""
        write = requests.delete(self._runner, key, when)
        write.request["ReturnValues"] = "ALL_OLD"
        item = self._write("DeleteItem", write).get("Attributes")
        shape = requests.shape_of(key)
        found = requests.readable(shape, item)
        return found if isinstance(found, shape.cls) else None

    def _write(self, operation: str, write: Write) -> dict[str, Any]:
        try:
            return self._runner.send(operation, write.request, write.pattern)
        except WireError as error:
            if error.code != "ConditionalCheckFailedException":
                raise translated(error, write.request) from error
            raise write.explain(error.fields.get("Item")) from error

    def repair(self, bad: Unreadable, changes: Mapping[str, Any]) -> Any:
        """Mend an item that its entity cannot read: `db.repair(bad, {"CreatedAt": {"S": "2026-01-01T00:00:00Z"}})`.

        The attributes are in the wire's form, None takes one away, and a changed key moves the item. It is stored
        only if its entity can read it then, and only in place of the item as it is; returns the entity.
        """
        item = self.find_item(bad.table, bad.key)
        if item is None:
            raise NotFound(
                "The item {key} is no longer in {table}.",
                code="design.item-gone",
                values={"key": bad.key, "table": self.name(bad.table)},
            )
        entity, mended = repairs.mended(bad.kind, item, changes)
        with self.transaction(name="repair") as tx:
            repairs.write(tx, bad.table, item, mended)
        return entity

    # ── many items ────────────────────────────────────────────────────────────────────────────────

    def page(self, query: Query[R], limit: int = 20, cursor: str | None = None) -> Page[R]:
        """At most `limit` answers, and a cursor to the next ones."""
        expect_limit(limit)
        unreadable: list[Unreadable] = []
        answers = QueryAnswers(self._runner, query, unreadable.append)
        table, place = self.name(query.table), cursors.CursorPosition({}, 0)
        if cursor is not None:
            place = cursors.read(self._secret, query, table, cursor)
        found, start = answers.take(limit, place.start or None)
        following = None
        if start is not None:
            reached = cursors.CursorPosition(start, place.offset + len(found))
            following = cursors.write(self._secret, query, table, reached)
        return Page(found, following, place.offset, unreadable)

    def hydrate(self, query: Query[Key[E]], limit: int = 20, cursor: str | None = None) -> Page[E]:
        """A page of the whole entities that the rows of an index stand for; those that are gone are left out."""
        page = self.page(query, limit, cursor)
        unreadable = [*page.unreadable]
        found = batches.get(self._runner, page.items, consistent=False, unreadable=unreadable.append)
        return Page(found, page.cursor, page.offset, unreadable)

    def sealed(self, subject: str, place: list[Any]) -> str:
        """A cursor of the caller's own making: a place in a list, in values of JSON, signed for this subject."""
        return cursors.seal(self._secret, f"sealed {subject}".encode(), place)

    def unsealed(self, subject: str, cursor: str) -> list[Any]:
        """The place of such a cursor, or InvalidCursor if it was not given for this subject."""
        return cursors.unseal(self._secret, f"sealed {subject}".encode(), cursor)

    def each(
        self,
        query: Query[R],
        limit: int | None = None,
        *,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> Iterator[R]:
        """Every answer, or the first `limit` of them, read a page at a time as they are used.

        An item that cannot be read is an error, or goes to `unreadable`.
        """
        answers = QueryAnswers(self._runner, query, unreadable)
        if limit is not None:
            expect_limit(limit, least=0)
            return answers.first(limit)
        return (entity for response in answers.pages() for entity in answers.decode(response["Items"]))

    def all(
        self,
        query: Query[R],
        limit: int | None = None,
        *,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[R]:
        """Every answer, or the first `limit` of them, in a list."""
        return list(self.each(query, limit, unreadable=unreadable))

    def first(self, query: Query[R]) -> R | None:
        """The first answer, or None."""
        return next(self.each(query, 1), None)

    def count(self, query: Query[Any]) -> int:
        """How many answers there are; they are read and paid for, and not returned.

        Items that cannot be read are counted where no other kind can lie among them: then DynamoDB counts.
        """
        answers = QueryAnswers(self._runner, replace(expect_query(query), columns=()))
        if query.is_alone:
            return sum(response["Count"] for response in answers.pages(Select="COUNT"))
        return sum(1 for _ in self.each(query))

    @overload
    def batch_get(
        self,
        keys: Iterable[Key[E]],
        *,
        consistent: bool = False,
        select: None = None,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[E]: ...
    @overload
    def batch_get(
        self,
        keys: Iterable[Key[Any]],
        *,
        consistent: bool = False,
        select: type[V],
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[V]: ...
    def batch_get(
        self,
        keys: Iterable[Key[Any]],
        *,
        consistent: bool = False,
        select: type[View] | None = None,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[Any]:
        """The entities that are there, or some of their fields, of any number of keys, in the order of the keys."""
        return batches.get(self._runner, keys, consistent=consistent, select=select, unreadable=unreadable)

    def batch_write(self, puts: Iterable[Entity] = (), deletes: Iterable[Key[Any]] = ()) -> int:
        """Store and delete any number of entities, 25 at a time, with no conditions; how many."""
        return batches.write(self._runner, puts, deletes)

    # ── changes ───────────────────────────────────────────────────────────────────────────────────

    def feed(
        self,
        table: type[Table],
        *,
        start: Literal["oldest", "newest"] = "newest",
        position: Mapping[str, str] | None = None,
        switched_on: bool = False,
    ) -> Feed:
        """The changes of a table from now on, from the oldest that is kept, or from where a feed was left.

        `switched_on` says that the table has a stream of both images where it is, though its design has none.
        """
        if start not in ("oldest", "newest"):
            raise DesignError(f"A feed starts at 'oldest' or at 'newest', and not at {start!r}.")
        return Feed(self._runner, table, start, position, switched_on=switched_on)

    # ── transactions ──────────────────────────────────────────────────────────────────────────────

    @overload
    def transact_get(self, first: Key[E], /) -> tuple[E | None]: ...
    @overload
    def transact_get(self, first: Key[E], second: Key[F], /) -> tuple[E | None, F | None]: ...
    @overload
    def transact_get(
        self, first: Key[E], second: Key[F], third: Key[G], /
    ) -> tuple[E | None, F | None, G | None]: ...
    @overload
    def transact_get(self, *keys: Key[E]) -> tuple[E | None, ...]: ...
    def transact_get(self, *keys: Key[Any]) -> tuple[Any, ...]:
        """Entities as they were at one moment, None where there is none; at most 100, at twice the cost."""
        return found_together(self._runner, keys)

    @contextmanager
    def transaction(self, token: str | None = None, name: str = "transaction") -> Iterator[Transaction]:
        """Writes that happen together or not at all, when the block ends without an error.

        A `token` makes the transaction happen once, however often it is sent in ten minutes; `name` is what
        its cost is counted under.
        """
        transaction = Transaction(self._runner)
        try:
            yield transaction
        finally:
            transaction.end()
        self.commit(transaction, token, name)

    def commit(self, transaction: Transaction, token: str | None, name: str) -> None:
        """Send what a transaction has collected."""
        if not len(transaction):
            return
        request = transaction.request(token)
        try:
            self._runner.send("TransactWriteItems", request, name)
        except WireError as error:
            if error.code != "TransactionCanceledException":
                raise translated(error, request) from error
            raise transaction.error(error.fields.get("CancellationReasons", [])) from error
        transaction.tell_written()


__all__ = ["Database", "Page"]
