"""The data pages: which tables there are, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.questions import PatternQuestion, questions
from hansang.blueprint.table_status import TableStatus, table_status
from hansang.design import Table
from hansang.design.visibility import hidden_keys
from hansang.surfaces.addresses import table_path
from hansang.surfaces.console import (
    data_forms,
    data_items,
    data_json,
    data_partiql,
    data_questions,
    data_references,
    data_repairs,
    data_saved,
    data_selection,
    data_tables,
)
from hansang.surfaces.console.data_paths import (
    TablePlace,
    application_of,
    copies_at,
    meaning,
    question_path,
)
from hansang.surfaces.console.data_saved import saved_rows
from hansang.surfaces.console.entity_rows import entity_rows
from hansang.surfaces.console.frame import hues, readable
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute, allowed

# ── all applications ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table of a further copy, with the page on which it is browsed."""

    status: TableStatus
    href: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """An application with what its tables hold."""

    application: Application
    title: str
    tables: list[TableStatus]
    patterns: int
    copies: list[CopiedTable]
    """The same tables of further copies, such as those of a game's other boards."""

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
    copies = [
        CopiedTable(table_status(database, table), table_path(application, table, copy))
        for copy, database in copies_at(visit, application).items()
        for table in application.tables
    ]
    title = application.title.text(visit.language)
    return Shelf(application, title, tables, len(questions(application.tables)), copies)


# ── one application ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One access pattern, for the page of its application."""

    question: PatternQuestion
    meaning: str
    href: str


def application(visit: Visit) -> Response:
    """The tables, the kinds of items and the access patterns of one application."""
    found = application_of(visit)
    shelf, exactly = _shelf(visit, found), visit.query("count") == "exact"
    counted = {each.table: visit.console.counting.of(each, exactly=exactly) for each in shelf.tables}
    saved, unreadable = saved_rows(visit, found)
    return visit.page(
        "data/application.html",
        shelf=shelf,
        counted=counted,
        entities={
            each.table: entity_rows(
                visit, TablePlace(found, each.table, visit.shell.database), counted[each.table]
            )
            for each in shelf.tables
        },
        saved=saved,
        unreadable=unreadable,
        questions=[_question_row(visit, found, each) for each in questions(found.tables)],
        about=lambda table: meaning(visit, found, table.__name__, table),
        unseen=lambda index, table: hidden_keys(index, table, visit.role(found.name)),
    )


def _question_row(visit: Visit, application: Application, each: PatternQuestion) -> QuestionRow:
    said = meaning(visit, application, each.label, each.pattern.function)
    return QuestionRow(each, said, question_path(application, each.label))


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data", overview, SIGNED_IN),
    PageRoute("/data/{app}", application, allowed("{app}", "read")),
    *data_tables.PAGES,
    *data_selection.PAGES,
    *data_saved.PAGES,
    *data_json.PAGES,
    *data_partiql.PAGES,
    *data_questions.PAGES,
    *data_items.PAGES,
    *data_forms.PAGES,
    *data_references.PAGES,
    *data_repairs.PAGES,
)
