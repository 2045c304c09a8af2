"""What the pages of administration share: the tabs at their top, and what rights can be given for."""

from __future__ import annotations

from starlette.responses import Response

from hansang.parts.permissions import EVERYWHERE, PLATFORM
from hansang.surfaces.console.frame import area_name
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import Tab
from hansang.surfaces.console.routing import PageRoute, allowed

ADMIN = allowed(PLATFORM, "admin")


def show(visit: Visit) -> Response:
    """The first of the pages that whoever looks may see."""
    return visit.go(tabs(visit)[0].href)


def tabs(visit: Visit) -> list[Tab]:
    """The pages that whoever looks may see."""
    return visit.console.plugged.tabs(visit, PLATFORM)


def areas(visit: Visit) -> list[tuple[str, str]]:
    """Everything that rights can be given for, with what people call it."""
    names = [EVERYWHERE, *visit.shell.names, PLATFORM]
    return [(each, area_name(visit, each)) for each in names]


PAGES = (PageRoute("/admin", show, allowed(PLATFORM, "read")),)
