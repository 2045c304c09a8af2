"""One player: the card, ranks and scores over days, names, milestones, neighbours, and pinning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.console.everyone import top_share
from hansang.apps.rankings.console.lines import Moved
from hansang.apps.rankings.console.links import (
    AREA,
    MOST_PINNED,
    PINS,
    Shown,
    empty,
    one_revision,
    page,
    pinned,
    player_path,
    rankings_of,
    shown,
)
from hansang.apps.rankings.console.share import SharedLink, SharedPlayer, shared_link
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
from hansang.apps.rankings.design import BOARDS, Board
from hansang.apps.rankings.histories import HistoryDay, PlayerHistory, milestones_of
from hansang.apps.rankings.service import Rankings
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit, safe_path
from hansang.surfaces.console.routing import PageRoute, allowed, readable

_GROUP = "player"
_LOOKED_BACK = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class RankCard:
    """How a player stands on a board on the last day with a snapshot."""

    rank: int
    moved: Moved
    before: int | None
    equal: int
    share: str
    official: int | None


@dataclass(frozen=True, slots=True)
class ActAsked:
    """A dialog that asks before a player is hidden or erased, and what was wrong with its answers."""

    act: str
    errors: Mapping[str, str]


ACTS = ("hide", "erase")


def show(visit: Visit) -> Response:
    """A player on every day of a span."""
    act = visit.query("act")
    return shown_player(visit, ActAsked(act, {}) if act in ACTS else None)


@one_revision
def shown_player(visit: Visit, asking: ActAsked | None, status: int = 200) -> Response:
    """The page of a player, with the dialog that is open on it."""
    uuid, found, rankings = visit.param("uuid"), shown(visit), rankings_of(visit)
    if found is None:
        return empty(visit)
    if rankings.privacy.is_hidden(uuid):
        may_show = visit.may(AREA, "admin")
        return page(visit, "nobody.html", found, 404, is_hidden=True, may_show=may_show, uuid=uuid)
    names, profile = rankings.histories.names(uuid), rankings.profiles.find(uuid)
    if not names and profile is None:
        return page(visit, "nobody.html", found, 404, is_hidden=False)
    span = span_in(visit, found.day.day)
    history = rankings.histories.history(uuid, span.since, span.until)
    context: dict[str, Any] = {
        "uuid": uuid,
        "name": profile.name if profile is not None and not names else names[0].name,
        "profile": profile,
        "names": names,
        "spans": [*SPANS],
        "span": span,
        "is_pinned": uuid in pinned(visit),
        **_courses(visit, found, span, history),
        **_card(visit, rankings, found, history),
        "milestones": milestones_of(history.days),
        "neighbours": _neighbours(rankings, found, uuid),
        "may_hide": visit.may(AREA, "admin"),
        "asking": asking if visit.may(AREA, "admin") else None,
        "given": visit.given,
    }
    link = _link(visit, found, uuid, history)
    return page(visit, "player.html", found, status, link_of=link, **context)


def _link(visit: Visit, found: Shown, uuid: str, history: PlayerHistory) -> SharedLink | None:
    """What other places show of this page: the newest day, so nothing for a page of another one."""
    if visit.query("date") or not history.days or history.days[0].snapshot.day != found.day.day:
        return None
    last, board = history.days[0], found.board
    is_official = DESIGNS[board].rank(last.snapshot) is not None
    name, of, level = last.snapshot.name, last.ranks[board].of, last.snapshot.level
    rank = displayed_rank(board, last)
    return shared_link(visit, SharedPlayer(uuid, name, board, found.day, rank, is_official, of, level))


# ── the card ──────────────────────────────────────────────────────────────────────────────────────


def _card(visit: Visit, rankings: Rankings, found: Shown, history: PlayerHistory) -> dict[str, Any]:
    """The figures of the last day that the player has in the span, against the one before."""
    if not history.days:
        return {"last": None, "cards": {}, "grown": {}, "best": None}
    last = history.days[0]
    before = history.days[1] if len(history.days) > 1 else None
    best = min(history.days, key=lambda each: (displayed_rank(found.board, each), each.snapshot.day))
    month = [each for each in history.days if each.snapshot.day >= last.snapshot.day - _LOOKED_BACK]
    return {
        "last": last.snapshot,
        "cards": {board: _rank_card(visit, board, last, before) for board in BOARDS},
        "grown": {
            board: DESIGNS[board].score(last.snapshot) - DESIGNS[board].score(month[-1].snapshot)
            for board in BOARDS
        },
        "grown_days": (last.snapshot.day - month[-1].snapshot.day).days,
        "since_before": 0 if before is None else last.snapshot.power - before.snapshot.power,
        "best": (displayed_rank(found.board, best), best.snapshot.day),
    }


def _rank_card(visit: Visit, board: Board, last: HistoryDay, before: HistoryDay | None) -> RankCard:
    rank, stood = displayed_rank(board, last), None if before is None else displayed_rank(board, before)
    return RankCard(
        rank,
        None if stood is None else stood - rank,
        stood,
        last.ranks[board].equal,
        top_share(visit, last.ranks[board]),
        DESIGNS[board].rank(last.snapshot),
    )


def _neighbours(rankings: Rankings, found: Shown, uuid: str) -> list[tuple[Any, int]]:
    """Those just above and just below, with how far they are away."""
    snapshot = rankings.reports.snapshots([uuid], found.day.day).get(uuid)
    if snapshot is None:
        return []
    score = DESIGNS[found.board].score(snapshot)
    rows = rankings.reports.neighbours(found.board, found.day, snapshot)
    return [(row, row.score - score) for row in rows]


# ── courses ───────────────────────────────────────────────────────────────────────────────────────


def _courses(visit: Visit, found: Shown, span: HistorySpan, history: PlayerHistory) -> dict[str, Any]:
    """The charts of rank, power and level over the same days, and the days without data."""
    if not history.days:
        return {"courses": {}, "missing": []}
    by_day = {each.snapshot.day: each for each in history.days}
    days = days_of(span, [history])
    missing = gaps(days, [history])
    shared = {"group": _GROUP}
    series = {"key": "rank", "name": visit.t("rankings.rank"), "color": "blue"}
    rank = rank_frame(
        visit,
        days,
        missing,
        **shared,
        series=[{**series, **rank_series(visit, found.board, days, by_day)}],
        flags=_flags(visit, found.board, days, by_day),
        notes=_notes(visit, found.board, days, by_day),
    )
    return {"courses": {"rank": rank, **_scores(visit, days, missing, by_day)}, "missing": missing}


def _scores(
    visit: Visit, days: Sequence[date], missing: Sequence[date], by_day: Mapping[date, HistoryDay]
) -> dict[str, Any]:
    colours: dict[Board, str] = {"power": "violet", "level": "teal"}
    return {
        board: frame(
            visit,
            days,
            missing,
            group=_GROUP,
            isArea=True,
            series=[
                {
                    "key": board,
                    "name": visit.t(f"rankings.{board}"),
                    "color": colour,
                    **score_series(visit, board, days, by_day),
                }
            ],
        )
        for board, colour in colours.items()
    }


def _flags(
    visit: Visit, board: Board, days: Sequence[date], by_day: Mapping[date, HistoryDay]
) -> list[dict[str, Any]]:
    """The first day in the official hundred, if the span begins without."""
    ranks = [DESIGNS[board].rank(by_day[day].snapshot) if day in by_day else None for day in days]
    first = next((place for place, rank in enumerate(ranks) if rank is not None), 0)
    if not first:
        return []
    text = visit.t("rankings.first_entry", day=visit.formats.tick(days[first]))
    return [{"at": first, "value": ranks[first], "text": text}]


def _notes(
    visit: Visit, board: Board, days: Sequence[date], by_day: Mapping[date, HistoryDay]
) -> list[list[tuple[str, str]]]:
    """What the crosshair says of a day beside the rank: the day before, and the computed rank."""
    found, before = [], None
    for day in days:
        notes: list[tuple[str, str]] = []
        if day in by_day:
            rank, computed = displayed_rank(board, by_day[day]), by_day[day].ranks[board]
            if before is not None and before != rank:
                mark = "▲" if before > rank else "▼"
                notes.append((visit.t("rankings.than_day_before"), f"{mark} {abs(before - rank):,}"))
            told = visit.t("rankings.rank_among", rank=f"{computed.rank:,}", of=f"{computed.of:,}")
            notes.append((visit.t("rankings.computed"), told))
            before = rank
        found.append(notes)
    return found


# ── pinning ───────────────────────────────────────────────────────────────────────────────────────


def pin(visit: Visit) -> Response:
    """Pin a player in this browser, or let the player go if that is so already."""
    uuid, rankings = visit.param("uuid"), rankings_of(visit)
    if rankings.privacy.is_hidden(uuid) or not (
        rankings.profiles.find(uuid) or rankings.histories.names(uuid)
    ):
        raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})
    before = pinned(visit)
    kept = [each for each in before if each != uuid]
    now = kept if uuid in before else [uuid, *kept][:MOST_PINNED]
    said = "rankings.unpinned" if uuid in before else "rankings.pinned_now"
    response = visit.go(safe_path(visit.given("next") or player_path(uuid)), said)
    visit.keep(response, PINS, ",".join(now))
    return response


PAGES = (
    PageRoute("/rankings/players/{uuid}", show, readable(AREA)),
    PageRoute("/rankings/players/{uuid}/pin", pin, allowed(AREA, "read"), "POST"),
)
