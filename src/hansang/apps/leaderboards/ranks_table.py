"""The rank trees of the weeks, in a table of their own: the kinds are those of every rank tree, under other names."""

from __future__ import annotations

from hansang.design import Key, Table
from hansang.parts.ranks.table import (
    FreedNodesFields,
    RankChangeFields,
    RankNodeFields,
    RankRootFields,
    TreeName,
)


class LeaderboardRanks(Table, name="LeaderboardRanks"):
    """Counted trees of the scores of each week, and what is still to be counted."""


class WeekTreeKey(Key["WeekTree"], pk="RANK#{tree}", sk="R"):
    """The key of the tree of a week."""

    tree: TreeName


class WeekTree(WeekTreeKey, RankRootFields, table=LeaderboardRanks):
    """The tree of a week: its uppermost node, and how often it has been replaced."""


class WeekTreeNodeKey(Key["WeekTreeNode"], pk="RANK#{tree}", sk="N#{ident}"):
    """The key of a node."""

    tree: TreeName
    ident: str


class WeekTreeNode(WeekTreeNodeKey, RankNodeFields, table=LeaderboardRanks):
    """A node of the tree of a week, packed."""


class WeekTreeFreedKey(Key["WeekTreeFreed"], pk="RANK#{tree}", sk="F#{fold}"):
    """The key of the nodes that a fold has replaced."""

    tree: TreeName
    fold: str


class WeekTreeFreed(WeekTreeFreedKey, FreedNodesFields, table=LeaderboardRanks):
    """Nodes that are no longer used, and soon deleted."""


class WeekTreeChangeKey(Key["WeekTreeChange"], pk="RANK#{tree}", sk="P#{change}"):
    """The key of a change of a score."""

    tree: TreeName
    change: str


class WeekTreeChange(WeekTreeChangeKey, RankChangeFields, table=LeaderboardRanks):
    """A change of a score that the tree of its week does not count yet."""
