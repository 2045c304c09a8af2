"""What the access patterns cost: requests and units since the start, and a month of that on AWS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import BROWSE
from hansang.blueprint.explorer.questions import questions
from hansang.blueprint.prices import prices, regions
from hansang.blueprint.table_status import table_status
from hansang.design import Table
from hansang.parts.permissions import PLATFORM
from hansang.parts.platform import Platform
from hansang.parts.spending import Spending, Spent
from hansang.surfaces.addresses import table_path
from hansang.surfaces.console.data_paths import question_path
from hansang.surfaces.console.frame import area_name
from hansang.surfaces.console.money import money
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

Order = Literal["dearest", "hottest"]
_ORDERS: dict[str, Callable[[Spent], tuple[float, float]]] = {
    "dearest": lambda each: (float(each.monthly), each.requests),
    "hottest": lambda each: (each.requests, float(each.monthly)),
}
_CHARTED = 8
_SHOWN_AT_ONCE = 20


def show(visit: Visit) -> Response:
    """Everything that was used since the server was started."""
    spending = _spending(visit)
    order = visit.query("order") if visit.query("order") in _ORDERS else "dearest"
    patterns, links = _sorted(spending.patterns(), order), _Links(visit)
    tables: list[type[Table]] = [
        Platform,
        *(table for each in visit.shell.applications for table in each.tables),
    ]
    return visit.page(
        "capacity/page.html",
        spending=spending,
        since=visit.shell.started_at,
        order=order,
        patterns=patterns if visit.query("all") else patterns[:_SHOWN_AT_ONCE],
        pattern_count=len(patterns),
        tables=_sorted(spending.tables(), order),
        indexes=_sorted(spending.indexes(), order),
        bill=spending.bill(table_status(visit.shell.database, each) for each in tables),
        chart=_chart(visit, patterns, links),
        areas=_areas(visit),
        area=visit.query("area"),
        regions=regions(),
        href=links.find,
        area_name=lambda area: area_name(visit, area) if area else visit.t("capacity.elsewhere"),
        pattern_name=lambda name: visit.t("capacity.browsing") if name == BROWSE else name,
        money=money,
    )


def _spending(visit: Visit) -> Spending:
    area = visit.query("area")
    usage = [each for each in visit.shell.usage.snapshot() if area in ("", each.app)]
    seconds = visit.shell.clock() - visit.shell.started_at
    return Spending(usage, seconds, prices(_region(visit)))


def _region(visit: Visit) -> str:
    wanted, known = visit.query("region") or visit.shell.settings.region, regions()
    return wanted if wanted in known else known[0]


def _areas(visit: Visit) -> list[tuple[str, str]]:
    """The applications and the platform, with their names, to choose from."""
    names = [*visit.shell.names, PLATFORM]
    return [("", visit.t("capacity.everything")), *((name, area_name(visit, name)) for name in names)]


def _sorted(found: list[Spent], order: str) -> list[Spent]:
    return sorted(found, key=_ORDERS[order], reverse=True)


def _chart(visit: Visit, patterns: list[Spent], links: _Links) -> dict[str, Any]:
    """Bars of what the first patterns have used, each with its name and its number."""
    items = [
        {
            "name": _charted_name(visit, each),
            "value": round(each.units, 1),
            "note": visit.t("capacity.units"),
            "color": "amber" if each.write > each.read else "teal",
            "href": links.find(each.name),
        }
        for each in sorted(patterns, key=lambda each: each.units, reverse=True)[:_CHARTED]
    ]
    return {"type": "ranked", "format": "units", "items": items}


def _charted_name(visit: Visit, each: Spent) -> str:
    """The pattern; browsing with its application, since every one is browsed."""
    if each.name != BROWSE:
        return each.name
    return f"{visit.t('capacity.browsing')} · {area_name(visit, each.app)}"


class _Links:
    """Where the data pages show what a line of the bill is about."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        applications = [each for each in visit.shell.applications if visit.may(each.name, "read")]
        self._paths = {name: path for each in applications for name, path in self._of(each)}

    def _of(self, application: Application) -> list[tuple[str, str]]:
        name = self._visit.shell.database.name
        tables = [(name(table), table_path(application, table)) for table in application.tables]
        labels = [each.label for each in questions(application.tables)]
        return [*tables, *((label, question_path(application, label)) for label in labels)]

    def find(self, name: str) -> str | None:
        """The page of a pattern or a table that whoever looks may read, or None."""
        return self._paths.get(name)


PAGES: tuple[PageRoute, ...] = (PageRoute("/capacity", show, allowed(PLATFORM, "read")),)
