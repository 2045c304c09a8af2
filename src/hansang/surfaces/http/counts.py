"""Requests counted in one worker, and summed over all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self

from hansang.surfaces.http.templates import OTHER

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the classes of times, in seconds; the last class has none."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
MOST_ROUTES = 2000
"""How many methods of routes are told apart; there are far fewer, unless someone makes them up."""


@dataclass(slots=True)
class Times:
    """How long requests took: their sum, and how many fell into each class."""

    total: float = 0.0
    classes: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))

    def add(self, seconds: float) -> None:
        """Count one request."""
        self.total += seconds
        self.classes[bisect_left(BOUNDS, seconds)] += 1

    def merge(self, other: Times) -> None:
        """Count all that another has counted."""
        self.total += other.total
        self.classes = [mine + theirs for mine, theirs in zip(self.classes, other.classes, strict=True)]


@dataclass(slots=True)
class RequestCounts:
    """What was counted: answers by method, route and status, times by method and route."""

    answers: dict[tuple[str, str, int], int] = field(default_factory=dict)
    times: dict[tuple[str, str], Times] = field(default_factory=dict)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        if (method, route) not in self.times and len(self.times) >= MOST_ROUTES:
            route = OTHER
        self.answers[method, route, status] = self.answers.get((method, route, status), 0) + 1
        times = self.times.get((method, route))
        if times is None:
            times = self.times[method, route] = Times()
        times.add(seconds)

    def merge(self, other: RequestCounts) -> None:
        """Count all that another has counted."""
        for answer, number in other.answers.items():
            self.answers[answer] = self.answers.get(answer, 0) + number
        for place, times in other.times.items():
            self.times.setdefault(place, Times()).merge(times)

    def document(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        return {
            "answers": [[*answer, number] for answer, number in self.answers.items()],
            "times": [[*place, each.total, each.classes] for place, each in self.times.items()],
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The counts that a document holds."""
        return cls(
            {(method, route, status): number for method, route, status, number in document["answers"]},
            {
                (method, route): Times(total, list(classes))
                for method, route, total, classes in document["times"]
            },
        )


class Counter:
    """Counts the requests of this worker."""

    def __init__(self) -> None:
        self._counts, self._running, self._streams, self._lock = RequestCounts(), 0, 0, Lock()

    def begin(self) -> None:
        """Note that a request has come."""
        with self._lock:
            self._running += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note that it was answered."""
        with self._lock:
            self._running -= 1
            self._counts.add(method if method in METHODS else OTHER_METHOD, route, status, seconds)

    def begin_stream(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note that it was answered with a stream, which goes on."""
        self.end(method, route, status, seconds)
        with self._lock:
            self._streams += 1

    def end_stream(self) -> None:
        """Note that a stream has ended."""
        with self._lock:
            self._streams -= 1

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return self._streams

    def snapshot(self) -> tuple[RequestCounts, int]:
        """What was counted so far, and how many requests are being worked on."""
        with self._lock:
            copy = RequestCounts()
            copy.merge(self._counts)
            return copy, self._running
