"""This month: what came in, went out and is left, and the grid in which it is written."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.apps.assets.books import chain_start
from hansang.apps.assets.consequences import Consequences, consequences
from hansang.apps.assets.console.blocks import Block
from hansang.apps.assets.console.grid import Grid, GridCell, GridRow, grid_of
from hansang.apps.assets.console.lines import LedgerChange, recent
from hansang.apps.assets.console.links import (
    TOTAL_COLOURS,
    assets_of,
    household_id,
    households_of,
    month_in,
    page,
    short,
    ways,
)
from hansang.apps.assets.design import Totals
from hansang.apps.assets.households import topic_of
from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.proposing import COPIED_KINDS, Proposal
from hansang.apps.assets.reading import MonthShown
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.reports import elapsed
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.undoing import UNDONE_KINDS, is_kept
from hansang.errors import NotAllowed, NotFound
from hansang.parts.history import Change
from hansang.parts.today import seoul_day
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_SPLIT = ("total_expense", "total_savings", "total_investment", "total_short_savings", "net_asset")
_SHOWN_CHANGES = 4
_PROPOSED = 8
_BUDGETS = 6
"""How many budgets stand beside the month, those with the least left first."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was just done, with the change that takes it back."""

    text: str
    change: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class BothValues:
    """A cell that somebody else has changed meanwhile: theirs and one's own, of which one is chosen (X1-10)."""

    row: GridRow
    cell: GridCell
    was: int
    yours: int
    text: str
    memo: str
    last: LedgerChange | None

    @property
    def theirs(self) -> int:
        return self.cell.amount or 0

    @property
    def row_total(self) -> int:
        """What the row would have with one's own value."""
        return self.row.total - self.theirs + self.yours


@dataclass(frozen=True, slots=True)
class CopiedKind:
    """What of one kind could be taken over from the month before."""

    name: str
    count: int
    amount: int
    is_on: bool


def show(visit: Visit) -> Response:
    """The month of the address."""
    return month_page(visit, month_in(visit), change=_change(visit))


def month_page(
    visit: Visit,
    month: str,
    *,
    status: int = 200,
    change: Change | None = None,
    said: Said | None = None,
    both: BothValues | None = None,
    block: Block | None = None,
    pasted: str = "",
) -> Response:
    """A month as it is now, with what was just said about it."""
    spoken: dict[str, Any] = {
        "said": said,
        "both": both,
        "block": block,
        "pasted": pasted,
        "block_at": visit.given("at"),
        "block_column": visit.given("column"),
        "reach": _reach(visit, change),
        "reach_change": change,
    }
    return page(visit, "month.html", status, **_context(visit, month), **spoken)


def _context(visit: Visit, month: str) -> dict[str, Any]:
    """What there is to see of a month."""
    assets, here = assets_of(visit), household_id(visit)
    shown, before = assets.reading.month(month), assets.reading.month(month_before(month))
    grid, present, book = (
        grid_of(shown, before, assets.codes),
        assets.reading.this_month,
        assets.reading.book(),
    )
    is_beginning = chain_start(book) is None and book.opening is None
    budgets = assets.reports.budgets(month, shown)
    return {
        "month": month,
        "topic": topic_of(here),
        "pockets": households_of(visit).pockets(here, month),
        "ways": ways(month, present),
        "present": present,
        "today": seoul_day(visit.shell.clock),
        "age": _age(visit, month, present),
        "shown": shown,
        "before": before,
        "grid": grid,
        "glance": _glance(visit, shown, before, is_running=month == present),
        "split": _split(shown.totals),
        "equation": _equation(visit, shown.totals),
        "budgets": sorted(budgets, key=lambda each: each.left / max(each.budget, 1))[:_BUDGETS],
        "budget_of": {f"{each.kind}/{each.code}": each for each in budgets},
        "passed": elapsed(month, seoul_day(visit.shell.clock)) if month == present else None,
        "proposals": [] if is_beginning else assets.proposing.recurring(month)[:_PROPOSED],
        "copies": _copies(visit, month),
        "changes": recent(visit, assets.history, _SHOWN_CHANGES),
        "is_beginning": is_beginning,
        "frequent": frequent(grid),
        "names": grid.people,
    }


def frequent(grid: Grid) -> dict[str, list[str]]:
    """The codes of each kind for quick adding, those with most payments first."""
    found = {}
    for kind in grid.kinds:
        rows = sorted(kind.rows, key=lambda row: -len(row.lines))
        found[kind.name] = list(dict.fromkeys(row.code for row in rows))
    return found


