"""Jobs that wait to be run: small ones and large ones in a line each, which take turns."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansang.engine.sql.writer import Writer

_SMALL = 8
"""The weight up to which a job is small."""
_SHARED_JOBS = 256
"""How many jobs one commit may carry, so that none waits for too many others."""
_SHARED_WEIGHT = 256
"""How much the large jobs of one commit may weigh together, if they are more than one."""


class PendingJob:
    """A job that waits for its turn; its weight is about the number of items that it writes."""

    __slots__ = ("decides_first", "done", "error", "gate", "is_small", "is_taken", "job", "result", "weight")

    def __init__(self, job: Callable[[Writer], Any], weight: int, *, decides_first: bool = False) -> None:
        self.job, self.weight, self.is_small = job, weight, weight <= _SMALL
        self.decides_first = decides_first
        """Whether it fails, if it does, before it has written anything."""
        self.gate: threading.Lock | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_taken = False
        """Whether it is being run, and can no longer be given up."""
        self.done = False

    def wake(self) -> None:
        """Let its thread go on, if it waits; one that was woken already is not disturbed."""
        if self.gate is not None:
            with suppress(RuntimeError):
                self.gate.release()


class WaitingLine:
    """Two lines, each in the order of asking. A turn takes of one line, and the next turn is the other's."""

    def __init__(self) -> None:
        self._small: deque[PendingJob] = deque()
        self._large: deque[PendingJob] = deque()
        self._was_large = False

    def __len__(self) -> int:
        return len(self._small) + len(self._large)

    def beside(self, pending: PendingJob) -> int:
        """How many wait in the line of a job, with itself."""
        return len(self._of(pending))

    def add(self, pending: PendingJob) -> None:
        (self._small if pending.is_small else self._large).append(pending)

    def discard(self, pending: PendingJob) -> None:
        """Take a job out, if it is there."""
        with suppress(ValueError):
            self._of(pending).remove(pending)

    def put_back(self, pending: PendingJob) -> None:
        """Let a job that was taken wait again, as the first of its line."""
        pending.is_taken, pending.error = False, None
        line = self._of(pending)
        if pending not in line:
            line.appendleft(pending)

    def first(self) -> PendingJob | None:
        """Whose turn it is."""
        line = (self._was_large and self._small) or self._large or self._small
        return line[0] if line else None

    def take(self, leader: PendingJob, taken: list[PendingJob]) -> None:
        """Fill a list with the jobs that are run together with the one whose turn it is."""
        line, weight = self._of(leader), 0
        self._was_large = line is self._large
        while line and len(taken) < _SHARED_JOBS:
            weight += line[0].weight
            if taken and self._was_large and weight > _SHARED_WEIGHT:
                break
            # In this order: wherever Ctrl+C comes, no job is in neither place.
            taken.append(line[0])
            line.popleft().is_taken = True

    def _of(self, pending: PendingJob) -> deque[PendingJob]:
        return self._small if pending.is_small else self._large
