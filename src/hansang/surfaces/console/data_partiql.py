"""PartiQL on the data pages: a statement, its plan, its answer and its cost; what writes is looked at before it is run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.cells import HIDDEN, cell, columns, masked
from hansang.blueprint.explorer.statement_texts import select_item
from hansang.blueprint.explorer.statements import (
    StatementChange,
    StatementPlan,
    change_of,
    expect_open,
    key_written,
    parameters_in,
    picked,
    planned,
    select_page,
    write_cost,
)
from hansang.design.shape import Item
from hansang.errors import (
    AlreadyExists,
    ApplicationOnly,
    Conflict,
    HansangError,
    InvalidCursor,
    InvalidInput,
    NotAllowed,
    NotFound,
    Refused,
    TooLarge,
    WireError,
)
from hansang.surfaces.addresses import item_path, table_path
from hansang.surfaces.console.changes import may_undo, undo_of
from hansang.surfaces.console.data_examples import examples
from hansang.surfaces.console.data_forms import editable
from hansang.surfaces.console.data_items import seen_tag
from hansang.surfaces.console.data_paths import application_of, guard_of
from hansang.surfaces.console.data_selection import expect_no_secret
from hansang.surfaces.console.differences import Difference, differences
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

LIMITS = (10, 25, 50, 100)
_LIMIT = 25
_TRIES = 8
"""How many pages without an answer are read before whoever asks is asked to go on."""


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


@dataclass(frozen=True, slots=True)
class StatementPreview:
    """What a statement would change, and why it would not."""

    differences: list[Difference]
    etag: str
    """The tag of the item as it was seen; empty if there is none."""
    write_units: float
    nothing: str = ""
    """The key of the words for why nothing would happen."""
    refused: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class StatementSheet:
    """What was typed, and what became of it."""

    text: str
    parameters: str
    plan: StatementPlan | None = None
    answer: StatementAnswer | None = None
    preview: StatementPreview | None = None
    fault: str = ""
    """Why the statement is refused, in words."""
    aws: str = ""
    """The same in DynamoDB's own words."""
    is_late: bool = False
    """Whether the item has changed since it was looked at."""
    status: int = 200


def show(visit: Visit) -> Response:
    """The console; a statement that reads is run, one that writes is looked at."""
    application = application_of(visit)
    sheet = StatementSheet(visit.query("statement"), visit.query("parameters"))
    found = _worked_out(visit, application, sheet)
    return _shown(visit, application, dataclasses.replace(found, status=200))


def run(visit: Visit) -> Response:
    """Run a statement that writes, if its item is still as it was seen."""
    application = application_of(visit)
    text, parameters = str(visit.form.get("statement", "")), str(visit.form.get("parameters", ""))
    sheet = _worked_out(visit, application, StatementSheet(text, parameters))
    plan, preview = sheet.plan, sheet.preview
    if plan is None or preview is None or preview.nothing or preview.refused:
        return _shown(visit, application, sheet)
    if visit.given("etag") != preview.etag:
        return _shown(visit, application, dataclasses.replace(sheet, is_late=True, status=409))
    try:
        return _done(visit, application, plan)
    except (AlreadyExists, Conflict, NotFound):
        late = _worked_out(visit, application, StatementSheet(text, parameters))
        return _shown(visit, application, dataclasses.replace(late, is_late=True, status=409))


def _done(visit: Visit, application: Application, plan: StatementPlan) -> Response:
    editing, table = visit.shell.editing, plan.table
    found = editing.find_item(table, key_written(plan))
    before, tag = found if found is not None else (None, "")
    change = change_of(plan, before)
    with visit.shell.database.meter() as cost:
        if change.after is None:
            edit = editing.delete_item(table, change.key, tag, visit.actor, visit.request_id)
        elif before is None:
            edit = editing.create_item(table, change.after, visit.actor, visit.request_id)
        else:
            edit = editing.replace_item(table, change.after, tag, visit.actor, visit.request_id)
    undo = undo_of(edit.change) if edit.change is not None and may_undo(visit, edit.change) else None
    to = path_of(application, select_item(plan.name, table, change.key))
    return visit.go(
        to, f"partiql.done.{plan.statement.verb}", undo=undo, units=visit.formats.number(cost.write, 1)
    )


def path_of(application: Application, statement: str = "") -> str:
    """The console, with a statement in it."""
    path = f"/data/{application.name}/partiql"
    return f"{path}?{urlencode({'statement': statement})}" if statement else path


# ── working out ───────────────────────────────────────────────────────────────────────────────────


def _worked_out(visit: Visit, application: Application, sheet: StatementSheet) -> StatementSheet:
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
            return dataclasses.replace(planned_sheet, answer=_answer(visit, application, plan))
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


def _answer(visit: Visit, application: Application, plan: StatementPlan) -> StatementAnswer:
    database, guard = visit.shell.database, guard_of(visit, application)
    subject, cursor = f"partiql {plan.text} {plan.parameters}", visit.query("cursor")
    token, offset = database.unsealed(subject, cursor) if cursor else (None, 0)
    found: list[Item] = []
    with database.meter() as cost:
        for _ in range(_TRIES):
            page = select_page(database, plan, _limit(visit), token)
            found, token = guard.shown(plan.table, page.items), page.token
            if found or token is None:
                break
    seen = [masked(plan.table, each, guard.role) for each in found]
    rows = [
        StatementRow(picked(plan, each), item_path(application, plan.table, whole))
        for each, whole in zip(seen, found, strict=True)
    ]
    following = None if token is None else database.sealed(subject, [token, offset + len(rows)])
    named = columns(Source(plan.table, plan.index), [row.item for row in rows])
    return StatementAnswer(rows, following, offset, named, cost.read)


def _limit(visit: Visit) -> int:
    given = visit.query("limit")
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
    etag = "" if before is None else seen_tag(visit, application, table, before, tag)
    href = "" if before is None else item_path(application, table, key)
    if not change.matches:
        said = "exists" if plan.statement.verb == "INSERT" else "missing" if before is None else "unmatched"
        return StatementPreview(
            _compared(visit, application, plan, change, before), etag, 0, f"partiql.nothing.{said}", href=href
        )
    try:
        after = _rehearsed(visit, application, plan, change)
    except (InvalidInput, NotAllowed, TooLarge) as refusal:
        said = _said(visit, refusal)
        return StatementPreview(
            _compared(visit, application, plan, change, change.after), etag, 0, refused=said, href=href
        )
    shown, is_same = _compared(visit, application, plan, change, after), after == before
    cost = 0.0 if is_same else write_cost(table, before, after)
    return StatementPreview(shown, etag, cost, "partiql.nothing.same" if is_same else "", href=href)


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


def _shown(visit: Visit, application: Application, sheet: StatementSheet) -> Response:
    return visit.page(
        "data/partiql.html",
        sheet.status,
        application=application,
        sheet=sheet,
        plan=sheet.plan,
        examples=examples(visit, application) if not sheet.text.strip() else [],
        hidden=HIDDEN,
        cell=cell,
        limits=LIMITS,
        limit=_limit(visit),
        console=path_of(application),
        path_of=lambda statement: path_of(application, statement),
        table_href=lambda table: table_path(application, table),
    )


_AT = "/data/{app}/partiql"
PAGES: tuple[PageRoute, ...] = (
    PageRoute(_AT, show, allowed("{app}", "read")),
    PageRoute(_AT, run, allowed("{app}", "write"), "POST"),
)
