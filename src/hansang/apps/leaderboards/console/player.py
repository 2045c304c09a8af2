"""A player: the rank and what comes next, who is around, where the score lies, plays and weeks."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import (
    AREA,
    OWN,
    boards_of,
    on_board,
    own_player,
    page,
    player_in,
    player_path,
    settings_of,
    share_text,
    tied_in,
    ties_in,
    week_in,
)
from hansang.apps.leaderboards.console.week import SIZE
from hansang.apps.leaderboards.reading import WeekRank, WeekScore
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.topics import board_topic, player_topic
from hansang.apps.leaderboards.weeks import unknown_player
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.surfaces.console.pages import Visit, safe_path
from hansang.surfaces.console.routing import PageRoute, allowed, readable

AROUND = (3, 7, 25)
_BARS = 40
_ROUND = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
_WEEKS = 12


def me(visit: Visit) -> Response:
    """The page of one's own player, or the way to choose one."""
    own = own_player(visit)
    if own is None or boards_of(visit).players.find(own) is None:
        return page(visit, "nobody.html", week=week_in(visit))
    return visit.go(player_path(visit, own))


def show(visit: Visit) -> Response:
    """How a player stands in a week."""
    boards, week, ties = boards_of(visit), week_in(visit), ties_in(visit)
    card = shown_player(visit, boards)
    rank = boards.reading.rank(week, card.id, ties)
    k = next((each for each in AROUND if str(each) == visit.query("k")), AROUND[0])
    weeks = boards.reading.scores(card.id, _WEEKS)
    around = boards.reading.around(week, card.id, k, ties).items
    context: dict[str, Any] = {
        "player": card,
        "week": week,
        "is_current": week == boards.weeks.current,
        "rank": rank,
        "share": share_text(visit, rank),
        "around": around,
        "tied": tied_in(around),
        "k": k,
        "ks": AROUND,
        "histogram": _histogram(visit, boards, week, rank),
        "goals": _goals(boards, week, rank),
        "weeks": weeks,
        "course": _course(visit, weeks),
        "best": boards.reading.best(card.id),
        "plays": next((each.plays for each in weeks if each.week == week), []),
        "live": [board_topic(week, boards.board), player_topic(card.id, boards.board)],
        "may_operate": visit.may(AREA, "admin"),
    }
    return page(visit, "player.html", **context)


def choose(visit: Visit) -> Response:
    """Make a player one's own in this browser, or let go of the one that is."""
    card = shown_player(visit, boards_of(visit))
    is_own = own_player(visit) == card.id
    said = "leaderboards.let_go" if is_own else "leaderboards.chosen"
    response = visit.go(safe_path(visit.given("next") or player_path(visit, card.id)), said)
    visit.keep(response, OWN, "" if is_own else str(card.id))
    return response


def shown_player(visit: Visit, boards: Leaderboards) -> BoardPlayer:
    """A player that the boards show, or NotFound; operators see hidden ones too."""
    number = player_in(visit.param("id"))
    found = None if number is None else boards.players.find(number)
    if found is None or (found.is_hidden and not visit.may(AREA, "admin")):
        raise unknown_player(number or 0)
    return found


def _goals(boards: Leaderboards, week: Week, rank: WeekRank) -> list[tuple[str, int, int]]:
    """What could be next: the rank above, and the next round one; each with its rank and the points that are missing."""
    if rank.rank is None or rank.score is None or rank.next is None:
        return []
    tree = boards.trees.live(week)
    above = rank.next.score
    found = [("next", tree.standing(above).rank, above - rank.score)]
    rounded = [each for each in _ROUND if each < rank.rank]
    for each in reversed(rounded[-2:]):
        at = tree.score_at(each - 1)
        if at is not None and at.score > above:
            found.append(("round", each, at.score - rank.score))
    return found


# ── charts ────────────────────────────────────────────────────────────────────────────────────────


def _histogram(visit: Visit, boards: Leaderboards, week: Week, rank: WeekRank) -> dict[str, Any] | None:
    """How many players have which scores; the bar of the player is marked, and each leads to its first page."""
    if not rank.of:
        return None
    bars, above = [], 0
    for each in boards.reading.histogram(week, min(_BARS, settings_of(visit).highest_score + 1)):
        href = on_board(visit, "/leaderboards", week=week.start, page=above // SIZE + 1)
        text = visit.t("leaderboards.count", count=each.players)
        full = f"{each.low:,} – {each.high:,}"
        bars.append(
            {"label": f"{each.low:,}", "full": full, "text": text, "count": each.players, "href": href}
        )
        above += each.players
    return {
        "type": "histogram",
        "head": [visit.t("leaderboards.score"), visit.t("leaderboards.players")],
        "bars": bars[::-1],
        "here": _bar_of(visit, rank),
        "name": rank.name or "",
        "about": visit.t("leaderboards.rank_of", rank=f"{rank.rank or 0:,}"),
    }


def _bar_of(visit: Visit, rank: WeekRank) -> int | None:
    if rank.score is None:
        return None
    highest = settings_of(visit).highest_score
    bars = min(_BARS, highest + 1)
    return rank.score // -(-(highest + 1) // bars)


def _course(visit: Visit, weeks: list[WeekScore]) -> dict[str, Any] | None:
    """The best of the last weeks."""
    if len(weeks) < 2:
        return None
    shown = weeks[::-1]
    return {
        "type": "bars",
        "head": visit.t("leaderboards.week"),
        "labels": [visit.formats.short_day(each.week.start) for each in shown],
        "series": [
            {
                "key": "score",
                "name": visit.t("leaderboards.score"),
                "color": "blue",
                "kind": "bar",
                "values": [each.score for each in shown],
            }
        ],
    }


PAGES = (
    PageRoute("/leaderboards/me", me, readable(AREA)),
    PageRoute("/leaderboards/players/{id}", show, readable(AREA)),
    PageRoute("/leaderboards/players/{id}/choose", choose, allowed(AREA, "read"), "POST"),
)
