"""What a test leaves behind fails that test, by name: engines, threads, processes, sockets and files."""

from __future__ import annotations

import gc
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from hansang.engine.store import Store

PATIENCE_SECONDS = 30
"""How long threads and processes that are ending may take."""
TESTS = str(Path(__file__).parent)
SHARED_POOLS = ("hansang-wire-", "AnyIO worker thread")
"""The threads with which a server that many tests share answers: they come as they are needed, and go with the
thread of the server, which is watched.
"""
SHARED_PROCESS = "hansang.parts.sandbox_child"
"""The process of a sandbox that many tests share: it comes when it is needed, and again when it was killed."""
_DESCRIPTORS = "/proc/self/fd"
_TASKS = "/proc/self/task"
"""Texts, not paths: they are joined some thirty times for each of thousands of tests."""

T = TypeVar("T")

_open_stores: dict[int, str] = {}


def watch_engines() -> None:
    """From now on every store is known from its opening to its end, with the line of the test that opened it."""
    opening, closing = Store.__init__, Store.close

    @wraps(opening)
    def open_store(store: Store, *arguments: Any, **options: Any) -> None:
        opening(store, *arguments, **options)
        _open_stores[id(store)] = _opener()

    @wraps(closing)
    def close_store(store: Store) -> None:
        closing(store)
        _open_stores.pop(id(store), None)

    Store.__init__ = open_store  # type: ignore[assignment,method-assign]
    Store.close = close_store  # type: ignore[assignment,method-assign]


def _opener() -> str:
    """The innermost two lines of tests that lead here; frames alone are walked, since this is done thousands of times."""
    lines: list[str] = []
    frame = sys._getframe(1)
    while frame.f_back and len(lines) < 2:
        frame = frame.f_back
        file = frame.f_code.co_filename
        if file.startswith(TESTS) and file != __file__:
            lines.append(f"{Path(file).name}:{frame.f_lineno}")
    return " from ".join(lines)


@contextmanager
def nothing_left(failed: Callable[[], bool], patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Fails when what is done within leaves something open that was not open before."""
    stores, threads, children, descriptors = set(_open_stores), _threads(), _children(), _descriptors()
    yield
    if not _descriptors() <= descriptors:
        # What nobody holds any more says so now, and not in the midst of another test.
        gc.collect(1)
        if failed():
            _close_sockets(descriptors)
    left = [
        *(f"an open engine, {_open_stores.pop(store)}" for store in set(_open_stores) - stores),
        *(f"a thread, {thread.name}" for thread in _lasting(_threads, threads, patience)),
        *(f"a process, {_command(child)}" for child in _lasting(_children, children, patience)),
    ]
    assert not left, f"The test left behind: {'; '.join(left)}"


def _close_sockets(before: set[tuple[str, str]]) -> None:
    """Close the sockets that a failed test did not, since its traceback keeps them from the collector."""
    for each in gc.get_objects():
        if isinstance(each, socket.socket) and each.fileno() >= 0:
            name = str(each.fileno())
            if (name, _target(name)) not in before:
                each.close()


def _lasting(found: Callable[[], set[T]], before: set[T], patience: float) -> set[T]:
    """Those that are still there after everything that was ending has had its time."""
    end = monotonic() + patience
    while (left := found() - before) and monotonic() < end:
        sleep(0.005)
    return left


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.name.startswith(SHARED_POOLS)}


def _children() -> set[int]:
    """The processes that this one has started and that are not over."""
    found: set[int] = set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return found  # There are none, which is told much sooner than which there are.
    except AttributeError:
        pass  # macOS has it from Python 3.13 on.
    for task in _names(_TASKS):
        try:
            with open(f"{_TASKS}/{task}/children", "rb", buffering=0) as children:
                found.update(map(int, children.read().split()))
        except OSError:
            continue  # the thread has just ended
    return {child for child in found if SHARED_PROCESS not in _command(child)}


def _command(process: int) -> str:
    try:
        return (
            Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").strip() or f"{process}, a zombie"
        )
    except OSError:
        return str(process)


def _descriptors() -> set[tuple[str, str]]:
    # The folder itself is open while it is read, and is gone when its target is asked for.
    return {(name, target) for name in _names(_DESCRIPTORS) if (target := _target(name))}


def _names(folder: str) -> list[str]:
    """What is in a folder; nothing where the system has no such folder."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _target(descriptor: str) -> str:
    try:
        return os.readlink(f"{_DESCRIPTORS}/{descriptor}")
    except OSError:
        return ""
