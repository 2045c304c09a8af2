"""The write-ahead log: it is emptied above its limit, whoever reads meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from tests.engine.holding import eventually, running
from tests.engine.rows import new_rows

LIMIT = 256 * 1024
LARGE = 50_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "data.db", "normal", wal_limit_bytes=LIMIT)
    yield opened
    opened.close()


def write_much(store: Store, rows: int) -> None:
    """Write several times as much as the log may have."""

    def job(writer: Writer, number: int) -> None:
        there = writer.get(rows, b"key")
        writer.put(rows, b"key", bytes([number]) * LARGE, LARGE, there[1] if there else None)

    for number in range(4 * LIMIT // LARGE):
        store.write(partial(job, number=number))


def is_short_after_a_write(store: Store) -> bool:
    store.write(lambda writer: None)
    return store.wal_bytes() <= LIMIT


def test_a_log_that_grew_behind_a_long_reader_is_cut_when_it_is_gone(store: Store) -> None:
    rows = new_rows(store)
    with store.snapshot() as reader:
        assert reader.counts(rows) == (0, 0)
        write_much(store, rows)
        assert store.wal_bytes() > LIMIT
        assert reader.counts(rows) == (0, 0)
    eventually(lambda: is_short_after_a_write(store))


def test_a_log_is_cut_though_there_is_always_a_reader(store: Store) -> None:
    rows, ended = new_rows(store), threading.Event()

    def read() -> None:
        now, following = store.acquire(), store.acquire()
        now.stand_still()
        while not ended.is_set():
            following.stand_still()
            following.counts(rows)
            now.move_on()
            now, following = following, now
        now.move_on()
        store.release(now)
        store.release(following)

    with running(read):
        try:
            write_much(store, rows)
            eventually(lambda: is_short_after_a_write(store))
        finally:
            ended.set()


def test_a_sweep_cuts_the_log_when_nobody_writes(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "data.db", sweep_seconds=None, wal_limit_bytes=LIMIT) as engine:
        rows = new_rows(engine.store)
        with engine.store.snapshot() as reader:
            assert reader.counts(rows) == (0, 0)
            write_much(engine.store, rows)

        def is_short() -> bool:
            engine.sweep()
            return engine.store.wal_bytes() <= LIMIT

        eventually(is_short)


def test_a_store_in_memory_has_no_log() -> None:
    store = Store(":memory:")
    write_much(store, new_rows(store))
    store.shorten_log()
    assert store.wal_bytes() == 0
    store.close()
