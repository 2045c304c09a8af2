"""Endpoints whose parameters are known only when the routes are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.params import Body as InBody
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from hansang.design.codec import optional
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Rule

JSON = "application/json"
_CHECKED = "checked"


def route(
    method: str,
    path: str,
    answer: Callable[..., Response],
    *,
    name: str,
    tag: str,
    answers: Any = None,
    status: int = 200,
    takes: dict[str, Any],
    rule: Rule | None = None,
    extra: dict[str, Any] | None = None,
    is_listed: bool = True,
) -> ApiRoute:
    """A route that is answered by a function; `takes` are its parameters, `name` is `area.what.verb`.

    Its rule is given here, or is in what it takes as whoever asks. `extra` goes into the OpenAPI document,
    where `x-words` are its summary in both languages, `x-entity` is the entity that it is about, and `x-problems` are
    the statuses that it may fail with.
    """

    def endpoint(**values: Any) -> Response:
        return answer(**{name: value for name, value in values.items() if name != _CHECKED})

    parameters = [_parameter(each, annotation) for each, annotation in (takes | _checks(takes)).items()]
    endpoint.__signature__ = Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
    endpoint.__name__ = name.rpartition(".")[2]
    endpoint.__doc__ = answer.__doc__
    return ApiRoute(
        path,
        endpoint,
        name=name,
        methods=[method],
        status_code=status,
        response_model=answers,
        tags=[tag],
        operation_id=name,
        dependencies=[] if rule is None else [Depends(rule)],
        openapi_extra=extra,
        include_in_schema=is_listed,
    )


@dataclass(frozen=True)
class Group:
    """Routes of one subject, whose addresses and names begin alike: /api/platform/keys and platform.keys."""

    path: str
    name: str
    takes: dict[str, Any] = field(default_factory=dict)
    """What all of them take."""

    def route(
        self,
        method: str,
        path: str,
        answer: Callable[..., Response],
        answers: Any,
        takes: dict[str, Any],
        status: int = 200,
        extra: dict[str, Any] | None = None,
    ) -> ApiRoute:
        """One of them, under the name of the function that answers it."""
        return route(
            method,
            f"{self.path}{path}",
            answer,
            name=f"{self.name}.{answer.__name__}",
            tag=self.name.partition(".")[0],
            answers=answers,
            status=status,
            takes=self.takes | takes,
            extra=extra,
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


def asking(rule: Rule) -> Any:
    """The parameter that is whoever asks, if the rule lets that one in."""
    return Annotated[Principal, Depends(rule)]


def actor_of(principal: Principal) -> Actor:
    """Whoever asks, as the history names it."""
    return Actor(principal.kind, principal.name, principal.shown)


def answered(shown: BaseModel, status: int = 200, **headers: str) -> Response:
    """A model as the answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(shown.model_dump_json(), status, named, JSON)
