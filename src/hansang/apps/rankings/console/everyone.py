"""Everyone: any page of a board, the way to a player or to a page, and how the scores are spread."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.rankings.amounts import score_text
from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.console.lines import BoardLine, page_lines
from hansang.apps.rankings.console.links import (
    AREA,
    Shown,
    empty,
    one_revision,
    page,
    pinned,
    rank_text,
    rankings_of,
    shown,
)
from hansang.apps.rankings.design import Snapshot, SnapshotDay
from hansang.apps.rankings.reading import MODES, Mode, PlayerRank
from hansang.apps.rankings.reports import CutLine, SpreadBar
from hansang.apps.rankings.service import Rankings
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

SIZE = 50


@one_revision
def show(visit: Visit) -> Response:
    """A page of everyone; a name or an id leads to the page that the player is on."""
    found, rankings = shown(visit), rankings_of(visit)
    if found is None:
        return empty(visit)
    mode = mode_in(visit)
    if visit.query("player").strip():
        return _to_player(visit, rankings, found, mode)
    number = page_in(visit)
    board = rankings.reading.page(found.board, found.day.day, number, SIZE, mode)
    against = rankings.days.before(found.day)
    mine = _standing(visit, rankings, found)
    bars = rankings.reports.histogram(found.board, found.day)
    context: dict[str, Any] = {
        "lines": _lines(rankings, found, board.items, against),
        "against": against,
        "mode": mode,
        "modes": MODES,
        "number": number,
        "last": max(0, board.total - 1) // SIZE,
        "first_rank": number * SIZE + 1,
        "mine": mine,
        "histogram": histogram(visit, found, bars, mine),
        "cuts": _cuts(rankings.reports.cut_lines(found.board, found.day), mine),
        "to_rank": lambda rank: page_link(visit, (rank - 1) // SIZE),
        "low": visit.query("low"),
        "high": visit.query("high"),
        "unknown": visit.query("unknown"),
    }
    return page(visit, "everyone.html", found, **context)


def mode_in(visit: Visit) -> Mode:
    return next((each for each in MODES if each == visit.query("mode")), "all")


def page_in(visit: Visit) -> int:
    """The page of the address, from 0; people count from 1."""
    text = visit.query("page").replace(",", "").strip()
    return max(0, int(text) - 1) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def page_link(visit: Visit, number: int) -> str:
    """Everyone from a page on, with the day, the board and the mode of this visit."""
    kept = {name: visit.query(name) for name in ("date", "board", "mode") if visit.query(name)}
    return f"/rankings/everyone?{urlencode({**kept, 'page': number + 1})}"


def _to_player(visit: Visit, rankings: Rankings, found: Shown, mode: Mode) -> Response:
    """The page of a player, found by id, by the whole name, or as the search finds it."""
    typed = visit.query("player").strip()[:100]
    uuid = found_player(rankings, found.day, typed)
    if uuid is None:
        return visit.go(visit.link(player=None, unknown=typed).replace("?", "/rankings/everyone?", 1))
    number = rankings.reading.page_of(uuid, found.board, found.day.day, SIZE, mode)
    return visit.go(f"{page_link(visit, number)}&at={uuid}#at")


def found_player(rankings: Rankings, day: SnapshotDay, typed: str) -> str | None:
    """Whom somebody means on a day: by id, by the whole name, or as the search finds it first."""
    hidden = rankings.privacy.hidden()
    names = [each.profile.uuid for each in rankings.profiles.lookup(typed)]
    searched = [each.uuid for each in rankings.search.search(typed, 5 + len(hidden))[1]]
    wanted = [each for each in (typed, *names, *searched) if each not in hidden and "#" not in each]
    there = rankings.reports.snapshots(dict.fromkeys(wanted), day.day)
    return next((each for each in wanted if each in there), None)


def _lines(rankings: Rankings, found: Shown, rows: list[Any], against: SnapshotDay | None) -> list[BoardLine]:
    snapshots = rankings.reports.snapshots((row.uuid for row in rows), found.day.day)
    moves = rankings.histories.moves(found.board, rows, against or found.day)
    return page_lines(found.board, moves, snapshots, against is not None)


# ── how the scores are spread ─────────────────────────────────────────────────────────────────────


def _standing(visit: Visit, rankings: Rankings, found: Shown) -> tuple[Snapshot, PlayerRank] | None:
    """Whoever is looked for on this page, else the pinned player, with the rank of the day."""
    wanted = [each for each in (visit.query("at"), *pinned(visit)[:1]) if each and "#" not in each]
    shown_ones = [each[:64] for each in wanted if not rankings.privacy.is_hidden(each)]
    there = rankings.reports.snapshots(dict.fromkeys(shown_ones), found.day.day)
    snapshot = next((there[each] for each in shown_ones if each in there), None)
    if snapshot is None:
        return None
    return snapshot, rankings.reading.rank_of(snapshot, found.board, found.day)


def histogram(
    visit: Visit, found: Shown, bars: list[SpreadBar], mine: tuple[Snapshot, PlayerRank] | None
) -> dict[str, Any]:
    """The spread of a board, with the place of one player in it."""
    language, here = visit.language, None
    if mine is not None:
        score = DESIGNS[found.board].score(mine[0])
        here = next((place for place, bar in enumerate(bars) if bar.low <= score <= bar.high), None)
    spec: dict[str, Any] = {
        "type": "histogram",
        "head": [visit.t(f"rankings.{found.board}"), visit.t("rankings.players")],
        "here": here,
        "bars": [
            {
                "label": visit.formats.compact(bar.low),
                "full": f"{score_text(bar.low, language)} – {score_text(bar.high, language)}",
                "text": visit.t("rankings.count", count=bar.count),
                "count": bar.count,
                "href": page_link(visit, (bar.rank - 1) // SIZE),
            }
            for bar in bars
        ],
    }
    if mine is not None and here is not None:
        snapshot, rank = mine
        spec["name"] = f"{snapshot.name} {score_text(rank.score, language)}"
        spec["about"] = f"{top_share(visit, rank)} · {rank_text(visit, rank.rank)}"
    return spec


def top_share(visit: Visit, rank: PlayerRank) -> str:
    """The part of the players that one belongs to: the first 3.97%."""
    share = Fraction(100 * rank.rank, rank.of)
    return visit.t("rankings.top_share", share=f"{float(share):.2f}".rstrip("0").rstrip("."))


def _cuts(
    cuts: list[CutLine], mine: tuple[Snapshot, PlayerRank] | None
) -> list[tuple[Fraction, int, int, Snapshot | None]]:
    """The cut-lines, with the pinned player's own line in its place: share, rank, score, player."""
    found: list[tuple[Fraction, int, int, Snapshot | None]] = [
        (each.share, each.rank, each.score, None) for each in cuts
    ]
    if mine is not None:
        snapshot, rank = mine
        found.append((Fraction(100 * rank.rank, rank.of), rank.rank, rank.score, snapshot))
    return sorted(found, key=lambda each: (each[0], each[1]))


PAGES = (PageRoute("/rankings/everyone", show, readable(AREA)),)
