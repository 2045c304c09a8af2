"""The API over a shell in memory, and callers with different rights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi import FastAPI

from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import clock, new_key, shell

__all__ = ["clock", "shell"]

With = Callable[..., Caller]


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


@pytest.fixture
def nobody(api: FastAPI) -> Caller:
    """A caller with no key."""
    return Caller(api)
