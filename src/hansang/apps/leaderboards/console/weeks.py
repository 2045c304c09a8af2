"""Past weeks: who led each, and how many played."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import AREA, boards_of, page
from hansang.apps.leaderboards.console.week import PODIUM
from hansang.apps.leaderboards.rules import Week
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

SHOWN = 12
_SEASONS = 200


def show(visit: Visit) -> Response:
    """The last weeks, the newest first, each with its first three."""
    boards = boards_of(visit)
    current = boards.weeks.current
    starts = [current.start - timedelta(days=7 * number) for number in range(SHOWN)]
    weeks = [Week(start, start + timedelta(days=6)) for start in starts]
    found = [
        (boards.reading.span(week, 0, PODIUM), boards.weeks.find(week) if week != current else None)
        for week in weeks
    ]
    finals = [each.start for each in boards.weeks.page(_SEASONS) if each.state == "final"]
    shown = [(board, final) for board, final in found if board.total]
    may_archive = visit.principal is not None and visit.may(AREA, "read")
    return page(visit, "weeks.html", weeks=shown, finals=finals[::-1] if may_archive else [])


PAGES = (PageRoute("/leaderboards/weeks", show, readable(AREA)),)
