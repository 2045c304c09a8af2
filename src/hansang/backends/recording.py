"""The backend that writes down every call to another one, with its cost."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hansang.backends.base import Backend
from hansang.backends.batches import READS, WRITES
from hansang.clock import Clock, system_clock
from hansang.errors import WireError

_IN_DETAIL = ("Table", "GlobalSecondaryIndexes", "LocalSecondaryIndexes")

Consumed = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call: what was asked, what came back, what it cost and how long it took."""

    operation: str
    request: dict[str, Any]
    response: dict[str, Any] | None
    """What the caller got, or None when it got an error."""
    error: WireError | None
    consumed: Consumed
    """ConsumedCapacity by index, asked for or not."""
    at: float
    """When it began, in seconds since 1970."""
    seconds: float

    @property
    def read_units(self) -> float:
        return self._units() if self.operation in READS else 0.0

    @property
    def write_units(self) -> float:
        return self._units() if self.operation in WRITES else 0.0

    def _units(self) -> float:
        return sum(float(each["CapacityUnits"]) for each in self.consumed)


class Recording:
    """Another backend, and the last calls to it. Safe to use from many threads.

    The backend is asked for the cost of every call; the caller gets what it would get without the recording.
    Errors other than a `WireError` pass and are not recorded.
    """

    def __init__(self, backend: Backend, *, length: int = 1000, clock: Clock = system_clock) -> None:
        """Keep the last `length` calls."""
        self._backend, self._clock = backend, clock
        self._calls: deque[Call] = deque(maxlen=length)
        self._lock = threading.Lock()

    @property
    def calls(self) -> list[Call]:
        """The calls that are kept, in the order in which they ended."""
        with self._lock:
            return list(self._calls)

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        asked, begun = deepcopy(dict(request)), self._clock()
        wanted = str(request.get("ReturnConsumedCapacity") or "NONE")
        metered = operation in READS | WRITES and wanted in ("NONE", "TOTAL")
        sent = {**request, "ReturnConsumedCapacity": "INDEXES"} if metered else request
        try:
            response = self._backend.call(operation, sent)
        except WireError as error:
            self._keep(operation, asked, None, error, tuple(deepcopy(error.consumed)), begun)
            raise
        consumed = _consumed(response)
        if metered:
            _reduce(response, wanted)
        self._keep(operation, asked, deepcopy(response), None, consumed, begun)
        return response

    def _keep(
        self,
        operation: str,
        request: dict[str, Any],
        response: dict[str, Any] | None,
        error: WireError | None,
        consumed: Consumed,
        begun: float,
    ) -> None:
        call = Call(operation, request, response, error, consumed, begun, self._clock() - begun)
        with self._lock:
            self._calls.append(call)


def _consumed(response: Mapping[str, Any]) -> Consumed:
    found = response.get("ConsumedCapacity", ())
    return tuple(deepcopy([found] if isinstance(found, dict) else list(found)))


def _reduce(response: dict[str, Any], wanted: str) -> None:
    """Leave of the cost what the caller has asked for."""
    found = response.pop("ConsumedCapacity", None)
    if wanted == "NONE" or found is None:
        return
    if isinstance(found, dict):
        response["ConsumedCapacity"] = _total(found)
    else:
        response["ConsumedCapacity"] = [_total(each) for each in found]


def _total(consumed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in consumed.items() if name not in _IN_DETAIL}
