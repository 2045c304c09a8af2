"""An engine whose clock the test moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.engine import Engine
from tests.engine.control import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def clocked(clock: ManualClock) -> Iterator[Engine]:
    """An engine in memory, to which it is the time of the clock."""
    with Engine.open(clock=clock, sweep_seconds=None) as engine:
        yield engine
