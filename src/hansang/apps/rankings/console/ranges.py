"""Who has a score from … to …, and how the scores inside are spread."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from starlette.responses import Response

from hansang.apps.rankings.amounts import amount_of, score_text
from hansang.apps.rankings.console.everyone import histogram
from hansang.apps.rankings.console.lines import page_lines
from hansang.apps.rankings.console.links import AREA, Shown, empty, one_revision, page, rankings_of, shown
from hansang.apps.rankings.reading import RangePage
from hansang.apps.rankings.reports import SpreadBar
from hansang.apps.rankings.service import Rankings
from hansang.errors import InvalidCursor
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

SIZE = 50


@dataclass(frozen=True, slots=True)
class RangeGiven:
    """The ends of a range as they were typed, and as numbers; what is wrong with them, if something is."""

    low: str
    high: str
    ends: tuple[int, int] | None
    wrong: str


@one_revision
def show(visit: Visit) -> Response:
    """The players of a range, the highest first."""
    found, rankings = shown(visit), rankings_of(visit)
    if found is None:
        return empty(visit)
    given = _given(visit)
    bars = rankings.reports.histogram(found.board, found.day)
    context: dict[str, Any] = {
        "range": given,
        "result": None,
        "ends": (bars[0].low, bars[-1].high) if bars else (0, 0),
        "histogram": _marked(histogram(visit, found, bars, None), bars, given.ends),
    }
    if given.ends is not None:
        context |= _inside(visit, rankings, found, given.ends)
    return page(visit, "range.html", found, 422 if given.wrong else 200, **context)


def _given(visit: Visit) -> RangeGiven:
    low, high = (visit.query(name).strip()[:100] for name in ("low", "high"))
    if not low and not high:
        return RangeGiven("", "", None, "")
    first, last = amount_of(low), amount_of(high)
    if first is None or last is None:
        return RangeGiven(low, high, None, visit.t("rankings.range.not_a_number"))
    if first > last:
        return RangeGiven(low, high, None, visit.t("rankings.range.wrong_way"))
    return RangeGiven(low, high, (first, last), "")


def _inside(visit: Visit, rankings: Rankings, found: Shown, ends: tuple[int, int]) -> dict[str, Any]:
    result = _page(visit, rankings, found, ends)
    against = rankings.days.before(found.day)
    snapshots = rankings.reports.snapshots((row.uuid for row in result.items), found.day.day)
    moves = rankings.histories.moves(found.board, result.items, against or found.day)
    share = Fraction(100 * result.total, max(1, found.day.players))
    return {
        "result": result,
        "lines": page_lines(found.board, moves, snapshots, against is not None),
        "title": visit.t(
            "rankings.range.found",
            low=score_text(ends[0], visit.language),
            high=score_text(ends[1], visit.language),
        ),
        "share": f"{float(share):.2f}".rstrip("0").rstrip("."),
    }


def _page(visit: Visit, rankings: Rankings, found: Shown, ends: tuple[int, int]) -> RangePage:
    """A page of the range; an address with a cursor of another range begins at the first page."""
    cursor = visit.query("cursor") or None
    try:
        return rankings.reading.range(found.board, *ends, found.day.day, SIZE, cursor)
    except InvalidCursor:
        return rankings.reading.range(found.board, *ends, found.day.day, SIZE)


def _marked(spec: dict[str, Any], bars: list[SpreadBar], ends: tuple[int, int] | None) -> dict[str, Any]:
    """The spread with the bars of the range darker."""
    if ends is None:
        return spec
    inside = [place for place, bar in enumerate(bars) if bar.low <= ends[1] and bar.high >= ends[0]]
    return {**spec, "inside": inside}


PAGES = (PageRoute("/rankings/range", show, readable(AREA)),)
