"""What the pages of the leaderboards share: the week of a visit, the player that is one's own, and the ways between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from starlette.responses import Response

from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.design import LARGEST_ID
from hansang.apps.leaderboards.reading import TIE_RULES, PlacedRow, TieRule, WeekRank
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import Tab, tabs
from hansang.surfaces.http.cookies import Cookie

AREA = "leaderboards"
OWN = Cookie("hansang_player", 365 * 24 * 60 * 60)
"""The player that this browser has chosen as its own."""
_LEAST_SHARE = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class BoardWay:
    """The way to a board of the game."""

    name: str
    href: str
    is_current: bool


def every_board(visit: Visit) -> GameBoards:
    """The boards of the server, with what each keeps in memory."""
    shell = visit.shell
    return shell.once(
        f"{AREA} pages",
        lambda: GameBoards(shell.database, shell.clock, shell.chosen.get(AREA), publish=shell.topics.publish),
    )


def boards_of(visit: Visit) -> Leaderboards:
    """The application on the board that the address names."""
    return every_board(visit).open(visit.query("board"))


def on_board(visit: Visit, path: str, **asked: object) -> str:
    """An address of these pages or of the API, on the board that is looked at."""
    return _asking(boards_of(visit), path, asked)


def board_path(boards: Leaderboards, below: str = "") -> str:
    """A page of any board."""
    return _asking(boards, f"/leaderboards{below}", {})


def _asking(boards: Leaderboards, path: str, asked: dict[str, object]) -> str:
    asked = {**asked, "board": boards.board} if boards.board else asked
    return f"{path}?{urlencode(asked)}" if asked else path


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


def player_path(visit: Visit, player: int, below: str = "", **asked: object) -> str:
    """A page of a player, on the board that is looked at."""
    return on_board(visit, f"/leaderboards/players/{player}{below}", **asked)


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
        "tabs": _tabs(visit, context.get("player")),
        "board_name": boards.board,
        "board_ways": _board_ways(visit, context.get("player")),
        "on_board": partial(on_board, visit),
        "this_week": boards.weeks.current,
        "own": own_player(visit),
        "player_path": partial(player_path, visit),
        "asked": visit.query,
        "ranked": lambda rank: visit.t("leaderboards.rank_of", rank=f"{rank:,}"),
        "when": lambda text: _when(visit, text, zone),
    }
    return visit.page(f"leaderboards/{template}", status, **shared | context)


def tied_in(rows: Sequence[PlacedRow]) -> set[int]:
    """The players whose rank somebody else of these rows has too."""
    ranks = Counter(each.rank for each in rows)
    return {each.id for each in rows if ranks[each.rank] > 1}


def _tabs(visit: Visit, player: BoardPlayer | None) -> list[Tab]:
    """The pages of the leaderboards, on the board that is looked at; the overview is of all of them."""
    found = tabs(visit, AREA)
    if player is not None and player.id == own_player(visit):
        here = (
            "/leaderboards/me/friends" if visit.request.url.path.endswith("/friends") else "/leaderboards/me"
        )
        found = [replace(each, is_current=each.href == here) for each in found]
    return [
        replace(each, href=on_board(visit, each.href)) if each.href.startswith("/leaderboards") else each
        for each in found
    ]


def _board_ways(visit: Visit, player: BoardPlayer | None) -> list[BoardWay]:
    """This page on every board, none if there is one board; of a player who is not there, the week instead."""
    every, current = every_board(visit), boards_of(visit).board
    if len(every.names) == 1:
        return []
    found = []
    for name in every.names:
        boards = every.open(name)
        is_there = player is None or boards.players.find(player.id) is not None
        href = visit.link(board=boards.board or None, page=None, cursor=None)
        found.append(BoardWay(name, href if is_there else f"/leaderboards{href}", boards.board == current))
    return found


def _when(visit: Visit, text: str, zone: ZoneInfo) -> str:
    """When a score was reached, where the boards are."""
    if not text:
        return "–"
    at = datetime.fromisoformat(text).astimezone(zone)
    today = boards_of(visit).weeks.now.date()
    if at.date() == today:
        return visit.t("leaderboards.today_at", time=f"{at:%H:%M}")
    return f"{visit.formats.short_day(at.date())} {at:%H:%M}"
