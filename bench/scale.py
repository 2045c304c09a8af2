"""The leaderboards at any size, on paper: units, partitions, shards and money a month.

python bench/scale.py [--region ap-northeast-2] [--plays 20] [--friends 20]

The units of every path are those that the tests assert. What a fold costs (ROOT) and how many there are (FOLDS)
are estimates: a root of 6 KB, and the ten folds a second that the job does at most.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from math import ceil, log

from hansang.blueprint.prices import SECONDS_A_MONTH, Prices, prices

WEEK_SECONDS = 7 * 86_400
PEAK = 3
"""How much busier the busiest hour is than the mean."""
WRITE_CEILING, READ_CEILING = 1000, 3000
FIRST, IMPROVED, COUNTED, FRIEND_ROW = 10, 8, 1, 3
"""Write units: a first score; an improvement; its pending change, deleted; a row of a friend, or one's own."""
SAME_READ, RANK_READ = 1, 3
"""Read units: one's own row; the rank and whom to beat next."""
ROOT, LIST, FOLDS = 6, 2, 10
"""Estimates: write units of a root whose buffer is full; of the list of whose friends are to be told, made and deleted;
how often a second both are written while plays come in."""
INDEX_WRITES, PENDING_WRITES = 2, 3
"""Write units of an improvement in one partition: of the week's index; of the tree's changes, made and deleted."""
SIZES = (10**4, 10**5, 10**6, 10**7, 10**8)
BYTES = 3 * 160
"""What a player's week takes: the item, and its rows in two indexes."""


@dataclass(frozen=True, slots=True)
class GameSize:
    """A game with so many players a week, each with so many plays and friends."""

    players: int
    plays: int
    friends: int

    @property
    def improvements(self) -> float:
        """New bests of a player after the first: of n plays in no order, the n-th is the best of all once in n times."""
        return log(self.plays) + 0.577 - 1

    @property
    def plays_a_second(self) -> float:
        """In the busiest hour."""
        return PEAK * self.players * self.plays / WEEK_SECONDS

    @property
    def changes_a_second(self) -> float:
        """First scores and improvements in the busiest hour."""
        return PEAK * self.players * (1 + self.improvements) / WEEK_SECONDS

    @property
    def writes(self) -> float:
        """Write units of a month, friends left out."""
        changes = FIRST + IMPROVED * self.improvements + COUNTED * (1 + self.improvements)
        return self.players * changes * SECONDS_A_MONTH / WEEK_SECONDS + self.folds

    @property
    def folds(self) -> float:
        """Write units of a month for the roots: a tree is counted ten times a second at most, and once a change."""
        return ROOT * self.counts_a_month

    @property
    def counts_a_month(self) -> float:
        return min(FOLDS, self.changes_a_second / PEAK) * SECONDS_A_MONTH

    @property
    def friend_writes(self) -> float:
        rows = (1 + self.improvements) * FRIEND_ROW * (self.friends + 1)
        return self.players * rows * SECONDS_A_MONTH / WEEK_SECONDS + LIST * self.counts_a_month

    @property
    def reads(self) -> float:
        return self.players * self.plays * (SAME_READ + RANK_READ) * SECONDS_A_MONTH / WEEK_SECONDS

    @property
    def index_shards(self) -> int:
        """Partitions that the index of the week needs."""
        return ceil(self.changes_a_second * INDEX_WRITES / WRITE_CEILING)

    @property
    def tree_shards(self) -> int:
        """Partitions that the changes of a tree need; the first has the root too."""
        return ceil((self.changes_a_second * PENDING_WRITES + ROOT * FOLDS) / WRITE_CEILING)

    @property
    def rank_load(self) -> float:
        """How many partitions' worth of reads the root gets, when every play asks for its rank."""
        return self.plays_a_second * RANK_READ / READ_CEILING

    def money(self, given: Prices) -> tuple[float, float]:
        """A month on demand: everyone's boards, and friends' boards."""
        return float(given.on_demand(self.reads, self.writes)), float(given.on_demand(0, self.friend_writes))


def main() -> None:
    """Print the table of docs/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--region", default="ap-northeast-2")
    parser.add_argument("--plays", type=int, default=20)
    parser.add_argument("--friends", type=int, default=20)
    asked = parser.parse_args()
    given = prices(asked.region)
    print(
        "| players | plays a second | changes a second | write units a month | read units a month "
        "| index shards | tree shards | root reads | boards, USD | friends, USD | GB a week |"
    )
    print("|" + "---|" * 11)
    for players in SIZES:
        size = GameSize(players, asked.plays, asked.friends)
        boards, friends = size.money(given)
        print(
            f"| {players:,} | {size.plays_a_second:,.1f} | {size.changes_a_second:,.1f} "
            f"| {size.writes / 1e6:,.1f} M | {size.reads / 1e6:,.1f} M | {size.index_shards} | {size.tree_shards} "
            f"| {size.rank_load:.2f} | {boards:,.0f} | {friends:,.0f} | {players * BYTES / 2**30:,.2f} |"
        )
    print(f"\nPrices of {given.region}, {given.as_of}, on demand. Root reads: 1 is what one partition takes.")


if __name__ == "__main__":
    main()
