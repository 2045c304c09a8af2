"""Access patterns as routes: their parameters in the address, their answers page by page or as a file."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

import orjson
from fastapi import Query as InAddress
from pydantic import BaseModel, Field, create_model
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.arguments import refused_argument
from hansang.blueprint.subject import AskedPattern
from hansang.design import Page, Query
from hansang.design.entity import Model
from hansang.errors import DesignError, HansangError, InvalidInput
from hansang.parts.permissions import Principal, Role
from hansang.parts.words import Words
from hansang.surfaces.api.answers import answer_model
from hansang.surfaces.api.endpoints import JSON, route
from hansang.surfaces.api.exports import chosen, export
from hansang.surfaces.api.lists import most
from hansang.surfaces.api.parameters import PAGE, PatternParameters, expect_free_names, question
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Allow
from hansang.surfaces.api.unreadable import ListPage, unreadable_shown, walked_with
from hansang.surfaces.api.writing import items_json
from hansang.surfaces.guards import Guard
from hansang.surfaces.naming import Naming
from hansang.surfaces.seen_costs import SeenCost, seen_cost
from hansang.surfaces.shell import Shell


class UnitsShown(BaseModel):
    """What an answer has cost in DynamoDB's units."""

    read_units: float
    write_units: float
    is_partial: bool


class PageOf(ListPage):
    """A page of answers."""

    offset: int
    cost: UnitsShown


def pattern_route(
    shell: Shell, application: Application, asked: AskedPattern, query: Query[Any], rule: Allow, about: Words
) -> ApiRoute:
    """The route of one access pattern; `query` is the question that it makes of sample values."""
    owner, kinds = asked.shape.cls, tuple(shape.cls for shape in query.shapes)
    make = getattr(owner, asked.pattern.label)

    def ask(request: Request, asked_for: PatternParameters, principal: Principal) -> Response:
        found, naming = _made(make, asked_for), Naming(shell, principal)
        role = principal.role(application.name)
        wanted = chosen(asked_for.format, request.headers.get("accept", ""))
        if wanted != PAGE:
            limit = most(asked_for)
            answers = walked_with(lambda tell: shell.database.each(found, limit, unreadable=tell))
            return export(answers, kinds, wanted, f"{application.name}-{asked.label}", naming, role)
        with shell.database.meter() as cost:
            page = shell.database.page(found, asked_for.limit, asked_for.cursor)
        seen = seen_cost(Guard.of(application, role), found, page.items, cost)
        return page_answer(page, kinds, seen, naming, role)

    expect_free_names(owner, asked.pattern)
    return route(
        "GET",
        f"/api/{application.name}/patterns/{asked.label}",
        ask,
        name=f"{application.name}.{asked.label}",
        tag=application.name,
        answers=page_model(asked.label, kinds),
        takes=lambda: {"asked_for": Annotated[question(owner, asked.pattern, asked.arguments), InAddress()]},
        rule=rule,
        extra={"x-words": asdict(about), "x-problems": [400]},
    )


def _made(make: Any, asked: PatternParameters) -> Query[Any]:
    try:
        query: Query[Any] = make(**asked.arguments())
    except InvalidInput as refusal:
        refusal.field = refused_argument(refusal, asked.arguments()) or refusal.field
        raise
    except HansangError:
        raise
    except ValueError as fault:
        raise InvalidInput(str(fault)) from fault
    return query


def page_answer(
    page: Page[Any],
    kinds: tuple[type[Model], ...],
    cost: SeenCost,
    naming: Naming,
    role: Role | None = None,
) -> Response:
    """A page as JSON, written without a detour, with what somebody with this role sees."""
    rest = {
        "unreadable": [each.model_dump() for each in unreadable_shown(naming, page.unreadable)],
        "cursor": page.cursor,
        "offset": page.offset,
        "cost": {"read_units": cost.read, "write_units": cost.write, "is_partial": cost.is_partial},
    }
    body = b'{"items":' + items_json(page.items, kinds, role) + b"," + orjson.dumps(rest)[1:]
    return Response(body, media_type=JSON)


# ── what the answers are, for the reference ───────────────────────────────────────────────────────


def page_model(label: str, kinds: tuple[type[Model], ...]) -> type[BaseModel]:
    """A page of these kinds, as a model."""
    return _page(kinds, kinds[0].__name__ if len(kinds) == 1 else _joined(label))


@cache
def _page(kinds: tuple[type[Model], ...], name: str) -> type[BaseModel]:
    item: Any = (
        answer_model(kinds[0])
        if len(kinds) == 1
        else Annotated[reduce(or_, map(_named, kinds)), Field(discriminator="kind")]
    )
    rest: dict[str, Any] = {each: (field.annotation, field) for each, field in PageOf.model_fields.items()}
    return create_model(f"{name}Page", __doc__="A page of answers.", items=(list[item], ...), **rest)


@cache
def _named(kind: type[Model]) -> Any:
    """The entity with its kind beside its fields."""
    if "kind" in kind.model_fields:
        raise DesignError(f"{kind.__name__} has a field kind, so it cannot be answered among other kinds.")
    fields: Any = {"kind": (Literal[kind.__name__], ...)}
    base = answer_model(kind)
    return create_model(f"{kind.__name__}Named", __base__=base, __doc__=kind.__doc__, **fields)


def _joined(label: str) -> str:
    """A label as the name of a model: Totals.with_everything is TotalsWithEverything."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[._]", label))
