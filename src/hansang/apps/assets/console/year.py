"""A year: a heat map of categories and months, this year against the last, the flows, and a report to print."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.assets.console.flows import flow_picture
from hansang.apps.assets.console.links import assets_of, month_short, page
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.reports import YearShown
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.years import (
    EXPENSES,
    HeatBy,
    HeatRow,
    against_before,
    flows,
    heat,
    months_over,
    sums_of_kinds,
)
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_FIRST, _LAST = 1900, 2999


def show(visit: Visit) -> Response:
    """The year of the address, the present one unless it names another."""
    assets, present = assets_of(visit), assets_of(visit).reading.this_month
    year = _year(visit, present)
    found, before = assets.reports.year(year), assets.reports.year(year - 1)
    through = months_over(year, present)
    by: HeatBy = "amount" if visit.query("by") == "amount" else "usual"
    book = assets.reading.book()
    rows = heat(found, present, (book.first, book.last) if book.first and book.last else None, by)
    moved = flows(found, through or 12)
    context: dict[str, Any] = {
        "year": year,
        "newest": int(present[:4]),
        "present": present,
        "months": [f"{year:04d}.{number:02d}" for number in range(1, 13)],
        "by": by,
        "kinds": _kinds(found, rows),
        "peaks": sorted((row for row in rows if row.peaks), key=lambda row: -row.total)[:1],
        "through": through,
        "against": against_before(found, before, through) if any(before.totals["total_income"]) else [],
        "years_chart": _chart(visit, found, before),
        "flows": moved,
        "picture": flow_picture(moved),
    }
    return page(visit, "year.html", **context)


def report(visit: Visit) -> Response:
    """A whole year on paper: months, codes, people, what it was worth, tags and gifts."""
    assets, present = assets_of(visit), assets_of(visit).reading.this_month
    year = _year(visit, present)
    first, last = f"{year:04d}.01", f"{year:04d}.12"
    found = assets.reports.year(year)
    worth_month = min(last, present)
    context: dict[str, Any] = {
        "year": year,
        "newest": int(present[:4]),
        "months": [f"{year:04d}.{number:02d}" for number in range(1, 13)],
        "sums": sums_of_kinds(found),
        "left": found.totals["net_asset"],
        "rows": [(kind, names, sum(amounts)) for (kind, *names), amounts in found.rows.items()],
        "people": assets.reports.people(first, last),
        "start": assets.reports.net_worth(month_before(first)),
        "end": assets.reports.net_worth(worth_month),
        "tags": assets.reports.tags(year),
        "gifts": assets.reports.gifts(first, last),
    }
    return page(visit, "report.html", **context)


def _year(visit: Visit, present: str) -> int:
    asked = visit.query("year")
    year = int(asked) if asked.isdecimal() and len(asked) == 4 else int(present[:4])
    return min(max(year, _FIRST), _LAST)


def _kinds(found: YearShown, rows: list[HeatRow]) -> list[tuple[str, list[int], list[HeatRow]]]:
    """The two kinds of expenses, each with its sums and its codes."""
    sums = sums_of_kinds(found)
    return [(kind, sums[kind], [row for row in rows if row.kind == kind]) for kind in EXPENSES]


def _chart(visit: Visit, found: YearShown, before: YearShown) -> dict[str, Any]:
    labels = [month_short(visit, f"{found.year:04d}.{number:02d}") for number in range(1, 13)]
    series = [
        {
            "key": f"y{each.year}",
            "name": visit.t("assets.year.name", year=str(each.year)),
            "color": colour,
            "kind": "bar",
            "values": each.totals["total_expense"],
        }
        for each, colour in ((before, "grey"), (found, "coral"))
    ]
    head = visit.t("assets.dashboard.month")
    return {"type": "bars", "format": "won", "labels": labels, "full": labels, "head": head, "series": series}


PAGES = (
    PageRoute("/assets/year", show, allowed(AREA, "read")),
    PageRoute("/assets/year/report", report, allowed(AREA, "read")),
)
