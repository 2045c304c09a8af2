"""What the search of the console finds in the rankings: players, by any part of the name and by Hangul initials.

Beside the list stands what one asks of a player first, so that many need not be opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from hansang.apps.rankings.amounts import score_text
from hansang.apps.rankings.console.everyone import top_share
from hansang.apps.rankings.console.links import compare_with, player_path, rank_text, rankings_of
from hansang.apps.rankings.design import BOARDS, Board, SnapshotDay
from hansang.apps.rankings.histories import NameSpan
from hansang.apps.rankings.reading import PlayerRank
from hansang.apps.rankings.searching import FoundName
from hansang.apps.rankings.service import Rankings
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

_MOST_FOUND = 6
_MOST_FORMER = 2
_LINE_DAYS = 30


def search(visit: Visit, typed: str) -> list[SearchResult]:
    """The players of the newest finished day whose names fit, with level, ranks and power."""
    return rankings_of(visit).days.revisions.settled(lambda: [*_players(visit, typed)])


def _players(visit: Visit, typed: str) -> Iterator[SearchResult]:
    rankings = rankings_of(visit)
    hidden = rankings.privacy.hidden()
    try:
        day, found = rankings.search.search(typed, _MOST_FOUND + len(hidden))
    except NotFound:
        return
    before = rankings.days.before(day)
    for each in [each for each in found if each.uuid not in hidden][:_MOST_FOUND]:
        ranks = _ranks(rankings, day, each.uuid)
        about = _about(visit, each, ranks.get("power"), rankings.histories.names(each.uuid))
        facts = tuple(_facts(visit, ranks, {} if before is None else _ranks(rankings, before, each.uuid)))
        line = _line(rankings, day, each.uuid)
        yield SearchResult(
            "rankings.search.players",
            player_path(each.uuid),
            each.name,
            about,
            "user-round",
            facts,
            tuple(-rank for rank in line),
            _line_about(visit, line),
            ((visit.t("rankings.add_to_compare"), compare_with(visit, each.uuid)),),
        )


def _line(rankings: Rankings, day: SnapshotDay, uuid: str) -> list[int]:
    """The ranks by power of the last days that have one, the oldest first."""
    since = day.day - timedelta(days=_LINE_DAYS - 1)
    days = rankings.histories.history(uuid, since, day.day, ("power",)).days
    return [_shown(each.ranks["power"]) for each in reversed(days)]


def _line_about(visit: Visit, line: list[int]) -> str:
    best = rank_text(visit, min(line, default=0))
    return visit.t("rankings.search.line", days=len(line), best=best)


def _ranks(rankings: Rankings, day: SnapshotDay, uuid: str) -> dict[Board, PlayerRank]:
    """A player's ranks on a finished day; none without a snapshot."""
    try:
        snapshot = rankings.reading.snapshot(uuid, day)
        return {board: rankings.reading.rank_of(snapshot, board, day) for board in BOARDS}
    except NotFound:
        return {}


def _facts(
    visit: Visit, ranks: dict[Board, PlayerRank], before: dict[Board, PlayerRank]
) -> Iterator[tuple[str, str]]:
    """Each rank with its share and what it has moved since the finished day before, and the score."""
    for board, rank in reversed(ranks.items()):
        place = f"{rank_text(visit, _shown(rank))}{_moved(rank, before.get(board))}"
        yield visit.t(f"rankings.board_of.{board}"), f"{place} · {top_share(visit, rank)}"
        yield visit.t(f"rankings.{board}"), score_text(rank.score, visit.language)


def _shown(rank: PlayerRank) -> int:
    return rank.official or rank.rank


def _moved(rank: PlayerRank, before: PlayerRank | None) -> str:
    moved = 0 if before is None else _shown(before) - _shown(rank)
    return f" {'▲' if moved > 0 else '▼'} {abs(moved):,}" if moved else ""


def _about(visit: Visit, found: FoundName, rank: PlayerRank | None, names: list[NameSpan]) -> str:
    """Level, rank by power, power and the names before this one."""
    parts = [visit.t("rankings.search.about", level=f"{found.level:,}")]
    if rank is not None:
        parts += [rank_text(visit, _shown(rank)), score_text(rank.score, visit.language)]
    former = dict.fromkeys(each.name for each in names if each.name != found.name)
    if former:
        parts.append(visit.t("rankings.search.former", names=", ".join([*former][:_MOST_FORMER])))
    return " · ".join(parts)
