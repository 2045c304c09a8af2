"""The frame around the API and the console: what every request goes through, and every answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hansang.parts.rates import Rates
from hansang.surfaces.http.board import Board
from hansang.surfaces.http.exchanges import ErrorPage, Exchange, Surroundings
from hansang.surfaces.http.health import HealthRoute, health_routes
from hansang.surfaces.http.logs import AccessLog
from hansang.surfaces.http.metrics import Metrics
from hansang.surfaces.http.principals import Principals
from hansang.surfaces.http.proxies import AllowedHosts, TrustedProxies
from hansang.surfaces.http.request_ids import new_request_id
from hansang.surfaces.http.security import SecurityHeaders
from hansang.surfaces.http.site_hosts import SiteHosts
from hansang.surfaces.http.threads import RequestThreads
from hansang.surfaces.shell import Shell


class Frame:
    """Gives every request an id, bounds and a line in the log, and every answer its headers.

    It answers /health/live, /health/ready and /metrics itself, and whatever goes wrong without an answer:
    with a problem in JSON, or for a browser with the console's page.
    """

    def __init__(
        self,
        app: ASGIApp,
        shell: Shell,
        *,
        metrics: Metrics | None = None,
        access: AccessLog | None = None,
        error_page: ErrorPage | None = None,
        new_id: Callable[[], str] = new_request_id,
        timer: Callable[[], float] = perf_counter,
    ) -> None:
        metrics, threads = metrics or Metrics(shell), RequestThreads()
        self._app, self._sites = app, SiteHosts(shell.site_hosts)
        self._health = {path: _served(each) for path, each in health_routes(shell, metrics, threads).items()}
        self._around = Surroundings(
            settings=shell.settings,
            proxies=TrustedProxies(shell.settings.trusted_proxies),
            hosts=AllowedHosts(shell.settings, self._sites.names),
            principals=Principals(shell),
            rates=Rates(shell.settings.rate),
            guests=Rates(shell.settings.public_rate),
            security=SecurityHeaders(is_secure=shell.settings.is_secure),
            counter=metrics.counter,
            access=access,
            audit=shell.audit,
            error_page=error_page,
            new_id=new_id,
            timer=timer,
            threads=threads,
            uploads={path: size for each in shell.plugged for path, size in each.uploads.items()},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._sites.led(scope)
        app = self._health.get(scope["path"], self._app)
        await Exchange(self._around, scope, receive, send).run(app)


def _served(route: HealthRoute) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["endpoint"] = route
        response = await route(Request(scope, receive))
        await response(scope, receive, send)

    return app


@contextmanager
def framed(
    app: ASGIApp,
    shell: Shell,
    *,
    worker: str = "1",
    board: str | None = None,
    error_page: ErrorPage | None = None,
) -> Iterator[Frame]:
    """The application in its frame, with a log on standard error.

    With a board, the metrics are summed over all workers that share it.
    """
    access = AccessLog(shell.settings.log, shell.clock, sys.stderr)
    metrics = Metrics(shell, worker, None if board is None else Board(Path(board)))
    with metrics.shown():
        yield Frame(app, shell, metrics=metrics, access=access, error_page=error_page)
