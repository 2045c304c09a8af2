"""Threads for the work of requests: those that read and those that write have their own.

Writers may have to wait for another process that holds the data file. However many do, readers go on.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool

from hansang.errors import Overloaded

READERS, WRITERS = 40, 24
"""How many of each are at work at a time."""
WAITING_READERS, WAITING_WRITERS = 2000, 48
"""How many of each may wait for a thread; the next one is refused at once."""
RETRY_AFTER = 5.0
"""After how many seconds one that was refused may come back."""

P = ParamSpec("P")
T = TypeVar("T")


class _Claim:
    """One piece of work: begun once, or given up before it has begun."""

    def __init__(self) -> None:
        self._lock, self._taken = Lock(), False

    def take(self) -> bool:
        """Whether nobody has taken it before."""
        with self._lock:
            taken, self._taken = self._taken, True
        return not taken


class WorkThreads:
    """So many threads; whoever is told to give up leaves its thread behind, which counts until it has ended."""

    def __init__(self, most: int, waiting: int) -> None:
        self._free, self._most_waiting = asyncio.Semaphore(most), waiting
        self._waiting = 0
        self._unlimited = CapacityLimiter(math.inf)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work returns, when there was a thread for it; Overloaded when too many wait already."""
        await self._enter()
        loop, turn = asyncio.get_running_loop(), _Claim()

        def in_thread() -> T | None:
            if not turn.take():
                return None
            try:
                return work(*args, **kwargs)
            finally:
                with suppress(RuntimeError):  # The loop has ended, and nobody waits for a thread any more.
                    loop.call_soon_threadsafe(self._free.release)

        try:
            result = await to_thread.run_sync(in_thread, abandon_on_cancel=True, limiter=self._unlimited)
        except BaseException:
            if turn.take():
                self._free.release()
            raise
        return result  # type: ignore[return-value]  # None comes back only to whoever has given up.

    async def _enter(self) -> None:
        if self._free.locked() and self._waiting >= self._most_waiting:
            raise Overloaded("Too many requests wait already. Send this one again in a moment.", RETRY_AFTER)
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1


class RequestThreads:
    """The threads of a server."""

    def __init__(self) -> None:
        self.readers = WorkThreads(READERS, WAITING_READERS)
        self.writers = WorkThreads(WRITERS, WAITING_WRITERS)


threads: ContextVar[RequestThreads | None] = ContextVar("the threads of the server", default=None)
"""Those of the server that the request came to."""


async def in_thread(work: Callable[P, T], method: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What the work of a request returns: GET and HEAD are for the readers' threads, all else for the writers'."""
    found = threads.get()
    if found is None:
        return await run_in_threadpool(work, *args, **kwargs)
    chosen = found.readers if method in {"GET", "HEAD"} else found.writers
    return await chosen.run(work, *args, **kwargs)
