"""One attempt to bring changes into a tree: new nodes for the old ones that they touch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from hansang.parts.ranks.changes import Deltas
from hansang.parts.ranks.nodes import Child, RankNode, ScoreRows, split, split_children
from hansang.parts.ranks.storage import TreeItems, node_id
from hansang.parts.ranks.table import FreedNodes


class TreeAttempt:
    """The nodes that one fold makes, and those that they replace."""

    def __init__(self, items: TreeItems, sequence: int, nonce: bytes, largest_node: int) -> None:
        self.sequence, self.nonce = sequence, nonce
        self._items, self._limit = items, largest_node
        self._made: dict[bytes, RankNode] = {}
        self._freed: list[bytes] = []
        self._count = 0
        self._left = Deltas()

    def apply(self, root: RankNode, deltas: Deltas) -> tuple[RankNode, Deltas]:
        """The root with these changes in its leaves, and what could not be counted yet.

        A row's second change may come before its first. A count would be negative then, and what is missing waits
        for the other change.
        """
        changed = {score: count for score, count in deltas.items() if count}
        if root.is_leaf:
            leaves = split(self._merged(root, changed), self._limit)
            if len(leaves) <= 1:
                return RankNode.leaf(leaves[0] if leaves else []), self._left
            children = [self._leaf(piece) for piece in leaves]
        else:
            children = self._rewritten(root, changed)
        return self._top(children), self._left

    def store(self) -> None:
        """Write the nodes, and which others the root will no longer lead to."""
        fold = f"{self.sequence:08x}{self.nonce.hex()}"
        freed = FreedNodes(tree=self._items.tree, fold=fold, idents=b"".join(self._freed))
        self._items.put_nodes(self._made.items(), [freed] if self._freed else ())

    # ── leaves ────────────────────────────────────────────────────────────────────────────────────

    def _merged(self, leaf: RankNode, changed: dict[int, int]) -> list[ScoreRows]:
        counts = leaf.counts()
        for score, count in changed.items():
            counts[score] = counts.get(score, 0) + count
            if counts[score] < 0:
                self._left[score] = counts[score]
        return [(score, rows) for score in sorted(counts, reverse=True) if (rows := counts[score]) > 0]

    def _leaf(self, entries: Sequence[ScoreRows]) -> Child:
        node = RankNode.leaf(entries)
        return Child(entries[-1][0], node.total, self._keep(node))

    # ── inner nodes ───────────────────────────────────────────────────────────────────────────────

    def _rewritten(self, node: RankNode, changed: dict[int, int]) -> list[Child]:
        """The children of a node with the changes in them; leaves that lie side by side are joined."""
        parts = _by_child(node, changed)
        found: list[Child] = []
        entries: list[ScoreRows] = []
        for place, child in enumerate(node.children()):
            if place not in parts:
                found += self._leaves(entries)
                entries = []
                found.append(child)
                continue
            below = self._items.node(child.ident, consistent=True)
            self._freed.append(child.ident)
            if below.is_leaf:
                entries += self._merged(below, parts[place])
            else:
                found += self._inner(split_children(self._rewritten(below, parts[place]), self._limit))
        return found + self._leaves(entries)

    def _leaves(self, entries: Sequence[ScoreRows]) -> list[Child]:
        return [self._leaf(piece) for piece in split(entries, self._limit)]

    def _inner(self, parts: Iterable[Sequence[Child]]) -> list[Child]:
        nodes = ((part[-1].low, RankNode.inner(part)) for part in parts)
        return [Child(low, node.total, self._keep(node)) for low, node in nodes]

    def _top(self, children: list[Child]) -> RankNode:
        if not children:
            return RankNode.leaf([])
        while len(parts := split_children(children, self._limit)) > 1:
            children = self._inner(parts)
        node = RankNode.inner(children)
        while not node.is_leaf and node.size == 1:
            node = self._drop(node.ident(0))
        return node

    # ── ids ───────────────────────────────────────────────────────────────────────────────────────

    def _keep(self, node: RankNode) -> bytes:
        self._count += 1
        ident = node_id(self.sequence, self.nonce, self._count)
        self._made[ident] = node
        return ident

    def _drop(self, ident: bytes) -> RankNode:
        """An only child, which becomes the root itself."""
        if ident in self._made:
            return self._made.pop(ident)
        self._freed.append(ident)
        return self._items.node(ident, consistent=True)


def fullest(root: RankNode, deltas: Deltas, most_left: int) -> tuple[Deltas, Deltas]:
    """Deltas in two: those of the children of a root that have the most, and at most so many of the others.

    To write a child anew costs the same for many deltas as for a few. Children with a few keep them until they have more.
    """
    changed = {score: count for score, count in deltas.items() if count}
    if root.is_leaf:
        return Deltas(changed), Deltas()
    chosen, left = Deltas(), Deltas(changed)
    for part in sorted(_by_child(root, changed).values(), key=len, reverse=True):
        if len(left) <= most_left:
            break
        chosen.update(part)
        for score in part:
            del left[score]
    return chosen, left


def _by_child(node: RankNode, changed: Mapping[int, int]) -> dict[int, dict[int, int]]:
    """Changes by the place of the child that they belong into."""
    parts = defaultdict[int, dict[int, int]](dict)
    for score, count in changed.items():
        parts[min(node.at_or_below(score), node.size - 1)][score] = count
    return parts
