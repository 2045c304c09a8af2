"""The routes of the company site over a shell in memory, and its callers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException

from hansang.apps.codex.api import ROUTES
from hansang.apps.codex.application import APPLICATION
from hansang.surfaces.api.parameter_fields import keep_all
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from hansang.surfaces.wording import Wording
from tests.apps.codex.site import category, company, user
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, clock, new_key, opened

__all__ = ["api", "clock", "nobody", "owner", "reader", "shell", "writer"]


@pytest.fixture
def shell(clock: SetClock) -> Iterator[Shell]:
    with opened(clock, applications=(APPLICATION,)) as shell:
        shell.database.batch_write([category(1), category(2), user(1), company()])
        yield shell


@pytest.fixture
def api(shell: Shell) -> FastAPI:
    """The routes of this application alone, which are made quickly."""
    keep_all()
    app, gate = FastAPI(exception_handlers={HTTPException: http_problem}), Gate(shell)
    app.state.wording = Wording.load(shell.plugged)
    app.router.routes.append(Routes(route for each in ROUTES for route in each(shell, gate).all()))
    return app


@pytest.fixture
def owner(api: FastAPI, shell: Shell) -> Caller:
    return Caller(api, new_key(shell, "codex:admin"))


@pytest.fixture
def writer(api: FastAPI, shell: Shell) -> Caller:
    return Caller(api, new_key(shell, "codex:write"))


@pytest.fixture
def reader(api: FastAPI, shell: Shell) -> Caller:
    return Caller(api, new_key(shell, "codex:read"))


@pytest.fixture
def nobody(api: FastAPI) -> Caller:
    return Caller(api)
