"""A database in memory with the shop's table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.checked.shop import Shop


@pytest.fixture
def db() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend, secret=b"for tests")
        database.create_tables(Shop)
        yield database
