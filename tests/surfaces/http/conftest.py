"""The shell, and a client of a small application in its frame."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from tests.surfaces.http.framing import error_page, framing
from tests.surfaces.shells import SetClock, clock, opened, shell

__all__ = ["client", "clock", "shell"]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    """A client of the small application, on a shell of its own."""
    with opened(SetClock()) as its, framing(its, error_page=error_page) as found:
        yield found
