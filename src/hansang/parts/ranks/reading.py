"""Reading a tree: the rank of a score, and the score at a rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

from hansang.design import Database
from hansang.errors import Busy, NotFound
from hansang.parts.ranks.nodes import RankNode
from hansang.parts.ranks.storage import NodeCache, NodeGone, Root, TreeItems
from hansang.parts.ranks.table import TieMarks, TieMarksKey

R = TypeVar("R")

STEP = 100
"""A large group of equals can be entered at every so many rows."""
MARKS_AT_ONCE = 64
"""How many marks are in one item."""
_TRIES = 20


class Standing(NamedTuple):
    """How a score stands: how many rows are above it, have it, and are there in all."""

    above: int
    equal: int
    total: int

    @property
    def rank(self) -> int:
        """One more than the rows above: equals share a rank."""
        return self.above + 1

    @property
    def percentile(self) -> Fraction | None:
        """Which part of the rows this score is not below, of 100; None of an empty tree."""
        return Fraction(100 * (self.total - self.above), self.total) if self.total else None


@dataclass(frozen=True, slots=True)
class RankedScore:
    """The score at a position, and how many rows of the same score stand before that position."""

    score: int
    offset: int
    equal: int


def standing(node: RankNode, score: int, fetch: Callable[[bytes], RankNode]) -> Standing:
    """How a score stands in the tree below a root."""
    above, total = 0, node.total
    while True:
        place = node.at_or_below(score)
        if place == node.size:
            return Standing(above + node.total, 0, total)
        above += node.above(place)
        if node.is_leaf:
            return Standing(above, node.count(place) if node.low(place) == score else 0, total)
        node = fetch(node.ident(place))


def score_at(node: RankNode, position: int, fetch: Callable[[bytes], RankNode]) -> RankedScore:
    """The score at a position from 0, which has to be below the total."""
    while True:
        place = node.holding(position)
        position -= node.above(place)
        if node.is_leaf:
            return RankedScore(node.low(place), position, node.count(place))
        node = fetch(node.ident(place))


class RankTree:
    """A tree that nobody changes meanwhile, such as that of a finished day."""

    def __init__(
        self, database: Database, tree: str, cache: NodeCache | None = None, version: object = None
    ) -> None:
        """With a version, which is another one after every change of the tree, the root is read once for each."""
        self._items, self._version = TreeItems(database, tree, cache), version

    def standing(self, score: int) -> Standing:
        """How a score stands, whether a row has it or not."""
        return self._read(lambda root: standing(root.node, score, self._items.node))

    def score_at(self, position: int) -> RankedScore | None:
        """The score at a position from 0; None behind the last."""

        def read(root: Root) -> RankedScore | None:
            if not 0 <= position < root.node.total:
                return None
            return score_at(root.node, position, self._items.node)

        return self._read(read)

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self._read(lambda root: root.node.total)

    def mark(self, score: int, offset: int) -> str | None:
        """The key of the row before an offset, a multiple of the step, in a large group of equals."""
        number = offset // STEP - 1
        key = TieMarksKey(tree=self._items.tree, score=score, chunk=number // MARKS_AT_ONCE)
        found = self._items.database.find(key)
        place = number % MARKS_AT_ONCE
        return found.keys[place] if found is not None and place < len(found.keys) else None

    def marks(self, score: int) -> dict[str, int]:
        """Every mark of a large group of equals: a key, and how many rows of the group stand up to and with it."""
        found = self._items.database.each(TieMarks.of_score(self._items.tree, score))
        keys = [key for each in found for key in each.keys]
        return {key: number * STEP for number, key in enumerate(keys, 1)}

    def quantiles(self) -> list[tuple[int, int]]:
        """The lowest score of each part of the root, and how many rows the part has: a histogram for one read."""
        return self._read(
            lambda root: [(root.node.low(each), root.node.count(each)) for each in range(root.node.size)]
        )

    def _read(self, read: Callable[[Root], R]) -> R:
        for _ in range(_TRIES):
            root = self._root()
            if root is None:
                raise NotFound(f"There is no tree {self._items.tree}.")
            try:
                return read(root)
            except NodeGone:
                self._items.forget_root()
        raise Busy(f"The tree {self._items.tree} changes faster than it can be read. Try again in a moment.")

    def _root(self) -> Root | None:
        if self._version is not None:
            return self._items.root_of(self._version)
        return self._items.root() or self._items.root(consistent=True)
