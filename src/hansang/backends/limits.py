"""The limits of the request that a call is made for: how long it may take, and whether anybody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from time import monotonic
from typing import Any, Protocol

from hansang.backends.base import Backend
from hansang.errors import RequestStopped

LIMITS = "limits"
"""Where the state of a request has them, so that whoever sees its client leave can say so."""


class WorkLimits(Protocol):
    """What is asked before each call for some work, and raises when it is to go no further."""

    def check(self) -> None: ...


class RequestLimits:
    """How long one request may go on, in whichever threads it is worked on."""

    __slots__ = ("_has_left", "_timer", "_until", "seconds")

    def __init__(self, seconds: float, timer: Callable[[], float] = monotonic) -> None:
        self.seconds, self._timer, self._has_left = seconds, timer, False
        self.renew()

    def renew(self) -> None:
        """Begin to count again, since a part of the answer was sent."""
        self._until: float | None = self._timer() + self.seconds

    def lift(self) -> None:
        """Let it take as long as its client stays."""
        self._until = None

    def leave(self) -> None:
        """Whoever has asked is gone."""
        self._has_left = True

    def check(self) -> None:
        """RequestStopped when there is nothing left to do for this request."""
        if self._has_left:
            raise RequestStopped("Whoever has sent this request has left.")
        if self._until is not None and self._timer() >= self._until:
            raise RequestStopped(f"The request took longer than {self.seconds:g} s and was stopped.")


limits: ContextVar[WorkLimits | None] = ContextVar("the limits of the work", default=None)
"""Those of the request or the job that is worked on here; None where there is none, or one that has to be finished."""


class Limited:
    """A backend that answers no call of a request that is over: whatever walks through pages ends at the next."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        found = limits.get()
        if found is not None:
            found.check()
        return self.backend.call(operation, request)
