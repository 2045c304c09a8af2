"""An engine in memory with one table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.embedded import Embedded
from tests.backends.tables import TABLE


@pytest.fixture
def engine() -> Iterator[Embedded]:
    with Embedded.open() as backend:
        backend.call("CreateTable", TABLE)
        yield backend
