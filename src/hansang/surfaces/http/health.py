"""What machines ask to watch the server: /health/live, /health/ready and /metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hansang.design import Database, Table
from hansang.parts.permissions import PLATFORM
from hansang.parts.platform import Platform
from hansang.surfaces.application_settings import databases_of
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.metrics import Metrics
from hansang.surfaces.http.origins import is_local
from hansang.surfaces.http.principals import find_principal
from hansang.surfaces.http.problems import PROBLEM_TYPE, PROBLEMS, document, problem_response
from hansang.surfaces.http.readiness import OK, Readiness
from hansang.surfaces.http.threads import RequestThreads
from hansang.surfaces.shell import Shell

HealthRoute = Callable[[Request], Awaitable[Response]]

_ALLOWED = ("GET", "HEAD")


def health_routes(shell: Shell, metrics: Metrics, threads: RequestThreads) -> Mapping[str, HealthRoute]:
    """The answers by path."""
    readiness = Readiness(shell.database, _tables(shell), shell.clock, threads)

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "live"})

    async def ready(request: Request) -> Response:
        checks = await readiness.checks()
        if set(checks.values()) == {OK}:
            return JSONResponse({"status": "ready", "checks": checks})
        told = document(PROBLEMS["not-ready"], language(request), request.state.request_id)
        return JSONResponse(told | {"checks": checks}, 503, media_type=PROBLEM_TYPE)

    async def scrape(request: Request) -> Response:
        return await run_in_threadpool(_scraped, shell, metrics, request)

    found = {"/health/live": live, "/health/ready": ready, "/metrics": scrape}
    return {path: _reading_only(route) for path, route in found.items()}


def _tables(shell: Shell) -> Iterator[tuple[Database, type[Table]]]:
    """Every table that the server needs, with the copies that applications have."""
    yield shell.database, Platform
    for each in shell.applications:
        for database in databases_of(each, shell.database, shell.chosen.get(each.name)):
            yield from ((database, table) for table in each.tables)


def _reading_only(route: HealthRoute) -> HealthRoute:
    async def answer(request: Request) -> Response:
        if request.method in _ALLOWED:
            return await route(request)
        return _told(request, "method-not-allowed", {"allow": ", ".join(_ALLOWED)})

    return answer


def _scraped(shell: Shell, metrics: Metrics, request: Request) -> Response:
    """The metrics, for whoever may read the platform; on this machine, for everyone."""
    if not is_local(request, shell.settings):
        principal = find_principal(shell, request)
        if principal is None:
            return _told(request, "not-signed-in", {"www-authenticate": "Bearer"})
        if not principal.may(PLATFORM, "read"):
            return _told(request, "not-allowed")
    body, kind = metrics.exposition(request.headers.get("accept", ""))
    return Response(body, headers={"content-type": kind})


def _told(request: Request, code: str, headers: Mapping[str, str] | None = None) -> Response:
    return problem_response(PROBLEMS[code], language(request), request.state.request_id, headers)
