"""The console as routes beside the API, and the page for what fails outside of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from hansang.errors import HansangError
from hansang.surfaces.console import applications, capacity, changes, data, home, keys, live, search, spec
from hansang.surfaces.console.failures import MISSING, plain_failure, show_failure
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.places import Places
from hansang.surfaces.console.rendering import Console, Rendering
from hansang.surfaces.console.routing import PageRoute
from hansang.surfaces.http.live import Streams
from hansang.surfaces.shell import Shell

PAGES: tuple[PageRoute, ...] = (
    *home.PAGES,
    *applications.PAGES,
    *data.PAGES,
    *capacity.PAGES,
    *spec.PAGES,
    *changes.PAGES,
    *search.PAGES,
    *keys.PAGES,
)

ErrorPage = Callable[[Request, int, str], Response]


def console_routes(console: Console) -> list[BaseRoute]:
    """Every page of the kit and of the applications that are served, and the files that they load."""
    served = {each.name for each in console.shell.plugged}
    pages = [
        *PAGES,
        *(page for name, each in console.plugged.pages.items() if name in served for page in each.routes),
    ]
    console.places = Places(page.path for page in pages if page.method == "GET")
    of_topics = [each.on(console) for each in live.ROUTES]
    return [*(page.on(console) for page in pages), *of_topics, *console.statics.routes()]


def lost_page(console: Console, request: Request, status: int) -> Response | None:
    """The page for an address that is none, in the frame of whoever has signed in; None for anything else."""
    if status not in (404, 405):
        return None
    try:
        visit = Visit.of(console, request, FormData())
    except HansangError:  # The page without a frame takes no look at any table.
        return None
    return None if visit.person is None else show_failure(visit, replace(MISSING, status=status))


def create_console(
    shell: Shell, rendering: Rendering | None = None, streams: Streams | None = None
) -> tuple[list[BaseRoute], ErrorPage]:
    """The routes of the console, and what shows a failure to a browser."""
    console = Console(shell, rendering, streams=streams)

    def error_page(request: Request, status: int, code: str) -> Response:
        return lost_page(console, request, status) or plain_failure(console, request, status)

    return console_routes(console), error_page
