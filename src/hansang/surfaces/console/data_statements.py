"""What becomes of a PartiQL statement by hand: its plan, its answers or what it would change, or why it is refused."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial

import orjson

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.cells import HIDDEN, columns, masked
from hansang.blueprint.explorer.statement_reading import picked, select_page
from hansang.blueprint.explorer.statements import (
    StatementChange,
    StatementPlan,
    change_of,
    expect_open,
    key_written,
    names_hidden,
    parameters_in,
    planned,
    write_cost,
)
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
    TooLarge,
    WireError,
)
from hansang.surfaces.addresses import item_path
from hansang.surfaces.console.data_forms import editable
from hansang.surfaces.console.data_items import seen_tag
from hansang.surfaces.console.data_paths import guard_of
from hansang.surfaces.console.data_selection import expect_no_secret
from hansang.surfaces.console.differences import Difference, differences
from hansang.surfaces.console.pages import Visit

LIMITS = (10, 25, 50, 100)
_LIMIT = 25
_LONGEST_SEEN = 100_000
"""Bytes of an item that go with the form, to be shown again if it has changed meanwhile."""


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One answer: the columns that were asked for, and the page of its item."""

    item: Item
    href: str


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """One page of answers, as whoever looks sees them, and what it cost."""

    items: list[StatementRow]
    cursor: str | None
    offset: int
    columns: list[str]
    read_units: float
    is_partial: bool
    """Whether the cost leaves out what whoever looks does not see."""


@dataclass(frozen=True, slots=True)
class StatementPreview:
    """What a statement would change, and why it would not."""

    change: StatementChange
    tag: str
    """The tag of the whole item; empty if there is none."""
    differences: list[Difference]
    etag: str
    """The tag of the item as it was seen; empty if there is none."""
    write_units: float
    is_partial: bool
    """Whether the cost leaves out what whoever looks does not see."""
    nothing: str = ""
    """The key of the words for why nothing would happen."""
    refused: str = ""
    href: str = ""
    seen: str = ""
    """The item as it was seen, as JSON, to be compared with later; empty if there is none or it is long."""

    @property
    def is_open(self) -> bool:
        """Whether it can be run."""
        return not self.nothing and not self.refused


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
    plan: StatementPlan | None = None
    try:
        plan = planned(
            visit.shell.database,
            application.name,
            application.tables,
            sheet.text,
            parameters_in(sheet.parameters),
        )
        planned_sheet = dataclasses.replace(sheet, plan=plan)
        if plan.reads:
            expect_open(plan, visit.role(application.name))
            return dataclasses.replace(planned_sheet, answer=_answer(visit, application, plan, sheet))
        if not visit.may(application.name, "write"):
            return dataclasses.replace(planned_sheet, fault=visit.t("partiql.needs_editor"), status=403)
        return dataclasses.replace(planned_sheet, preview=_preview(visit, application, plan))
    except (WireError, Refused) as refusal:
        return dataclasses.replace(
            sheet,
            plan=plan,
            aws=_aws_words(refusal),
            status=422,
        )
    except (InvalidCursor, InvalidInput, NotAllowed, NotFound) as refusal:
        status = 403 if isinstance(refusal, NotAllowed) else 422
        return dataclasses.replace(sheet, fault=_said(visit, refusal), status=status)


def _aws_words(refusal: WireError | Refused) -> str:
    return refusal.detail if isinstance(refusal, Refused) else refusal.message or refusal.code


def _said(visit: Visit, refusal: HansangError) -> str:
    if isinstance(refusal, ApplicationOnly):
        return f"{visit.t('partiql.application_only')} {refusal.instead[visit.language]}"
    return visit.worded(str(refusal), refusal.code, refusal.values)


