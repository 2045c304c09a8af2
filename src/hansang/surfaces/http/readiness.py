"""Whether the server can do its work: a read, a write and a thread are tried, each with a limit of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from threading import Thread
from time import monotonic

from hansang.blueprint.table_status import table_status
from hansang.clock import Clock
from hansang.design import Database, Table
from hansang.errors import HansangError
from hansang.parts.write_probe import try_to_write
from hansang.surfaces.error_kinds import kind_of
from hansang.surfaces.http.threads import RequestThreads

PATIENCE = 1.0
"""Within how many seconds the backend has to answer a read, and a thread has to be free."""
WRITE_PATIENCE = 2.0
"""Within how many seconds something has to be written."""
FRESH = 1.0
"""For how many seconds an answer is given again, so that asking often costs nothing."""

OK = "ok"

_log = logging.getLogger("hansang.http")


class _NotReady(Exception):
    """Something is not as it has to be; the message is for the log, the code for whoever asks."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Look:
    """One thing that is tried in a thread of its own, by one at a time: a backend that hangs holds that and no more."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._running: Future[None] | None = None

    async def __call__(self) -> None:
        if self._running is None or self._running.done():
            self._running = Future()
            Thread(target=self._run, args=(self._running,), name="readiness", daemon=True).start()
        await asyncio.shield(asyncio.wrap_future(self._running))

    def _run(self, future: Future[None]) -> None:
        try:
            future.set_result(self._work())
        except Exception as fault:
            future.set_exception(fault)


class Readiness:
    """Tries what every request needs."""

    def __init__(
        self,
        database: Database,
        tables: Iterable[tuple[Database, type[Table]]],
        clock: Clock,
        threads: RequestThreads,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        """`tables` are those that there have to be, each on the database that has its name."""
        self._tables, self._timer = tuple(tables), timer
        self._threads = threads
        self._read, self._write = _Look(self._expect_tables), _Look(lambda: try_to_write(database, clock()))
        self._checks: Mapping[str, str] = {}
        self._fault = ""
        self._until = -1.0

    async def checks(self) -> Mapping[str, str]:
        """What came of a read, a write and a thread, as of now or of a moment ago: ok, or the code of what failed."""
        if self._timer() >= self._until:
            faults = await self._faults()
            self._note(faults)
            self._checks = {name: OK if fault is None else fault.code for name, fault in faults.items()}
            self._until = self._timer() + FRESH
        return self._checks

    async def _faults(self) -> dict[str, _NotReady | None]:
        tried = {
            "read": _tried(self._read(), PATIENCE),
            "write": _tried(self._write(), WRITE_PATIENCE),
            "thread": _tried(self._threads.readers.run(lambda: None), PATIENCE),
        }
        return dict(zip(tried, await asyncio.gather(*tried.values()), strict=True))

    def _note(self, faults: Mapping[str, _NotReady | None]) -> None:
        told = "; ".join(f"{name}: {fault}" for name, fault in faults.items() if fault is not None)
        if told and told != self._fault:
            _log.error("not ready: %s", told)
        elif not told and self._fault:
            _log.warning("ready again")
        self._fault = told

    def _expect_tables(self) -> None:
        for database, table in self._tables:
            found = table_status(database, table)
            if not found.is_usable:
                raise _NotReady("table-missing", f"the table {found.name}: {found.status}")


async def _tried(work: Awaitable[object], seconds: float) -> _NotReady | None:
    try:
        await asyncio.wait_for(work, seconds)
    except TimeoutError:
        return _NotReady("timeout", f"not done within {seconds:g} s")
    except _NotReady as fault:
        return fault
    except Exception as fault:
        code = kind_of(fault).code if isinstance(fault, HansangError) else "internal"
        return _NotReady(code, repr(fault))
    return None
