"""Routes of the API: bodies read exactly, whatever is raised answered as a problem, addresses found at once."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable
from decimal import Decimal
from functools import cache
from threading import RLock
from typing import Any

import orjson
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Cookie, Header
from fastapi.params import Path as InPath
from fastapi.routing import APIRoute
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.datastructures import URLPath
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, NoMatchFound, compile_path
from starlette.types import Receive, Scope, Send

from hansang.errors import HansangError, InvalidInput
from hansang.surfaces.api.faults import Asked, invalid, misfit, problem_of
from hansang.surfaces.api.problems import Problem, answer
from hansang.surfaces.api.rules import rule_of
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.problems import problem_of as http_problem_of
from hansang.surfaces.http.public import for_everyone
from hansang.surfaces.labels import Labels
from hansang.surfaces.wording import Wording, kit

log = logging.getLogger("hansang.api")

_SERVER = 500
_QUICK = 64 * 1024  # What takes longer to read than this is read beside the other requests.
_FARTHEST = 130  # The exponents that DynamoDB takes, and no more.

Answering = Callable[[Request], Coroutine[Any, Any, Response]]


class ExactRequest(Request):
    """A request whose JSON keeps its numbers as they are written: what has a point is a Decimal."""

    async def json(self) -> Any:
        """The body, or a JSONDecodeError that says where it goes wrong."""
        body = await self.body()
        return exact_json(body) if len(body) <= _QUICK else await run_in_threadpool(exact_json, body)


def exact_json(body: bytes) -> Any:
    """The value of a JSON text; what is not UTF-8, has half a character or is nested too deep is no JSON."""
    try:
        orjson.loads(body)
        return json.loads(body, parse_float=_decimal)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as fault:
        raise json.JSONDecodeError(str(fault), "", 0) from fault


def _decimal(text: str) -> Decimal:
    """A number with a point; one that no table can hold is none, and would take long to work with."""
    number = Decimal(text)
    if number and not -_FARTHEST <= number.adjusted() <= _FARTHEST:
        raise ValueError(f"the exponent of {text[:20]} is out of range")
    return number


Endpoint = Callable[..., Any]
_compiled = cache(compile_path)  # Reading, replacing and deleting have one address.


class ApiRoute(APIRoute):
    """A route whose errors are answered as problems, in the caller's language.

    There are hundreds, and a process is asked for some: the endpoint, and what FastAPI makes of it, are made when
    they are wanted. `make` gives the endpoint, and what is known of the route only then.
    """

    def __init__(self, path: str, make: Callable[[], tuple[Endpoint, dict[str, Any]]], **how: Any) -> None:
        self.path, self.name = path, how["name"]
        self.methods, self.tags = set(how["methods"]), how["tags"]
        self.path_regex, self.path_format, self.param_convertors = _compiled(path)
        self._make: Callable[[], tuple[Endpoint, dict[str, Any]]] | None = make
        self._how, self._making = how, RLock()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with self._making:
            make, self._make = self._make, None
            if make is not None:
                endpoint, more = make()
                super().__init__(self.path, endpoint, **self._how | more)
        return object.__getattribute__(self, name)

    def get_route_handler(self) -> Answering:
        """What answers a request."""
        inner = super().get_route_handler()
        elsewhere = InPath, Header, Cookie
        read = get_flat_params(self.dependant)
        asked = frozenset(each.alias for each in read if not isinstance(each.field_info, elsewhere))

        async def answered(request: Request) -> Response:
            try:
                await self._expect_allowed(request)
                self._expect_json(request)
                _expect_once(request, asked)
                found = await inner(ExactRequest(request.scope, request.receive))
                if getattr(request.state, "is_guest", False):
                    found = for_everyone(request, found)
                return _bare(found) if request.method == "HEAD" else found
            except HTTPException:
                raise
            except Exception as error:
                return answer(request, _problem(request, error, self._asked(request)))

        return answered

    def _asked(self, request: Request) -> Asked:
        """Of what the values of a request are, by the name of the route: `assets.Income.create`."""
        area, _, rest = self.name.partition(".")
        model = None if self.body_field is None else self.body_field.field_info.annotation
        wording: Wording = getattr(request.app.state, "wording", None) or kit()
        return Asked(Labels(wording, area, language(request)), rest.partition(".")[0], model)

    async def _expect_allowed(self, request: Request) -> None:
        """Look at who asks before anything of a body is read; the framework would look at it afterwards."""
        rule = rule_of(self) if self.body_field is not None else None
        if rule is not None:
            await rule.check(request)

    def _expect_json(self, request: Request) -> None:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self.body_field is not None and kind != "application/json":
            raise Problem("not-json")


def _expect_once(request: Request, asked: Collection[str]) -> None:
    """Refuse a parameter that an address has twice: the last one would count, and nobody would know of the others."""
    given = Counter(name for name, _ in request.query_params.multi_items() if name in asked)
    twice = [{"type": "repeated", "loc": ("query", name)} for name, times in given.items() if times > 1]
    if twice:
        raise RequestValidationError(twice)


def _bare(response: Response) -> Response:
    """The answer to a HEAD; of a file nothing more is read, since none of it is sent."""
    if isinstance(response, StreamingResponse):
        response.body_iterator = iterate_in_threadpool(())
    return response


def _problem(request: Request, error: Exception, asked: Asked) -> Problem:
    if isinstance(error, RequestValidationError):
        return invalid(error.errors(), asked)
    if isinstance(error, InvalidInput) and error.found is not None:
        return misfit(error, asked, "query" if request.method in ("GET", "HEAD") else "body")
    found = error if isinstance(error, Problem) else Problem("internal")
    if isinstance(error, HansangError):
        found = problem_of(error)
    if found.kind.status >= _SERVER:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return found


class Routes(BaseRoute):
    """Many routes as one: an address without parameters is looked up, and 405 names every method."""

    def __init__(self, routes: Iterable[ApiRoute]) -> None:
        self.routes = list(routes)
        self._plain: dict[str, dict[str, ApiRoute]] = {}
        self._forms: dict[str, dict[str, ApiRoute]] = {}
        for route in self.routes:
            places = self._forms if route.param_convertors else self._plain
            places.setdefault(route.path, {}).update(dict.fromkeys(route.methods or {"GET"}, route))
        for methods in (*self._plain.values(), *self._forms.values()):
            if "GET" in methods:
                methods["HEAD"] = methods["GET"]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The route of an address, whatever the method; `handle` looks at that."""
        if scope["type"] != "http":
            return Match.NONE, {}
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        methods = self._plain.get(path) or self._formed(path)
        if methods is None:
            return Match.NONE, {}
        route = methods.get(scope["method"])
        if route is None:
            found = {"route": None, "allowed": methods, "endpoint": self.handle}
            return Match.FULL, {**found, "path_params": _values(next(iter(methods.values())), path)}
        return Match.FULL, {"route": route, "endpoint": route.endpoint, "path_params": _values(route, path)}

    def _formed(self, path: str) -> dict[str, ApiRoute] | None:
        for methods in self._forms.values():
            if next(iter(methods.values())).path_regex.match(path):
                return methods
        return None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route answer that was found."""
        route: ApiRoute | None = scope["route"]
        if route is None:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(scope["allowed"]))})
        await route.app(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """The address of the route of this name."""
        for route in self.routes:
            if route.name == name:
                return route.url_path_for(name, **path_params)
        raise NoMatchFound(name, path_params)


def _values(route: ApiRoute, path: str) -> dict[str, Any]:
    found = route.path_regex.match(path) if route.param_convertors else None
    if found is None:
        return {}
    return {name: route.param_convertors[name].convert(text) for name, text in found.groupdict().items()}


async def http_problem(request: Request, error: Exception) -> Response:
    """The answer to what the framework itself refuses."""
    assert isinstance(error, HTTPException)
    return answer(request, _http(error))


def _http(error: HTTPException) -> Problem:
    return Problem(http_problem_of(error.status_code).code, headers=error.headers)
