"""An engine and a store for each test; hypothesis searches briefly, or with HYPOTHESIS_PROFILE=long, at length."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from hansang.engine import Engine
from hansang.engine.store import Store
from tests.engine.fuzz_engine import close_kept

pytest.register_assert_rewrite("tests.engine.agreement")

# A failure is told as it was found: shrinking it takes minutes, and HYPOTHESIS_PROFILE=long does it.
SEARCH = [Phase.explicit, Phase.reuse, Phase.generate]
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "short",
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=SEARCH,
    suppress_health_check=CALM,
)
settings.register_profile(
    "long",
    max_examples=2000,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=CALM,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


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
    opened = Store(":memory:" if request.param == "memory" else path)
    yield opened
    opened.close()


@pytest.fixture
def on_disk(path: Path) -> Iterator[Store]:
    opened = Store(path)
    yield opened
    opened.close()
