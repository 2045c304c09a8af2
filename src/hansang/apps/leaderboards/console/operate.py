"""For operators: what was refused, what is unlikely, who is hidden; hiding, restoring, and correcting a score."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import (
    AREA,
    boards_of,
    page,
    player_in,
    player_path,
    recorded_of,
    week_in,
)
from hansang.apps.leaderboards.weeks import unknown_player
from hansang.apps.leaderboards.work import REASONS, BoardPlayer, HideReason, RefusedPlay, Suspect
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_MOST_SHOWN = 50
_MOST_REFUSED = 500
_PERIODS: dict[str, timedelta | None] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "ever": None,
}


def show(visit: Visit) -> Response:
    """Whether all is well, and what somebody should look at."""
    boards = boards_of(visit)
    refused = _refused(visit)
    suspects = boards.database.all(Suspect.of_week(boards.weeks.current.start))
    context: dict[str, Any] = {
        "refused": refused[:_MOST_SHOWN],
        "refused_count": len(refused),
        "is_refused_whole": len(refused) < _MOST_REFUSED,
        "reasons": Counter(each.reason for each in refused).most_common(),
        "reason_text": lambda each: visit.worded(each.reason, each.reason, each.values),
        "suspects": [each for each in suspects if each.state == "open"][:_MOST_SHOWN],
        "hidden": boards.operating.hidden(_MOST_SHOWN, visit.query("cursor") or None),
        "backlog": boards.fan_outs.backlog(),
        "labels": visit.labels(AREA),
    }
    return page(visit, "operate.html", **context)


def _refused(visit: Visit) -> list[RefusedPlay]:
    """What was refused today and yesterday, the newest first."""
    database, today = boards_of(visit).database, datetime.fromtimestamp(visit.shell.clock(), UTC).date()
    days = (today, today - timedelta(days=1))
    return list(
        islice((each for day in days for each in database.each(RefusedPlay.of_day(day))), _MOST_REFUSED)
    )


def ask(visit: Visit) -> Response:
    """What can be done to a player, with what will come of it."""
    boards, card = boards_of(visit), _card(visit)
    week = week_in(visit)
    rank = boards.reading.rank(week, card.id)
    context: dict[str, Any] = {
        "player": card,
        "week": week,
        "rank": rank,
        "reasons": [
            (each, visit.labels(AREA).choice("BoardPlayer", "hide_reason", each)) for each in REASONS
        ],
        "periods": [(each, visit.t(f"leaderboards.period.{each}")) for each in _PERIODS],
        "below": max(0, rank.of - (rank.rank or rank.of) - rank.equal + 1),
    }
    return page(visit, "hide.html", **context)


def hide(visit: Visit) -> Response:
    """Take a player off the boards."""
    card = _card(visit)
    reason: HideReason | None = next((each for each in REASONS if each == visit.given("reason")), None)
    if reason is None or visit.given("period") not in _PERIODS:
        raise InvalidInput("Choose a reason and a period.", "reason", code="leaderboards.hide-choice")
    lasting = _PERIODS[visit.given("period")]
    until = None if lasting is None else datetime.fromtimestamp(visit.shell.clock(), UTC) + lasting
    note = visit.given("note").strip()[:500]
    recorded_of(visit).hide(card.id, reason, note, until)
    return visit.go("/leaderboards/operate", "leaderboards.hidden_now")


def restore(visit: Visit) -> Response:
    """Put a hidden player back on the boards."""
    card = _card(visit)
    recorded_of(visit).restore(card.id)
    return visit.go(player_path(card.id), "leaderboards.restored_now")


def correct(visit: Visit) -> Response:
    """Give a player another best of a week, with a note."""
    card, week = _card(visit), week_in(visit)
    typed, note = visit.given("score").replace(",", "").strip(), visit.given("note").strip()[:500]
    if not (typed.isascii() and typed.isdigit() and len(typed) < 16) or not note:
        raise InvalidInput(
            "Write the score as a whole number, and why it is another one.",
            "score",
            code="leaderboards.correct-how",
        )
    recorded_of(visit).correct(card.id, week, int(typed), note)
    return visit.go(player_path(card.id), "leaderboards.corrected_now")


def _card(visit: Visit) -> BoardPlayer:
    number = player_in(visit.param("id"))
    if number is None:
        raise unknown_player(0)
    return boards_of(visit).players.get(number)


PAGES = (
    PageRoute("/leaderboards/operate", show, allowed(AREA, "admin")),
    PageRoute("/leaderboards/players/{id}/operate", ask, allowed(AREA, "admin")),
    PageRoute("/leaderboards/players/{id}/hide", hide, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/restore", restore, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/correct", correct, allowed(AREA, "admin"), "POST"),
)
