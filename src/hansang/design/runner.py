"""Sends requests: measures them, retries what was left over, translates errors."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.busy_retry import BusyRetry
from hansang.clock import Clock, system_clock
from hansang.design.meter import MEASURED, Cost
from hansang.design.table import Table
from hansang.design.translation import translated
from hansang.errors import Throttled, WireError

_TRIES = 12
_LONGEST_WAIT = 5.0

Observer = Callable[[str, str, list[dict[str, Any]]], object]
"""Told the operation, the pattern and the ConsumedCapacity of every request."""

_meters: ContextVar[tuple[Cost, ...]] = ContextVar("hansang_meters", default=())


@contextmanager
def meter() -> Iterator[Cost]:
    """Count what is consumed in this block, in this thread or task."""
    cost = Cost()
    token = _meters.set((*_meters.get(), cost))
    try:
        yield cost
    finally:
        _meters.reset(token)


class Runner:
    """One backend, and the names that a design's tables have there."""

    def __init__(
        self,
        backend: Backend,
        names: Mapping[type[Table], str],
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        observer: Observer | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self.backend, self._names, self._sleep, self._chance = backend, names, sleep, chance
        self._observer, self._clock = observer, clock

    def renamed(self, names: Mapping[type[Table], str]) -> Runner:
        """The same with other names for some tables."""
        return RenamedRunner(self, {**self._names, **names})

    def patient(self, sleep: Callable[[float], object]) -> Runner:
        """The same for long work, which outlasts a busy data file."""
        return PatientRunner(self, sleep)

    def now(self) -> datetime:
        """The moment of a write, to the second."""
        return datetime.fromtimestamp(int(self._clock()), UTC)

    def name(self, table: type[Table]) -> str:
        return self._names.get(table, table.name)

    def pause(self, seconds: float) -> None:
        self._sleep(seconds)

    def send(self, operation: str, request: dict[str, Any], pattern: str) -> dict[str, Any]:
        """The response; DynamoDB's refusals come out as they are, and are counted too."""
        meters = _meters.get()
        if (not meters and self._observer is None) or operation not in MEASURED:
            return self.backend.call(operation, request)
        request["ReturnConsumedCapacity"] = "INDEXES"
        try:
            response = self.backend.call(operation, request)
        except WireError as error:
            self._tell(operation, pattern, error.consumed, meters)
            raise
        consumed = response.get("ConsumedCapacity", [])
        self._tell(operation, pattern, [consumed] if isinstance(consumed, dict) else consumed, meters)
        return response

    def _tell(
        self, operation: str, pattern: str, consumed: list[dict[str, Any]], meters: tuple[Cost, ...]
    ) -> None:
        for cost in meters:
            cost.record(operation, pattern, consumed)
        if self._observer is not None:
            self._observer(operation, pattern, consumed)

    def call(self, operation: str, request: dict[str, Any], pattern: str) -> dict[str, Any]:
        """The response; refusals come out as our own errors."""
        try:
            if self._observer is None and not _meters.get():
                return self.backend.call(operation, request)
            return self.send(operation, request, pattern)
        except WireError as error:
            raise translated(error, request) from error

    def until_done(
        self, operation: str, request: dict[str, Any], left: str, pattern: str
    ) -> Iterator[dict[str, Any]]:
        """Responses of a batch and of what it leaves over, with longer and longer pauses between."""
        for attempt in range(_TRIES):
            response = self.call(operation, request, pattern)
            yield response
            if not response.get(left):
                return
            request = {"RequestItems": response[left]}
            self._sleep(min(_LONGEST_WAIT, 0.05 * 2**attempt) * (0.5 + self._chance() / 2))
        raise Throttled(
            f"{operation} was not finished after {_TRIES} tries. Try again with fewer items at a time."
        )


class RenamedRunner(Runner):
    """A runner in all but the names of some tables."""

    def __init__(self, runner: Runner, names: Mapping[type[Table], str]) -> None:
        self._runner, self._names = runner, names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)


class PatientRunner(Runner):
    """A runner in all but its backend, which outlasts a busy data file."""

    def __init__(self, runner: Runner, sleep: Callable[[float], object]) -> None:
        self._runner = runner
        self.backend = BusyRetry(_Backend(runner), sleep)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)


@dataclass(frozen=True, slots=True)
class _Backend:
    """The backend that a runner has at the time."""

    runner: Runner

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return self.runner.backend.call(operation, request)
