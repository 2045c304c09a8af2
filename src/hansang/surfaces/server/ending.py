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


class Told:
    """Set once a server is to stop.

    A handler of signals runs in the midst of whatever the main thread does, and that may be another handler which
    has just taken the lock of an event: to wait for that lock would be for ever.
    """

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event, self._is_set = event or threading.Event(), False

    def set(self) -> None:
        """Tell it; whoever comes while it is told need not."""
        if not self._is_set:
            self._is_set = True
            self._event.set()

    def is_set(self) -> bool:
        return self._is_set

    def wait(self) -> None:
        self._event.wait()


@contextmanager
def ending_in_time(told: Told, seconds: float) -> Iterator[None]:
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


def _watch(told: Told, closed: threading.Event, seconds: float) -> None:
    told.wait()
    if not closed.wait(seconds):
        _log.error("something did not end within %s s of the signal to stop; the process is ended", seconds)
        os._exit(1)


def _await_threads(before: set[threading.Thread]) -> None:
    """Wait for the threads that would keep the process from ending."""
    for thread in threading.enumerate():
        if not thread.daemon and thread not in before and thread is not threading.current_thread():
            thread.join()
