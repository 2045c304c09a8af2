"""Calls that share a commit, where something else is in the way: tables that change, SQLite, Ctrl+C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine
from tests.engine.control import create, definition, names, scanned
from tests.engine.holding import eventually, running, waiting, writer_held


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