def _answer(
    visit: Visit, application: Application, plan: StatementPlan, sheet: StatementSheet
) -> StatementAnswer:
    database, guard = visit.shell.database, guard_of(visit, application)
    subject = f"partiql {plan.text} {plan.parameters}"
    token, passed, offset = database.unsealed(subject, sheet.cursor) if sheet.cursor else (None, 0, 0)
    is_partial = not guard.sees_all_of(plan.table)
    sight = partial(guard.seen, plan.table) if is_partial or names_hidden(plan, guard.role) else None
    page = select_page(database, plan, sheet.limit, token, passed, sight)
    rows = [
        StatementRow(
            picked(plan, masked(plan.table, each, guard.role)), item_path(application, plan.table, each)
        )
        for each in page.items
    ]
    following = (
        None
        if page.token is None
        else database.sealed(subject, [page.token, page.passed, offset + len(rows)])
    )
    named = columns(Source(plan.table, plan.index), [row.item for row in rows])
    return StatementAnswer(rows, following, offset, named, page.read_units, is_partial)


def limit_of(given: str) -> int:
    """How many answers a page has, of the choices that there are."""
    return int(given) if given in map(str, LIMITS) else _LIMIT


def _preview(visit: Visit, application: Application, plan: StatementPlan) -> StatementPreview:
    """What would change, by the rules of every other change by hand; nothing is done yet."""
    table, guard = plan.table, guard_of(visit, application)
    key = key_written(plan)
    guard.expect_item_shown(table, key)
    found = visit.shell.editing.find_item(table, key)
    before, tag = found if found is not None else (None, "")
    if before is not None:
        guard.expect_item_shown(table, before)
    expect_open(plan, guard.role, key if before is None else before)
    change = change_of(plan, before)
    preview = StatementPreview(
        change,
        tag,
        _compared(visit, application, plan, change, before),
        "" if before is None else seen_tag(visit, application, table, before, tag),
        0.0,
        is_partial=before is not None and visible(table, before, guard.role) != before,
        href="" if before is None else item_path(application, table, key),
        seen=_seen_text(table, before, guard.role),
    )
    if not change.matches:
        said = "exists" if plan.statement.verb == "INSERT" else "missing" if before is None else "unmatched"
        return dataclasses.replace(preview, nothing=f"partiql.nothing.{said}")
    try:
        after = _rehearsed(visit, application, plan, change)
    except (InvalidInput, NotAllowed, TooLarge) as refusal:
        shown = _compared(visit, application, plan, change, change.after)
        return dataclasses.replace(preview, differences=shown, refused=_said(visit, refusal))
    sides = (None if each is None else visible(table, each, guard.role) for each in (before, after))
    return dataclasses.replace(
        preview,
        differences=_compared(visit, application, plan, change, after),
        write_units=0.0 if after == before else write_cost(table, *sides),
        nothing="partiql.nothing.same" if after == before else "",
    )


def _seen_text(table: type[Table], item: Item | None, role: Role | None) -> str:
    text = "" if item is None else orjson.dumps(visible(table, item, role)).decode()
    return text if len(text.encode()) <= _LONGEST_SEEN else ""


def _rehearsed(
    visit: Visit, application: Application, plan: StatementPlan, change: StatementChange
) -> Item | None:
    """What would be stored, if that may be written by hand."""
    table, before, after = plan.table, change.before, change.after
    for side in (before, after):
        if side is not None:
            expect_no_secret(table, side)
            guard_of(visit, application).expect_item_shown(table, side)
    if before is not None and after is not None:
        editable(visit, application, table, before)
    return visit.shell.editing.rehearse_item(table, before, after)


def _compared(
    visit: Visit, application: Application, plan: StatementPlan, change: StatementChange, after: Item | None
) -> list[Difference]:
    """Both sides of the item as whoever looks sees them."""
    role = visit.role(application.name)
    sides = [each for each in (change.before, after) if each is not None]
    hidden = {
        name
        for each in sides
        for name, value in masked(plan.table, each, role).items()
        if value == {"S": HIDDEN}
    }
    return differences(change.before, after, hidden)
