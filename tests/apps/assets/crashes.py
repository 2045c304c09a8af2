"""A process that ends after so many writes, and what goes on with what it has left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.batches import WRITES


class Crash(BaseException):
    """The process is gone: nothing that would come after this is done."""


class Crashing:
    """A backend under a process that ends behind its nth write, or before it answers."""

    def __init__(self, backend: Backend, writes: int) -> None:
        self._backend, self.left = backend, writes

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.left <= 0:
            raise Crash
        answer = self._backend.call(operation, request)
        if operation in WRITES:
            self.left -= 1
        if self.left <= 0:
            raise Crash
        return answer
