"""The page of the audit log."""

from __future__ import annotations

from starlette.responses import Response

from hansang.apps.platform.console.admin import ADMIN, tabs
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute

_ON_A_PAGE = 50
_TONES = {"sign-in": "good", "sign-out": "quiet", "administration": "quiet"}


def show(visit: Visit) -> Response:
    """Sign-ins, refusals and administration, the newest first."""
    page = visit.shell.audit.page(_ON_A_PAGE, visit.query("cursor") or None)
    rows = [(each, each.kind.replace("-", "_"), _TONES.get(each.kind, "warn")) for each in page]
    bad = visit.named(page.unreadable)
    return visit.page("platform/audit.html", tabs=tabs(visit), page=page, rows=rows, unreadable=bad)


PAGES = (PageRoute("/admin/audit", show, ADMIN),)
