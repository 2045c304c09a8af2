"""The console as routes beside the API, and the page for what fails outside of them."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from hansang.surfaces.console import (
    account,
    admin,
    applications,
    capacity,
    changes,
    data,
    home,
    jobs,
    keys,
    news,
    people,
    sign_in,
    spec,
)
from hansang.surfaces.console.failures import plain_failure
from hansang.surfaces.console.rendering import Console, Rendering
from hansang.surfaces.console.routing import PageRoute
from hansang.surfaces.shell import Shell

PAGES: tuple[PageRoute, ...] = (
    *sign_in.PAGES,
    *account.PAGES,
    *home.PAGES,
    *applications.PAGES,
    *data.PAGES,
    *capacity.PAGES,
    *spec.PAGES,
    *changes.PAGES,
    *admin.PAGES,
    *people.PAGES,
    *keys.PAGES,
    *jobs.PAGES,
    *news.PAGES,
)

ErrorPage = Callable[[Request, int, str], Response]


def console_routes(console: Console) -> list[BaseRoute]:
    """Every page of the console, and the files that they load."""
    return [*(page.on(console) for page in PAGES), *console.statics.routes()]


def create_console(shell: Shell, rendering: Rendering | None = None) -> tuple[list[BaseRoute], ErrorPage]:
    """The routes of the console, and what shows a failure to a browser."""
    console = Console(shell, rendering)

    def error_page(request: Request, status: int, code: str) -> Response:
        return plain_failure(console, request, status)

    return console_routes(console), error_page
