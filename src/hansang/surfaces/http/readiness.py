"""Whether the server is alive, and whether it can do its work."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Thread
from time import monotonic

from hansang.blueprint.table_status import table_status
from hansang.design import Database, Table

PATIENCE = 1.0
"""Within how many seconds the backend has to answer."""
FRESH = 1.0
"""For how many seconds an answer is given again, so that asking often costs nothing."""

_log = logging.getLogger("hansang.http")


class Readiness:
    """Looks whether the backend answers and the tables are there, one look at a time."""

    def __init__(
        self, database: Database, tables: Iterable[type[Table]], timer: Callable[[], float] = monotonic
    ) -> None:
        self._database, self._tables, self._timer = database, tuple(tables), timer
        self._fault: str | None = None
        self._until = -1.0
        self._look: Future[str | None] | None = None

    async def is_ready(self) -> bool:
        """Whether the server can work, as of now or of a moment ago."""
        if self._timer() >= self._until:
            self._note(await self._seen())
            self._until = self._timer() + FRESH
        return self._fault is None

    async def _seen(self) -> str | None:
        # A backend that hangs holds one thread and no more: all who ask wait for the same look.
        if self._look is None or self._look.done():
            self._look = _in_thread(self._missing)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._look)), PATIENCE)
        except TimeoutError:
            return f"the backend did not answer within {PATIENCE:g} s"

    def _note(self, fault: str | None) -> None:
        if fault is not None and fault != self._fault:
            _log.error("not ready: %s", fault)
        elif fault is None and self._fault is not None:
            _log.warning("ready again")
        self._fault = fault

    def _missing(self) -> str | None:
        for table in self._tables:
            try:
                found = table_status(self._database, table)
            except Exception as error:
                return f"the table {self._database.name(table)}: {error!r}"
            if not found.is_usable:
                return f"the table {found.name}: {found.status}"
        return None


def _in_thread(look: Callable[[], str | None]) -> Future[str | None]:
    """The result of a function that runs in a thread which keeps no process from ending."""
    future: Future[str | None] = Future()
    Thread(target=lambda: future.set_result(look()), name="readiness", daemon=True).start()
    return future
