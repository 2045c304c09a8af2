"""The table of the trees: beside the tables of the documents, and in none of their indexes (X5-10).

Every application has its trees in a table of its own: the kinds of items are the same, and `Database.renamed` says
where `Ranks` is. A tree is one partition. Its root is one item, replaced by one conditional put; its nodes are
never changed.
`P#…` comes before `R`, so that one Query returns the changes that are still pending and, behind them, the root.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from hansang.design import Attr, Entity, Key, Query, Table, pattern

STEP = 100
"""A large group of equals can be entered at every so many rows."""
MARKS_AT_ONCE = 64
"""How many marks are in one item."""

TreeName = Annotated[str, Field(min_length=1, max_length=100)]


class Ranks(Table, name="Ranks"):
    """Counted trees of scores: their roots, their nodes, and what is still to be counted."""


class RankRootKey(Key["RankRoot"], pk="RANK#{tree}", sk="R"):
    """The key of a tree."""

    tree: TreeName


class RankRootFields(Entity):
    """What a root holds, in whichever table."""

    node: Annotated[bytes, Attr("E")]
    sequence: Annotated[int, Attr("Seq")]
    nonce: Annotated[bytes, Attr("Nonce")]
    done: Annotated[bytes | None, Attr("Done")] = None
    """Ids of changes that are counted and perhaps not deleted yet."""
    buffer: Annotated[bytes | None, Attr("Buf")] = None
    """Changes that are counted, and not in a leaf yet."""


class RankRoot(RankRootKey, RankRootFields, table=Ranks):
    """A tree: its uppermost node, and how often it has been replaced."""


class RankNodeKey(Key["RankNodeItem"], pk="RANK#{tree}", sk="N#{ident}"):
    """The key of a node; its id begins with the sequence of the root that it was made for."""

    tree: TreeName
    ident: str


class RankNodeFields(Entity):
    """What a node holds, in whichever table."""

    node: Annotated[bytes, Attr("E")]


class RankNodeItem(RankNodeKey, RankNodeFields, table=Ranks):
    """A node of a tree, packed."""


class FreedNodesKey(Key["FreedNodes"], pk="RANK#{tree}", sk="F#{fold}"):
    """The key of the nodes that a fold has replaced."""

    tree: TreeName
    fold: str


class FreedNodesFields(Entity):
    """Which nodes are freed, in whichever table."""

    idents: Annotated[bytes, Attr("E")]


class FreedNodes(FreedNodesKey, FreedNodesFields, table=Ranks):
    """Ids of nodes that no root leads to any more; readers under way may still need them for a moment."""


class RankChangeKey(Key["RankChange"], pk="RANK#{tree}", sk="P#{change}"):
    """The key of a change; `tree` is that of its shard."""

    tree: TreeName
    change: str


class RankChangeFields(Entity):
    """What a change holds, in whichever table."""

    before: Annotated[int | None, Attr("F")] = None
    """The score that the row had; absent if it was not on the board."""
    after: Annotated[int | None, Attr("G")] = None
    """The score that it has now; absent if it leaves the board."""
    row: Annotated[str | None, Attr("I")] = None
    """Whose score it is, where whoever folds has to tell somebody."""


class RankChange(RankChangeKey, RankChangeFields, table=Ranks):
    """A change of one row's score that the tree does not count yet; written with the score, in one transaction."""


class TieMarksKey(Key["TieMarks"], pk="RANK#{tree}", sk="M#{score}#{chunk:06d}"):
    """The key of some marks of a large group of equals."""

    tree: TreeName
    score: int
    chunk: int


class TieMarks(TieMarksKey, Entity, table=Ranks):
    """Where a large group of equals can be entered: the key of every hundredth row, in the index's own order (X5-09)."""

    keys: Annotated[list[str], Attr("K"), Field(max_length=64)]
    first: Annotated[int | None, Attr("O")] = None
    """How many rows of the group stand up to and with the first of these; absent where its own hundreds are marked."""

    @property
    def offset(self) -> int:
        """How many rows of the group stand up to and with the first of these."""
        return (self.chunk * MARKS_AT_ONCE + 1) * STEP if self.first is None else self.first

    @pattern
    def of_score(cls, tree: str, score: int) -> Query[TieMarks]:
        """The marks of one group of equals, in the order of the group."""
        return cls.query(TieMarks.tree == tree, TieMarks.score == score)


def key_of(tree: str, sk: str) -> Key[Any]:
    """The key of an item of a tree by its sort key."""
    kind, _, rest = sk.partition("#")
    if kind == "R":
        return RankRootKey(tree=tree)
    if kind == "N":
        return RankNodeKey(tree=tree, ident=rest)
    if kind == "F":
        return FreedNodesKey(tree=tree, fold=rest)
    if kind == "P":
        return RankChangeKey(tree=tree, change=rest)
    score, _, chunk = rest.partition("#")
    return TieMarksKey(tree=tree, score=int(score), chunk=int(chunk))
