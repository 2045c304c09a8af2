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
from hansang.parts.ranks.table import MARKS_AT_ONCE, STEP, TieMarks

R = TypeVar("R")

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

    @property
    def is_deep(self) -> bool:
        """Whether it stands behind the first of a large group of equals, which can be entered at marks."""
        return self.offset > 0 and self.equal > STEP


def standing(node: RankNode, score: int, fetch: Callable[[bytes], RankNode]) -> Standing:
    """How a score stands in the tree below a root."""
    above, total = 0, node.total
    while True:
        place = node.at_or_below(score)
        if place == node.size:
            return Standing(above + node.total, 0, total)
        if node.is_leaf:
            before, equal = node.counted(place, score)
            return Standing(above + before, equal, total)
        above += node.above(place)
        node = fetch(node.ident(place))


def score_at(node: RankNode, position: int, fetch: Callable[[bytes], RankNode]) -> RankedScore:
    """The score at a position from 0, which has to be below the total."""
    while True:
        place = node.holding(position)
        position -= node.above(place)
        if node.is_leaf:
            return RankedScore(node.low(place), position, node.count(place))
        node = fetch(node.ident(place))


def first_mark(above: int) -> int:
    """How many of a group of equals stand up to its first mark, where so many rows stand above the group."""
    return STEP - above % STEP


class RankTree:
    """A tree that nobody changes meanwhile, such as that of a finished day."""

    def __init__(
        self, database: Database, tree: str, cache: NodeCache | None = None, version: object = None
    ) -> None:
        """With a version, which is another one after every change of the tree, the root is read once for each."""
        self._items, self._version = TreeItems(database, tree, cache), version
        self._kept: Root | None = None

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

    def mark(self, at: RankedScore, above: int) -> tuple[str, int] | None:
        """The last mark before a row in a large group of equals: a key, and how many of the group stand up to it.

        `above` is how many rows stand above the group. Where rows above were erased the marks of a group do not
        stand where they would be expected, so what is stored counts.
        """
        expected = (at.offset - first_mark(above)) // STEP // MARKS_AT_ONCE
        for chunk in range(expected, max(-1, expected - 2), -1):
            found = self._items.marks(at.score, chunk, self._version)
            if found is not None and found.offset <= at.offset:
                place = min((at.offset - found.offset) // STEP, len(found.keys) - 1)
                return found.keys[place], found.offset + place * STEP
        return None

    def marks(self, score: int) -> dict[str, int]:
        """Every mark of a large group of equals: a key, and how many rows of the group stand up to and with it."""
        found = self._items.database.each(TieMarks.of_score(self._items.tree, score))
        return {key: each.offset + place * STEP for each in found for place, key in enumerate(each.keys)}

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
                self._kept = None
                self._items.forget_root()
        raise Busy(f"The tree {self._items.tree} changes faster than it can be read. Try again in a moment.")

    def _root(self) -> Root | None:
        if self._version is None:
            return self._items.root() or self._items.root(consistent=True)
        # Looked at once: another thread whose node is gone forgets it at any moment.
        root = self._kept
        if root is None:
            self._kept = root = self._items.root_of(self._version)
        return root
