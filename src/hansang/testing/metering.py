"""The backend that adds up what the calls to another one cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.recording import Recording
from hansang.design.meter import MEASURED, Cost


class Metered:
    """Another backend, with its cost by operation, table and index."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.cost = Cost()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        recording = Recording(self._backend, length=1)
        try:
            return recording.call(operation, request)
        finally:
            for call in recording.calls:
                if operation in MEASURED:
                    self.cost.record(operation, operation, call.consumed)