def _change(visit: Visit) -> Change | None:
    """The change of the address whose consequences are shown."""
    if not visit.query("change"):
        return None
    try:
        found = assets_of(visit).undoing.get(visit.query("change"))
    except (NotFound, NotAllowed):
        return None
    return found if found.kind in UNDONE_KINDS and is_kept(found) else None


def _reach(visit: Visit, change: Change | None) -> Consequences | None:
    if change is None:
        return None
    assets = assets_of(visit)
    includes = assets.settings.cash_includes_surplus
    return consequences(change, assets.reading.book(), assets.database, cash_includes_surplus=includes)


# ── at a glance ───────────────────────────────────────────────────────────────────────────────────


def _age(visit: Visit, month: str, present: str) -> tuple[str, str]:
    """How a month lies in time, as a badge: its tone and its words."""
    today = seoul_day(visit.shell.clock)
    if month == present:
        left = monthrange(today.year, today.month)[1] - today.day
        return "quiet", visit.t("assets.month.day_of", day=today.day, left=left)
    if month > present:
        return "quiet", visit.t("assets.month.to_come")
    return "good", visit.t("assets.month.over")


def _glance(visit: Visit, shown: MonthShown, before: MonthShown, *, is_running: bool) -> list[dict[str, Any]]:
    """The four figures. A running month is never called better or worse than a whole one."""
    totals, past = shown.totals, before.totals
    put_by = totals.total_savings + totals.total_investment + totals.total_short_savings
    parts = [
        visit.t(f"assets.short.{name}") + " " + short(visit, amount)
        for name, amount in (
            ("total_savings", totals.total_savings),
            ("total_investment", totals.total_investment),
            ("total_short_savings", totals.total_short_savings),
        )
        if amount
    ]
    return [
        {"key": "in", "colour": "blue", "value": totals.total_income,
         "note": _compared(visit, totals.total_income, past.total_income)},
        {"key": "out", "colour": "coral", "value": totals.total_expense,
         "note": _share(visit, totals.total_expense, past.total_expense, is_running=is_running)},
        {"key": "put_by", "colour": "teal", "value": put_by, "note": " · ".join(parts)},
        {"key": "left", "colour": "ink", "value": totals.net_asset,
         "note": visit.t("assets.glance.left_about")},
    ]  # fmt: skip


def _compared(visit: Visit, now: int, past: int) -> str:
    if not past:
        return visit.t("assets.glance.no_past")
    if now == past:
        return visit.t("assets.glance.same")
    key = "more" if now > past else "less"
    return visit.t(f"assets.glance.{key}", past=short(visit, past), by=short(visit, abs(now - past)))


def _share(visit: Visit, now: int, past: int, *, is_running: bool) -> str:
    if not is_running or not past:
        return _compared(visit, now, past)
    return visit.t("assets.glance.share", past=short(visit, past), percent=round(now * 100 / past))


def _split(totals: Totals) -> list[dict[str, Any]]:
    """What became of the income, in thousandths of the widest; nothing without an income."""
    amounts = [(name, max(0, getattr(totals, name))) for name in _SPLIT]
    whole = max(totals.total_income, sum(amount for _, amount in amounts))
    found, at = [], 0.0
    for name, amount in amounts if whole else []:
        width = amount * 1000 / whole
        percent = round(amount * 100 / whole)
        piece = {"name": name, "colour": TOTAL_COLOURS[name], "x": round(at, 1), "width": round(width, 1)}
        found.append({**piece, "percent": percent})
        at += width
    return [each for each in found if each["width"]]


def _equation(visit: Visit, totals: Totals) -> list[tuple[str, str, int]]:
    """Income less all that left it: what is left, written out."""
    return [(name, TOTAL_COLOURS[name], getattr(totals, name)) for name in ("total_income", *_SPLIT)]


def _copies(visit: Visit, month: str) -> list[CopiedKind]:
    """What the month before has and this one not yet, by kind."""
    found: dict[str, list[Proposal]] = {}
    for each in assets_of(visit).proposing.last_month(month, KIND_NAMES):
        found.setdefault(each.place.kind.name, []).append(each)
    return [
        CopiedKind(name, len(some), sum(each.amount for each in some), name in COPIED_KINDS)
        for name, some in found.items()
    ]


PAGES = (PageRoute("/assets", show, allowed(AREA, "read")),)
