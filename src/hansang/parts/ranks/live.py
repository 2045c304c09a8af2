"""Reading a live board: the tree may lag behind, the rank may not."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from hansang.design import Database
from hansang.errors import Busy
from hansang.parts.ranks.changes import NO_DELTAS, DeltaSums, summed, unpacked
from hansang.parts.ranks.nodes import LeafEntry, RankNode
from hansang.parts.ranks.reading import RankedScore, Standing, score_at, standing
from hansang.parts.ranks.shared_reads import SharedReads
from hansang.parts.ranks.storage import Item, NodeCache, NodeGone, Root, TreeItems

R = TypeVar("R")

_TRIES = 50
EMPTY = Root(RankNode.leaf([]), 0, b"")
"""The root of a tree in which nothing has been folded yet."""


@dataclass(frozen=True)
class LiveState:
    """A tree at one moment: its root, and what has to be added to what its leaves say.

    What the root keeps is the same for many readers, and sorted once; what is pending is another for each.
    """

    root: Root
    kept: DeltaSums
    pending: DeltaSums

    @property
    def total(self) -> int:
        return self.root.node.total + self.kept.total + self.pending.total

    @cached_property
    def sums(self) -> DeltaSums:
        """Both together."""
        return self.kept + self.pending


class LiveTree:
    """A tree that changes meanwhile. Every change committed before a read began is counted once.

    On DynamoDB a Query is no snapshot, so a read goes by the root that was known before it began: between two roots
    that follow each other nothing is lost nor counted twice. The embedded engine answers a Query from one snapshot;
    with `atomic_queries` one read is enough there, while there is one shard.
    """

    def __init__(
        self,
        database: Database,
        tree: str,
        *,
        shards: int = 1,
        atomic_queries: bool = False,
        cache: NodeCache | None = None,
    ) -> None:
        self._items, self._shards = TreeItems(database, tree, cache), shards
        self._is_atomic = atomic_queries and shards == 1
        self._known: Root | None = None
        self._kept: tuple[bytes, DeltaSums] = b"", NO_DELTAS
        self._states = SharedReads(self._state)

    def standing(self, score: int) -> Standing:
        """How a score stands, whether a row has it or not."""
        return self._read(lambda state: self._standing(state, score))

    def standings(self, scores: Iterable[int]) -> list[Standing]:
        """How several scores stand at one moment."""
        asked = list(scores)
        return self._read(lambda state: [self._standing(state, score) for score in asked])

    def score_at(self, position: int) -> RankedScore | None:
        """The score at a position from 0; None behind the last."""
        return self._read(lambda state: self._score_at(state, position))

    def distinct_above(self, score: int) -> int:
        """How many different scores are higher than this one: what a dense rank counts.

        It reads every leaf above, which is few of them where scores are few, as those of a game are.
        """
        return self._read(lambda state: self._distinct_above(state, score))

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self._read(lambda state: state.total)

    def _read(self, read: Callable[[LiveState], R]) -> R:
        for _ in range(_TRIES):
            state = self._states.get()
            if state is None:
                continue
            try:
                return read(state)
            except NodeGone:
                continue
        raise Busy(f"The tree {self._items.tree} changes faster than it can be read. Try again in a moment.")

    # ── the state ─────────────────────────────────────────────────────────────────────────────────

    def _state(self) -> LiveState | None:
        """The tree at a moment during this read; None when too much has happened meanwhile."""
        before = self._known
        root, pending = self._found()
        self._known = root
        if self._is_atomic:
            done = root.done_names
        elif before is None or not 0 <= root.sequence - before.sequence <= 1:
            return None
        else:
            # A change that the older root has counted may have been read before it was deleted.
            done = root.done_names | before.done_names
        waiting = (item for item in pending if item["SK"]["S"][2:] not in done)
        return LiveState(root, self._buffered(root), DeltaSums(summed(waiting)))

    def _buffered(self, root: Root) -> DeltaSums:
        """What a root keeps, unpacked once for as long as roots keep the same."""
        buffer, found = self._kept
        if buffer != root.buffer:
            found = DeltaSums(unpacked(root.buffer))
            self._kept = root.buffer, found
        return found

    def _found(self) -> tuple[Root, list[Item]]:
        """The pending changes and then, read last, the root."""
        items: list[Item] = []
        for shard in range(self._shards - 1, 0, -1):
            items += self._items.between("P#", "P#~", "RankChange.pending", shard=shard)
        items += self._items.between("P#", "R", "LiveTree.read")
        root = Root.of(items.pop()) if items and items[-1]["SK"]["S"] == "R" else EMPTY
        return root, items

    # ── questions ─────────────────────────────────────────────────────────────────────────────────

    def _node(self, ident: bytes) -> RankNode:
        # A node never changes, so whichever copy answers is right; one that is not there yet is asked for once more.
        return self._items.node(ident)

    def _standing(self, state: LiveState, score: int) -> Standing:
        found = standing(state.root.node, score, self._node)
        return Standing(
            found.above + state.kept.above(score) + state.pending.above(score),
            found.equal + state.kept.equal(score) + state.pending.equal(score),
            state.total,
        )

    def _distinct_above(self, state: LiveState, score: int) -> int:
        scores = {entry.low for entry in self._entries_above(state.root.node, score)}
        for changed in state.sums.higher(score):
            if self._standing(state, changed).equal > 0:
                scores.add(changed)
            else:
                scores.discard(changed)
        return len(scores)

    def _entries_above(self, node: RankNode, score: int) -> Iterator[LeafEntry]:
        if node.is_leaf:
            yield from (entry for entry in node.entries() if entry.low > score)
            return
        for place in range(min(node.at_or_below(score) + 1, node.size)):
            yield from self._entries_above(self._node(node.ident(place)), score)

    def _score_at(self, state: LiveState, position: int) -> RankedScore | None:
        """The last changed score that begins at or above the position tells how far the tree is off there."""
        sums, node = state.sums, state.root.node
        if not 0 <= position < state.total:
            return None
        place = bisect_right(sums.scores, position, key=lambda score: self._standing(state, score).above) - 1
        if place < 0:
            return score_at(node, position, self._node)
        score = sums.scores[place]
        found = self._standing(state, score)
        if position < found.above + found.equal:
            return RankedScore(score, position - found.above, found.equal)
        return score_at(node, position - sums.up_to(place), self._node)
