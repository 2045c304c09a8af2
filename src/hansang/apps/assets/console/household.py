"""The household: who belongs to it with which role, how it counts, private pockets, and the other households."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import ValidationError
from starlette.responses import Response

from hansang.apps.assets.console.links import (
    CHOSEN,
    assets_of,
    household_id,
    household_of,
    households_of,
    page,
    who,
)
from hansang.apps.assets.households import FIRST, allows, expect_allowed
from hansang.apps.assets.plans import Household, HouseRules, MemberRole
from hansang.apps.assets.recording import AREA
from hansang.errors import AlreadyExists, InvalidInput, NotAllowed
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_PATH = "/assets/household"
_ROLES: tuple[MemberRole, ...] = get_args(MemberRole)


def show(visit: Visit, fault: str = "", status: int = 200) -> Response:
    """The household that is looked at, and those that can be chosen."""
    assets, households = assets_of(visit), households_of(visit)
    here = household_of(visit)
    context: dict[str, Any] = {
        "fault": fault,
        "here": here,
        "members": dict((here.members if here else None) or {}),
        "roles": [(role, visit.t(f"assets.household.role_{role}")) for role in _ROLES],
        "rules": assets.counting.settings(),
        "others": households.seen_by(visit.asking),
        "may_admin": here is not None and allows(here, visit.asking, "admin"),
        "may_create": visit.may(AREA, "admin"),
        "pockets": households.pockets(household_id(visit), assets.reading.this_month),
        "has_pocket": any(
            each.pocket_of == household_id(visit) and visit.me.name in (each.members or {})
            for each in households.all()
        ),
        "month": assets.reading.this_month,
    }
    return page(visit, "household.html", status, **context)


def index(visit: Visit) -> Response:
    """The page as it is."""
    return show(visit)


def choose(visit: Visit) -> Response:
    """Look at another household from now on."""
    wanted = visit.given("choose") or FIRST
    expect_allowed(households_of(visit).get(wanted), visit.asking, "read")
    response = visit.go("/assets", "assets.household.chosen", title=_title(visit, wanted))
    visit.keep(response, CHOSEN, wanted)
    return response


def _title(visit: Visit, household: str) -> str:
    return households_of(visit).get(household).title or visit.t("assets.household.first")


def create(visit: Visit) -> Response:
    """Make a household with a table of its own; whoever makes it is its first owner."""
    try:
        wanted = Household(id=visit.given("id"), title=visit.given("title"), members={visit.me.name: "owner"})
        made = households_of(visit).create(wanted, who(visit))
    except ValidationError:
        return show(visit, visit.t("assets.household.bad_id"), 422)
    except AlreadyExists as fault:
        return show(visit, visit.worded(str(fault), fault.code, fault.values), 409)
    response = visit.go("/assets/start", "assets.household.created", title=made.title)
    visit.keep(response, CHOSEN, made.id)
    return response


def pocket(visit: Visit) -> Response:
    """Make a private pocket for whoever looks; the others see its sums alone."""
    made = households_of(visit).create_pocket(
        household_id(visit),
        visit.me.name,
        visit.t("assets.household.pocket_of", name=visit.me.shown_name),
        who(visit),
    )
    response = visit.go("/assets", "assets.household.created", title=made.title)
    visit.keep(response, CHOSEN, made.id)
    return response


def count(visit: Visit) -> Response:
    """Decide when the month begins, and which month a card's line belongs to."""
    try:
        rules = HouseRules(
            month_starts_on=_number(visit, "month_starts_on"),
            card_month="payment" if visit.given("card_month") == "payment" else "use",
            card_payment_day=_number(visit, "card_payment_day"),
        )
    except (ValidationError, InvalidInput):
        return show(visit, visit.t("assets.household.bad_day"), 422)
    assets_of(visit).counting.set(rules, who(visit))
    return visit.go(_PATH, "assets.household.saved")


def _number(visit: Visit, name: str) -> int:
    text = visit.given(name)
    if not text.isdecimal():
        raise InvalidInput("Give a day from 1 to 28.", name, code="assets.not-a-day-of-month")
    return int(text)


def members(visit: Visit) -> Response:
    """Change the title and who belongs to the household; an empty name is nobody."""
    here = household_of(visit)
    if here is None:
        raise NotAllowed(
            "Everyone with a role in the ledger belongs to the first household.",
            code="assets.first-household",
        )
    expect_allowed(here, visit.asking, "admin")
    pairs = zip(visit.every("member"), visit.every("role"), strict=False)
    wanted = {name.strip(): role for name, role in pairs if name.strip() and role in _ROLES}
    try:
        households_of(visit).change(here.id, who(visit), title=visit.given("title") or None, members=wanted)
    except NotAllowed as fault:
        return show(visit, visit.worded(str(fault), fault.code, fault.values), 422)
    return visit.go(_PATH, "assets.household.saved")


PAGES = (
    PageRoute(_PATH, index, allowed(AREA, "read")),
    PageRoute(f"{_PATH}/choose", choose, allowed(AREA, "read"), "POST"),
    PageRoute(f"{_PATH}/create", create, allowed(AREA, "admin"), "POST"),
    PageRoute(f"{_PATH}/pocket", pocket, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/count", count, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/members", members, allowed(AREA, "write"), "POST"),
)
