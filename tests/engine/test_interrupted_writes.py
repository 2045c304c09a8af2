"""Ctrl+C at every line of the queue of writes: nobody else is harmed, and the next write finds its turn."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hansang.engine import file_lock, shared_commit, waiting_line, write_queue
from hansang.engine.file_lock import FileLock
from hansang.engine.patience import Patience
from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store
from tests.engine.holding import PATIENCE, eventually, running, waiting
from tests.engine.rows import Oops, increment, new_rows, rows_of

QUEUE = {module.__file__ for module in (write_queue, waiting_line, shared_commit, file_lock)}
SMALL, LARGE = 1, 100


class Interruption:
    """Raises KeyboardInterrupt in this thread, once, at the n-th moment in the queue.

    Python looks for signals when a function begins, after a call and before a loop goes on, so where a function
    begins or before a line. It does not at the word `try`, nor on the way out of a `with`, which is announced too.
    """

    def __init__(self, moment: int) -> None:
        self._left, self.came = moment, False

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in QUEUE or frame.f_code.co_name == "<genexpr>":
            return None
        self._pass()
        return partial(self._step, set())

    def _step(self, entered: set[int], frame: FrameType, event: str, _: object) -> Any:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event == "line" and frame.f_lineno not in entered and line != "try:":
            if line.startswith("with "):
                entered.add(frame.f_lineno)
            self._pass()
        return partial(self._step, entered)

    def _pass(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.came = True
            raise KeyboardInterrupt


def interrupted(moment: int, write: Callable[[], object]) -> bool:
    """Whether Ctrl+C came at the n-th moment, or the write was over."""
    interruption, before = Interruption(moment), sys.gettrace()
    sys.settrace(interruption)
    try:
        write()
    except KeyboardInterrupt:
        assert interruption.came
    finally:
        sys.settrace(before)
    return interruption.came


def counted(store: Store, rows: int) -> int:
    return int(rows_of(store, rows).get(b"counter", b"0"))


def check_free(store: Store, path: Path, rows: int) -> None:
    """Nobody waits, other processes may write, and so may another thread."""
    assert waiting(store) == 0
    other = FileLock(str(path))
    assert other.acquire(Patience(PATIENCE))
    other.close()
    before = counted(store, rows)
    with running(partial(store.write, increment(rows))):
        pass
    assert counted(store, rows) == before + 1


def test_a_write_alone_is_done_or_not_and_the_next_one_has_its_turn(on_disk: Store, path: Path) -> None:
    rows = new_rows(on_disk)
    for moment in count(1):
        before = counted(on_disk, rows)
        came = interrupted(moment, partial(on_disk.write, increment(rows)))
        assert counted(on_disk, rows) - before in ((0, 1) if came else (1,)), moment
        check_free(on_disk, path, rows)
        if not came:
            break
    assert moment > 30


def test_calls_that_share_a_commit_are_made_or_not_and_the_next_one_has_a_commit_of_its_own(
    on_disk: Store, path: Path
) -> None:
    rows = new_rows(on_disk)
    calls = [partial(on_disk.write, increment(rows), decides_first=True) for _ in range(2)]

    def refused(writer: Writer) -> None:
        increment(rows)(writer)
        raise Oops

    for moment in count(1):
        before = counted(on_disk, rows)
        came = interrupted(moment, partial(on_disk.share, calls))
        now = counted(on_disk, rows)
        assert now - before in ((0, 2) if came else (2,)), moment
        with pytest.raises(Oops):
            on_disk.write(refused)
        assert counted(on_disk, rows) == now, moment
        check_free(on_disk, path, rows)
        if not came:
            break
    assert moment > 30


class Crowd:
    """A write that is under way, and others of two lines behind it, before or behind that of the main thread."""

    def __init__(self, store: Store, rows: int, *, first: bool) -> None:
        self._store, self._rows, self._first = store, rows, first
        self._reached, self._release, self._ended = (threading.Event() for _ in range(3))

    def interrupt(self, moment: int) -> bool:
        fellows = [partial(self._join, weight) for weight in (LARGE, SMALL, LARGE)]
        with running(self._hold, *fellows, self._let_go):
            assert self._reached.wait(PATIENCE)
            try:
                if not self._first:
                    eventually(lambda: waiting(self._store) == 3)
                return interrupted(moment, self._write)
            finally:
                self._ended.set()

    def _write(self) -> None:
        self._store.write(increment(self._rows), LARGE)

    def _hold(self) -> None:
        def hold(writer: Writer) -> None:
            self._reached.set()
            assert self._release.wait(PATIENCE)

        self._store.write(hold)

    def _join(self, weight: int) -> None:
        if self._first:
            eventually(lambda: waiting(self._store) > 0 or self._ended.is_set())
        assert self._reached.wait(PATIENCE)
        self._store.write(increment(self._rows), weight)

    def _let_go(self) -> None:
        eventually(lambda: waiting(self._store) == (3 if self._ended.is_set() else 4))
        self._release.set()


@pytest.mark.parametrize("first", [True, False])
def test_a_write_among_others_takes_none_of_them_with_it(on_disk: Store, path: Path, first: bool) -> None:
    rows = new_rows(on_disk)
    for moment in count(1):
        before = counted(on_disk, rows)
        came = Crowd(on_disk, rows, first=first).interrupt(moment)
        assert counted(on_disk, rows) - before in ((3, 4) if came else (4,)), moment
        check_free(on_disk, path, rows)
        if not came:
            break
    # Whoever is first leads, through more lines than whoever only waits.
    assert moment > (30 if first else 10)


@contextmanager
def interrupted_behind(name: str) -> Iterator[None]:
    """Ctrl+C comes in the block, in this thread, when a function of this name first returns."""

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_name != name:
            return None
        if event == "return":
            sys.settrace(before)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        sys.settrace(before)


def test_a_write_that_does_not_wait_leaves_those_behind_it_their_patience(on_disk: Store) -> None:
    def patience(writer: Writer) -> int:
        return int(writer.execute("PRAGMA busy_timeout").fetchone()[0])

    before = on_disk.write(patience)
    with interrupted_behind("wait_at_most"), on_disk.without_waiting():
        on_disk.write(patience)
    assert on_disk.write(patience) == before > 0
