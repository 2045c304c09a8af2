"""Endpoints: a route takes what the method that answers says in its own signature."""

from __future__ import annotations

import inspect
from typing import Annotated

import pytest
from fastapi import FastAPI
from fastapi import Path as InPath
from fastapi import Query as InAddress
from starlette.responses import Response

from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import JSON, RouteGroup
from hansang.surfaces.api.parameters import Paged
from hansang.surfaces.api.routes import Routes
from hansang.surfaces.api.rules import Gate, Public, rule_of
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import new_key

Word = Annotated[str, InPath(max_length=5)]


def told(word: Word, asked: Annotated[Paged, InAddress()]) -> Response:
    """A word and a limit."""
    return Response(f'"{word} {asked.limit}"', media_type=JSON)


async def late(word: Word) -> Response:
    """A word, a moment later."""
    return Response(f'"{word}"', media_type=JSON)


def mine(principal: Principal) -> Response:
    """Who asks."""
    return Response(f'"{principal.kind}"', media_type=JSON)


@pytest.fixture
def app(shell: Shell) -> FastAPI:
    group, gate = RouteGroup("/api/x", "x", Public()), Gate(shell)
    routes = [
        group.route("GET", "/told/{word}", told),
        group.route("GET", "/late/{word}", late),
        group.route("GET", "/mine", mine, rule=gate.known()),
    ]
    found = FastAPI(openapi_url=None)
    found.router.routes.append(Routes(routes))
    return found


def test_parameters_are_those_of_the_signature(app: FastAPI) -> None:
    assert Caller(app).get("/api/x/told/abc?limit=7").json() == "abc 7"
    assert Caller(app).get("/api/x/late/abc").json() == "abc"


def test_whoever_asks_is_who_the_rule_lets_in(app: FastAPI, shell: Shell) -> None:
    assert Caller(app, new_key(shell, "news:read")).get("/api/x/mine").json() == "key"


def test_a_route_without_whoever_asks_carries_its_rule_too(shell: Shell) -> None:
    rule = Gate(shell).allow("news", "read")
    group = RouteGroup("/api/x", "x", rule)
    assert rule_of(group.route("GET", "/told/{word}", told)) == rule
    assert rule_of(group.route("GET", "/mine", mine)) == rule


def test_an_endpoint_is_named_and_explained_by_its_function() -> None:
    made = RouteGroup("/api/x", "x.words", Public()).route("GET", "/{word}", told)
    assert (made.name, made.path, made.tags) == ("x.words.told", "/api/x/{word}", ["x"])
    assert inspect.getdoc(made.endpoint) == "A word and a limit."
