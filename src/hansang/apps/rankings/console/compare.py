"""Up to five players side by side; the address is all that the page knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.console.everyone import found_player
from hansang.apps.rankings.console.links import (
    AREA,
    BASKET,
    Shown,
    compare_path,
    empty,
    one_revision,
    page,
    pinned,
    rankings_of,
    shown,
    slots_in,
    with_player,
)
from hansang.apps.rankings.console.spans import (
    SPANS,
    HistorySpan,
    days_of,
    displayed_rank,
    frame,
    gaps,
    rank_frame,
    rank_series,
    score_series,
    span_in,
)
from hansang.apps.rankings.design import Board
from hansang.apps.rankings.histories import MOST_COMPARED, HistoryDay, PlayerHistory
from hansang.apps.rankings.service import Rankings
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

COLOURS = ("blue", "coral", "teal", "amber", "violet")
VIEWS = ("rank", "power", "level")
_KEPT = ("board", "view", "align", "days", "from", "to", "date")
_WEEK, _MONTH = timedelta(days=7), timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Compared:
    """A player in a slot, with the days of the span and of the month."""

    uuid: str
    name: str
    color: str
    history: PlayerHistory
    """Of the span."""
    by_day: Mapping[date, HistoryDay]
    """Of the span, and at least of the last month."""

    def on(self, day: date) -> HistoryDay | None:
        return self.by_day.get(day)


@one_revision
def show(visit: Visit) -> Response:
    """The comparison that the address asks for; a name that is added leads to the address with the player."""
    found, rankings = shown(visit), rankings_of(visit)
    if found is None:
        return empty(visit)
    slots = slots_in(visit.query("uuids"))
    if typed := visit.query("add").strip()[:100]:
        return _added(visit, rankings, found, slots, typed)
    span = span_in(visit, found.day.day, "30")
    players = _compared(rankings, found, span, slots)
    view = visit.query("view") if visit.query("view") in VIEWS else "rank"
    context: dict[str, Any] = {
        "players": players,
        "slots": slots,
        "most": MOST_COMPARED,
        "without": lambda uuid: _path(visit, ["" if each == uuid else each for each in slots]),
        "pinned_names": _pinned_names(visit, rankings, found, slots),
        "adding": lambda uuid: _path(visit, with_player(slots, uuid)),
        "spans": [name for name in SPANS if name != "all"],
        "span": span,
        "view": view,
        "views": VIEWS,
        "align": "first" if visit.query("align") == "first" else "date",
        "unknown": visit.query("unknown"),
    }
    if len(players) >= 2:
        context |= _side_by_side(visit, found, span, view, players)
    response = page(visit, "compare.html", found, **context)
    if players and not visit.is_guest:
        visit.keep(response, BASKET, ",".join(slots))
    return response


def _path(visit: Visit, slots: Sequence[str], **more: str) -> str:
    kept = {name: visit.query(name) for name in _KEPT if visit.query(name)}
    return compare_path(slots, **kept, **more)


def _added(visit: Visit, rankings: Rankings, found: Shown, slots: Sequence[str], typed: str) -> Response:
    uuid = found_player(rankings, found.day, typed)
    if uuid is None:
        return visit.go(_path(visit, slots, unknown=typed))
    return visit.go(_path(visit, with_player(slots, uuid)))


def _compared(rankings: Rankings, found: Shown, span: HistorySpan, slots: Sequence[str]) -> list[Compared]:
    """The players of the slots; whoever is hidden, or has no day to show, is left out."""
    since = min(span.since, found.day.day - _MONTH)
    players = []
    for uuid, colour in zip(slots, COLOURS, strict=False):
        if not uuid or rankings.privacy.is_hidden(uuid):
            continue
        whole = rankings.histories.history(uuid, since, max(span.until, found.day.day))
        within = [each for each in whole.days if span.since <= each.snapshot.day <= span.until]
        if whole.days:
            by_day = {each.snapshot.day: each for each in whole.days}
            history = PlayerHistory(within, [])
            players.append(Compared(uuid, whole.days[0].snapshot.name, colour, history, by_day))
    return players


def _pinned_names(
    visit: Visit, rankings: Rankings, found: Shown, slots: Sequence[str]
) -> list[tuple[str, str]]:
    wanted = [each for each in pinned(visit) if each not in slots and not rankings.privacy.is_hidden(each)]
    there = rankings.reports.snapshots(wanted, found.day.day)
    return [(uuid, there[uuid].name) for uuid in wanted if uuid in there]


# ── side by side ──────────────────────────────────────────────────────────────────────────────────


def _side_by_side(
    visit: Visit, found: Shown, span: HistorySpan, view: str, players: Sequence[Compared]
) -> dict[str, Any]:
    days = days_of(span, [each.history for each in players])
    missing = gaps(days, [each.history for each in players])
    week = _growths(found, players, found.board, _WEEK)
    return {
        "course": _course(visit, found, days, missing, view, players),
        "missing": missing,
        "missing_of": [
            (each.name, left)
            for each in players
            if (left := _left_out(days, missing, each)) and len(left) < 9
        ],
        "rows": _rows(found, players),
        "ahead": _ahead(found.board, view, days, players),
        "week": week,
        "week_most": max((each for each in week if each is not None), default=0),
        "week_since": found.day.day - _WEEK,
    }


def _left_out(days: Sequence[date], missing: Sequence[date], player: Compared) -> list[date]:
    known = {each.snapshot.day for each in player.history.days}
    return [day for day in days if day not in known and day not in missing]


def _course(
    visit: Visit,
    found: Shown,
    days: Sequence[date],
    missing: Sequence[date],
    view: str,
    players: Sequence[Compared],
) -> dict[str, Any]:
    """One line a player, over the dates or each from the first day on."""
    by_first = visit.query("align") == "first"
    series = []
    for each in players:
        own = days[_first(days, each) :] if by_first else days
        values = _series(visit, found.board, view, own, each.by_day)
        padded = {name: [*line, *[None] * (len(days) - len(line))] for name, line in values.items()}
        series.append({"key": each.uuid, "name": each.name, "color": each.color, **padded})
    make = rank_frame if view == "rank" else frame
    spec = make(visit, days, [] if by_first else missing, series=series, ends=True)
    if by_first:
        spec["labels"] = [str(place) for place in range(1, len(days) + 1)]
        spec["full"] = [visit.t("rankings.compare.day_number", count=place) for place in spec["labels"]]
    return spec


def _first(days: Sequence[date], player: Compared) -> int:
    return next((place for place, day in enumerate(days) if player.on(day) is not None), 0)


def _series(
    visit: Visit, board: Board, view: str, days: Sequence[date], by_day: Mapping[date, HistoryDay]
) -> dict[str, Any]:
    if view == "rank":
        # Five lines, some of them dotted, could not be told apart.
        return {key: line for key, line in rank_series(visit, board, days, by_day).items() if key != "firm"}
    return score_series(visit, "power" if view == "power" else "level", days, by_day)


# ── figures ───────────────────────────────────────────────────────────────────────────────────────


def _rows(found: Shown, players: Sequence[Compared]) -> list[dict[str, tuple[int | None, bool]]]:
    """The figures of each player, each with whether it is the best of them."""
    board, newest = found.board, [next(iter(each.by_day.values())) for each in players]
    figures: dict[str, list[int | None]] = {
        "rank": [displayed_rank(board, each) for each in newest],
        "moved": [_moved(board, each) for each in players],
        "power": [each.snapshot.power for each in newest],
        "level": [each.snapshot.level for each in newest],
        "week": _growths(found, players, board, _WEEK),
        "month": _growths(found, players, board, _MONTH),
        "best": [min(displayed_rank(board, day) for day in each.by_day.values()) for each in players],
        "hundred": [
            sum(DESIGNS[board].rank(day.snapshot) is not None for day in each.by_day.values())
            for each in players
        ],
    }
    bests = {name: _best(name, values) for name, values in figures.items()}
    return [
        {name: (values[place], values[place] == bests[name]) for name, values in figures.items()}
        for place in range(len(players))
    ]


def _best(name: str, values: Sequence[int | None]) -> int | None:
    """The best of some values, if they are not all the same; the less the better of ranks."""
    known = [each for each in values if each is not None]
    if name == "moved" or len({*known}) < 2:
        return None
    choose: Callable[[list[int]], int] = min if name in ("rank", "best") else max
    return choose(known)


def _moved(board: Board, player: Compared) -> int | None:
    last, *rest = player.by_day.values()
    return displayed_rank(board, rest[0]) - displayed_rank(board, last) if rest else None


def _growths(found: Shown, players: Sequence[Compared], board: Board, span: timedelta) -> list[int | None]:
    return [_growth(each, board, found.day.day, span) for each in players]


def _growth(player: Compared, board: Board, until: date, span: timedelta) -> int | None:
    """How much a score grew since the last snapshot that is a span ago; None if one is missing."""
    now = player.on(until)
    earlier = [each for day, each in player.by_day.items() if day <= until - span]
    if now is None or not earlier:
        return None
    return DESIGNS[board].score(now.snapshot) - DESIGNS[board].score(earlier[0].snapshot)


def _ahead(
    board: Board, view: str, days: Sequence[date], players: Sequence[Compared]
) -> list[list[int | None]]:
    """On how many days each was ahead of each other one; days that one of them lacks count for none."""

    def value(day: HistoryDay) -> int:
        if view == "rank":
            return -displayed_rank(board, day)
        return day.snapshot.power if view == "power" else day.snapshot.level

    def count(one: Compared, other: Compared) -> int | None:
        pairs = [(one.on(day), other.on(day)) for day in days]
        both = [(left, right) for left, right in pairs if left is not None and right is not None]
        return None if one is other else sum(value(left) > value(right) for left, right in both)

    return [[count(one, other) for other in players] for one in players]


PAGES = (PageRoute("/rankings/compare", show, readable(AREA)),)
