"""What the pages of the ledger share: the month of a visit, amounts as people read them, and the ways between pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from hansang.apps.assets.amounts import short_amount
from hansang.apps.assets.console.lines import name_of
from hansang.apps.assets.households import FIRST, Households, allows, expect_allowed
from hansang.apps.assets.kinds import KIND_NAMES, KindName
from hansang.apps.assets.plans import Household
from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.rules import MONTH, expect_month, month_after
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.errors import InvalidInput, NotAllowed, NotFound
from hansang.parts.history import Change
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs
from hansang.surfaces.http.cookies import Cookie

COLOURS: dict[str, str] = {
    "income": "blue",
    "fixed-expense": "coral",
    "living-expense": "coral",
    "savings": "teal",
    "investment": "amber",
    "short-savings": "violet",
    "left": "ink",
}
"""A colour has one meaning on every page."""
PEOPLE = ("pink", "teal", "amber", "sky", "violet")
TOTAL_COLOURS = {
    "total_income": "blue",
    "total_expense": "coral",
    "total_savings": "teal",
    "total_investment": "amber",
    "total_short_savings": "violet",
    "net_asset": "ink",
}
CHOSEN = Cookie("hansang_household", 365 * 24 * 60 * 60)
"""The household that was looked at last."""
_ENGLISH = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December")  # fmt: skip


@dataclass(frozen=True, slots=True)
class MonthWays:
    """The ways from a month to those beside it; none leads past next month."""

    month: str
    before: str
    after: str | None


def households_of(visit: Visit) -> Households:
    """Every household of the server, with the codes that each remembers."""
    shell = visit.shell
    settings: AssetsSettings | None = shell.chosen.get(AREA)
    return shell.once(
        AREA,
        lambda: Households(
            shell.database, shell.clock, settings, history=shell.history, publish=shell.topics.publish
        ),
    )


def household_of(visit: Visit) -> Household | None:
    """The household that is looked at, None for the first: as the form says, the address, or what was chosen last.

    One that may not be seen is refused if a form or an address names it, and whenever something is written; a page
    forgets a choice of before.
    """
    named = visit.form.get("household", visit.request.query_params.get("household"))
    chosen = named if isinstance(named, str) else CHOSEN.of(visit.request)
    if chosen in (None, "", FIRST):
        return None
    reads = visit.request.method in ("GET", "HEAD")
    try:
        found = households_of(visit).get(chosen)
        expect_allowed(found, visit.asking, "read" if reads else "write")
    except (NotFound, NotAllowed):
        if isinstance(named, str) or not reads:
            raise
        return None
    return found


def household_id(visit: Visit) -> str:
    found = household_of(visit)
    return FIRST if found is None else found.id


def assets_of(visit: Visit) -> Assets:
    """The application on the table of the household that is looked at."""
    return households_of(visit).open(household_id(visit))


def may_write(visit: Visit) -> bool:
    """Whether whoever looks may enter something in this household."""
    found = household_of(visit)
    return visit.may(AREA, "write") and (found is None or allows(found, visit.asking, "write"))


def undo_of(visit: Visit, change: Change | None, key: str = "frame.undo") -> Undo | None:
    """The form that takes a change of this household back."""
    if change is None:
        return None
    return Undo(f"/assets/changes/{change.id}/undo", {"household": household_id(visit)}, key)


def who(visit: Visit) -> Who:
    """Whoever looks, as the history has it."""
    return Who(visit.actor, visit.request_id)


def month_in(visit: Visit) -> str:
    """The month of the address; this month unless it says otherwise."""
    asked = visit.query("month").replace("-", ".")
    return asked if MONTH.fullmatch(asked) else assets_of(visit).reading.this_month


def month_param(visit: Visit) -> str:
    return expect_month(visit.param("ym"))


def kind_in(text: str) -> KindName:
    """A kind as a form names it."""
    found = next((each for each in KIND_NAMES if each == text), None)
    if found is None:
        raise InvalidInput(
            "{kind} is not a kind of entries.", "kind", code="assets.no-kind", values={"kind": text}
        )
    return found


def month_path(month: str, **more: str) -> str:
    """The page of a month."""
    return f"/assets?{urlencode({'month': month, **more})}"


def ways(month: str, present: str) -> MonthWays:
    after = month_after(month)
    return MonthWays(month, month_after(month, -1), after if after <= month_after(present) else None)


def page(visit: Visit, template: str, status: int = 200, **context: Any) -> Response:
    """A page of the ledger, with what all of them need; an address that names a household chooses it."""
    household = household_of(visit)
    shared = {
        "tabs": tabs(visit, AREA),
        "household": household or Household.model_construct(id=FIRST, title="", pocket_of=None),
        "may_write": may_write(visit),
        "short": partial(short, visit),
        "won": partial(won, visit),
        "month_name": partial(month_name, visit),
        "month_short": partial(month_short, visit),
        "month_path": month_path,
        "entry_name": name_of,
        "person_hue": partial(person_hue, assets_of(visit).codes.people()),
        "colours": COLOURS,
        "quoted": partial(quote, safe=""),
    }
    response = visit.page(f"assets/{template}", status, **(shared | context))
    if visit.request.method == "GET" and "household" in visit.request.query_params:
        visit.keep(response, CHOSEN, household_id(visit))
    return response


# ── as people read it ─────────────────────────────────────────────────────────────────────────────


def short(visit: Visit, amount: int) -> str:
    """736.5만 and 2억 27만; in English 7.4M, since nobody counts in 만 there."""
    if visit.language == "ko":
        return short_amount(amount)
    return f"{'−' if amount < 0 else ''}₩{visit.formats.compact(abs(amount))}"


def won(visit: Visit, amount: int) -> str:
    """The full amount, for those who point at it."""
    sign, digits = "−" if amount < 0 else "", f"{abs(amount):,}"
    return f"{sign}{digits}원" if visit.language == "ko" else f"{sign}₩{digits}"


def month_name(visit: Visit, month: str) -> str:
    """2026년 11월, or November 2026."""
    year, number = month.split(".")
    return f"{year}년 {int(number)}월" if visit.language == "ko" else f"{_ENGLISH[int(number)]} {year}"


def month_short(visit: Visit, month: str) -> str:
    """11월, or Nov; for a month of which the year is known."""
    number = int(month[5:])
    return f"{number}월" if visit.language == "ko" else _ENGLISH[number][:3]


def person_hue(people: list[str], name: str | None) -> str:
    """The colour of a person, the same one on every page; grey for what is everyone's."""
    return PEOPLE[people.index(name) % len(PEOPLE)] if name in people else "grey"
