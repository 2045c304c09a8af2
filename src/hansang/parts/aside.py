"""Small writes beside a request, such as when a key was last used: best effort, and nobody waits for them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock, Thread
from typing import Protocol, TypeVar

from hansang.errors import DataError, HansangError

T = TypeVar("T")

log = logging.getLogger("hansang.platform")


class Aside(Protocol):
    """Does a small write; what it returns if that is done already, else None."""

    def __call__(self, work: Callable[[], T], /) -> T | None: ...


def at_once(work: Callable[[], T]) -> T | None:
    """Do it now, where a write is waited for by nobody but its own thread; a failure does no harm."""
    try:
        return work()
    except DataError:
        return None  # Somebody else was quicker, or the item is gone.
    except HansangError as fault:
        log.warning("a note was not written: %s", fault)
        return None


class AsideThread:
    """Does one at a time in a thread; what comes while one is under way is left out, and will come again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None

    def __call__(self, work: Callable[[], T], /) -> T | None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=at_once, args=(work,), name="aside", daemon=True)
                self._thread.start()
        return None

    def close(self, timeout: float = 1.0) -> None:
        """Wait a moment for what is under way."""
        with self._lock:
            if self._thread is not None:
                self._thread.join(timeout)
