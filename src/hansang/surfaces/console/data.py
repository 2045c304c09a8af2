"""The data pages: which tables there are, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import SIGNS, Found, Search, Sign, Source, browse, source, sources
from hansang.blueprint.explorer.cells import HIDDEN, cell, columns, kinds, masked
from hansang.blueprint.explorer.questions import PatternQuestion, questions
from hansang.blueprint.table_status import TableStatus, table_status
from hansang.design import Table
from hansang.design.shape import Shape
from hansang.design.visibility import has_secret
from hansang.errors import InvalidInput
from hansang.parts.write_rules import WrittenBy
from hansang.surfaces.addresses import item_path, table_path
from hansang.surfaces.console import data_forms, data_items, data_questions, data_references, data_repairs
from hansang.surfaces.console.data_paths import application_of, guard_of, meaning, question_path, table_of
from hansang.surfaces.console.frame import hues, readable
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute, allowed

LIMITS = (10, 25, 50, 100)
_LIMIT = 25


# ── all applications ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Shelf:
    """An application with what its tables hold."""

    application: Application
    title: str
    tables: list[TableStatus]
    patterns: int

    @property
    def href(self) -> str:
        return f"/data/{self.application.name}"

    def table_href(self, table: type[Table]) -> str:
        return table_path(self.application, table)


def overview(visit: Visit) -> Response:
    """Every application that may be read, with its tables."""
    shelves = [_shelf(visit, each) for each in readable(visit)]
    return visit.page("data/overview.html", shelves=shelves, hues=hues(visit))


def _shelf(visit: Visit, application: Application) -> Shelf:
    tables = [table_status(visit.shell.database, table) for table in application.tables]
    title = application.title.text(visit.language)
    return Shelf(application, title, tables, len(questions(application.tables)))


# ── one application ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One kind of item of a table, for the page of its application."""

    shape: Shape
    meaning: str
    new: str
    """Where one is created; empty if that is not done by hand, or not by whoever looks."""
    written_by: WrittenBy


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One access pattern, for the page of its application."""

    question: PatternQuestion
    meaning: str
    href: str


def application(visit: Visit) -> Response:
    """The tables, the kinds of items and the access patterns of one application."""
    found = application_of(visit)
    return visit.page(
        "data/application.html",
        shelf=_shelf(visit, found),
        entities={table: _entities(visit, found, table) for table in found.tables},
        questions=[_question_row(visit, found, each) for each in questions(found.tables)],
        about=lambda table: meaning(visit, found, table.__name__, table),
    )


def _entities(visit: Visit, application: Application, table: type[Table]) -> list[EntityRow]:
    return [_entity_row(visit, application, shape) for shape in table.shapes]


def _entity_row(visit: Visit, application: Application, shape: Shape) -> EntityRow:
    name = shape.cls.__name__
    rule = application.write_rule(shape.cls)
    is_open = visit.may(application.name, "write") and not has_secret(shape) and rule.creates
    new = f"{table_path(application, shape.table)}/new/{name}" if is_open else ""
    return EntityRow(shape, meaning(visit, application, name, shape.cls), new, rule.by)


def _question_row(visit: Visit, application: Application, each: PatternQuestion) -> QuestionRow:
    said = meaning(visit, application, each.label, each.pattern.function)
    return QuestionRow(each, said, question_path(application, each.label))


# ── one table ─────────────────────────────────────────────────────────────────────────────────────


def table(visit: Visit) -> Response:
    """One page of a table or an index."""
    application, found = table_of(visit)
    search = _search(visit, found)
    page, fault = _found(visit, search)
    guard = guard_of(visit, application)
    items = [] if page is None else guard.shown(found, page.items)
    seen = [masked(found, item, guard.role) for item in items]
    as_entities = visit.query("as") == "entities"
    return visit.page(
        "data/table.html",
        application=application,
        table=found,
        about=meaning(visit, application, found.__name__, found),
        search=search,
        sources=sources(found),
        signs=search.source.signs,
        page=page,
        items=seen,
        hidden=HIDDEN,
        fault=fault,
        as_entities=as_entities,
        columns=columns(search.source, seen),
        kinds=kinds(search.source, items, guard.role) if as_entities else [],
        cell=cell,
        limits=LIMITS,
        forms=_key_forms(search.source),
        news=[each for each in _entities(visit, application, found) if each.new],
        href=lambda item: item_path(application, found, item),
        labels=visit.labels(application.name),
    )


def _search(visit: Visit, table: type[Table]) -> Search:
    found = source(table, visit.query("index"))
    given = visit.query("sign")
    sign: Sign = given if given in SIGNS else "begins_with"
    sign = sign if sign in found.signs or not found.signs else found.signs[0]
    limit = visit.query("limit")
    return Search(
        found,
        visit.query("partition").strip(),
        visit.query("sort").strip(),
        sign,
        is_forward=visit.query("order") != "descending",
        limit=int(limit) if limit in map(str, LIMITS) else _LIMIT,
        cursor=visit.query("cursor") or None,
    )


def _found(visit: Visit, search: Search) -> tuple[Found | None, str]:
    """The page, or the attribute whose value is not of its type."""
    try:
        return browse(visit.shell.database, search), ""
    except InvalidInput as fault:
        return None, fault.field or "?"


def _key_forms(source: Source) -> dict[str, list[str]]:
    """How the keys of a table or an index begin, offered while they are typed."""
    return {name: sorted(set(_beginnings(source, name))) for name in (source.pk, source.sk) if name}


def _beginnings(source: Source, attribute: str) -> list[str]:
    table = source.table
    if attribute == table.type_attribute:
        return [shape.type_name for shape in table.shapes if shape.type_name]
    templates: list[Any] = [
        {table.pk: shape.pk, table.sk: shape.sk}.get(attribute, shape.composed.get(attribute))
        for shape in table.shapes
    ]
    return [each.prefix for each in templates if each is not None and each.prefix]


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data", overview, SIGNED_IN),
    PageRoute("/data/{app}", application, allowed("{app}", "read")),
    PageRoute("/data/{app}/tables/{table}", table, allowed("{app}", "read")),
    *data_questions.PAGES,
    *data_items.PAGES,
    *data_forms.PAGES,
    *data_references.PAGES,
    *data_repairs.PAGES,
)
