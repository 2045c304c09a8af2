"""The backend that does to another one what a distributed table does to an application.

What it can do: throttle calls and parts of batches, lose the responses of writes, be slow, and let global
indexes run behind. What it cannot: an index read is answered from a copy of the table in memory, so writes
that go around this backend, expiry and PartiQL do not reach it, and a table has to fit there twice. Reads of
the table itself and of local indexes are never stale. A seed decides everything, call by call; with several
threads the order of the calls is theirs.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from random import Random
from types import TracebackType
from typing import Any, Self

from hansang.backends.base import Backend
from hansang.backends.batches import LEFT_OVER, READS, WRITES, changes, chosen, entries, joined
from hansang.backends.lagging import LaggingIndexes
from hansang.clock import Clock, system_clock
from hansang.errors import SettingsError, WireError

_RATES = ("throttled", "lost", "slow", "lag")
_REDEFINING = frozenset({"CreateTable", "DeleteTable", "UpdateTable"})


@dataclass(frozen=True, slots=True)
class Faults:
    """How often each thing goes wrong, from 0 for never to 1 for always, and how badly."""

    throttled: float = 0.0
    """Calls that are refused for throughput; of a batch, a part is left over."""
    lost: float = 0.0
    """Writes that happen, and whose answer does not come back."""
    slow: float = 0.0
    slow_seconds: float = 0.2
    lag: float = 0.0
    """Changes that global indexes hide from so many further calls, and for so many seconds."""
    lag_calls: int = 3
    lag_seconds: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value < 0 or (each.name in _RATES and value > 1):
                raise SettingsError(
                    f"{each.name} cannot be {value}: a rate is from 0 to 1, a length 0 or more."
                )


class Chaos:
    """Another backend with faults, the same ones for the same seed and the same calls."""

    def __init__(
        self,
        backend: Backend,
        faults: Faults,
        *,
        seed: int,
        sleep: Callable[[float], None] = time.sleep,
        clock: Clock = system_clock,
    ) -> None:
        self._backend, self._faults, self._sleep = backend, faults, sleep
        # One source of chance for each fault, so that a change of one rate leaves the others as they were.
        self._chances = {name: Random(f"{seed}/{name}") for name in _RATES}  # noqa: S311 - no secret
        self._lock = threading.Lock()
        self._indexes = LaggingIndexes(backend, self._delay, clock) if faults.lag else None
        self.counts: Counter[str] = Counter()
        """How often each fault has happened."""

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._indexes is not None:
            self._indexes.tick()
        if self._happens("slow"):
            self._sleep(self._faults.slow_seconds)
        if operation not in READS | WRITES:
            return self._other(operation, request)
        if not self._happens("throttled"):
            return self._served(operation, request)
        return self._throttled(operation, request)

    def _happens(self, fault: str) -> bool:
        with self._lock:
            happens: bool = self._chances[fault].random() < getattr(self._faults, fault)
            self.counts[fault] += happens
            return happens

    def _delay(self) -> tuple[int, float]:
        return (self._faults.lag_calls, self._faults.lag_seconds) if self._happens("lag") else (0, 0.0)

    def _other(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        response = self._backend.call(operation, request)
        if self._indexes is not None and operation in _REDEFINING:
            self._indexes.forget(request["TableName"])
        return response

    # ── throttling ────────────────────────────────────────────────────────────────────────────────

    def _throttled(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        wanted = entries(operation, request)
        held = self._held(len(wanted))
        if len(held) == len(wanted):
            raise WireError(
                "ProvisionedThroughputExceededException",
                "The level of configured provisioned throughput for the table was exceeded. "
                "Consider increasing your provisioning level with the UpdateTable API.",
            )
        kept = chosen(request, (each for at, each in enumerate(wanted) if at not in held))
        response = self._served(operation, {**request, "RequestItems": kept})
        rest = chosen(request, (each for at, each in enumerate(wanted) if at in held))
        title = LEFT_OVER[operation]
        return {**response, title: joined(response.get(title, {}), rest)}

    def _held(self, count: int) -> set[int]:
        """Which of the entries of a batch are not done: at least one, perhaps all."""
        with self._lock:
            chance = self._chances["throttled"]
            return set(chance.sample(range(count), chance.randint(1, count))) if count else set()

    # ── reading and writing ───────────────────────────────────────────────────────────────────────

    def _served(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation in WRITES:
            return self._written(operation, request)
        stale = None if self._indexes is None else self._indexes.read(operation, request)
        return self._backend.call(operation, request) if stale is None else stale

    def _written(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        is_lost = self._happens("lost")
        try:
            response = self._followed(operation, request)
        except WireError:
            if not is_lost:
                raise
        if is_lost:
            raise WireError(
                "ServiceUnavailable", f"The response to {operation} was lost. It may have happened, or not."
            )
        return response

    def _followed(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Write, and let the indexes know of it in their time."""
        if self._indexes is None:
            return self._backend.call(operation, request)
        try:
            written = list(changes(operation, request))
        except (AttributeError, KeyError, TypeError, ValueError):
            # The request is not formed as one; the backend says what is wrong with it.
            return self._backend.call(operation, request)
        self._indexes.expect(table for table, _ in written)
        response = self._backend.call(operation, request)
        self._indexes.written(written)
        return response

    def close(self) -> None:
        """Let go of the copies; the backend below stays open."""
        if self._indexes is not None:
            self._indexes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
