"""Keeping the writer busy, so that a test decides when others get their turn."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store

PATIENCE = 60.0
_MOMENT = 0.1


def eventually(happened: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.0005)


def waiting(store: Store) -> int:
    """How many jobs wait for their turn."""
    return len(store._queue._queue)


@contextmanager
def writer_held(store: Store) -> Iterator[None]:
    """A write is under way from the beginning of the block to its end."""
    reached, release = threading.Event(), threading.Event()

    def hold(writer: Writer) -> None:
        reached.set()
        assert release.wait(PATIENCE)

    with running(lambda: store.write(hold)):
        assert reached.wait(PATIENCE)
        try:
            yield
        finally:
            release.set()


@contextmanager
def interrupted_while_it_waits(store: Store) -> Iterator[None]:
    """Ctrl+C comes in the block, when a write of this thread waits for its turn; KeyboardInterrupt is expected."""
    here = threading.get_ident()

    def interrupt() -> None:
        eventually(lambda: waiting(store) == 1)
        time.sleep(_MOMENT)  # So that it has begun to wait.
        signal.pthread_kill(here, signal.SIGINT)

    with running(interrupt), pytest.raises(KeyboardInterrupt):
        yield


@contextmanager
def running(*jobs: Callable[[], object]) -> Iterator[None]:
    """The jobs run, each in a thread; the block ends when they have, with the first error of theirs."""
    errors: list[BaseException] = []

    def run(job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as error:  # every error of a thread is the test's
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def together(*jobs: Callable[[], object]) -> None:
    """Run the jobs at the same time, and wait for all of them."""
    with running(*jobs):
        pass
