"""An engine and a store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansang.engine import Engine
from hansang.engine.store import Store
from tests.engine.fuzz_engine import close_kept
from tests.engine.holding import PATIENCE

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    opened = Store(":memory:" if request.param == "memory" else path, wait_seconds=PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def on_disk(path: Path) -> Iterator[Store]:
    opened = Store(path, wait_seconds=PATIENCE)
    yield opened
    opened.close()
