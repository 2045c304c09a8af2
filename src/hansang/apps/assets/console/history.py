"""The history of the ledger: who changed what, how far it reached, and the way back."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from hansang.apps.assets.console.lines import line_of, months_moved
from hansang.apps.assets.console.links import (
    COLOURS,
    assets_of,
    household_id,
    month_in,
    page,
    undo_of,
    ways,
    who,
)
from hansang.apps.assets.households import FIRST
from hansang.apps.assets.reading import MOST_MONTHS
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import month_after
from hansang.apps.assets.years import EXPENSES
from hansang.errors import Conflict
from hansang.parts.today import seoul_day
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_A_PAGE = 30
_MOST_PAYMENTS, _LONGEST_QUERY = 100, 100


def show(visit: Visit) -> Response:
    """The changes of the ledger, the newest first, by day; or the payments of ten years that a text is found in."""
    assets = assets_of(visit)
    found = assets.history.page(AREA, _A_PAGE, visit.query("after") or None)
    last = assets.reading.book().last
    rows = [line_of(visit, each) for each in found]
    days = [
        (day, [(row, months_moved(row.month, last) if row.month else 0) for row in some])
        for day, some in groupby(rows, key=lambda row: seoul_day(row.change.moment.timestamp))
    ]
    query, present = visit.query("q")[:_LONGEST_QUERY].strip(), assets.reading.this_month
    payments = assets.reports.search(query, month_after(present, 1 - MOST_MONTHS), present) if query else []
    return page(
        visit,
        "history.html",
        days=[] if query else days,
        next="" if query else found.cursor,
        query=query,
        payments=payments[:_MOST_PAYMENTS],
    )


def journal(visit: Visit) -> Response:
    """The payments of a month day by day, the newest first; those of one code if it is named."""
    month, code = month_in(visit), visit.query("code")[:_LONGEST_QUERY]
    assets = assets_of(visit)
    found = [each for each in assets.reports.search("", month, month) if not code or code in each.parts]
    whole = [
        (" ".join(parts), amount)
        for (_, *parts), amount in assets.reading.month(month).amounts().items()
        if amount and (not code or code in parts)
    ]
    paid = {" ".join(each.parts) for each in found}
    days = [(day, list(some)) for day, some in groupby(found, key=lambda each: each.detail.date)]
    return page(
        visit,
        "journal.html",
        month=month,
        ways=ways(month, assets.reading.this_month),
        code=code,
        days=days,
        expenses=EXPENSES,
        hues=COLOURS,
        whole=[each for each in whole if each[0] not in paid],
    )


def undo(visit: Visit) -> Response:
    """Take a change of this household back; this too can be undone."""
    assets, to = assets_of(visit), visit.given("next") or "/assets/history"
    change = assets.undoing.get(visit.param("id"))
    try:
        if household_id(visit) == FIRST:
            made = visit.shell.editing.undo(change.id, visit.actor, visit.request_id)
        else:
            made = assets.undoing.undo(change.id, who(visit))
    except Conflict:
        return visit.go(to, "changes.undo.conflict")
    return visit.go(to, "changes.undo.done", undo=undo_of(visit, made, "frame.redo"))


PAGES = (
    PageRoute("/assets/history", show, allowed(AREA, "read")),
    PageRoute("/assets/journal", journal, allowed(AREA, "read")),
    PageRoute("/assets/changes/{id}/undo", undo, allowed(AREA, "write"), "POST"),
)
