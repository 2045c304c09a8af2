"""Databases on which things go wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.design import Database
from hansang.errors import WireError

R = TypeVar("R")


def losing(database: Database, rate: float, seed: int = 1) -> Database:
    """The same tables, where so many answers to writes are lost after the writing is done."""
    return Database(Chaos(database.backend, Faults(lost=rate), seed=seed), secret=b"for tests")


class Meddler:
    """A backend that lets somebody else in, once, just before an operation, or one that comes after some of them."""

    def __init__(
        self, backend: Backend, operation: str, meddle: Callable[[], object], passing: int = 0
    ) -> None:
        self._backend, self._operation, self._passing = backend, operation, passing
        self._meddle: Callable[[], object] | None = meddle

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == self._operation and self._meddle is not None:
            self._passing -= 1
        if self._passing < 0 and self._meddle is not None:
            meddle, self._meddle = self._meddle, None
            meddle()
        return self._backend.call(operation, request)


def at_once(count: int, act: Callable[[int], R]) -> list[R | Exception]:
    """What comes of the same act in several threads that begin together."""
    gate = Barrier(count)

    def attempt(number: int) -> R | Exception:
        gate.wait()
        try:
            return act(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(attempt, range(count)))


def no_sleep(seconds: float) -> None:
    """Wait for nothing."""


class LosingAll:
    """A backend that does one operation and never gives an answer to it."""

    def __init__(self, backend: Backend, operation: str) -> None:
        self._backend, self._operation = backend, operation

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._backend.call(operation, request)
        if operation == self._operation:
            raise WireError("ServiceUnavailable", "The answer was lost.")
        return answer


class Waiting:
    """A backend that is slow to do one operation: something else happens before each of them."""

    def __init__(self, backend: Backend, operation: str, meanwhile: Callable[[], object]) -> None:
        self._backend, self._operation, self._meanwhile = backend, operation, meanwhile

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == self._operation:
            self._meanwhile()
        return self._backend.call(operation, request)
