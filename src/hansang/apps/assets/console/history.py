"""The history of the ledger: who changed what, how far it reached, and the way back."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from hansang.apps.assets.console.lines import line_of, months_moved
from hansang.apps.assets.console.links import assets_of, page
from hansang.apps.assets.recording import AREA
from hansang.parts.today import seoul_day
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_A_PAGE = 30


def show(visit: Visit) -> Response:
    """The changes of the ledger, the newest first, by day."""
    found = visit.shell.history.page(AREA, _A_PAGE, visit.query("after") or None)
    last = assets_of(visit).reading.book().last
    rows = [line_of(visit, each) for each in found]
    days = [
        (day, [(row, months_moved(row.month, last) if row.month else 0) for row in some])
        for day, some in groupby(rows, key=lambda row: seoul_day(row.change.moment.timestamp))
    ]
    return page(visit, "history.html", days=days, next=found.cursor)


PAGES = (PageRoute("/assets/history", show, allowed(AREA, "read")),)
