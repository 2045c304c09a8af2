"""A table as it stood at an earlier moment, copied in pieces while it is written.

A table that can be recovered has a log: what stood under a key before each change. A copy takes the items as they
are, each piece at a moment of its own, and then undoes the log backwards to the moment that was asked for. What a
piece has missed or seen too early is in the log, so the copy is of that one moment, and no writer waits for it.

The rows of a copy belong to a document of work until a table or a backup takes them over. Whoever works renews it
with each piece; one that was not renewed in time was left by a process that died, and is cleared away with its rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.backfill import retried
from hansang.engine.key_order import EVERYTHING
from hansang.engine.schema import TableSchema
from hansang.engine.sql import archives, change_logs
from hansang.engine.sql.writer import Writer
from hansang.engine.table_backups import drop_expired
from hansang.errors import StoreBusy

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

WORK = "work/"
LEASE_SECONDS = 60.0
DAY = 24 * 60 * 60
_MARGIN_SECONDS = 60 * 60
"""A restore that was begun with the oldest moment has so long to end."""
_PIECE = 500


@dataclass(frozen=True, slots=True)
class TableCopy:
    """Rows that become those of one moment: copied from others, and the log undone down to a change."""

    work: str
    table: str
    source: int
    rows: int
    log: int | None = None
    first: int = 0


# ── making a copy ─────────────────────────────────────────────────────────────────────────────────


@contextmanager
def as_of(engine: Engine, name: str, at: float | None = None) -> Iterator[TableCopy]:
    """A copy of a table at a moment that its log has, or at this one; cleared away if nobody takes it over."""
    copy: TableCopy = retried(engine, partial(_begin, engine, name, at))
    with _cleared(engine, copy):
        _copy(engine, copy)
        _undo(engine, copy)
        yield copy


@contextmanager
def of_rows(engine: Engine, name: str, rows: int) -> Iterator[TableCopy]:
    """A copy of rows that nobody changes, for a table of this name."""

    with of_nothing(engine, name, rows) as copy:
        _copy(engine, copy)
        yield copy


@contextmanager
def of_nothing(engine: Engine, name: str, source: int = 0) -> Iterator[TableCopy]:
    """Rows for a table of this name, to be filled."""

    def job(writer: Writer) -> TableCopy:
        return _worked_on(writer, engine.clock(), name, source)

    copy = engine.store.write(job)
    with _cleared(engine, copy):
        yield copy


@contextmanager
def _cleared(engine: Engine, copy: TableCopy) -> Iterator[None]:
    try:
        yield
    finally:
        retried(engine, partial(_end, engine, copy.work, copy.table))


def _begin(engine: Engine, name: str, at: float | None) -> TableCopy:
    catalog = engine.catalog()
    table = catalog.changeable(name)

    def job(writer: Writer) -> TableCopy:
        log = table.log or _start_log(writer, table)
        first = (
            change_logs.last_number(writer, log) + 1
            if at is None
            else change_logs.first_after(writer, log, at)
        )
        return _worked_on(writer, engine.clock(), table.name, table.rows, log, first)

    return engine.change(catalog, job)


def _start_log(writer: Writer, table: TableSchema) -> int:
    definition, log = copy_of(table), change_logs.create_log(writer)
    definition["recovery"] = {"log": log, "on": False}
    writer.save_table(definition)
    return log


def _worked_on(
    writer: Writer, now: float, table: str, source: int, log: int | None = None, first: int = 0
) -> TableCopy:
    copy = TableCopy(f"{WORK}{uuid.uuid4().hex}", table, source, writer.create_rows(), log, first)
    document = {"table": table, "rows": [copy.rows], "until": now + LEASE_SECONDS}
    archives.save_document(writer, copy.work, document)
    return copy


def own(writer: Writer, copy: TableCopy, now: float, *rows: int) -> None:
    """Renew the work, and note more rows that belong to it."""
    document = _document(writer, copy)
    document["rows"] += rows
    archives.save_document(writer, copy.work, document | {"until": now + LEASE_SECONDS})


def _document(writer: Writer, copy: TableCopy) -> dict[str, Any]:
    document = archives.find_document(writer, copy.work)
    if document is None:
        raise StoreBusy("Nothing was heard of this work for a while, so it was given up. Try again.")
    return document


def _copy(engine: Engine, copy: TableCopy) -> None:
    def job(low: bytes, writer: Writer) -> bytes | None:
        own(writer, copy, engine.clock())
        piece = writer.entries(copy.source, low, EVERYTHING[1], _PIECE)
        for key, value, size in piece:
            writer.put(copy.rows, key, value, size, None)
        return piece[-1][0] + b"\0" if len(piece) == _PIECE else None

    low: bytes | None = EVERYTHING[0]
    while low is not None:
        low = retried(engine, partial(engine.store.write, partial(job, low), _PIECE))


def _undo(engine: Engine, copy: TableCopy) -> None:
    log = copy.log
    assert log is not None

    def job(number: int, writer: Writer) -> int:
        own(writer, copy, engine.clock())
        piece = change_logs.changes_before(writer, log, number, copy.first, _PIECE)
        # The earliest of several changes of a key has what stood there first.
        for key, before in {key: before for _, _, (key, before) in piece}.items():
            _put_back(writer, copy.rows, key, before)
        return piece[-1][0] if len(piece) == _PIECE else copy.first

    number = engine.read(lambda reader: change_logs.last_number(reader, log)) + 1
    while number > copy.first:
        number = retried(engine, partial(engine.store.write, partial(job, number), _PIECE))


def _put_back(writer: Writer, rows: int, key: bytes, before: tuple[bytes, int] | None) -> None:
    there = writer.get(rows, key)
    if before is not None:
        writer.put(rows, key, *before, there[1] if there else None)
    elif there is not None:
        writer.delete(rows, key, there[1])


# ── ending it ─────────────────────────────────────────────────────────────────────────────────────


def release(writer: Writer, copy: TableCopy) -> None:
    """Let a table or a backup have the rows of a copy, in the transaction in which it begins to be there."""
    _document(writer, copy)
    archives.delete_document(writer, copy.work)


def _end(engine: Engine, work: str, name: str) -> None:
    """Clear away what nobody has taken over, and the log, if nobody needs it."""
    catalog = engine.catalog()
    table = catalog.find(name)

    def job(writer: Writer) -> None:
        document = archives.find_document(writer, work)
        if document is not None:
            for rows in document["rows"]:
                writer.drop_rows(rows)
            archives.delete_document(writer, work)
        if table is not None:
            stop_log(writer, table, copy_of(table))

    engine.change(catalog, job)


def stop_log(writer: Writer, table: TableSchema, definition: dict[str, Any]) -> None:
    """Drop the log of a table that is not to be recovered, once nobody works with it."""
    recovery = definition.get("recovery")
    at_work = any(each["table"] == table.name for each in archives.documents(writer, WORK).values())
    if recovery and not recovery["on"] and not at_work:
        change_logs.drop_log(writer, recovery["log"])
        del definition["recovery"]
        writer.save_table(definition)


def copy_of(table: TableSchema) -> dict[str, Any]:
    """The table's entry in the catalog, to be changed."""
    definition: dict[str, Any] = orjson.loads(orjson.dumps(table.definition))
    return definition


def clear_abandoned(engine: Engine) -> None:
    """Clear away the work of processes that died."""
    found = engine.read(lambda reader: archives.documents(reader, WORK))
    for work, document in found.items():
        if document["until"] < engine.clock():
            retried(engine, partial(_end, engine, work, document["table"]))


# ── housekeeping ──────────────────────────────────────────────────────────────────────────────────


def sweep(engine: Engine) -> None:
    """Clear abandoned work and forget changes that are older than each table keeps them."""
    clear_abandoned(engine)
    drop_expired(engine)
    for table in engine.catalog():
        recovery = table.definition.get("recovery")
        if recovery and recovery["on"]:
            before = engine.clock() - recovery["days"] * DAY - _MARGIN_SECONDS
            while engine.store.write(partial(_trim, recovery["log"], before), _PIECE) == _PIECE:
                pass


def _trim(log: int, before: float, writer: Writer) -> int:
    return change_logs.trim_log(writer, log, before, _PIECE)
