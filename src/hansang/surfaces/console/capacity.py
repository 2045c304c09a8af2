"""What the access patterns cost: requests and units of the last hour, day or month, and their price on AWS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import BROWSE
from hansang.blueprint.explorer.questions import questions
from hansang.blueprint.prices import regions
from hansang.parts.permissions import PLATFORM
from hansang.parts.spending import RANGES, Spending, Spent, UsageRange
from hansang.surfaces.addresses import table_path
from hansang.surfaces.capacity_report import capacity_report
from hansang.surfaces.console.data_paths import question_path
from hansang.surfaces.console.frame import area_name
from hansang.surfaces.console.money import money
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

Order = Literal["dearest", "hottest"]
_ORDERS: dict[str, Callable[[Spent], tuple[float, float]]] = {
    "dearest": lambda each: (float(each.cost), each.requests),
    "hottest": lambda each: (each.requests, float(each.cost)),
}
_SHOWN_AT_ONCE, _ROUTES_SHOWN = 12, 8


def show(visit: Visit) -> Response:
    """What was used in the last hour, day or month, and what it costs."""
    chosen: UsageRange = next((each for each in RANGES if each == visit.query("range")), "day")
    region = visit.query("region") or visit.shell.settings.region
    report = capacity_report(visit.shell, chosen, visit.query("area"), region)
    spending = report.spending
    order = visit.query("order") if visit.query("order") in _ORDERS else "dearest"
    patterns, routes = _sorted(spending.patterns(), order), _sorted(spending.routes(), order)
    is_whole = bool(visit.query("all"))
    return visit.page(
        "capacity/page.html",
        report=report,
        spending=spending,
        span=report.span,
        bill=report.bill,
        ranges=RANGES,
        order=order,
        patterns=patterns if is_whole else patterns[:_SHOWN_AT_ONCE],
        pattern_count=len(patterns),
        routes=routes if is_whole else routes[:_ROUTES_SHOWN],
        route_count=len(routes),
        tables=_sorted(spending.tables(), order),
        indexes=_sorted(spending.indexes(), order),
        chart=_chart(visit, spending),
        areas=_areas(visit),
        regions=regions(),
        href=_Links(visit).find,
        area_name=lambda area: area_name(visit, area) if area else visit.t("capacity.elsewhere"),
        pattern_name=lambda name: visit.t("capacity.browsing") if name == BROWSE else name,
        money=money,
    )


def _areas(visit: Visit) -> list[tuple[str, str]]:
    """The applications and the platform, with their names, to choose from."""
    names = [*visit.shell.names, PLATFORM]
    return [("", visit.t("capacity.everything")), *((name, area_name(visit, name)) for name in names)]


def _sorted(found: list[Spent], order: str) -> list[Spent]:
    return sorted(found, key=_ORDERS[order], reverse=True)


def _chart(visit: Visit, spending: Spending) -> dict[str, Any]:
    """Bars of read and write units by minute, hour or day."""
    found, formats = spending.periods(), visit.formats
    grain = spending.span.grain
    return {
        "type": "bars",
        "format": "units",
        "labels": [formats.period(period, grain) for period, _ in found],
        "full": [formats.day(period) if grain == "day" else formats.moment(period) for period, _ in found],
        "series": [
            _series(visit, "read", "teal", [each.read for _, each in found]),
            _series(visit, "write", "amber", [each.write for _, each in found]),
        ],
    }


def _series(visit: Visit, key: str, colour: str, values: list[float]) -> dict[str, Any]:
    return {
        "key": key,
        "name": visit.t(f"capacity.{key}"),
        "color": colour,
        "kind": "bar",
        "stack": "units",
        "values": [round(each, 1) for each in values],
    }


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
