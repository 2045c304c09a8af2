"""What the search of the console finds in the rankings: players, by any part of the name and by Hangul initials."""

from __future__ import annotations

from collections.abc import Iterator

from hansang.apps.rankings.amounts import score_text
from hansang.apps.rankings.console.links import player_path, rank_text, rankings_of
from hansang.apps.rankings.histories import NameSpan
from hansang.apps.rankings.reading import PlayerRank
from hansang.apps.rankings.searching import FoundName
from hansang.apps.rankings.service import Rankings
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

_MOST_FOUND = 6
_MOST_FORMER = 2


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """The players of the newest finished day whose names fit, with level and rank by power."""
    rankings = rankings_of(visit)
    hidden = rankings.privacy.hidden()
    try:
        _, found = rankings.search.search(typed, _MOST_FOUND + len(hidden))
    except NotFound:
        return
    for each in [each for each in found if each.uuid not in hidden][:_MOST_FOUND]:
        about = _about(visit, each, _rank(rankings, each.uuid), rankings.histories.names(each.uuid))
        yield SearchResult("rankings.search.players", player_path(each.uuid), each.name, about, "user-round")


def _rank(rankings: Rankings, uuid: str) -> PlayerRank | None:
    try:
        return rankings.reading.rank(uuid, "power")
    except NotFound:
        return None


def _about(visit: Visit, found: FoundName, rank: PlayerRank | None, names: list[NameSpan]) -> str:
    """Level, rank by power, power and the names before this one."""
    parts = [visit.t("rankings.search.about", level=f"{found.level:,}")]
    if rank is not None:
        parts += [rank_text(visit, rank.official or rank.rank), score_text(rank.score, visit.language)]
    former = dict.fromkeys(each.name for each in names if each.name != found.name)
    if former:
        parts.append(visit.t("rankings.search.former", names=", ".join([*former][:_MOST_FORMER])))
    return " · ".join(parts)
