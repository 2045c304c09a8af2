"""The players of a synthetic week: streamed to the backend as fast as it takes them, and gone on with after a break."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from threading import Event

from hansang.apps.leaderboards.board_rows import week_shard
from hansang.apps.leaderboards.design import WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.design import Entity
from hansang.parts.sampling import STORED_AT_ONCE, repeatable, store

_PLAYS_BEFORE = 5
"""How often everybody has played before it begins: about one play in six is a new best then."""
_ITEMS_OF_ONE = 2


class SimulatedPlayers:
    """Everybody who has a score in a week, each with a card."""

    def __init__(self, boards: Leaderboards, week: Week) -> None:
        self._boards, self._week = boards, week

    def fill(self, players: int, stop: Event, told: Callable[[int], object]) -> None:
        """Write whoever is not there yet, and tell how many are; `stop` leaves the rest for another time."""
        there = self._first_missing(players) - 1
        told(there)

        def stored(items: int) -> None:
            nonlocal there
            there += items // _ITEMS_OF_ONE
            told(there)

        store(self._boards.database, self._each(there + 1, players, stop), stored)

    def count(self, told: Callable[[int], object]) -> int:
        """Build the tree of their ranks, and tell how many are in it; how many there are."""

        def scores() -> Iterator[int]:
            for number, row in enumerate(self._boards.rows.each(self._week)):
                if number % 10_000 == 0:
                    told(number)
                yield row.score

        return self._boards.trees.rebuild(self._week, scores())

    def _first_missing(self, players: int) -> int:
        """From whom on players are to be written, found by halving.

        They are written in their order, but for those of the last pieces that were on their way together.
        """
        low, high = 0, players
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._is_there(middle) else (low, middle - 1)
        return max(1, low + 1 - STORED_AT_ONCE // _ITEMS_OF_ONE)

    def _is_there(self, player: int) -> bool:
        key = WeeklyBestKey(id=player, start=self._week.start, end=self._week.end)
        return self._boards.database.find(key, consistent=True) is not None

    def _each(self, first: int, last: int, stop: Event) -> Iterator[Entity]:
        for player in range(first, last + 1):
            if stop.is_set():
                return
            chance = repeatable(f"before {player}")
            yield BoardPlayer(id=player, name=simulated_name(player))
            yield WeeklyBest(
                id=player,
                start=self._week.start,
                end=self._week.end,
                name=simulated_name(player),
                top_score=max(simulated_score(chance, player) for _ in range(_PLAYS_BEFORE)),
                week_shard=week_shard(self._week, player, self._boards.settings.write_shards),
            )


def simulated_name(player: int) -> str:
    """What a player is called."""
    return f"Player {player}"


def simulated_score(chance: Random, player: int) -> int:
    """What a play brings: more to who plays well, and never the same."""
    skill = 20_000 + player * 7919 % 80_000
    return int(skill * chance.random())
