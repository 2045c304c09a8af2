"""The database for programs that await: the same answers, and nothing goes on that nobody awaits."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.backends.limits import RequestLimits, limits
from hansang.design import AsyncDatabase, Database, View, attr
from hansang.errors import AlreadyExists, Conflict, DesignError, NotFound, RequestStopped
from tests.checked.shop import Customer, CustomerKey, DayRow, Order, OrderKey, Shop
from tests.designs.shop import Mall

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPENED = {"close", "database", "run"}
NOT_AWAITED = {"backend", "call", "commit", "patient", "renamed", "sealed", "stamped", "unsealed"}


class OrderTotal(OrderKey, View, of=Order):
    total: int


def order(number: int) -> Order:
    return Order(customer_id="c1", number=number, day=date(2026, 1, 1), total=number, created_at=NOW)


def awaited(test: Callable[[AsyncDatabase], Awaitable[None]], backend: Backend, **options: Any) -> None:
    async def run() -> None:
        async with AsyncDatabase(backend, secret=b"for tests", **options) as db:
            await test(db)

    asyncio.run(asyncio.wait_for(run(), 60))


class Gate:
    """A backend at which calls stand until they are let through."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.is_open = backend, threading.Event()
        self.arrived = threading.Semaphore(0)
        self.calls: list[str] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        self.arrived.release()
        assert self.is_open.wait(60)
        return self.backend.call(operation, request)


@asynccontextmanager
async def stopped(embedded: Embedded, **options: Any) -> AsyncIterator[tuple[AsyncDatabase, Gate]]:
    gate = Gate(embedded)
    async with AsyncDatabase(gate, **options) as db:
        try:
            yield db, gate
        finally:
            gate.is_open.set()


@pytest.fixture
def embedded() -> Any:
    with Embedded.open(":memory:") as backend:
        Database(backend).create_tables(Shop)
        yield backend


def test_every_method_of_the_database_has_its_coroutine() -> None:
    plain = {name: method for name, method in vars(Database).items() if not name.startswith("_")}
    mine = {name: method for name, method in vars(AsyncDatabase).items() if not name.startswith("_")}
    assert set(plain) - NOT_AWAITED == set(mine) - OPENED
    for name in set(plain) & set(mine):
        assert inspect.signature(plain[name]).parameters == inspect.signature(mine[name]).parameters, name


