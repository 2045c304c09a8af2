"""An engine for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.engine import Engine
from tests.engine.fuzz_engine import close_kept

pytest.register_assert_rewrite("tests.engine.agreement")


@pytest.fixture(autouse=True)
def kept_engines() -> Iterator[None]:
    """What the examples of a fuzz hand on to each other ends with its test."""
    yield
    close_kept()


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine in memory, which never sweeps by itself."""
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        yield engine
