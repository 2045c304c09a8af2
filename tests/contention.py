"""A data file that others write all the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.batches import WRITES
from hansang.errors import StoreBusy


class Contended:
    """A backend whose data file others are at: each write finds it busy first."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._writes = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation in WRITES:
            self._writes += 1
            if self._writes % 2:
                raise StoreBusy("The data file was written by others for 5 s.")
        return self._backend.call(operation, request)


class Occupied:
    """A backend whose data file another process keeps while a test says so."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.is_taken = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.is_taken and operation in WRITES:
            raise StoreBusy("The data file was written by others for 5 s.")
        return self._backend.call(operation, request)
