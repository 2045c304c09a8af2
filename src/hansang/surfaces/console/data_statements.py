"""What becomes of a PartiQL statement by hand: its plan, its answers or what it would change, or why it is refused."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import orjson

from hansang.apps.application import Application
from hansang.blueprint.explorer.statements import StatementPlan, parameters_in
from hansang.design import Table
from hansang.design.marks import Role
from hansang.design.shape import Item
from hansang.design.visibility import visible
from hansang.errors import (
    ApplicationOnly,
    HansangError,
    InvalidCursor,
    InvalidInput,
    NotAllowed,
    NotFound,
    Refused,
    WireError,
)
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.differences import Difference
from hansang.surfaces.statements import HandStatements, StatementAnswer, StatementPreview

LIMITS = (10, 25, 50, 100)
_LIMIT = 25
_LONGEST_SEEN = 100_000
"""Bytes of an item that go with the form, to be shown again if it has changed meanwhile."""


@dataclass(frozen=True, slots=True)
class StatementSheet:
    """What was typed, and what became of it."""

    text: str
    parameters: str
    limit: int = _LIMIT
    cursor: str = ""
    is_long: bool = False
    """Whether it is too long for an address, and so is asked by a form each time."""
    plan: StatementPlan | None = None
    answer: StatementAnswer | None = None
    preview: StatementPreview | None = None
    differences: list[Difference] = dataclasses.field(default_factory=list)
    """What it would change, attribute by attribute."""
    refused: str = ""
    """Why that is not written by hand, in words."""
    seen: str = ""
    """The item as it was seen, as JSON, to be compared with later; empty if there is none or it is long."""
    fault: str = ""
    """Why the statement is refused, in words."""
    aws: str = ""
    """The same in DynamoDB's own words."""
    is_late: bool = False
    """Whether the item has changed since it was looked at."""
    meanwhile: list[Difference] = dataclasses.field(default_factory=list)
    """What of the item has changed since: as it was seen, and as it is now."""
    status: int = 200


def worked_out(visit: Visit, application: Application, sheet: StatementSheet) -> StatementSheet:
    """The sheet with the plan, and the answer or the preview; or why there is none."""
    if not sheet.text.strip():
        return sheet
    statements = statements_of(visit, application)
    plan: StatementPlan | None = None
    try:
        plan = statements.plan(sheet.text, parameters_in(sheet.parameters))
        planned_sheet = dataclasses.replace(sheet, plan=plan)
        if plan.reads:
            answer = statements.answer(plan, sheet.limit, sheet.cursor)
            return dataclasses.replace(planned_sheet, answer=answer)
        if not visit.may(application.name, "write"):
            return dataclasses.replace(planned_sheet, fault=visit.t("partiql.needs_editor"), status=403)
        return _previewed(visit, application, planned_sheet, plan, statements.preview(plan))
    except (WireError, Refused) as refusal:
        return dataclasses.replace(sheet, plan=plan, aws=_aws_words(refusal), status=422)
    except (InvalidCursor, InvalidInput, NotAllowed, NotFound) as refusal:
        status = 403 if isinstance(refusal, NotAllowed) else 422
        return dataclasses.replace(sheet, fault=said(visit, refusal), status=status)


def statements_of(visit: Visit, application: Application) -> HandStatements:
    """PartiQL on an application's tables for whoever looks."""
    return HandStatements(visit.shell, application, visit.role(application.name))


def limit_of(given: str) -> int:
    """How many answers a page has, of the choices that there are."""
    return int(given) if given in map(str, LIMITS) else _LIMIT


def said(visit: Visit, refusal: HansangError) -> str:
    """Why something is refused, in the language of whoever looks."""
    if isinstance(refusal, ApplicationOnly):
        return f"{visit.t('partiql.application_only')} {refusal.instead[visit.language]}"
    return visit.worded(str(refusal), refusal.code, refusal.values)


def _aws_words(refusal: WireError | Refused) -> str:
    return refusal.detail if isinstance(refusal, Refused) else refusal.message or refusal.code


def _previewed(
    visit: Visit,
    application: Application,
    sheet: StatementSheet,
    plan: StatementPlan,
    preview: StatementPreview,
) -> StatementSheet:
    """The sheet with both sides of the item as whoever looks sees them."""
    role, before = visit.role(application.name), preview.change.before
    return dataclasses.replace(
        sheet,
        preview=preview,
        refused="" if preview.refused is None else said(visit, preview.refused),
        differences=statements_of(visit, application).differences(plan, preview),
        seen=_seen_text(plan.table, before, role),
    )


def _seen_text(table: type[Table], item: Item | None, role: Role | None) -> str:
    text = "" if item is None else orjson.dumps(visible(table, item, role)).decode()
    return text if len(text.encode()) <= _LONGEST_SEEN else ""
