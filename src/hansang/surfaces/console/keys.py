"""The sheet of keyboard shortcuts."""

from __future__ import annotations

from starlette.responses import Response

from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute


def show(visit: Visit) -> Response:
    """All keys; the script shows the same in a dialog."""
    return visit.page("keys.html")


PAGES = (PageRoute("/keys", show, SIGNED_IN),)
