"""Endpoints: their parameters are those of the method that answers, or are known only when the routes are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import Parameter, Signature, iscoroutinefunction, signature
from typing import Annotated, Any, get_args

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.params import Body as InBody
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from hansang.design.codec import optional
from hansang.parts.permissions import Principal
from hansang.surfaces.api.routes import ApiRoute, Endpoint
from hansang.surfaces.api.rules import Rule
from hansang.surfaces.http.threads import in_thread

JSON = "application/json"
_CHECKED = "checked"


Answering = Callable[..., Response] | Callable[..., Awaitable[Response]]


def route(
    method: str,
    path: str,
    answer: Answering,
    *,
    name: str,
    tag: str,
    rule: Rule,
    answers: Any = None,
    status: int = 200,
    takes: Callable[[], dict[str, Any]] = dict,
    extra: dict[str, Any] | None = None,
    is_listed: bool = True,
) -> ApiRoute:
    """A route that is answered by a function, which takes what its signature says; `name` is `area.what.verb`.

    A parameter that is a `Principal` is whoever asks, if the rule lets that one in. Those that a design decides
    are given by `takes` when the route is wanted. `extra` goes into the OpenAPI document, where `x-words` are its
    summary in both languages, `x-entity` is the entity that it is about, and `x-problems` the statuses that it may
    fail with; `x-files` are the types of a file that it answers with.
    """

    def make() -> tuple[Endpoint, dict[str, Any]]:
        found = _signature(answer) | takes()
        asks = [each for each, annotation in found.items() if annotation is Principal]
        found |= dict.fromkeys(asks, Annotated[Principal, Depends(rule)])
        endpoint: Any = _waiting(answer) if iscoroutinefunction(answer) else _plain(answer, method)
        parameters = [_parameter(each, annotation) for each, annotation in (found | _checks(found)).items()]
        endpoint.__signature__ = Signature(parameters, return_annotation=Response)
        endpoint.__name__ = name.rpartition(".")[2]
        endpoint.__doc__ = answer.__doc__
        return endpoint, {"dependencies": [] if asks else [Depends(rule)]}

    return ApiRoute(
        path,
        make,
        name=name,
        methods=[method],
        status_code=status,
        response_model=answers,
        tags=[tag],
        operation_id=name,
        openapi_extra=extra,
        include_in_schema=is_listed,
    )


def _plain(answer: Any, method: str) -> Callable[..., Awaitable[Response]]:
    async def endpoint(**values: Any) -> Response:
        values.pop(_CHECKED, None)
        found: Response = await in_thread(answer, method, **values)
        return found

    return endpoint


def _waiting(answer: Any) -> Callable[..., Awaitable[Response]]:
    async def endpoint(**values: Any) -> Response:
        values.pop(_CHECKED, None)
        found: Response = await answer(**values)
        return found

    return endpoint


def _signature(answer: Answering) -> dict[str, Any]:
    """What a function takes, by its own annotations."""
    return {each.name: each.annotation for each in signature(answer, eval_str=True).parameters.values()}


@dataclass(frozen=True)
class RouteGroup:
    """Routes of one subject, whose addresses and names begin alike: /api/platform/keys and platform.keys."""

    path: str
    name: str
    rule: Rule
    """Who may use them, where a route does not say otherwise."""
    is_listed: bool = True

    def route(
        self,
        method: str,
        path: str,
        answer: Answering,
        answers: Any = None,
        status: int = 200,
        *,
        rule: Rule | None = None,
        extra: dict[str, Any] | None = None,
    ) -> ApiRoute:
        """One of them, under the name of the function that answers it."""
        return route(
            method,
            f"{self.path}{path}",
            answer,
            name=f"{self.name}.{answer.__name__}",
            tag=self.name.partition(".")[0],
            rule=rule or self.rule,
            answers=answers,
            status=status,
            extra=extra,
            is_listed=self.is_listed,
        )


def _checks(takes: dict[str, Any]) -> dict[str, Any]:
    """What looks at the body once it is known who asks, if there is one."""
    bodies = [get_args(each)[0] for each in takes.values() if _is_body(each)]
    return {_CHECKED: Annotated[None, Depends(_exactly(bodies[0]))]} if bodies else {}


def _is_body(annotation: Any) -> bool:
    return any(isinstance(each, InBody) for each in get_args(annotation))


def _exactly(kind: type[BaseModel]) -> Callable[[Request], Awaitable[None]]:
    """Refuses a body whose values have other types in JSON: a number is no date, and true is no number."""

    async def check(request: Request) -> None:
        try:
            kind.__pydantic_validator__.validate_json(await request.body(), strict=True)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)
            raise RequestValidationError([each | {"loc": ("body", *each["loc"])} for each in found]) from None

    return check


def _parameter(name: str, annotation: Any) -> Parameter:
    """A parameter; one that may be None need not be given."""
    default = None if optional(next(iter(get_args(annotation)), None)) else Parameter.empty
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def answered(shown: BaseModel, status: int = 200, **headers: str) -> Response:
    """A model as the answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(shown.model_dump_json(), status, named, JSON)
