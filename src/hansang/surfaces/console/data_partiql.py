"""PartiQL on the data pages: a statement, its plan, its answer and its cost; what writes is looked at before it is run."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlencode

import orjson
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.cells import HIDDEN, cell
from hansang.blueprint.explorer.statement_texts import select_item
from hansang.blueprint.explorer.statements import StatementPlan
from hansang.design.shape import Item
from hansang.design.visibility import visible
from hansang.engine.values import accept_item
from hansang.errors import AlreadyExists, Conflict, NotFound, WireError
from hansang.surfaces.addresses import table_path
from hansang.surfaces.console.changes import may_undo, undo_of
from hansang.surfaces.console.data_examples import examples
from hansang.surfaces.console.data_paths import application_of
from hansang.surfaces.console.data_statements import (
    LIMITS,
    StatementSheet,
    limit_of,
    statements_of,
    worked_out,
)
from hansang.surfaces.console.pages import SentForm, Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.differences import Difference, differences
from hansang.surfaces.statements import StatementPreview

_LONGEST_ADDRESS = 4_000
"""Characters of an address with a statement in it; of a longer one the answer is that of the form itself."""


def show(visit: Visit) -> Response:
    """The console; a statement that reads is run, one that writes is looked at."""
    application = application_of(visit)
    sheet = StatementSheet(
        visit.query("statement"),
        visit.query("parameters"),
        limit_of(visit.query("limit")),
        visit.query("cursor"),
    )
    found = worked_out(visit, application, sheet)
    return _shown(visit, application, dataclasses.replace(found, status=200))


def ask(visit: Visit) -> Response:
    """Lead to the page of a statement; if no address can hold it, show that page. Nothing is written."""
    application = application_of(visit)
    sheet = dataclasses.replace(
        _sent(visit), limit=limit_of(visit.given("limit")), cursor=visit.given("cursor"), is_long=True
    )
    given = {"statement": sheet.text, "parameters": sheet.parameters, "limit": str(sheet.limit)}
    given |= {"lang": visit.query("lang")}
    to = f"{path_of(application)}?{urlencode({name: text for name, text in given.items() if text})}"
    if len(to) <= _LONGEST_ADDRESS:
        return visit.go(to)
    found = worked_out(visit, application, sheet)
    return _shown(visit, application, dataclasses.replace(found, status=200))


def back_to_console(visit: Visit) -> Response:
    """Whoever comes without a statement, such as after signing in again, begins anew."""
    return visit.go(path_of(application_of(visit)))


def run(visit: Visit) -> Response:
    """Run a statement that writes, if its item is still as it was seen."""
    application = application_of(visit)
    sheet = worked_out(visit, application, _sent(visit))
    if sheet.plan is None or sheet.preview is None:
        return _shown(visit, application, sheet)
    if visit.given("etag") != sheet.preview.etag:
        return _late(visit, application, sheet)
    if not sheet.preview.is_open:
        return _shown(visit, application, dataclasses.replace(sheet, status=422))
    try:
        return _done(visit, application, sheet.plan, sheet.preview)
    except (AlreadyExists, Conflict, NotFound):
        return _late(visit, application, worked_out(visit, application, _sent(visit)))


def _sent(visit: Visit) -> StatementSheet:
    text, parameters = (str(visit.form.get(name, "")) for name in ("statement", "parameters"))
    # A form sends the ends of lines as CR LF, and an address has them as they are.
    return StatementSheet(text.replace("\r\n", "\n"), parameters.replace("\r\n", "\n"))


def _late(visit: Visit, application: Application, sheet: StatementSheet) -> Response:
    """Nothing is written: the item as it was seen and as it is now, and what the statement would make of it."""
    meanwhile: list[Difference] = []
    is_told = bool(visit.given("seen")) or not visit.given("etag")
    if is_told and sheet.plan is not None and sheet.preview is not None:
        now = sheet.preview.change.before
        seen = None if now is None else visible(sheet.plan.table, now, visit.role(application.name))
        meanwhile = [each for each in differences(_seen(visit), seen) if each.kind != "same"]
    return _shown(
        visit, application, dataclasses.replace(sheet, is_late=True, meanwhile=meanwhile, status=409)
    )


def _seen(visit: Visit) -> Item | None:
    """The item as the form says that it was seen; what is sent there instead compares as nothing."""
    try:
        return accept_item(orjson.loads(visit.given("seen") or "{}"))[0] or None
    except (AttributeError, TypeError, ValueError, WireError):
        return None


def _done(visit: Visit, application: Application, plan: StatementPlan, preview: StatementPreview) -> Response:
    with visit.shell.database.meter() as cost:
        edit = statements_of(visit, application).run(plan, preview, visit.actor, visit.request_id)
    undo = undo_of(edit.change) if edit.change is not None and may_undo(visit, edit.change) else None
    to = path_of(application, select_item(plan.name, plan.table, preview.change.key))
    units = preview.write_units if preview.is_partial else cost.write
    return visit.go(
        to, f"partiql.done.{plan.statement.verb}", undo=undo, units=visit.formats.number(units, 1)
    )


def path_of(application: Application, statement: str = "") -> str:
    """The console, with a statement in it."""
    path = f"/data/{application.name}/partiql"
    return f"{path}?{urlencode({'statement': statement})}" if statement else path


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
        console=path_of(application),
        sent_form=SentForm("statement-form", f"{path_of(application)}/ask") if _is_sent(visit) else None,
        path_of=lambda statement: path_of(application, statement),
        table_href=lambda table: table_path(application, table),
    )


def _is_sent(visit: Visit) -> bool:
    """Whether a form was sent for the page, so that its address has no statement."""
    return visit.request.method == "POST"


_AT = "/data/{app}/partiql"
PAGES: tuple[PageRoute, ...] = (
    PageRoute(_AT, show, allowed("{app}", "read")),
    PageRoute(_AT, run, allowed("{app}", "write"), "POST"),
    PageRoute(f"{_AT}/ask", ask, allowed("{app}", "read"), "POST"),
    PageRoute(f"{_AT}/ask", back_to_console, allowed("{app}", "read")),
)
