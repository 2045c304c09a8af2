"""The news tables in memory, and a clock that a test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

import pytest

from hansang.apps.news.design import NewsItems, NewsWork
from hansang.apps.news.service import News
from hansang.backends.embedded import Embedded
from hansang.design import Database


@dataclass
class SetClock:
    """Shows what a test says; a pause moves it on."""

    now: float = datetime(2026, 11, 15, 9, 30, 12, 400_000, tzinfo=UTC).timestamp()
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def tokens(prefix: str = "") -> Callable[[], str]:
    """Texts that do not repeat."""
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers):06x}"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def database() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        found = Database(backend, secret=b"for tests")
        found.create_tables(NewsItems, NewsWork)
        yield found


@pytest.fixture
def news(database: Database, clock: SetClock) -> News:
    return News(database, clock, sleep=clock.sleep, token=tokens())
