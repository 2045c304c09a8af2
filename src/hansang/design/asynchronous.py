"""The database for programs that await: the same plans on the same backends, run by threads of its own.

Whoever awaits may be cancelled, by `asyncio.timeout` too. A call that has not begun is not made then, and whatever
walks through pages or batches ends at its next request. A request that is under way is not called back: a write may
have happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager
from contextvars import copy_context
from types import TracebackType
from typing import Any, Literal, ParamSpec, Self, TypeVar, overload

from hansang.backends.base import Backend
from hansang.backends.limits import Limited, WorkLimits, limits
from hansang.clock import Clock, system_clock
from hansang.design.attributes import Update
from hansang.design.database import Database
from hansang.design.entity import Entity, Key, View
from hansang.design.expressions import Condition
from hansang.design.feed import Feed, ItemChange
from hansang.design.meter import Cost
from hansang.design.pages import READ_AT_ONCE, Page, QueryAnswers, Unreadable, expect_limit
from hansang.design.query import Query
from hansang.design.runner import Observer
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.design.transaction import Transaction
from hansang.errors import DesignError, RequestStopped

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Entity)
G = TypeVar("G", bound=Entity)
R = TypeVar("R")
V = TypeVar("V", bound=View)
T = TypeVar("T")
P = ParamSpec("P")

THREADS = 16
"""How many calls are made at a time; the next ones wait for a thread."""


class AwaitedLimits:
    """Work that goes on as long as it is awaited, within the limits that there were around it."""

    __slots__ = ("_around", "_is_cancelled")

    def __init__(self, around: WorkLimits | None) -> None:
        self._around, self._is_cancelled = around, False

    def cancel(self) -> None:
        self._is_cancelled = True

    def check(self) -> None:
        if self._is_cancelled:
            raise RequestStopped("Nobody awaits this any more.")
        if self._around is not None:
            self._around.check()


class AsyncDatabase:
    """A design's tables on a backend, each method of `Database` as a coroutine. It belongs to one event loop."""

    def __init__(
        self,
        backend: Backend,
        *,
        threads: int = THREADS,
        secret: bytes | None = None,
        names: Mapping[type[Table], str] | None = None,
        observer: Observer | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """As `Database`; at most `threads` calls are made at a time."""
        if type(threads) is not int or threads < 1:
            raise DesignError(f"A database has 1 thread or more, and not {threads!r}.")
        # Looked at here, because there is always something that limits can be put around.
        Database(backend)
        self.database = Database(Limited(backend), secret=secret, names=names, observer=observer, clock=clock)
        """The synchronous face of it, for work that has a thread already."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hansang-database")

    async def close(self) -> None:
        """Wait for the calls that are under way, and make no more; the backend stays open."""
        await asyncio.to_thread(self._threads.shutdown)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def run(self, work: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> T:
        """Have one of the threads do something with the database: `await db.run(report, db.database)`.

        The meters of this task count what it costs.
        """
        context, awaited = copy_context(), AwaitedLimits(limits.get())
        context.run(limits.set, awaited)

        def ran() -> T:
            return context.run(work, *arguments, **options)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, ran)
        except asyncio.CancelledError:
            awaited.cancel()
            raise

    def meter(self) -> AbstractContextManager[Cost]:
        """Count the units that the block consumes, in this task and in those that it starts."""
        return self.database.meter()

    def name(self, table: type[Table]) -> str:
        """The name that a table has here."""
        return self.database.name(table)

    async def create_tables(self, *tables: type[Table]) -> list[str]:
        """Create the tables that are not there; the names of those that were created."""
        return await self.run(self.database.create_tables, *tables)

    # ── one item ──────────────────────────────────────────────────────────────────────────────────

    @overload
    async def get(self, key: Key[E], *, consistent: bool = False, select: None = None) -> E: ...
    @overload
    async def get(self, key: Key[Any], *, consistent: bool = False, select: type[V]) -> V: ...
    async def get(self, key: Key[Any], *, consistent: bool = False, select: type[View] | None = None) -> Any:
        """The entity with this key, or NotFound; with `select`, some of its fields alone, as of a question."""
        read: Callable[..., Any] = self.database.get
        return await self.run(read, key, consistent=consistent, select=select)

    @overload
    async def find(self, key: Key[E], *, consistent: bool = False, select: None = None) -> E | None: ...
    @overload
    async def find(self, key: Key[Any], *, consistent: bool = False, select: type[V]) -> V | None: ...
    async def find(self, key: Key[Any], *, consistent: bool = False, select: type[View] | None = None) -> Any:
        """The entity with this key, or some of its fields, or None."""
        read: Callable[..., Any] = self.database.find
        return await self.run(read, key, consistent=consistent, select=select)

    async def find_item(self, table: type[Table], key: Item) -> Item | None:
        """The item with this key as it is stored, read consistently, or None."""
        return await self.run(self.database.find_item, table, key)

    async def create(self, entity: E) -> E:
        """Store an entity that is not there yet, or AlreadyExists. Returns it as it was written."""
        return await self.run(self.database.create, entity)

    async def put(self, entity: E, when: Condition | bool | None = None) -> E:
        """Store an entity, in place of any with the same key. Returns it as it was written."""
        return await self.run(self.database.put, entity, when)

    async def replace(self, entity: E, *, seen: E, by: object = None) -> E:
        """Store an entity in place of the one that was seen, or Conflict if that is no longer there."""
        return await self.run(self.database.replace, entity, seen=seen, by=by)

    async def update(
        self, key: Key[E], *updates: Update[Any], when: Condition | bool | None = None, upsert: bool = False
    ) -> E:
        """Change parts of an entity, and return it as it is then; NotFound if it is not there."""
        return await self.run(self.database.update, key, *updates, when=when, upsert=upsert)

    async def delete(self, key: Key[E], when: Condition | bool | None = None) -> E | None:
        """Delete an entity, and return what it was, None if it was not there or could not be read."""
        return await self.run(self.database.delete, key, when)

    async def repair(self, bad: Unreadable, changes: Mapping[str, Any]) -> Any:
        """Mend an item that its entity cannot read."""
        return await self.run(self.database.repair, bad, changes)

    # ── many items ────────────────────────────────────────────────────────────────────────────────

    async def page(self, query: Query[R], limit: int = 20, cursor: str | None = None) -> Page[R]:
        """At most `limit` answers, and a cursor to the next ones."""
        return await self.run(self.database.page, query, limit, cursor)

    async def hydrate(self, query: Query[Key[E]], limit: int = 20, cursor: str | None = None) -> Page[E]:
        """A page of the whole entities that the rows of an index stand for; those that are gone are left out."""
        return await self.run(self.database.hydrate, query, limit, cursor)

    async def each(
        self,
        query: Query[R],
        limit: int | None = None,
        *,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> AsyncIterator[R]:
        """Every answer, or the first `limit` of them, read a page at a time as they are used."""
        answers = QueryAnswers(self.database._runner, query, unreadable)
        if limit is not None:
            expect_limit(limit, least=0)

        def read(start: Item | None, left: int | None) -> tuple[list[R], Item | None]:
            if left is not None:
                return answers.take(min(left, READ_AT_ONCE), start)
            response = answers.request(start, None)
            return answers.decode(response["Items"]), response.get("LastEvaluatedKey")

        start: Item | None = None
        while limit is None or limit > 0:
            found, start = await self.run(read, start, limit)
            for entity in found:
                yield entity
            limit = None if limit is None else limit - len(found)
            if start is None:
                return

    async def all(
        self,
        query: Query[R],
        limit: int | None = None,
        *,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[R]:
        """Every answer, or the first `limit` of them, in a list."""
        return await self.run(self.database.all, query, limit, unreadable=unreadable)

    async def first(self, query: Query[R]) -> R | None:
        """The first answer, or None."""
        return await self.run(self.database.first, query)

    async def count(self, query: Query[Any]) -> int:
        """How many answers there are; they are read and paid for, and not returned."""
        return await self.run(self.database.count, query)

    @overload
    async def batch_get(
        self,
        keys: Iterable[Key[E]],
        *,
        consistent: bool = False,
        select: None = None,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[E]: ...
    @overload
    async def batch_get(
        self,
        keys: Iterable[Key[Any]],
        *,
        consistent: bool = False,
        select: type[V],
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[V]: ...
    async def batch_get(
        self,
        keys: Iterable[Key[Any]],
        *,
        consistent: bool = False,
        select: type[View] | None = None,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> list[Any]:
        """The entities that are there, or some of their fields, of any number of keys, in the order of the keys."""
        read: Callable[..., list[Any]] = self.database.batch_get
        return await self.run(read, keys, consistent=consistent, select=select, unreadable=unreadable)

    async def batch_write(self, puts: Iterable[Entity] = (), deletes: Iterable[Key[Any]] = ()) -> int:
        """Store and delete any number of entities, 25 at a time, with no conditions; how many."""
        return await self.run(self.database.batch_write, puts, deletes)

    # ── changes and transactions ──────────────────────────────────────────────────────────────────

    async def feed(
        self,
        table: type[Table],
        *,
        start: Literal["oldest", "newest"] = "newest",
        position: Mapping[str, str] | None = None,
        switched_on: bool = False,
    ) -> AsyncFeed:
        """The changes of a table from now on, from the oldest that is kept, or from where a feed was left."""
        found = self.run(self.database.feed, table, start=start, position=position, switched_on=switched_on)
        return AsyncFeed(self, await found)

    @overload
    async def transact_get(self, first: Key[E], /) -> tuple[E | None]: ...
    @overload
    async def transact_get(self, first: Key[E], second: Key[F], /) -> tuple[E | None, F | None]: ...
    @overload
    async def transact_get(
        self, first: Key[E], second: Key[F], third: Key[G], /
    ) -> tuple[E | None, F | None, G | None]: ...
    @overload
    async def transact_get(self, *keys: Key[E]) -> tuple[E | None, ...]: ...
    async def transact_get(self, *keys: Key[Any]) -> tuple[Any, ...]:
        """Entities as they were at one moment, None where there is none; at most 100, at twice the cost."""
        return await self.run(self.database.transact_get, *keys)

    @asynccontextmanager
    async def transaction(
        self, token: str | None = None, name: str = "transaction"
    ) -> AsyncIterator[Transaction]:
        """Writes that happen together or not at all, when the block ends without an error."""
        transaction = Transaction(self.database._runner)
        try:
            yield transaction
        finally:
            transaction.end()
        await self.run(self.database.commit, transaction, token, name)


class AsyncFeed:
    """A feed whose `poll` is awaited, by one task at a time."""

    def __init__(self, database: AsyncDatabase, feed: Feed) -> None:
        self._database, self._feed = database, feed

    @property
    def position(self) -> dict[str, str]:
        """Where to open it again, after what `poll` has returned is dealt with."""
        return self._feed.position

    async def poll(self, limit: int = 1000) -> list[ItemChange]:
        """The changes since the last time, at most `limit`; none is no error."""
        return await self._database.run(self._feed.poll, limit)
