"""The end of a server, in time whatever still runs in it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CLOSING = 10
"""For how many seconds beyond its grace a server may close what it has opened."""

_log = logging.getLogger("hansang.server")


@contextmanager
def ending_in_time(told: threading.Event, seconds: float) -> Iterator[None]:
    """End the process if the block, and the threads that it has begun, last longer than so many seconds after `told`.

    What was acknowledged is on disk by then, and what was not is undone by the next who opens the file.
    """
    closed, before = threading.Event(), set(threading.enumerate())
    watch = threading.Thread(target=_watch, args=(told, closed, seconds), name="ending", daemon=True)
    watch.start()
    try:
        yield
        if told.is_set():
            _await_threads(before)
    finally:
        closed.set()
        told.set()
        watch.join()


def _watch(told: threading.Event, closed: threading.Event, seconds: float) -> None:
    told.wait()
    if not closed.wait(seconds):
        _log.error("something did not end within %s s of the signal to stop; the process is ended", seconds)
        os._exit(1)


def _await_threads(before: set[threading.Thread]) -> None:
    """Wait for the threads that would keep the process from ending."""
    for thread in threading.enumerate():
        if not thread.daemon and thread not in before and thread is not threading.current_thread():
            thread.join()
