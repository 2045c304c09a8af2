"""Budgets: what each expense may cost in a month, beside what it did cost; written in one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from starlette.responses import Response

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.console.links import assets_of, month_in, page, ways, who
from hansang.apps.assets.entering import LARGEST_AMOUNT
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.plans import BudgetKind
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.reports import BudgetShown
from hansang.apps.assets.rules import month_after, month_before, months_between
from hansang.apps.assets.service import Assets
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_PATH = "/assets/budget"
_USUAL = 3
"""Over how many months what is usual is counted, at most."""
_KINDS: tuple[BudgetKind, ...] = get_args(BudgetKind)


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One code with its budget, if it has one, and what it costs usually."""

    kind: BudgetKind
    code: str
    shown: BudgetShown | None
    spent: int
    usual: int


def show(visit: Visit, fault: str = "", status: int = 200) -> Response:
    """Every code that can have a budget."""
    assets, month = assets_of(visit), month_in(visit)
    budgets = {(each.kind, each.code): each for each in assets.reports.budgets(month)}
    spent = assets.reading.month(month).amounts()
    usual = _usual(assets, month)
    rows = [
        BudgetRow(
            kind,
            code,
            budgets.get((kind, code)),
            spent.get((kind, code), 0),
            usual.get((kind, code), 0),
        )
        for kind in _KINDS
        for code in assets.codes.choices(KINDS[kind], KINDS[kind].parts[-1])
    ]
    shown = [row.shown for row in rows if row.shown is not None]
    context: dict[str, Any] = {
        "month": month,
        "ways": ways(month, assets.reading.this_month),
        "rows": rows,
        "whole": sum(each.budget for each in shown),
        "spent": sum(each.spent for each in shown),
        "warned": [each for each in shown if each.state != "fine"],
        "fault": fault,
        "typed": dict(zip(visit.every("place"), visit.every("amount"), strict=False)) if fault else {},
    }
    return page(visit, "budget.html", status, **context)


def _usual(assets: Assets, month: str) -> dict[tuple[str, ...], int]:
    """What each code costs in one of the months before, of those that the book has."""
    book = assets.reading.book()
    first = max(month_after(month, -_USUAL), book.first or month)
    last = min(month_before(month), book.last or month)
    if first > last:
        return {}
    count = months_between(first, last) + 1
    return {key: spent // count for key, spent in assets.reading.period(first, last).by_code().items()}


def index(visit: Visit) -> Response:
    """The budgets of the month in the address."""
    return show(visit)


def save(visit: Visit) -> Response:
    """Write the budgets that are other ones than before; an empty one is none."""
    assets, changed = assets_of(visit), 0
    there = {(each.kind, each.code): each.budget for each in assets.reports.budgets(month_in(visit))}
    try:
        wanted = list(_wanted(visit))
        for kind, code, amount in wanted:
            if there.get((kind, code)) != amount:
                assets.planning.set_budget(kind, code, amount, who(visit))
                changed += 1
    except InvalidInput as fault:
        return show(visit, visit.worded(str(fault), fault.code, fault.values), 422)
    return visit.go(f"{_PATH}?month={month_in(visit)}", "assets.budget.saved", count=changed)


def _wanted(visit: Visit) -> list[tuple[BudgetKind, str, int | None]]:
    found: list[tuple[BudgetKind, str, int | None]] = []
    for place, text in zip(visit.every("place"), visit.every("amount"), strict=False):
        name, _, code = place.partition("/")
        amount = read_amount(text) if text.strip() else None
        if amount is not None and not 0 <= amount <= LARGEST_AMOUNT:
            raise InvalidInput(
                "The amount would be {amount}. It has to be from 0 to {most} won.",
                code="assets.amount-range",
                values={"amount": f"{amount:,}", "most": f"{LARGEST_AMOUNT:,}"},
            )
        found += [(kind, code, amount) for kind in _KINDS if kind == name]
    return found


PAGES = (
    PageRoute(_PATH, index, allowed(AREA, "read")),
    PageRoute(_PATH, save, allowed(AREA, "write"), "POST"),
)
