"""What the search of the console finds in the leaderboards: players, by how the name or its Hangul initials begin."""

from __future__ import annotations

from collections.abc import Iterator

from hansang.apps.leaderboards.console.links import boards_of, player_path
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

_MOST_FOUND = 6


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """The players whose names begin so, with how they stand this week."""
    boards = boards_of(visit)
    for each in boards.players.search(typed, _MOST_FOUND):
        if each.is_hidden:
            continue
        rank = boards.reading.rank(boards.weeks.current, each.id)
        key = "leaderboards.search.played" if rank.rank is not None else "leaderboards.search.not_played"
        about = visit.t(key, rank=f"{rank.rank or 0:,}", score=f"{rank.score or 0:,}")
        yield SearchResult(
            "leaderboards.search.players", player_path(visit, each.id), each.name, about, "user-round"
        )
