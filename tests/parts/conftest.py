"""The platform's table in memory, and a clock that shows what a test says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.design import Database


@dataclass
class SetClock:
    """A clock that stands still until it is moved.

    It shows a time that is far off, so that nothing expires by the engine's own clock.
    """

    now: float = 4_000_000_000.25

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def database() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        found = Database(backend, secret=b"for tests")
        found.create_tables(Platform)
        yield found
