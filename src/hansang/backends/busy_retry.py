"""Sending again what the data file was too busy for: for long work, which nobody waits for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from hansang.backends.base import Backend
from hansang.errors import StoreBusy

PAUSES = tuple(min(0.1 * 2**number, 10.0) for number in range(24))
"""Seconds between two tries. With the waiting of each try a file may be busy for about five minutes."""


class BusyRetry:
    """Another backend, whose StoreBusy is outlasted; nothing of such a request was kept, so it is sent as it was."""

    def __init__(self, backend: Backend, sleep: Callable[[float], object] = time.sleep) -> None:
        self._backend, self._sleep = backend, sleep

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        for pause in PAUSES:
            try:
                return self._backend.call(operation, request)
            except StoreBusy:
                self._sleep(pause)
        return self._backend.call(operation, request)
