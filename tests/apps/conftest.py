"""The sample of the application that a module of tests names as APPLICATION."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.design import Database
from tests.apps.sampled import filled


@pytest.fixture(scope="module")
def sample(request: pytest.FixtureRequest) -> Iterator[tuple[Database, list[int]]]:
    """A database that holds the sample, and what the progress of it said."""
    with filled(request.module.APPLICATION) as made:
        yield made
