"""What the pages of administration share: the tabs at their top, and who may give which right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


def may_give(visit: Visit, given: Iterable[str]) -> bool:
    """Whether whoever looks has the say over all these areas; nobody gives more than they have."""
    return all(visit.may(area, "admin") for area in given)


def record(
    visit: Visit,
    kind: str,
    subject: str,
    verb: str,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """Keep in the history what was done here."""
    visit.shell.history.record(
        visit.actor, PLATFORM, kind, subject, verb, before=before, after=after, request_id=visit.request_id
    )


PAGES = (PageRoute("/admin", show, allowed(PLATFORM, "read")),)
