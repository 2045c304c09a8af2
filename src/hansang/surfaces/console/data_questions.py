"""The page on which an access pattern is asked: a form, its answers, the request, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.capacity import Line
from hansang.blueprint.explorer import request_texts
from hansang.blueprint.explorer.cells import HIDDEN, field_texts, fields_in_order
from hansang.blueprint.explorer.offers import Offer, offers
from hansang.blueprint.explorer.questions import (
    FilledQuestion,
    PatternQuestion,
    ask,
    expected_cost,
    question,
    ranked_by,
)
from hansang.blueprint.prices import prices, regions
from hansang.design import Page, Query
from hansang.design.requests import key_of
from hansang.design.shape import Shape
from hansang.errors import InvalidCursor
from hansang.parts.permissions import Role
from hansang.surfaces.addresses import item_path
from hansang.surfaces.console.data_paths import application_of, argument, guard_of, meaning, question_path
from hansang.surfaces.console.data_references import offered_references
from hansang.surfaces.console.form_texts import FormTexts
from hansang.surfaces.console.money import money
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.http.export_formats import FORMATS, ExportFormat
from hansang.surfaces.naming import NamedItem
from hansang.surfaces.seen_costs import SeenCost, seen_cost

LIMITS = (10, 20, 50, 100)
_LIMIT, _PER_DAY = 20, 10_000
_MOST_PER_DAY = 10**9
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class FoundItem:
    """One thing that was found, with the page on which it stands."""

    texts: dict[str, str]
    href: str
    rank: int = 0
    """How many answers are before it, and one; those that are equal share the rank of the first."""
    is_rank_known: bool = True
    """Whether no answer of the page before may be equal to it."""


@dataclass(frozen=True, slots=True)
class FoundKind:
    """What was found of one kind."""

    name: str
    fields: tuple[str, ...]
    rows: list[FoundItem]


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """What asking led to: answers and their cost, or why there are none."""

    groups: list[FoundKind]
    page: Page[Any] | None
    cost: SeenCost
    failure: str = ""
    """The key of the words for what went wrong."""
    unreadable: list[NamedItem] = field(default_factory=list)
    """What stands among the answers and cannot be read."""
    is_ranking: bool = False
    """Whether the answers come from the largest number to the smallest, so that each has a rank."""


@dataclass(frozen=True, slots=True)
class QuestionCost:
    """What this question costs, once and in a month."""

    read_units: float
    per_day: int
    monthly: Decimal
    region: str
    currency: str
    as_of: str
    expected: Line | None
    """What the design says it costs for the usual number of answers."""


def ask_question(visit: Visit) -> Response:
    """The form of an access pattern, and its answers once it is filled in."""
    application = application_of(visit)
    found = question(application.tables, visit.param("label"))
    texts = {each.name: visit.query(argument(each.name), each.default) for each in found.fields}
    is_asked = not found.fields or any(
        argument(each.name) in visit.request.query_params for each in found.fields
    )
    asked = ask(found, texts) if is_asked else FilledQuestion(None, {}, {})
    guard_of(visit, application).expect_shown([found.shape] if asked.query is None else asked.query.shapes)
    run = None if asked.query is None else _run(visit, application, asked.query)
    words = FormTexts(visit.labels(application.name), found.shape.cls.__name__, found.shape.cls)
    return visit.page(
        "data/question.html",
        application=application,
        question=found,
        words=words,
        offered=offered_references(visit, application, [each for each in found.fields if each.references]),
        wrong=words.summary(found.fields, asked.faults, texts),
        about=meaning(visit, application, found.label, found.pattern.function),
        texts=texts,
        asked=asked,
        run=run,
        hidden=HIDDEN,
        limits=LIMITS,
        limit=_limit(visit),
        regions=regions(),
        cost=_cost(visit, application, found, run),
        requests=_requests(visit, asked.query),
        exports=_exports(application, found, texts),
        offers=[] if run is not None else _offered(visit, application, found),
        argument=argument,
        money=money,
    )


def _offered(visit: Visit, application: Application, found: PatternQuestion) -> list[tuple[Offer, str]]:
    """Values to begin with, each with the page that they lead to; looking for them costs units itself."""
    role = visit.role(application.name)
    return [
        (each, question_path(application, found.label, each.texts))
        for each in offers(visit.shell.database, application.tables, found, role)
    ]


# ── answers ───────────────────────────────────────────────────────────────────────────────────────


def _run(visit: Visit, application: Application, query: Query[Any]) -> QuestionRun:
    database, cursor = visit.shell.database, visit.query("cursor") or None
    with database.meter() as cost:
        try:
            page = database.page(query, _limit(visit), cursor)
        except InvalidCursor:
            return QuestionRun([], None, SeenCost(cost.read, cost.write, is_partial=False), "data.run.cursor")
    seen = seen_cost(guard_of(visit, application), query, page.items, cost)
    named = visit.named(page.unreadable)
    groups, score = _groups(visit, application, page), ranked_by(query)
    if score is None or len(groups) != 1:
        return QuestionRun(groups, page, seen, unreadable=named)
    ranked = replace(groups[0], rows=_ranked(groups[0].rows, page, score))
    return QuestionRun([ranked], page, seen, unreadable=named, is_ranking=True)


def _groups(visit: Visit, application: Application, page: Page[Any]) -> list[FoundKind]:
    grouped: dict[type[Any], list[Any]] = {}
    for each in page.items:
        grouped.setdefault(type(each), []).append(each)
    role = visit.role(application.name)
    return [_answers(application, kind.__shape__, found, role) for kind, found in grouped.items()]


def _answers(application: Application, shape: Shape, found: Sequence[Any], role: Role | None) -> FoundKind:
    rows = [
        FoundItem(field_texts(shape, each, role), item_path(application, shape.table, key_of(each)))
        for each in found
    ]
    return FoundKind(shape.cls.__name__, fields_in_order(shape), rows)


def _ranked(rows: Sequence[FoundItem], page: Page[Any], score: str) -> list[FoundItem]:
    """The answers with their ranks; the first of a page may be equal to the last of the one before."""
    first: dict[Any, int] = {}
    for place, each in enumerate(page.items, page.offset + 1):
        first.setdefault(getattr(each, score), place)
    ranks = [first[getattr(each, score)] for each in page.items]
    return [
        replace(row, rank=rank, is_rank_known=rank == 1 or rank > page.offset + 1)
        for row, rank in zip(rows, ranks, strict=True)
    ]


def _limit(visit: Visit) -> int:
    given = visit.query("limit")
    return int(given) if given in map(str, LIMITS) else _LIMIT


def _exports(
    application: Application, found: PatternQuestion, texts: dict[str, str]
) -> list[tuple[ExportFormat, str]]:
    """The formats in which the API streams every answer, and where."""
    given = {name: text for name, text in texts.items() if text}
    path = f"/api/{application.name}/patterns/{found.label}"
    return [(FORMATS[each], f"{path}?{urlencode({**given, 'format': each})}") for each in sorted(FORMATS)]


# ── the request and its cost ──────────────────────────────────────────────────────────────────────


def _requests(visit: Visit, query: Query[Any] | None) -> dict[str, str]:
    """The request in the forms in which it can be sent, by their names."""
    if query is None:
        return {}
    request = {**query.request(visit.shell.database.name(query.table)), "Limit": _limit(visit)}
    region = _region(visit)
    return {
        "JSON": request_texts.as_json(request),
        "boto3": request_texts.as_boto3("Query", request, region),
        "AWS CLI": request_texts.as_command("Query", request, region),
    }


def _region(visit: Visit) -> str:
    wanted, known = visit.query("region") or visit.shell.settings.region, regions()
    return wanted if wanted in known else known[0]


def _per_day(visit: Visit) -> int:
    given = visit.query("per_day")
    is_number = given.isascii() and given.isdecimal() and len(given) <= len(str(_MOST_PER_DAY))
    return min(int(given), _MOST_PER_DAY) if is_number else _PER_DAY


def _cost(
    visit: Visit, application: Application, found: PatternQuestion, run: QuestionRun | None
) -> QuestionCost:
    expected = expected_cost(application.tables, found.label)
    measured = run.cost.read if run is not None and run.page is not None else None
    read = measured if measured is not None else expected.read if expected is not None else 0.0
    price, per_day = prices(_region(visit)), _per_day(visit)
    monthly = price.monthly(read, 0, per_day / _SECONDS_A_DAY)
    return QuestionCost(read, per_day, monthly, price.region, price.currency, price.as_of, expected)


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/patterns/{label}", ask_question, allowed("{app}", "read")),
)