def test_entities_are_written_and_read(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        made = await db.create(order(1))
        with pytest.raises(AlreadyExists):
            await db.create(order(1))
        assert await db.get(OrderKey(customer_id="c1", number=1)) == made
        changed = await db.update(made, attr(Order.total).add(5), when=Order.total == 1)
        assert changed.total == 6
        with pytest.raises(Conflict):
            await db.put(made, when=Order.total == 1)
        assert await db.delete(made) == changed
        assert await db.find(made) is None
        with pytest.raises(NotFound):
            await db.get(made)

    awaited(test, embedded)


def test_questions_are_answered_in_pages_and_one_by_one(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        assert await db.batch_write(puts=map(order, range(30))) == 30
        page = await db.page(Order.of("c1"), limit=20)
        rest = await db.page(Order.of("c1"), limit=20, cursor=page.cursor)
        assert [each.number for each in [*page.items, *rest.items]] == list(range(30))
        assert [each.number async for each in db.each(Order.of("c1"))] == list(range(30))
        assert [each.number async for each in db.each(Order.of("c1"), 7)] == list(range(7))
        assert [each async for each in db.each(Order.of("c1"), 0)] == []
        assert await db.count(Order.of("c1")) == len(await db.all(Order.of("c1"))) == 30
        assert await db.first(Order.of("c2")) is None
        assert [each.note for each in (await db.hydrate(DayRow.on(date(2026, 1, 1)), limit=2)).items] == [
            None,
            None,
        ]
        keys = [OrderKey(customer_id="c1", number=number) for number in (3, 99, 1)]
        assert [each.number for each in await db.batch_get(keys)] == [3, 1]
        assert await db.get(keys[0], select=OrderTotal) == OrderTotal(customer_id="c1", number=3, total=3)
        assert await db.find(keys[1], select=OrderTotal) is None
        assert [each.total for each in await db.batch_get(keys, select=OrderTotal)] == [3, 1]

    awaited(test, embedded)


def test_a_transaction_happens_when_its_block_ends_and_not_after_an_error(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            tx.create(order(1))
            tx.create(order(2))
            assert await db.find(order(1)) is None
        assert None not in await db.transact_get(order(1), order(2))
        with pytest.raises(RuntimeError):
            async with db.transaction() as tx:
                tx.delete(order(1))
                raise RuntimeError
        with pytest.raises(AlreadyExists):
            async with db.transaction() as tx:
                tx.delete(order(1))
                tx.create(order(2))
        assert await db.find(order(1)) is not None

    awaited(test, embedded)


def test_a_feed_is_polled(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        await db.create_tables(Mall)
        feed = await db.feed(Mall, start="oldest")
        assert (await feed.poll(), isinstance(feed.position, dict)) == ([], True)

    awaited(test, embedded)


def test_a_meter_counts_what_its_tasks_do_at_once_and_no_others(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        with db.meter() as cost:
            await asyncio.gather(*(db.create(order(number)) for number in range(40)))
        await db.create(order(41))
        assert (cost.requests, cost.patterns["Order.create"].write) == (40, cost.write)

    awaited(test, embedded)


def test_the_loop_goes_on_while_calls_wait_and_only_so_many_are_made(embedded: Embedded) -> None:
    async def test() -> None:
        async with stopped(embedded, threads=2) as (db, gate):
            tasks = [asyncio.create_task(db.find(order(number))) for number in range(5)]
            for _ in range(2):
                await asyncio.to_thread(gate.arrived.acquire, True, 60)
            assert gate.calls == ["GetItem"] * 2
            gate.is_open.set()
            assert await asyncio.gather(*tasks) == [None] * 5

    asyncio.run(test())


def test_what_is_cancelled_before_it_began_is_not_done(embedded: Embedded) -> None:
    async def test() -> None:
        async with stopped(embedded, threads=1) as (db, gate):
            first = asyncio.create_task(db.find(order(1)))
            await asyncio.to_thread(gate.arrived.acquire, True, 60)
            second = asyncio.create_task(db.create(order(2)))
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            gate.is_open.set()
            await first
        assert gate.calls == ["GetItem"]

    asyncio.run(test())


def test_a_walk_that_nobody_awaits_ends_at_its_next_request(embedded: Embedded) -> None:
    async def test() -> None:
        async with stopped(embedded) as (db, gate):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(None) as deadline:
                    task = asyncio.create_task(db.batch_write(puts=map(order, range(60))))
                    await asyncio.to_thread(gate.arrived.acquire, True, 60)
                    deadline.reschedule(asyncio.get_running_loop().time())
                    await task
            gate.is_open.set()
        assert gate.calls == ["BatchWriteItem"]

    asyncio.run(test())
    assert Database(embedded).count(Order.of("c1")) == 25


def test_the_limits_around_a_task_hold_in_its_threads(embedded: Embedded) -> None:
    async def test(db: AsyncDatabase) -> None:
        around = RequestLimits(60)
        limits.set(around)
        await db.find(order(1))
        around.leave()
        with pytest.raises(RequestStopped, match="has left"):
            await db.find(order(1))

    awaited(test, embedded)


def test_work_of_ones_own_sees_the_context_of_its_task(embedded: Embedded) -> None:
    name: ContextVar[str] = ContextVar("name")

    async def test(db: AsyncDatabase) -> None:
        name.set("민지")
        made = Customer(id="c1", name="하린", created_at=NOW)
        await db.run(lambda: db.database.create(made.model_copy(update={"name": name.get()})))
        assert (await db.get(CustomerKey(id="c1"))).name == "민지"

    awaited(test, embedded)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_a_database_without_threads_is_refused(embedded: Embedded, threads: Any) -> None:
    with pytest.raises(DesignError, match="1 thread or more"):
        AsyncDatabase(embedded, threads=threads)


def test_what_is_no_backend_is_refused() -> None:
    with pytest.raises(DesignError, match="is not a backend"):
        AsyncDatabase("shop.db")  # type: ignore[arg-type]
