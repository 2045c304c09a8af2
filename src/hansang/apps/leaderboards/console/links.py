"""What the pages of the leaderboards share: the week of a visit, the player that is one's own, and the ways between."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from starlette.responses import Response

from hansang.apps.leaderboards.design import LARGEST_ID
from hansang.apps.leaderboards.reading import TIE_RULES, TieRule, WeekRank
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs
from hansang.surfaces.http.cookies import Cookie

AREA = "leaderboards"
OWN = Cookie("hansang_player", 365 * 24 * 60 * 60)
"""The player that this browser has chosen as its own."""
_LEAST_SHARE = Fraction(1, 1000)


def boards_of(visit: Visit) -> Leaderboards:
    """The application on the database of the server, with what it keeps in memory."""
    shell = visit.shell
    return shell.once(
        f"{AREA} pages",
        lambda: Leaderboards(
            shell.database, shell.clock, shell.chosen.get(AREA), publish=shell.topics.publish
        ),
    )


def recorded_of(visit: Visit) -> RecordedBoards:
    """The verbs of whoever looks, each with its line of history."""
    return RecordedBoards(boards_of(visit), visit.shell.history, visit.actor, visit.request_id)


def settings_of(visit: Visit) -> LeaderboardsSettings:
    return boards_of(visit).settings


def week_in(visit: Visit) -> Week:
    """The week of the address; this week where it has none, or one that is no week."""
    weeks = boards_of(visit).weeks
    try:
        return weeks.named(visit.query("week") or CURRENT)
    except InvalidInput:
        return weeks.current


def ties_in(visit: Visit) -> TieRule:
    return next((each for each in TIE_RULES if each == visit.query("ties")), "competition")


def own_player(visit: Visit) -> int | None:
    return player_in(OWN.of(visit.request))


def player_in(text: str | None) -> int | None:
    """The id in an address or a cookie; None if it is none."""
    digits = (text or "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST_ID))):
        return None
    return int(digits) if int(digits) <= LARGEST_ID else None


def player_path(player: int) -> str:
    return f"/leaderboards/players/{player}"


def share_text(visit: Visit, rank: WeekRank | None) -> str:
    """Among the best so many hundredths: one digit, two where there is little."""
    if rank is None or rank.rank is None:
        return ""
    share = Fraction(rank.rank, max(1, rank.of))
    return visit.t("leaderboards.share", share=f"{float(share) * 100:.{1 if share >= _LEAST_SHARE else 2}f}")


def page(visit: Visit, template: str, status: int = 200, **context: Any) -> Response:
    """A page of the leaderboards, with what all of them need."""
    boards = boards_of(visit)
    zone = ZoneInfo(boards.settings.zone)
    shared: dict[str, Any] = {
        "tabs": tabs(visit, AREA),
        "this_week": boards.weeks.current,
        "own": own_player(visit),
        "player_path": player_path,
        "asked": visit.query,
        "ranked": lambda rank: visit.t("leaderboards.rank_of", rank=f"{rank:,}"),
        "when": lambda text: _when(visit, text, zone),
    }
    return visit.page(f"leaderboards/{template}", status, **shared | context)


def _when(visit: Visit, text: str, zone: ZoneInfo) -> str:
    """When a score was reached, where the boards are."""
    if not text:
        return "–"
    at = datetime.fromisoformat(text).astimezone(zone)
    today = boards_of(visit).weeks.now.date()
    if at.date() == today:
        return visit.t("leaderboards.today_at", time=f"{at:%H:%M}")
    return f"{visit.formats.short_day(at.date())} {at:%H:%M}"
