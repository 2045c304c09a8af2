"""The names of routes, for counting and logging."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from hansang.surfaces.http.templates import template

inner = APIRouter(prefix="/inner")


@inner.get("/{name}/parts/{part}")
def part(name: str, part: str) -> str:
    return name + part


def page(_: object) -> Response:
    return PlainTextResponse("page")


def app() -> FastAPI:
    found = FastAPI()
    outer = APIRouter(prefix="/outer")
    outer.include_router(inner)
    found.include_router(outer)
    found.router.routes.append(Route("/apps/{app}", page))
    found.router.routes.append(Route("/numbers/{number:int}", page))
    found.router.routes.append(Route("/files/{path:path}", page))
    found.router.routes.append(Route("/", page))
    found.router.routes.append(Mount("/mounted", PlainTextResponse("mounted")))
    return found


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "/"),
        ("/outer/inner/a/parts/b", "/outer/inner/{name}/parts/{part}"),
        ("/outer/inner/%ED%95%9C/parts/%20", "/outer/inner/{name}/parts/{part}"),
        ("/apps/news", "/apps/{app}"),
        ("/numbers/7", "/numbers/{number}"),
        ("/numbers/007", "(other)"),
        ("/files/a/b/c.css", "/files/{path}"),
        ("/mounted/anything/at/all", "/mounted/…"),
        ("/nothing/here", "(none)"),
        ("/apps/news/more", "(none)"),
    ],
)
def test_a_request_is_counted_under_the_path_of_its_route(path: str, name: str) -> None:
    assert seen(path).name == name


def test_a_method_that_is_not_taken_is_counted_there_too() -> None:
    assert seen("/apps/news", "POST").name == "/apps/{app}"


class Seen:
    """An application that notes the name of what its requests were routed to."""

    def __init__(self) -> None:
        self.app, self.name = app(), ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)
        self.name = template(scope)


def seen(path: str, method: str = "GET") -> Seen:
    found = Seen()
    TestClient(found).request(method, path)
    return found
