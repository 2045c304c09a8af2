"""A small application in a real frame on a real socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from hansang.surfaces.http.frame import Frame
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.origins import origin_of
from hansang.surfaces.http.principals import find_principal
from hansang.surfaces.http.problems import PROBLEMS, problem_response
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved, url_of
from hansang.surfaces.shell import Shell


def small_app(shell: Shell) -> Starlette:
    """Routes that do what applications do, well and badly."""

    def who(request: Request) -> Response:
        found = find_principal(shell, request)
        name = None if found is None else f"{found.kind}:{found.name}"
        return JSONResponse({"who": name, "from": origin_of(request), "language": language(request)})

    async def echo(request: Request) -> Response:
        return Response(await request.body(), media_type="application/octet-stream")

    def large(request: Request) -> Response:
        return PlainTextResponse("가나다 " * int(request.path_params["size"]))

    def listed(request: Request) -> Response:
        lines = "".join(f"<li>{number} {number * 7919 % 1009}</li>" for number in range(5000))
        return Response(lines, media_type=f"text/{request.path_params['kind']}")

    def cached(_: Request) -> Response:
        return Response(b"body {}", headers={"cache-control": "max-age=9"}, media_type="text/css")

    def failing(_: Request) -> Response:
        raise RuntimeError("the password is swordfish")

    def streamed(_: Request) -> Response:
        return StreamingResponse((f"line {number}\n" for number in range(5000)), media_type="text/csv")

    def torn(_: Request) -> Response:
        def pieces() -> Iterator[str]:
            yield "first"
            raise RuntimeError("torn")

        return StreamingResponse(pieces(), media_type="text/csv")

    def forbidden(request: Request) -> Response:
        return problem_response(PROBLEMS["not-allowed"], language(request), request.state.request_id)

    def teapot(_: Request) -> Response:
        raise HTTPException(418, headers={"Retry-After": "7", "X-Secret": "yes"})

    routes = {
        "/who": who,
        "/api/who": who,
        "/large/{size}": large,
        "/listed/{kind}": listed,
        "/cached": cached,
        "/failing": failing,
        "/api/failing": failing,
        "/streamed": streamed,
        "/torn": torn,
        "/forbidden": forbidden,
        "/teapot": teapot,
        "/static/{name}": cached,
    }
    made = [Route(path, endpoint) for path, endpoint in routes.items()]
    posting = [Route("/echo", echo, methods=["POST"]), Route("/api/echo", echo, methods=["POST"])]
    return Starlette(routes=[*made, *posting, Mount("/mounted", PlainTextResponse("mounted"))])


def error_page(request: Request, status: int, code: str) -> Response:
    return HTMLResponse(f"<h1>{status} {code} {language(request)}</h1>", status)


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The application on a socket, in a thread, until the block ends; its address."""
    listener = bound(resolved("127.0.0.1", 0)[0])
    server = HttpServer(app, grace=5)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield url_of(listener)
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def framing(shell: Shell, **options: Any) -> Iterator[httpx2.Client]:
    """A client of the small application, with the frame around it."""
    frame = Frame(small_app(shell), shell, **options)
    with serving(frame) as url, httpx2.Client(base_url=url, timeout=60) as client:
        yield client
