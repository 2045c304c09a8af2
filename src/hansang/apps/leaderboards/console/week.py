"""A week: how far it is, who leads, and any page of its board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import (
    AREA,
    boards_of,
    own_player,
    page,
    player_in,
    player_path,
    share_text,
    ties_in,
    week_in,
)
from hansang.apps.leaderboards.design import WeeklyBestKey
from hansang.apps.leaderboards.reading import PlacedRow, WeekRank
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.topics import board_topic
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

SIZE = 50
PODIUM = 3
_A_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A row of a board, with the rank of the week before."""

    row: PlacedRow
    is_tied: bool
    before: int | None


def show(visit: Visit) -> Response:
    """A page of the board of a week; a name or an id leads to the player."""
    if visit.query("player").strip():
        return _to_player(visit)
    boards, week, ties = boards_of(visit), week_in(visit), ties_in(visit)
    number = page_in(visit)
    board = boards.reading.page(week, number, SIZE, ties)
    lines = _lines(boards, week, board.items)
    own = own_player(visit)
    mine = None if own is None else boards.reading.rank(week, own, ties)
    final = boards.weeks.find(week)
    context: dict[str, Any] = {
        "week": week,
        "is_current": week == boards.weeks.current,
        "final": final,
        "board": board,
        "podium": lines[:PODIUM] if number == 0 else [],
        "lines": lines[PODIUM:] if number == 0 else lines,
        "number": number,
        "last": max(0, board.total - 1) // SIZE,
        "ties": ties,
        "days": _days(boards, week),
        "ends_at": boards.weeks.ends_at(week),
        "left": _left(visit, boards, week),
        "live": [board_topic(week, boards.board)],
        "mine": mine,
        "share": share_text(visit, mine),
        "friends_rank": _friends_rank(boards, week, mine),
        "before": visit.link(week=f"{week.start - _A_WEEK}", page=None),
        "after": visit.link(week=f"{week.start + _A_WEEK}", page=None)
        if week < boards.weeks.current
        else None,
        "unknown": visit.query("unknown"),
        "page_link": lambda to: visit.link(page=str(to + 1) if to else None),
        "leaders": _leaders(boards, week) if not board.total else [],
    }
    return page(visit, "week.html", **context)


def page_in(visit: Visit) -> int:
    """The page of the address, from 0; people count from 1."""
    text = visit.query("page").replace(",", "").strip()
    return max(0, int(text) - 1) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _to_player(visit: Visit) -> Response:
    """The page of a player, found by id or by how the name begins."""
    typed = visit.query("player").strip()[:100]
    players, number = boards_of(visit).players, player_in(typed)
    if number is not None and players.find(number) is not None:
        return visit.go(player_path(visit, number))
    found = players.search(typed, 1)
    if found:
        return visit.go(player_path(visit, found[0].id))
    return visit.go(visit.link(player=None, unknown=typed).replace("?", "/leaderboards?", 1))


def _lines(boards: Leaderboards, week: Week, rows: Sequence[PlacedRow]) -> list[WeekLine]:
    """Rows with whether others have the same score, and the ranks of the week before: one batch of reads."""
    earlier = Week(week.start - _A_WEEK, week.end - _A_WEEK)
    keys = [WeeklyBestKey(id=each.id, start=earlier.start, end=earlier.end) for each in rows]
    scores = {each.id: each.top_score for each in boards.database.batch_get(keys)}
    standings = boards.trees.live(earlier).standings(scores.values()) if scores else []
    ranks = {player: standing.rank for player, standing in zip(scores, standings, strict=True)}
    beside = [each.score for each in rows]
    return [WeekLine(each, beside.count(each.score) > 1, ranks.get(each.id)) for each in rows]


def _days(boards: Leaderboards, week: Week) -> list[tuple[Any, str]]:
    """The days of a week, and whether each is over, is today, or is still to come."""
    today = boards.weeks.now.date()
    days = [week.start + timedelta(days=number) for number in range(7)]
    return [(day, "now" if day == today else "over" if day < today else "") for day in days]


def _left(visit: Visit, boards: Leaderboards, week: Week) -> dict[str, str]:
    """How long a week still lasts, and how a page says so while it counts down."""
    seconds = max(0, int((boards.weeks.ends_at(week) - boards.weeks.now).total_seconds()))
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    forms = {
        "days": visit.t("leaderboards.left_days", days="{days}", hours="{hours}"),
        "hours": visit.t("leaderboards.left_hours", hours="{hours}", minutes="{minutes}"),
    }
    form = forms["days" if days else "hours"]
    return {**forms, "text": form.format(days=days, hours=f"{hours:02d}", minutes=f"{minutes:02d}")}


def _friends_rank(boards: Leaderboards, week: Week, mine: WeekRank | None) -> int | None:
    if mine is None or mine.rank is None:
        return None
    found = boards.reading.friends_board(week, mine.id)
    return next((each.rank for each in found.items if each.id == mine.id), None)


def _leaders(boards: Leaderboards, week: Week) -> list[PlacedRow]:
    """The first of the week before, while nobody has played yet."""
    earlier = Week(week.start - _A_WEEK, week.end - _A_WEEK)
    return boards.reading.span(earlier, 0, PODIUM).items


PAGES = (PageRoute("/leaderboards", show, readable(AREA)),)
