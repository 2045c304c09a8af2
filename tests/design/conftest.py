"""Databases for designs: on the embedded engine, and over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design import Database, Table
from tests.checked.shop import Shop
from tests.contract.contenders import wire

Opens = Callable[..., Database]
_numbers = count(1)


@pytest.fixture
def db() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend, secret=b"for tests")
        database.create_tables(Shop)
        yield database


@pytest.fixture(scope="session")
def wire_backend() -> Iterator[Backend]:
    with wire() as backend:
        yield backend


@pytest.fixture(params=["embedded", "wire"])
def opens(request: pytest.FixtureRequest, wire_backend: Backend) -> Iterator[Opens]:
    """A function that opens a database with these tables and nothing in them."""
    with Embedded.open(":memory:") as embedded:
        backend: Backend = wire_backend if request.param == "wire" else embedded

        def opened(*tables: type[Table], clock: Callable[[], float] = lambda: 1_700_000_000.0) -> Database:
            names = {table: f"{table.name}-{next(_numbers)}" for table in tables}
            database = Database(backend, secret=b"for tests", names=names, clock=clock)
            database.create_tables(*tables)
            return database

        yield opened
