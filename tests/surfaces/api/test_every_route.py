"""Every route of the product, the API and the console together: each has one rule, and few are public."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.surfaces.api.routes import ApiRoute, Routes
from hansang.surfaces.api.rules import Allow, Public
from hansang.surfaces.console.app import PAGES
from hansang.surfaces.console.live import ROUTES, LiveRoute
from hansang.surfaces.console.plugged import Plugged
from hansang.surfaces.console.routing import PageRoute
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.surfaces.api.callers import Caller

EVERY_PAGE: list[PageRoute | LiveRoute] = [
    *PAGES,
    *ROUTES,
    *(page for each in Plugged([PLATFORM, *APPLICATIONS]).pages.values() for page in each.routes),
]
STATIC = "/static/{version}/{name:path}"
PUBLIC = {
    "GET /api",
    "GET /api/docs",
    "GET /api/docs/files/{name}",
    "GET /api/docs/{section}",
    "GET /api/openapi.json",
    "GET /api/problems",
    "GET /api/problems/{code}",
    "POST /api/codex/inquiries",
    "POST /api/rankings/discord",  # Only what Discord has signed is looked at.
    "GET /api/codex/pictures/{name}",
    "GET /sign-in",
    "POST /sign-in",
    "GET /sign-in/link/{token}",
    "POST /sign-in/link/{token}",
    "POST /preferences",
    "GET /site/preview/{token}",
    "GET /assets/manifest.webmanifest",  # A browser asks for it without its cookies.
    f"GET {STATIC}",
}
"""All that everyone may ask for, beside the health of the server."""


@pytest.fixture(scope="module")
def frame(standing_shell: Shell) -> Iterator[Frame]:
    """The product as the server has it, but for the rate."""
    unhurried = replace(standing_shell, settings=replace(standing_shell.settings, rate=1_000_000))
    with product(unhurried, Worker(1, "a test")) as found:
        assert isinstance(found, Frame)
        yield found


def flat(routes: list[BaseRoute]) -> Iterator[BaseRoute]:
    for each in routes:
        if isinstance(each, Routes):
            yield from each.routes
        else:
            yield each


def addresses(route: BaseRoute) -> list[str]:
    """The methods and the path of a route."""
    path, methods = getattr(route, "path", repr(route)), getattr(route, "methods", None) or {"?"}
    return [f"{method} {path}" for method in sorted(methods - {"HEAD"})]


def rules(route: BaseRoute) -> list[Any]:
    """The rules that a route carries, as whoever serves it has them."""
    if isinstance(route, ApiRoute):
        found = (each.call for each in route.dependant.dependencies)
        return [each for each in found if isinstance(each, Public | Allow)]
    pages = [each.rule for each in EVERY_PAGE if addresses(route) == [f"{each.method} {each.path}"]]
    return pages or ([Public()] if getattr(route, "path", None) == STATIC else [])


def is_public(rule: Any) -> bool:
    return isinstance(rule, Public) or getattr(rule, "kind", None) == "public"


def without_one_rule(routes: list[BaseRoute]) -> list[str]:
    return [name for each in flat(routes) if len(rules(each)) != 1 for name in addresses(each)]


def routes_of(frame: Frame) -> list[BaseRoute]:
    assert isinstance(frame._app, FastAPI)
    return frame._app.routes


def test_every_route_has_exactly_one_rule(frame: Frame) -> None:
    assert without_one_rule(routes_of(frame)) == []
    assert len([*flat(routes_of(frame))]) > 200


def test_a_route_without_a_rule_or_with_two_is_found() -> None:
    async def forgotten(request: Request) -> Response:
        return Response("")

    bare = Route("/forgotten", forgotten)
    two = [Depends(Public()), Depends(Public())]
    known = {"name": "forgotten", "tags": ["tests"], "response_model": None}
    doubled = ApiRoute("/api/doubled", lambda: (forgotten, {"dependencies": two}), methods=["GET"], **known)
    of_api = ApiRoute("/api/forgotten", lambda: (forgotten, {}), methods=["POST"], **known)
    assert without_one_rule([Routes([of_api, doubled]), bare]) == [
        "POST /api/forgotten",
        "GET /api/doubled",
        "GET /forgotten",
    ]


def test_no_two_routes_have_one_address(frame: Frame) -> None:
    named = [name for each in flat(routes_of(frame)) for name in addresses(each)]
    assert sorted(named) == sorted(set(named))


def test_only_what_is_meant_to_be_public_is(frame: Frame) -> None:
    found = {
        name
        for each in flat(routes_of(frame))
        for name in addresses(each)
        if any(is_public(rule) for rule in rules(each))
    }
    assert found == PUBLIC


def test_nobody_unknown_gets_past_any_other_route(frame: Frame) -> None:
    nobody = Caller(frame)
    let_in = []
    for each in flat(routes_of(frame)):
        for name in set(addresses(each)) - PUBLIC:
            method, _, path = name.partition(" ")
            answer = nobody.send(method, re.sub(r"\{\w+(:\w+)?\}", "x", path), headers=_typed(method))
            is_asked_to_sign_in = answer.headers.get("location", "").startswith("/sign-in")
            if answer.status_code != 401 and not is_asked_to_sign_in:
                let_in.append((name, answer.status_code))
    assert let_in == []


def _typed(method: str) -> dict[str, str]:
    return {"Content-Type": "application/json"} if method in ("POST", "PUT") else {}


def test_beside_the_routes_there_is_the_health_alone(frame: Frame) -> None:
    assert set(frame._health) == {"/health/live", "/health/ready", "/metrics"}
    stranger = Caller(frame, headers={"X-Forwarded-For": "203.0.113.9"})
    assert stranger.get("/health/live").status_code == 200
    assert stranger.get("/metrics").status_code == 401
