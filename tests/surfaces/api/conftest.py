"""The API over a shell in memory, and callers with different rights.

Making the routes of five designs takes a while. Tests that only ask share what is called standing; the
others have those of two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from fastapi import FastAPI

from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SETTINGS, SetClock, clock, new_key, opened

__all__ = [
    "api",
    "clock",
    "nobody",
    "owner",
    "reader",
    "served",
    "shell",
    "standing_api",
    "standing_shell",
    "standing_with",
    "with_scopes",
]

With = Callable[..., Caller]


@pytest.fixture(scope="session")
def standing_shell() -> Iterator[Shell]:
    with opened(SetClock()) as found:
        yield found


@pytest.fixture(scope="session")
def standing_api(standing_shell: Shell) -> FastAPI:
    return create_api(standing_shell)


@pytest.fixture(scope="session")
def standing_with(standing_api: FastAPI, standing_shell: Shell) -> With:
    """Makes a caller with a key of these scopes, who changes nothing."""
    return lambda *scopes: Caller(standing_api, new_key(standing_shell, *scopes))


@pytest.fixture(scope="session")
def reader(standing_with: With) -> Caller:
    """A caller who may do everything and changes nothing."""
    return standing_with("*:admin")


@pytest.fixture(scope="session")
def nobody(standing_api: FastAPI) -> Caller:
    """A caller with no key."""
    return Caller(standing_api)


@pytest.fixture
def served() -> tuple[str, ...]:
    """The applications that are there; a test that needs others says so by parametrizing this."""
    return ("codex", "news")


@pytest.fixture
def shell(clock: SetClock, served: tuple[str, ...]) -> Iterator[Shell]:
    with opened(clock, replace(SETTINGS, apps=served)) as found:
        yield found


@pytest.fixture
def api(shell: Shell) -> FastAPI:
    return create_api(shell)


@pytest.fixture
def with_scopes(api: FastAPI, shell: Shell) -> With:
    """Makes a caller with a key of these scopes."""
    return lambda *scopes: Caller(api, new_key(shell, *scopes))


@pytest.fixture
def owner(with_scopes: With) -> Caller:
    """A caller who may do everything."""
    return with_scopes("*:admin")
