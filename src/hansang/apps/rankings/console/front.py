"""The front page: the official first hundred of a day, how they moved, and the first ten over two weeks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from hansang.apps.rankings.console.lines import BoardLine, official_lines, player_line
from hansang.apps.rankings.console.links import (
    AREA,
    Shown,
    empty,
    one_revision,
    page,
    pinned,
    rankings_of,
    shown,
)
from hansang.apps.rankings.design import Board, Period
from hansang.apps.rankings.reports import FIRST, FirstCourse, OfficialBoard
from hansang.apps.rankings.rules import PERIODS
from hansang.apps.rankings.service import Rankings
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

MOVES = ("up", "down", "new")
_COLOURS = ("blue", "coral", "teal", "amber", "violet", "pink", "sky", "ink", "grey", "grey")
_MOST_MOVERS = 5
_MOST_CHANGED = 6


@one_revision
def show(visit: Visit) -> Response:
    """The official board of a day with all that changed."""
    found, rankings = shown(visit), rankings_of(visit)
    if found is None:
        return empty(visit)
    official = rankings.reports.official(found.board, found.day.day)
    lines = official_lines(found.board, official)
    course = rankings.reports.first_course(found.board, found.day.day)
    period: Period = next((each for each in PERIODS if each == visit.query("period")), "day")
    context: dict[str, Any] = {
        "lines": [each for each in lines if _fits(each, visit.query("move"))],
        "move": visit.query("move") if visit.query("move") in MOVES else "",
        "moves": MOVES,
        "against": official.page.against,
        "mine": _mine(visit, rankings, found, official, lines),
        "figures": _figures(found.board, official, lines),
        "came": [each for each in lines if each.moved == "new"][:_MOST_CHANGED],
        "went": _went(rankings, found, official),
        "course": course,
        "bump": _bump(visit, course) if official.page.items else None,
        "period": period,
        "periods": [*PERIODS],
        "movers": _movers(rankings, found, period),
    }
    return page(visit, "front.html", found, **context)


def _fits(line: BoardLine, move: str) -> bool:
    if move == "new":
        return line.moved == "new"
    by = line.moved if isinstance(line.moved, int) else 0
    return {"up": by > 0, "down": by < 0}.get(move, True)


def _mine(
    visit: Visit, rankings: Rankings, found: Shown, official: OfficialBoard, lines: Sequence[BoardLine]
) -> BoardLine | None:
    """The pinned player, wherever the rank is."""
    for uuid in pinned(visit)[:1]:
        if rankings.privacy.is_hidden(uuid):
            return None
        there = next((each for each in lines if each.uuid == uuid), None)
        return there or player_line(rankings, found.board, uuid, found.day, official.page.against)
    return None


def _figures(board: Board, official: OfficialBoard, lines: Sequence[BoardLine]) -> dict[str, Any]:
    """Who is first, what it takes to be in, who came and went, and the biggest climb."""
    climbs = [(each.moved, each) for each in lines if isinstance(each.moved, int) and each.moved > 0]
    return {
        "first": lines[0] if lines else None,
        "last": lines[-1] if lines else None,
        "cut": lines[-1].score(board) if lines else 0,
        "cut_before": official.page.before[-1].score if official.page.before else None,
        "came": sum(each.moved == "new" for each in lines),
        "went": len(official.page.out),
        "climb": max(climbs, key=lambda each: each[0])[1] if climbs else None,
    }


def _went(rankings: Rankings, found: Shown, official: OfficialBoard) -> list[tuple[str, str, int | None]]:
    """Who left the first hundred, and where they stand now; None for whoever is on no board any more."""
    out = official.page.out[:_MOST_CHANGED]
    now = rankings.reports.snapshots([each.uuid for each in out], found.day.day)
    ranks = {uuid: rankings.reading.rank_of(each, found.board, found.day).rank for uuid, each in now.items()}
    return [(each.uuid, each.name, ranks.get(each.uuid)) for each in out]


def _movers(rankings: Rankings, found: Shown, period: Period) -> dict[str, Any]:
    moved = rankings.histories.movers(found.board, period, found.day.day, _MOST_MOVERS + 5)
    hidden = rankings.privacy.hidden()
    return {
        "against": moved.against,
        "among": moved.among,
        "is_all": moved.among == found.day.players,
        **{
            name: [each for each in getattr(moved, name) if each.row.uuid not in hidden][:_MOST_MOVERS]
            for name in ("climbed", "fallen", "grown")
        },
    }


def _bump(visit: Visit, course: FirstCourse) -> dict[str, Any]:
    """The ten of the last day, each with the ranks of two weeks."""
    last = course.rows[-1] or []
    hidden = rankings_of(visit).privacy.hidden()
    ranks = [None if rows is None else {row.uuid: row.rank for row in rows} for rows in course.rows]
    return {
        "type": "bump",
        "places": FIRST,
        "unit": visit.t("rankings.rank_unit"),
        "head": visit.t("table.day"),
        "labels": [visit.formats.tick(day) for day in course.days],
        "full": [visit.formats.day(day) for day in course.days],
        "gaps": [place for place, rows in enumerate(course.rows) if rows is None],
        "series": [
            {
                "name": visit.t("rankings.unnamed") if row.uuid in hidden else row.name,
                "color": colour,
                "values": [None if each is None else each.get(row.uuid) for each in ranks],
            }
            for row, colour in zip(last, _COLOURS, strict=False)
        ],
    }


PAGES = (PageRoute("/rankings", show, readable(AREA)),)
