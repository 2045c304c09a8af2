"""What the search of the console finds in the leaderboards: boards, and players of every board by how names begin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from hansang.apps.leaderboards.console.links import board_path, every_board
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

_MOST_FOUND = 6


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """The boards, and the players whose names begin so, with how they stand this week."""
    every = every_board(visit)
    if len(every.names) > 1:
        about = visit.t("leaderboards.tab.week")
        for name, boards in zip(every.names, every.each(), strict=True):
            yield SearchResult("leaderboards.search.boards", board_path(boards), name, about, "trophy")
    for boards, player in islice(_found(every.each(), typed), _MOST_FOUND):
        name = every.name_of(boards) if len(every.names) > 1 else ""
        yield _result(visit, boards, player, name)


def _found(every: Iterator[Leaderboards], typed: str) -> Iterator[tuple[Leaderboards, BoardPlayer]]:
    """One player of each board in turn, so that none keeps the others out."""
    by_board = [
        [(boards, each) for each in boards.players.search(typed, _MOST_FOUND) if not each.is_hidden]
        for boards in every
    ]
    return (pair for pair in chain.from_iterable(zip_longest(*by_board)) if pair is not None)


def _result(visit: Visit, boards: Leaderboards, player: BoardPlayer, board: str) -> SearchResult:
    rank = boards.reading.rank(boards.weeks.current, player.id)
    key = "leaderboards.search.played" if rank.rank is not None else "leaderboards.search.not_played"
    about = visit.t(key, rank=f"{rank.rank or 0:,}", score=f"{rank.score or 0:,}")
    href = board_path(boards, f"/players/{player.id}")
    shown = f"{board} · {about}" if board else about
    return SearchResult("leaderboards.search.players", href, player.name, shown, "user-round")
