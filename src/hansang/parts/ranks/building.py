"""Building a tree in one pass over rows that come sorted, as an index has them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from hansang.design import Database
from hansang.parts.ranks.nodes import Child, LeafEntry, NodeSize, RankNode, split_children
from hansang.parts.ranks.reading import first_mark
from hansang.parts.ranks.storage import Root, TreeItems, node_id, shard_of
from hansang.parts.ranks.table import MARKS_AT_ONCE, STEP, TieMarks, key_of

LARGEST_NODE = 3_900
"""So many bytes of a node leave room for its key in 4 KB, which is one unit of a read."""
NONCE = 4
_AT_ONCE = 25

Row = tuple[int, str]
"""A score, and the key of its row."""


class TreeBuilder:
    """Makes the tree of a board that nobody reads yet."""

    def __init__(
        self,
        database: Database,
        tree: str,
        *,
        largest_node: int = LARGEST_NODE,
        marks: bool = True,
        nonce: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """Without `marks` large groups of equals are not to be entered: on a live board they change meanwhile."""
        self._items, self._limit, self._nonce = TreeItems(database, tree), largest_node, nonce(NONCE)
        self._is_marked = marks
        self._made = 0
        self._waiting: list[tuple[bytes, RankNode]] = []
        """Leaves that are not stored yet; an only one is the root itself, and never is."""

    def build(self, rows: Iterable[Row]) -> int:
        """Build the tree of these rows, the highest score first, in place of any; how many rows there are."""
        clear_tree(self._items.database, self._items.tree)
        children = list(self._leaves(self._entries(rows)))
        if len(children) == 1:
            node = self._waiting[0][1]
        else:
            self._items.put_nodes(self._waiting)
            node = self._top(children)
        self._items.flip(Root(node, 1, self._nonce), None)
        return node.total

    # ── leaves ────────────────────────────────────────────────────────────────────────────────────

    def _entries(self, rows: Iterable[Row]) -> Iterator[LeafEntry]:
        """Each score with its count; the marks of large groups are stored on the way.

        Every hundredth row of the board is marked, so that a page of a hundred begins right behind a mark.
        """
        current, count, marks = 0, 0, list[str]()
        last = ""
        for position, (score, key) in enumerate(rows):
            if count and score != current:
                yield LeafEntry(current, count)
                self._mark(current, position, count, marks)
                count, marks = 0, []
            if count and position % STEP == 0:
                marks.append(last)
            current, last, count = score, key, count + 1
        if count:
            yield LeafEntry(current, count)
            self._mark(current, position + 1, count, marks)

    def _mark(self, score: int, end: int, count: int, marks: list[str]) -> None:
        """Store the marks of so many equals that stand before a position, if that is a large group."""
        if count > STEP and self._is_marked:
            first = first_mark(end - count)
            self._items.database.batch_write(tie_marks(self._items.tree, score, marks, first))

    def _leaves(self, entries: Iterable[LeafEntry]) -> Iterator[Child]:
        for piece in self._full(entries):
            node, ident = RankNode.leaf(piece), self._next_id()
            self._waiting.append((ident, node))
            yield Child(piece[-1].low, node.total, ident)
            if len(self._waiting) == _AT_ONCE:
                self._items.put_nodes(self._waiting)
                self._waiting = []

    def _full(self, entries: Iterable[LeafEntry]) -> Iterator[list[LeafEntry]]:
        size, piece = NodeSize(is_leaf=True), list[LeafEntry]()
        for entry in entries:
            if size.add(entry.low, entry.rows) > self._limit and piece:
                yield piece
                size, piece = NodeSize(is_leaf=True), []
                size.add(entry.low, entry.rows)
            piece.append(entry)
        if piece:
            yield piece

    # ── inner nodes ───────────────────────────────────────────────────────────────────────────────

    def _top(self, children: list[Child]) -> RankNode:
        if not children:
            return RankNode.leaf([])
        while len(parts := split_children(children, self._limit)) > 1:
            nodes = [(self._next_id(), RankNode.inner(part)) for part in parts]
            self._items.put_nodes(nodes)
            children = [
                Child(part[-1].low, node.total, ident)
                for part, (ident, node) in zip(parts, nodes, strict=True)
            ]
        return RankNode.inner(children)

    def _next_id(self) -> bytes:
        self._made += 1
        return node_id(1, self._nonce, self._made)


def tie_marks(tree: str, score: int, keys: list[str], first: int) -> Iterator[TieMarks]:
    """The marks of a group of equals, some in each item; so many rows stand up to and with the first."""
    for place in range(0, len(keys), MARKS_AT_ONCE):
        part, offset = keys[place : place + MARKS_AT_ONCE], first + place * STEP
        yield TieMarks(tree=tree, score=score, chunk=place // MARKS_AT_ONCE, keys=part, first=offset)


def remark(database: Database, tree: str, score: int, keys: Iterable[str]) -> None:
    """Write the marks of one group of equals again, from the keys of its rows in the index's order."""
    rows = iter(keys)
    marks: list[str] = []
    while len(part := list(islice(rows, STEP))) == STEP:
        marks.append(part[-1])
    items = TreeItems(database, tree)
    fresh = list(tie_marks(tree, score, marks, STEP))
    kept = {f"M#{score}#{each.chunk:06d}" for each in fresh}
    old = items.between(f"M#{score}#", f"M#{score}#~", "TieMarks.of_score", keys_only=True)
    gone = [each["SK"]["S"] for each in old if each["SK"]["S"] not in kept]
    database.batch_write(fresh, deletes=(key_of(tree, sk) for sk in gone))


def clear_tree(database: Database, tree: str) -> None:
    """Delete a tree, its root first, so that nobody reads a part of it."""
    _clear(database, tree, "R", "R")
    _clear(database, tree, "F", "P~")


def forget_changes(database: Database, tree: str, shards: int) -> None:
    """Delete the changes that wait to be counted in every part, for a tree that is built of what they led to."""
    for shard in range(shards):
        _clear(database, tree, "P#", "P#~", shard)


def _clear(database: Database, tree: str, first: str, last: str, shard: int = 0) -> None:
    items = TreeItems(database, tree)
    found = items.between(first, last, "Ranks.clear", shard=shard, keys_only=True)
    names = [each["SK"]["S"] for each in found]
    database.batch_write(deletes=(key_of(shard_of(tree, shard), sk) for sk in names))
