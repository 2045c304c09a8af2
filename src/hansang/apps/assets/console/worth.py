"""Net worth and pots: what there is, what is owned and owed besides, and how far each pot is from its goal."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.assets.console.links import assets_of, month_in, month_short, page, ways
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.reports import NetWorth
from hansang.apps.assets.rules import month_after
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_MONTHS = 24


def show(visit: Visit) -> Response:
    """A month's end, after the two years before it."""
    assets, month = assets_of(visit), month_in(visit)
    worths = assets.reports.net_worths(month_after(month, 1 - _MONTHS), month)
    known = [each for each in worths if each.balances is not None]
    context: dict[str, Any] = {
        "month": month,
        "ways": ways(month, assets.reading.this_month),
        "now": worths[-1],
        "before": worths[-2] if worths[-2].balances is not None else None,
        "parts": _parts(worths[-1]),
        "course": _course(visit, known),
        "pots": assets.reports.pots(month, assets.codes.accounts()),
    }
    return page(visit, "worth.html", **context)


def _parts(now: NetWorth) -> list[tuple[str, str, int]]:
    """The sum written out: cash, investments, pots, what is owned, less what is owed."""
    found = now.balances
    short = 0 if found is None else sum(found.short_savings_balances.values())
    return [
        ("cash", "teal", 0 if found is None else found.cash_accumulated),
        ("investment", "amber", 0 if found is None else found.investment_accumulated),
        ("pots", "violet", short),
        ("owned", "sky", sum(each.worth for each in now.holdings if each.worth > 0)),
        ("owed", "coral", sum(each.worth for each in now.holdings if each.worth < 0)),
    ]


def _course(visit: Visit, known: list[NetWorth]) -> dict[str, Any]:
    return {
        "type": "area",
        "format": "won",
        "labels": [month_short(visit, each.month) for each in known],
        "full": [each.month for each in known],
        "head": visit.t("assets.dashboard.month"),
        "series": [
            {
                "key": "worth",
                "name": visit.t("assets.dashboard.worth"),
                "color": "blue",
                "values": [each.total for each in known],
            }
        ],
    }


PAGES = (PageRoute("/assets/worth", show, allowed(AREA, "read")),)
