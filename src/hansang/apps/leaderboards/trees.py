"""The rank trees of the weeks: one for each, live until the week is final."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from threading import Lock

from hansang.apps.leaderboards.rules import Week
from hansang.design import Database
from hansang.design.transaction import Transaction
from hansang.parts.ranks.building import TreeBuilder, forget_changes
from hansang.parts.ranks.changes import change_request, rank_change
from hansang.parts.ranks.folding import Folder
from hansang.parts.ranks.live import LiveTree
from hansang.parts.ranks.storage import Item, NodeCache, TreeItems
from hansang.parts.ranks.table import RankChange, Ranks

_REMEMBERED = 8


class WeekTrees:
    """The trees of the boards, on a database in which `Ranks` is the table of these boards."""

    def __init__(self, database: Database, *, shards: int = 1, atomic_queries: bool = False) -> None:
        self._database, self._shards, self._is_atomic = database, shards, atomic_queries
        self._cache, self._lock = NodeCache(1024), Lock()
        self._trees: OrderedDict[Week, LiveTree] = OrderedDict()
        self._folders: OrderedDict[Week, Folder] = OrderedDict()

    def live(self, week: Week) -> LiveTree:
        """The tree of a week, to be read; it knows the root that was read last."""
        with self._lock:
            found = self._trees.get(week)
            if found is None:
                found = self._trees[week] = LiveTree(
                    self._database,
                    tree_of(week),
                    shards=self._shards,
                    atomic_queries=self._is_atomic,
                    cache=self._cache,
                )
                if len(self._trees) > _REMEMBERED:
                    self._trees.popitem(last=False)
            return found

    def change(self, week: Week, player: int, before: int | None, after: int | None) -> RankChange:
        """The change of a player's score, to be created in the transaction that writes it."""
        return rank_change(tree_of(week), before, after, shards=self._shards, row=str(player))

    def note(
        self, transaction: Transaction, week: Week, player: int, before: int | None, after: int | None
    ) -> None:
        """Create the same change in a transaction; what every new best does is made without the design."""
        table = self._database.name(Ranks)
        transaction.put_request(
            Ranks,
            change_request(table, tree_of(week), before, after, shards=self._shards, row=str(player)),
        )

    def rebuild(self, week: Week, scores: Iterable[int]) -> int:
        """Count a week anew from its scores, the highest first, while nobody plays in it; how many there are."""
        # What was not counted yet is in the scores already.
        forget_changes(self._database, tree_of(week), self._shards)
        return TreeBuilder(self._database, tree_of(week), marks=False).build((each, "") for each in scores)

    def has_pending(self, week: Week) -> bool:
        """Whether a change is still to be counted."""
        items = TreeItems(self._database, tree_of(week))
        return any(
            next(items.between("P#", "P#~", "RankChange.pending", shard=shard, limit=1), None) is not None
            for shard in range(self._shards)
        )

    def folder(self, week: Week, hear: Callable[[Collection[Item]], object]) -> Folder:
        """What counts the changes of a week, the same one each time; `hear` is told of them before."""
        with self._lock:
            found = self._folders.get(week)
            if found is None:
                found = self._folders[week] = Folder(
                    self._database, tree_of(week), shards=self._shards, hear=hear
                )
                if len(self._folders) > _REMEMBERED:
                    self._folders.popitem(last=False)
            return found


def tree_of(week: Week) -> str:
    """The name of a week's tree."""
    return f"week.{week.start}"
