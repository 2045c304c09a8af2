"""An engine for the tests of the rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.engine import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine in memory, which never sweeps by itself."""
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        yield engine
