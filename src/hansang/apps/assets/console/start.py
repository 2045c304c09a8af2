"""The first steps: who keeps the ledger, what there is now, and the first month; each step is saved by itself."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.codes import FAMILIES
from hansang.apps.assets.console.links import assets_of, month_path, page, who
from hansang.apps.assets.design import AccountCodes, Balances, Codes
from hansang.apps.assets.entering import Place
from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import HoldingKind, HouseRules
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.sharing import Share
from hansang.design.normalize import normalize_nfc
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_PATH = "/assets/start"
_HOLDING_KINDS: tuple[HoldingKind, ...] = get_args(HoldingKind)
_FAMILY_COLOURS = ("teal", "amber", "violet")


def show(visit: Visit, fault: str = "", status: int = 200) -> Response:
    """The step of the address, the first unless it names another."""
    step = int(visit.query("step")) if visit.query("step") in ("1", "2", "3") else 1
    assets = assets_of(visit)
    month = assets.reading.this_month
    opening = assets.opening.find()
    context: dict[str, Any] = {
        "step": step,
        "month": month,
        "before": month_before(month) if opening is None else opening.year_month,
        "people": assets.codes.people(),
        "has_names": assets.codes.stored("NAME")[1] is not None,
        "opening": opening,
        "families": _families(visit, opening),
        "rules": assets.counting.settings(),
        "holdings": [(each.name, each.kind, each.amount) for each in assets.planning.holdings()],
        "holding_kinds": [
            (kind, visit.labels(AREA).choice("Holding", "kind", kind)) for kind in _HOLDING_KINDS
        ],
        "rows": _first_rows(visit) if step == 3 else [],
        "fault": fault,
        "given": visit.given,
    }
    return page(visit, "start.html", status, **context)


def _families(visit: Visit, opening: Balances | None) -> list[tuple[str, str, list[tuple[str, int | None]]]]:
    """The accounts of each family; of cash and investments the sum alone is kept, so it stands with the first."""
    accounts = assets_of(visit).codes.accounts()
    names = [accounts.get(family, []) for family in FAMILIES]
    known: dict[str, int] = {}
    if opening is not None:
        known = dict(opening.short_savings_balances)
        known |= dict.fromkeys(names[0][:1], opening.cash_accumulated)
        known |= dict.fromkeys(names[1][:1], opening.investment_accumulated)
    return [
        (family, colour, [(name, known.get(name)) for name in some])
        for family, colour, some in zip(FAMILIES, _FAMILY_COLOURS, names, strict=True)
    ]


def _first_rows(visit: Visit) -> list[tuple[str, str, list[str]]]:
    """What repeats every month: the kind, the code, and the columns that it can have."""
    codes = assets_of(visit).codes
    accounts, people = codes.accounts(), codes.people()
    rows = [("income", codes.plain("INCOME_TYPE")[0], people)]
    rows += [("fixed-expense", code, [*people, ""]) for code in codes.plain("FIXED_EXPENSE_TYPE")[:3]]
    rows += [("savings", code, [*people, ""]) for code in accounts.get(FAMILIES[0], [])[:3]]
    rows += [("investment", code, [*people, ""]) for code in accounts.get(FAMILIES[1], [])[:3]]
    return rows


def names(visit: Visit) -> Response:
    """The first step: who keeps the ledger."""
    given = [normalize_nfc(each.strip()) for each in visit.every("name") if each.strip()]
    assets = assets_of(visit)
    try:
        assets.codes.put(Codes(kind="NAME", codes=given), visit.actor, request_id=visit.request_id)
        assets.counting.set(_rules(visit, assets.counting.settings()), who(visit))
    except (InvalidInput, ValueError) as fault:
        return _again(visit, fault)
    return visit.go(f"{_PATH}?step=2")


def _rules(visit: Visit, known: AssetsSettings) -> HouseRules:
    """When the month begins and how cards are counted; what is not given stays."""
    day = visit.given("month_starts_on")
    return HouseRules(
        month_starts_on=int(day) if day.isdecimal() else known.month_starts_on,
        card_month="payment" if visit.given("card_month") == "payment" else "use",
        card_payment_day=known.card_payment_day,
    )


def balances(visit: Visit) -> Response:
    """The second step: the accounts, and what was in them at the end of the month before."""
    assets = assets_of(visit)
    found: dict[str, dict[str, int]] = {}
    try:
        for place, family in enumerate(FAMILIES):
            pairs = zip(visit.every(f"account{place}"), visit.every(f"amount{place}"), strict=False)
            found[family] = {
                normalize_nfc(name.strip()): read_amount(amount) if amount.strip() else 0
                for name, amount in pairs
                if name.strip()
            }
        item = AccountCodes(codes={family: list(some) for family, some in found.items() if some})
        assets.codes.put(item, visit.actor, request_id=visit.request_id)
        saved, invested, short = (found[family] for family in FAMILIES)
        opening = assets.opening.find()
        month = month_before(assets.reading.this_month) if opening is None else opening.year_month
        given = OpeningGiven(month, sum(saved.values()), sum(invested.values()), short)
        assets.opening.set(given, who(visit))
        for name, kind, amount in _holdings(visit):
            assets.planning.set_holding(name, kind, amount, who(visit))
    except (InvalidInput, ValueError) as fault:
        return _again(visit, fault)
    return visit.go(f"{_PATH}?step=3")


def _holdings(visit: Visit) -> list[tuple[str, HoldingKind, int]]:
    """What is owned and owed, as the form has it."""
    given = zip(
        visit.every("holding"), visit.every("holding_kind"), visit.every("holding_amount"), strict=False
    )
    return [
        (normalize_nfc(name.strip()), kind, read_amount(amount))
        for name, wanted, amount in given
        for kind in _HOLDING_KINDS
        if name.strip() and amount.strip() and kind == wanted
    ]


def first_month(visit: Visit) -> Response:
    """The third step: what repeats every month, entered together."""
    assets = assets_of(visit)
    month, shares = assets.reading.this_month, []
    try:
        for kind, code, by, text in zip(
            visit.every("kind"), visit.every("code"), visit.every("by"), visit.every("amount"), strict=False
        ):
            if text.strip() and kind in KIND_NAMES:
                parts = (by, code) if kind == "income" else (code,)
                place = Place.of(next(each for each in KIND_NAMES if each == kind), parts)
                shares.append(Share(place, None if kind == "income" else by or None, read_amount(text)))
        if shares:
            assets.sharing.set(month, shares, who(visit), verb="enter")
    except InvalidInput as fault:
        return _again(visit, fault)
    return visit.go(month_path(month), "assets.start.done", count=len(shares))


def _again(visit: Visit, fault: Exception) -> Response:
    """The same step with what was wrong, and what was typed."""
    if isinstance(fault, InvalidInput):
        return show(visit, visit.worded(str(fault), fault.code, fault.values), 422)
    return show(visit, visit.t("assets.start.unusable"), 422)


PAGES = (
    PageRoute(_PATH, show, allowed(AREA, "write")),
    PageRoute(f"{_PATH}/names", names, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/balances", balances, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/month", first_month, allowed(AREA, "write"), "POST"),
)
