"""The dashboard: six key figures, where the income went, twelve months, what is owned, what it was spent on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.apps.assets.console.links import assets_of, month_in, month_short, page, ways
from hansang.apps.assets.kinds import kind_of, parts_of
from hansang.apps.assets.reading import DashboardShown, MonthShown
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import MONTH, month_before
from hansang.apps.assets.totals import TOTAL_FIELDS
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_SLICES = 7
_HUES = ("blue", "teal", "amber", "violet", "pink", "sky", "coral")
_BARS = (
    ("total_income", "blue", "in"),
    ("total_expense", "coral", "out"),
    ("total_savings", "teal", "out"),
    ("total_investment", "amber", "out"),
    ("total_short_savings", "violet", "out"),
)


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One of the six, with the month before; `is_good` says whether more of it is better."""

    key: str
    icon: str
    colour: str
    value: int | None
    before: int | None
    is_good: bool = True
    is_percent: bool = False
    """In tenths of a percent."""

    @property
    def change(self) -> float | None:
        """In percent, of a percentage in points."""
        if self.value is None or not self.before:
            return None
        if self.is_percent:
            return round((self.value - self.before) / 10, 1)
        return round((self.value - self.before) * 100 / abs(self.before), 1)

    @property
    def tone(self) -> str:
        if not self.change:
            return "flat"
        return "good" if (self.change > 0) == self.is_good else "bad"


def show(visit: Visit) -> Response:
    """A month beside the eleven before it; the last whole one unless the address names another."""
    assets = assets_of(visit)
    present = assets.reading.this_month
    asked = visit.query("month").replace("-", ".")
    month = month_in(visit) if MONTH.fullmatch(asked) else month_before(present)
    found, shown = assets.reading.dashboard(month), assets.reading.month(month)
    worths = assets.reports.net_worths(found.months[0].month, month)
    context: dict[str, Any] = {
        "month": month,
        "ways": ways(month, present),
        "is_running": month >= present,
        "figures": _figures(found, worths[-1].total, worths[-2].total if len(worths) > 1 else None),
        "waterfall": _waterfall(visit, shown),
        "flow": _flow(visit, found),
        "worth": _worth(visit, found, [each.total if each.balances else None for each in worths]),
        "donut": _donut(visit, shown),
        "budgets": assets.reports.budgets(month),
        "people": assets.reports.people(month, month),
        "shown": shown,
    }
    return page(visit, "dashboard.html", **context)


# ── figures ───────────────────────────────────────────────────────────────────────────────────────


def _figures(found: DashboardShown, worth: int, worth_before: int | None) -> list[KeyFigure]:
    now, past = (
        {name: 0 if each.totals is None else getattr(each.totals, name) for name in TOTAL_FIELDS}
        for each in (found.present, found.before)
    )
    put_by, put_by_past = (
        each["total_savings"] + each["total_investment"] + each["total_short_savings"] for each in (now, past)
    )
    return [
        KeyFigure("income", "arrow-down-left", "blue", now["total_income"], past["total_income"]),
        KeyFigure("expense", "arrow-up-right", "coral", now["total_expense"], past["total_expense"], False),
        KeyFigure("put_by", "piggy-bank", "teal", put_by, put_by_past),
        KeyFigure("left", "wallet", "ink", now["net_asset"], past["net_asset"]),
        KeyFigure(
            "rate", "percent", "amber", _rate(put_by, now), _rate(put_by_past, past), is_percent=True
        ),
        KeyFigure("worth", "landmark", "violet", worth, worth_before),
    ]  # fmt: skip


def _rate(put_by: int, totals: dict[str, int]) -> int | None:
    """What share of the income was put by, in tenths of a percent."""
    income = totals["total_income"]
    return round(put_by * 1000 / income) if income else None


# ── charts ────────────────────────────────────────────────────────────────────────────────────────


def _waterfall(visit: Visit, shown: MonthShown) -> dict[str, Any]:
    """From the income to what is left: every step takes away."""
    expenses = {"fixed-expense": 0, "living-expense": 0}
    for entry in shown.entries:
        if kind_of(entry).name in expenses:
            expenses[kind_of(entry).name] += entry.amount
    totals = shown.totals
    steps = [
        ("income", "blue", totals.total_income),
        ("fixed-expense", "coral", -expenses["fixed-expense"]),
        ("living-expense", "coral", -expenses["living-expense"]),
        ("savings", "teal", -totals.total_savings),
        ("investment", "amber", -totals.total_investment),
        ("short-savings", "violet", -totals.total_short_savings),
    ]
    named = [
        {"name": visit.t(f"assets.kind_of.{name}"), "color": colour, "value": value}
        for name, colour, value in steps
    ]
    left = {"name": visit.t("assets.dashboard.left"), "color": "ink", "value": totals.net_asset}
    head = visit.t("assets.paste.amount")
    return {"type": "waterfall", "format": "won", "head": head, "steps": named, "end": left}


def _flow(visit: Visit, found: DashboardShown) -> dict[str, Any]:
    """Twelve months: the income beside what became of it."""
    return {
        "type": "bars",
        "format": "won",
        "labels": [month_short(visit, each.month) for each in found.months],
        "full": [each.month for each in found.months],
        "head": visit.t("assets.dashboard.month"),
        "series": [
            {
                "key": name,
                "name": visit.t(f"assets.short.{name}"),
                "color": colour,
                "kind": "bar",
                "stack": stack,
                "values": [0 if each.totals is None else getattr(each.totals, name) for each in found.months],
            }
            for name, colour, stack in _BARS
        ],
    }


def _worth(visit: Visit, found: DashboardShown, worths: list[int | None]) -> dict[str, Any]:
    return {
        "type": "area",
        "format": "won",
        "labels": [month_short(visit, each.month) for each in found.months],
        "full": [each.month for each in found.months],
        "head": visit.t("assets.dashboard.month"),
        "series": [
            {"key": "worth", "name": visit.t("assets.dashboard.worth"), "color": "blue", "values": worths}
        ],
    }


def _donut(visit: Visit, shown: MonthShown) -> dict[str, Any] | None:
    """What the expenses were, the largest first; the small ones are one slice."""
    spent = sorted(
        ((parts_of(each)[0], each.amount) for each in shown.entries if _is_expense(each) and each.amount),
        key=lambda pair: -pair[1],
    )
    if not spent:
        return None
    items = [
        {"name": name, "value": amount, "color": hue}
        for (name, amount), hue in zip(spent, _HUES, strict=False)
    ]
    rest = sum(amount for _, amount in spent[_SLICES:])
    if rest:
        items.append({"name": visit.t("assets.dashboard.others"), "value": rest, "color": "grey"})
    center = visit.t("assets.dashboard.spent")
    return {"type": "donut", "format": "won", "center": center, "items": items}


def _is_expense(entry: Any) -> bool:
    return kind_of(entry).total == "total_expense"


PAGES = (PageRoute("/assets/dashboard", show, allowed(AREA, "read")),)
