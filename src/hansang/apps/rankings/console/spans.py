"""Which days a page of one or several players shows, and their courses as charts draw them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from hansang.apps.rankings.amounts import score_text
from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.console.links import day_in, rank_text
from hansang.apps.rankings.design import Board
from hansang.apps.rankings.histories import LONGEST_HISTORY, HistoryDay, PlayerHistory
from hansang.apps.rankings.rules import OFFICIAL
from hansang.surfaces.console.pages import Visit

SPANS = {"7": 7, "30": 30, "90": 90, "365": 365, "all": LONGEST_HISTORY}


@dataclass(frozen=True, slots=True)
class HistorySpan:
    """The days from one to another; `name` is the button that stands for them, if one does."""

    since: date
    until: date
    name: str


def span_in(visit: Visit, until: date, default: str = "90") -> HistorySpan:
    """The span of the address: so many days up to the newest, or from one day to another."""
    since, to = day_in(visit.query("from")), day_in(visit.query("to"))
    if since is not None and to is not None and timedelta() <= to - since < timedelta(LONGEST_HISTORY):
        return HistorySpan(since, to, "")
    name = visit.query("days") if visit.query("days") in SPANS else default
    return HistorySpan(until - timedelta(days=SPANS[name] - 1), until, name)


def days_of(span: HistorySpan, histories: Iterable[PlayerHistory]) -> list[date]:
    """The days of a span from the first that anybody has."""
    known = [each.snapshot.day for history in histories for each in history.days]
    first = max(span.since, min(known, default=span.until))
    return [first + timedelta(days=each) for each in range((span.until - first).days + 1)]


def gaps(days: Sequence[date], histories: Iterable[PlayerHistory]) -> list[date]:
    """The days that nobody has."""
    known = {each.snapshot.day for history in histories for each in history.days}
    return [day for day in days if day not in known]


def displayed_rank(board: Board, day: HistoryDay) -> int:
    """The official rank of whoever has one, else the computed one."""
    return DESIGNS[board].rank(day.snapshot) or day.ranks[board].rank


# ── charts ────────────────────────────────────────────────────────────────────────────────────────


def frame(visit: Visit, days: Sequence[date], missing: Sequence[date], **more: Any) -> dict[str, Any]:
    """What every course over these days has."""
    return {
        "type": "course",
        "head": visit.t("table.day"),
        "labels": [visit.formats.tick(day) for day in days],
        "full": [visit.formats.day(day) for day in days],
        "gaps": [days.index(day) for day in missing],
        **more,
    }


def rank_frame(visit: Visit, days: Sequence[date], missing: Sequence[date], **more: Any) -> dict[str, Any]:
    """The same for ranks, with the official zone."""
    zone = {"to": OFFICIAL, "name": visit.t("rankings.zone")}
    unit = visit.t("rankings.rank_unit")
    return frame(visit, days, missing, isRank=True, unit=unit, zone=zone, **more)


def rank_series(
    visit: Visit, board: Board, days: Sequence[date], found: Mapping[date, HistoryDay]
) -> dict[str, Any]:
    """The rank of each day; firm where it is official."""
    return {
        "values": [displayed_rank(board, found[day]) if day in found else None for day in days],
        "firm": [day in found and DESIGNS[board].rank(found[day].snapshot) is not None for day in days],
        "texts": [
            rank_text(visit, displayed_rank(board, found[day])) if day in found else None for day in days
        ],
    }


def score_series(
    visit: Visit, board: Board, days: Sequence[date], found: Mapping[date, HistoryDay]
) -> dict[str, Any]:
    """The level or the power of each day."""
    scores = [DESIGNS[board].score(found[day].snapshot) if day in found else None for day in days]
    return {
        "values": scores,
        "texts": [None if each is None else score_text(each, visit.language) for each in scores],
    }
