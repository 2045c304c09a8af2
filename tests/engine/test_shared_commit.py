"""Calls that share a commit, where something else is in the way: tables that change, SQLite, Ctrl+C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from tests.engine.control import create, definition, names, scanned
from tests.engine.holding import eventually, running, waiting, writer_held
from tests.engine.rows import Job, Oops, increment, new_rows, raising, rows_of


@pytest.fixture(params=["memory", "file"])
def any_engine(request: pytest.FixtureRequest, path: Path) -> Iterator[Engine]:
    where = ":memory:" if request.param == "memory" else path
    with Engine.open(where, sweep_seconds=None) as engine:
        create(engine)
        yield engine


def putting(engine: Engine, pk: str) -> Callable[[], object]:
    return partial(engine.call_at_once, "PutItem", {"TableName": "rice", "Item": {"pk": {"S": pk}}})


def test_calls_behind_a_new_table_in_the_same_commit_are_to_be_made_by_themselves(any_engine: Engine) -> None:
    store, shared = any_engine.store, list[object]()
    calls = [putting(any_engine, pk) for pk in ("a", "b")]
    with ExitStack() as block, writer_held(store):
        block.enter_context(running(partial(create, any_engine, definition("other"))))
        eventually(lambda: waiting(store) == 1)
        block.enter_context(running(lambda: shared.append(store.share(calls))))
        eventually(lambda: waiting(store) == 2)
    assert shared == [None]
    assert scanned(any_engine) == []
    assert store.share(calls) == [{}, {}]
    assert names(scanned(any_engine)) == ["a", "b"]


# ── SQLite rolls back by itself ───────────────────────────────────────────────────────────────────


def out_of_memory(writer: Writer) -> None:
    """A job in which SQLite finds no memory: it rolls back by itself, and what Python raises is none of its errors."""
    writer.execute("ROLLBACK")
    raise MemoryError


def answering(store: Store, job: Job) -> Callable[[], str]:
    """A call that runs a job and answers what became of it."""

    def call() -> str:
        try:
            store.write(job, decides_first=True)
        except MemoryError:
            return "failed"
        return "done"

    return call


def test_calls_behind_one_without_memory_write_nothing_outside_of_a_transaction(store: Store) -> None:
    rows = new_rows(store)
    jobs: list[Job] = [increment(rows), out_of_memory, increment(rows)]
    assert store.share([answering(store, job) for job in jobs]) is None
    assert rows_of(store, rows) == {}


def test_jobs_behind_one_without_memory_are_done_once(store: Store) -> None:
    rows, answers = new_rows(store), list[str]()
    jobs: list[Job] = [increment(rows), out_of_memory, increment(rows)]
    with ExitStack() as block, writer_held(store):
        for number, job in enumerate(jobs, 1):
            call = answering(store, job)
            block.enter_context(running(lambda call=call: answers.append(call())))  # type: ignore[misc]
            eventually(lambda number=number: waiting(store) == number)  # type: ignore[misc]
    assert sorted(answers) == ["done", "done", "failed"]
    assert rows_of(store, rows) == {b"counter": b"2"}


# ── Ctrl+C ────────────────────────────────────────────────────────────────────────────────────────


def test_an_interruption_of_a_call_that_has_failed_halfway_is_not_lost(store: Store) -> None:
    rows = new_rows(store)

    def interrupted() -> None:
        with pytest.raises(Oops):
            store.write(raising(rows))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.share([interrupted])
    assert rows_of(store, rows) == {}
