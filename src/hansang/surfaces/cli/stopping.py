"""Work of several parts that Ctrl+C stops between two of them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl+C sets; a second Ctrl+C ends the program at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: object) -> None:
        # First, or a second one waits for the event's lock.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()
        typer.echo("Stopping after this part; press Ctrl+C again to stop at once.", err=True)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
