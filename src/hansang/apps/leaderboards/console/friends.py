"""Friends: who leads among them, how far away each is, whom to catch up with, and who has not played yet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import (
    AREA,
    boards_of,
    own_player,
    page,
    player_path,
    tied_in,
    ties_in,
    week_in,
)
from hansang.apps.leaderboards.console.player import shown_player
from hansang.apps.leaderboards.reading import PlacedRow
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.topics import board_topic, player_topic
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

_MOST_WAITING = 100


def mine(visit: Visit) -> Response:
    """The friends of one's own player, or the way to choose one."""
    own = own_player(visit)
    if own is None or boards_of(visit).players.find(own) is None:
        return page(visit, "nobody.html", week=week_in(visit))
    return visit.go(player_path(visit, own, "/friends"))


def friends(visit: Visit) -> Response:
    """A player and the friends in a week; whoever has not played stands below, with the score of the week before."""
    boards, week = boards_of(visit), week_in(visit)
    card = shown_player(visit, boards)
    board = boards.reading.friends_board(week, card.id, ties_in(visit))
    own = next((each for each in board.items if each.id == card.id), None)
    looked_up = board.waiting[:_MOST_WAITING]
    waiting = [
        each for each in boards.players.several(looked_up) if not each.is_hidden or visit.may(AREA, "admin")
    ]
    context: dict[str, Any] = {
        "player": card,
        "week": week,
        "is_current": week == boards.weeks.current,
        "board": board,
        "tied": tied_in(board.items),
        "overall": {each.id: boards.trees.live(week).standing(each.score).rank for each in board.items},
        "waiting": waiting,
        "waiting_count": len(board.waiting) - len(looked_up) + len(waiting),
        "before": _before(boards, week, [each.id for each in waiting]),
        "next": _above(board.items, own),
        "live": [board_topic(week, boards.board), player_topic(card.id, boards.board)],
        "own_score": None if own is None else own.score,
    }
    return page(visit, "friends.html", **context)


def _above(rows: list[PlacedRow], own: PlacedRow | None) -> PlacedRow | None:
    """Whoever is right above."""
    above = [] if own is None else [each for each in rows if each.score > own.score]
    return above[-1] if above else None


def _before(boards: Leaderboards, week: Week, players: list[int]) -> dict[int, int]:
    """What players reached in the week before."""
    earlier = Week.starting(week.start - timedelta(weeks=1))
    return {each.id: each.score for each in boards.reading.rows_of(earlier, players)}


PAGES = (
    PageRoute("/leaderboards/me/friends", mine, readable(AREA)),
    PageRoute("/leaderboards/players/{id}/friends", friends, readable(AREA)),
)
