"""The engine: one method, an operation and a request in DynamoDB's wire form, and the answer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from hansang.clock import Clock, system_clock
from hansang.engine import backfill, expiry, recovery, streams
from hansang.engine.buckets import Buckets
from hansang.engine.catalog import Catalog, CatalogChanged, SettlingCatalog, Withheld
from hansang.engine.faults import unreadable
from hansang.engine.operations import OPERATIONS, SPLICING
from hansang.engine.sql.connections import Durability
from hansang.engine.sql.errors import BROKEN, RowsGone, translated
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from hansang.engine.throttling import Throttling
from hansang.engine.write_ahead_log import WAL_LIMIT_BYTES
from hansang.engine.write_queue import MOST_WAITING, WAIT_SECONDS
from hansang.errors import StoreBusy, WireError

T = TypeVar("T")

SWEEP_SECONDS = 30.0
"""How often an engine deletes what has expired."""
_TRIES = 16
_OF_ITEMS = frozenset(
    {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"}
    | {f"Batch{each}" for each in ("GetItem", "WriteItem")}
    | {f"Transact{each}" for each in ("GetItems", "WriteItems")}
    | {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}
)
"""Operations whose answers are right by an older catalog, too, or are refused by it."""
_OF_TABLES = frozenset(
    {"ResourceNotFoundException", "ResourceInUseException", "ValidationException"}
    | {"TableNotFoundException", "TableAlreadyExistsException"}
)
"""Refusals that another catalog might not have made."""
_log = logging.getLogger("hansang.engine")


def _mapping(request: object) -> dict[str, Any]:
    if not isinstance(request, Mapping):
        raise unreadable("Unexpected value type in payload")
    return dict(request)


class Engine:
    """Answers as DynamoDB does, from a file or from memory. Safe to use from many threads."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        region: str,
        account: str,
        withheld: Withheld | None = None,
        creating_seconds: float = 0,
        throttling: bool = False,
        buckets: Path | None = None,
    ) -> None:
        self.store = store
        self.buckets = Buckets(buckets)
        self.clock = clock
        self.region = region
        self.account = account
        self._withheld = withheld
        self._creating_seconds = creating_seconds
        self.throttling = Throttling(clock, region, account) if throttling else None
        self._loading = threading.Lock()
        self._catalog = self._load()
        self._stopped = threading.Event()
        self._sweeper: threading.Thread | None = None

    @classmethod
    def open(
        cls,
        path: str | Path = ":memory:",
        *,
        durability: Durability = "full",
        clock: Clock = system_clock,
        region: str = "us-east-1",
        account: str = "123456789012",
        sweep_seconds: float | None = SWEEP_SECONDS,
        wait_seconds: float = WAIT_SECONDS,
        most_waiting: int = MOST_WAITING,
        wal_limit_bytes: int = WAL_LIMIT_BYTES,
        withheld: Withheld | None = None,
        creating_seconds: float = 0,
        throttling: bool = False,
        buckets: Path | None = None,
    ) -> Engine:
        """Open a data file, which is made if there is none, or `:memory:`.

        With `durability="normal"` a write may be lost in a power cut, though not in a crash of the
        process. Every `sweep_seconds` expired items are deleted and old stream records trimmed. A write
        waits up to `wait_seconds` for its turn, beside at most `most_waiting` others; then it is StoreBusy.
        A write-ahead log of more than `wal_limit_bytes` is emptied as soon as its readers allow it.
        Tables that are `withheld` are as if they were not there. A new table can be used after
        `creating_seconds`, where AWS takes its time. With `throttling` requests beyond a table's units, or beyond
        what one partition takes, are refused as AWS refuses them. The folders in `buckets` are buckets to
        exports and imports.
        """
        store = Store(
            path,
            durability,
            wait_seconds=wait_seconds,
            most_waiting=most_waiting,
            wal_limit_bytes=wal_limit_bytes,
        )
        try:
            engine = cls(store, clock, region, account, withheld, creating_seconds, throttling, buckets)
            backfill.resume(engine)
            recovery.clear_abandoned(engine)
        except BaseException as reason:
            store.close()
            raise store.fault(reason) from reason
        if sweep_seconds is not None:
            engine._start_sweeper(sweep_seconds)
        return engine

    def close(self) -> None:
        """Finish what is being written and give the file free."""
        self._stopped.set()
        if self._sweeper is not None:
            self._sweeper.join()
        self.store.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ── requests ──────────────────────────────────────────────────────────────────────────────────

    def call(self, operation: str, request: Mapping[str, Any], *, splices: bool = False) -> dict[str, Any]:
        """What DynamoDB would answer; a refusal is a WireError.

        An answer that splices is for `orjson.dumps` alone: items are in it as they are stored, without being read.
        """
        run = (SPLICING if splices else OPERATIONS).get(operation)
        if run is None:
            raise WireError("UnknownOperationException", None)
        if type(request) is not dict:
            request = _mapping(request)
        if None in request.values():
            # A parameter that is null is a parameter that is not there.
            request = {name: value for name, value in request.items() if value is not None}
        if operation not in _OF_ITEMS:
            self.store.look()
        gone: BaseException | None = None
        for _ in range(_TRIES):
            try:
                return run(self, request)
            except WireError as refusal:
                if refusal.code not in _OF_TABLES or not self._is_stale():
                    raise
                self.refresh()
            except (CatalogChanged, RowsGone):
                self.refresh()
            except BROKEN as reason:
                fault = self.store.fault(reason)
                if not isinstance(fault, RowsGone):
                    raise fault from reason
                gone = reason
                self.refresh()
            except UnicodeEncodeError as reason:
                raise unreadable("A string of the request is not valid Unicode") from reason
        if gone is not None:
            raise translated(self.store.path, gone) from gone
        raise WireError("InternalServerError", "The tables changed too often while the request was served")

    def call_at_once(
        self, operation: str, request: Mapping[str, Any], *, splices: bool = False
    ) -> dict[str, Any]:
        """The same for a thread that must not wait: a write whose turn is not now is StoreBusy, and has not happened."""
        with self.store.without_waiting():
            return self.call(operation, request, splices=splices)

    def catalog(self) -> Catalog:
        """The present tables, whoever changed them last."""
        if self._catalog.version != self.store.catalog_version() and self._is_stale():
            self.refresh()
        return self._catalog

    def refresh(self) -> None:
        with self._loading:
            self._catalog = self._load(self._catalog)

    def _load(self, before: Catalog | None = None) -> Catalog:
        try:
            with self.store.snapshot() as reader:
                if not self._creating_seconds:
                    return Catalog.load(reader, self.region, self.account, before, self._withheld)
                found = SettlingCatalog.load(reader, self.region, self.account, before, self._withheld)
                found.clock, found.seconds = self.clock, self._creating_seconds
                return found
        except BROKEN as reason:
            raise translated(self.store.path, reason) from reason

    def _is_stale(self) -> bool:
        """Whether the data have another catalog: whoever changed it may not have been heard."""
        return self.read(Reader.catalog_version) != self._catalog.version

    def write(
        self, catalog: Catalog, job: Callable[[Writer], T], weight: int = 1, *, decides_first: bool = False
    ) -> T:
        """Run the job in a transaction, provided that the catalog is still the one it was planned by."""

        def guarded(writer: Writer) -> T:
            if writer.version != catalog.version:
                raise CatalogChanged
            return job(writer)

        return self.store.write(guarded, weight, decides_first=decides_first)

    def change(self, catalog: Catalog, job: Callable[[Writer], T]) -> T:
        """The same for a job that changes the catalog: the new one is made of this one and what has changed."""

        def watched(writer: Writer) -> tuple[T, Catalog]:
            writer.tables_changed, writer.streams_changed = {}, False
            result = job(writer)
            streams = writer.streams() if writer.streams_changed else None
            return result, catalog.changed(writer.catalog_version(), writer.tables_changed, streams)

        result, new = self.write(catalog, watched)
        with self._loading:
            if self._catalog is catalog:
                self._catalog = new
        return result

    def read(self, job: Callable[[Reader], T]) -> T:
        reader = self.store.acquire()
        try:
            return job(reader)
        except BROKEN as reason:
            raise self.store.fault(reason) from reason
        finally:
            self.store.release(reader)

    # ── names ─────────────────────────────────────────────────────────────────────────────────────

    def table_arn(self, name: str) -> str:
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{name}"

    def stream_arn(self, name: str, label: str) -> str:
        return f"{self.table_arn(name)}/stream/{label}"

    # ── housekeeping ──────────────────────────────────────────────────────────────────────────────

    def sweep(self) -> int:
        """Delete expired items, trim the streams, cut a long log; the number of items and records that went."""
        gone, now = expiry.sweep(self), self.clock()
        # In pieces, so that other writers get their turn.
        while self.catalog().streams:
            trimmed = self.store.write(lambda writer: streams.trim(writer, now), streams.TRIMMED_AT_ONCE)
            gone += trimmed
            if not trimmed:
                break
        recovery.sweep(self)
        self.store.shorten_log()
        return gone

    def _start_sweeper(self, seconds: float) -> None:
        self._sweeper = threading.Thread(
            target=self._sweep_forever, args=(seconds,), name="hansang-sweep", daemon=True
        )
        self._sweeper.start()

    def _sweep_forever(self, seconds: float) -> None:
        while not self._stopped.wait(seconds):
            try:
                self.sweep()
            except StoreBusy as reason:
                _log.warning("The sweep is tried again in %s seconds. %s", seconds, reason)
            except Exception:
                _log.exception("The sweep failed; it is tried again in %s seconds", seconds)
