"""Servers for the tests of what speaks HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.embedded import Embedded
from tests.surfaces.support import KEYS, Address, Stub, echo, serving


@pytest.fixture(scope="module")
def echoing() -> Iterator[Address]:
    """An endpoint that answers with the operation and the request that reached it."""
    with serving(Stub(echo)) as address:
        yield address


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Address]:
    """An endpoint over the engine, in memory, without keys; small reads wait for nobody."""
    with Embedded.open(":memory:") as backend, serving(backend, prompt=True) as address:
        yield address


@pytest.fixture(scope="module")
def locked() -> Iterator[Address]:
    """An endpoint over the engine, in memory, that serves only what KEYS have signed."""
    with Embedded.open(":memory:") as backend, serving(backend, keys=KEYS) as address:
        yield address
