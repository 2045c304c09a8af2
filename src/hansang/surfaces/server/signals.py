"""The signals that ask a server to stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_held() -> Iterator[None]:
    """Let them wait while the block runs; a process that is started in it holds them until it lets them come."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        let_signals_come()


def let_signals_come() -> None:
    """Take them from now on, and those that have waited."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
