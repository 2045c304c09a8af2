"""Hiding a player, showing one again, and erasing one: for owners, with a reason that goes to the history (X5-30)."""

from __future__ import annotations

from starlette.responses import Response

from hansang.apps.rankings.console.links import AREA, player_path, rankings_of
from hansang.apps.rankings.console.player import ActAsked, shown_player
from hansang.parts.history import with_line
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_BOARD = "/rankings/everyone"
_LONGEST_REASON = 500


def hide(visit: Visit) -> Response:
    """Neither name nor find a player from now on; one click shows the player again."""
    uuid, reason = visit.param("uuid"), visit.given("reason")[:_LONGEST_REASON]
    if not reason:
        return shown_player(visit, ActAsked("hide", {"reason": visit.t("rankings.days.no_reason")}), 422)
    rankings_of(visit).privacy.hide(uuid, beside=_noted(visit, uuid, "hide", reason))
    return visit.go(_BOARD, "rankings.privacy.hidden", undo=Undo(f"{player_path(uuid)}/show"))


def show(visit: Visit) -> Response:
    """Show a hidden player again."""
    uuid = visit.param("uuid")
    rankings_of(visit).privacy.show(uuid, beside=_noted(visit, uuid, "show", ""))
    return visit.go(player_path(uuid), "rankings.privacy.shown")


def erase(visit: Visit) -> Response:
    """Delete a player from every day, if the uuid was typed and a reason is given; nothing brings it back."""
    uuid, reason = visit.param("uuid"), visit.given("reason")[:_LONGEST_REASON]
    errors = {}
    if not reason:
        errors["reason"] = visit.t("rankings.days.no_reason")
    if visit.given("typed") != uuid:
        errors["typed"] = visit.t("rankings.privacy.not_typed")
    if errors:
        return shown_player(visit, ActAsked("erase", errors), 422)
    days = rankings_of(visit).privacy.erase(uuid, beside=_noted(visit, uuid, "erase", reason))
    return visit.go(_BOARD, "rankings.privacy.erased", count=days)


def _noted(visit: Visit, uuid: str, verb: str, reason: str) -> Beside[object]:
    """The line of history that is written beside the work."""
    told = {"reason": reason} if reason else None
    line = visit.shell.history.line(
        visit.actor, AREA, "Profile", uuid, verb, after=told, request_id=visit.request_id
    )
    return with_line(line, alone)


_PLAYER = "/rankings/players/{uuid}"
PAGES = (
    PageRoute(f"{_PLAYER}/hide", hide, allowed(AREA, "admin"), "POST"),
    PageRoute(f"{_PLAYER}/show", show, allowed(AREA, "admin"), "POST"),
    PageRoute(f"{_PLAYER}/erase", erase, allowed(AREA, "admin"), "POST"),
)
