"""The console on a shell with a few people, and browsers for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import time

import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.apps.platform.accounts import accounts_of
from hansang.parts.jobs import Job
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SetClock, opened

__all__ = ["app", "applications", "clock", "rendering", "shell", "visitor", "whole"]

Visitor = Callable[..., Browser]


def _count(run: JobRun) -> str:
    return "3 things counted"


def _fail(run: JobRun) -> str:
    raise ValueError("nothing to count")


JOBS = (
    Job(name="count", title=Words("세기", "Count"), run=_count, schedule=Schedule.every(3600), area="news"),
    Job(
        name="fail",
        title=Words("실패하기", "Fail"),
        run=_fail,
        schedule=Schedule.daily(time(0, 5)),
    ),
)

ROLES: dict[str, dict[str, str]] = {
    "owner": {"*": "owner"},
    "editor": {"*": "editor"},
    "viewer": {"*": "viewer"},
    "reporter": {"news": "editor", "codex": "viewer"},
    "admin": {"platform": "owner"},
    "guest": {},
}


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def applications() -> tuple[Application, ...] | None:
    """The applications that are served; a test that needs others says so by parametrizing this."""
    return None


@pytest.fixture
def shell(clock: SetClock, applications: tuple[Application, ...] | None) -> Iterator[Shell]:
    with opened(clock, jobs=JOBS, applications=applications) as found:
        for name, roles in ROLES.items():
            accounts_of(found.identity).people.create(name, name.capitalize(), roles, PASSWORD)
        yield found


@pytest.fixture(scope="session")
def rendering() -> Rendering:
    """Templates, compiled once for all tests."""
    return Rendering([PLATFORM, *APPLICATIONS])


@pytest.fixture
def app(shell: Shell, rendering: Rendering) -> Iterator[ASGIApp]:
    """The console in its frame, without the API beside it."""
    pages, error_page = create_console(shell, rendering)
    with framed(Starlette(routes=pages), shell, error_page=error_page) as found:
        yield found


@pytest.fixture
def whole(shell: Shell) -> Iterator[ASGIApp]:
    """The console with the API beside it, as the server has them."""
    with product(shell, Worker(1, "tests")) as found:
        yield found


@pytest.fixture
def visitor(app: ASGIApp, shell: Shell) -> Visitor:
    """A browser in which somebody has signed in, or nobody."""

    def open_browser(name: str = "", language: str = "ko") -> Browser:
        browser = Browser(app, language)
        return browser.enter(shell, name) if name else browser

    return open_browser
