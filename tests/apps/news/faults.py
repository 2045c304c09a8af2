"""Backends that fail at a moment that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hansang.backends.base import Backend
from hansang.errors import WireError

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})


class Counting:
    """A backend that counts the writes that it passes on."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self.writes = backend, 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.writes += operation in WRITES
        return self._backend.call(operation, request)


class Killed:
    """A backend under a process that is killed at one of its writes: before that happens, or after."""

    def __init__(self, backend: Backend, at: int, *, after: bool) -> None:
        self._backend, self._left, self._after = backend, at, after
        self._dead = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if not self._dead and operation in WRITES:
            self._left -= 1
            self._dead = self._left < 0
            if self._dead and self._after:
                self._backend.call(operation, request)
        if self._dead:
            raise RuntimeError("killed")
        return self._backend.call(operation, request)


class Losing:
    """A backend that loses the answer to one write, by its number."""

    def __init__(self, backend: Backend, at: int) -> None:
        self._backend, self._left = backend, at
        self.lost = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= operation in WRITES
        if operation not in WRITES or self._left >= 0 or self.lost:
            return self._backend.call(operation, request)
        self.lost = True
        self._backend.call(operation, request)
        raise WireError("ServiceUnavailable", "The answer was lost.")


class Refusing:
    """A backend that cannot be reached for one link."""

    def __init__(self, backend: Backend, title: str) -> None:
        self._backend, self._title = backend, title

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "PutItem" and request["Item"].get("title") == {"S": self._title}:
            raise WireError("InternalServerError", "gone")
        return self._backend.call(operation, request)


class ReadOnly:
    """A backend on which nothing can be written."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation in WRITES:
            raise WireError("AccessDeniedException", f"{operation} is not allowed.")
        return self._backend.call(operation, request)


class Before:
    """A backend that does something of its own right before the first request of a kind."""

    def __init__(self, backend: Backend, operation: str, work: Callable[[], object]) -> None:
        self._backend, self._operation, self._work = backend, operation, work
        self.done = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == self._operation and not self.done:
            self.done = True
            self._work()
        return self._backend.call(operation, request)
