"""Folding: pending changes are added up and brought into the tree, some at a time.

Nodes are never changed. A fold puts new ones under new ids and then replaces the root, on the condition that it is
still the one that was read. A fold may die between any two calls, and several may race: one of them wins.
"""

from __future__ import annotations

import secrets
from base64 import b64decode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial

from hansang.design import Database
from hansang.errors import AlreadyExists, Conflict, NotFound
from hansang.parts.ranks.building import LARGEST_NODE, NONCE
from hansang.parts.ranks.change_names import listed, named_shard, names_in
from hansang.parts.ranks.changes import packed, summed, unpacked
from hansang.parts.ranks.live import EMPTY
from hansang.parts.ranks.nodes import RankNode
from hansang.parts.ranks.rewriting import TreeAttempt, fullest
from hansang.parts.ranks.storage import Item, NodeGone, Root, TreeItems, pieces, shard_of
from hansang.parts.ranks.table import RankChangeKey, RankNodeKey, key_of

BUFFERED = 600
"""How many changed scores a root keeps. Where there are more, leaves are written anew, first those with the most."""
AT_ONCE = 500
"""How many changes of a shard are folded at a time."""
_BATCH, _BATCHES = 25, 4
"""How many changes one request deletes, and how many requests are under way."""


class Folder:
    """Brings the changes of one tree into its nodes."""

    def __init__(
        self,
        database: Database,
        tree: str,
        *,
        shards: int = 1,
        largest_node: int = LARGEST_NODE,
        buffered: int = BUFFERED,
        at_once: int = AT_ONCE,
        nonce: Callable[[int], bytes] = secrets.token_bytes,
        hear: Callable[[Collection[Item]], object] = len,
    ) -> None:
        """`hear` is told of changes, as they are stored, before they are counted; of some of them more than once."""
        self._hear = hear
        self._database, self._items = database, TreeItems(database, tree)
        self._shards, self._limit = shards, largest_node
        self._buffered, self._at_once, self._nonce = buffered, at_once, nonce
        self._swept: tuple[int, bytes] | None = None

    def fold(self, *, into_leaves: bool = False) -> int:
        """Fold what is pending, and return how many changes that were; 0 when another folder came first."""
        seen = self._items.root(consistent=True)
        root = seen or EMPTY
        if self._swept != (root.sequence, root.nonce):
            self._delete_changes(names_in(root.done))
        changes = dict(self._pending(root.done_names))
        if not changes and not root.done and not (into_leaves and root.buffer):
            self._sweep(root)
            return 0
        try:
            with self._beside(partial(self._sweep, root), partial(self._hear, changes.values())):
                fresh = self._counted(root, changes, into_leaves=into_leaves)
        except NodeGone:
            if self._items.root(consistent=True) == seen:
                raise
            return 0
        try:
            self._items.flip(fresh, seen)
        except (AlreadyExists, Conflict, NotFound):
            return 0
        self._delete_changes(changes)
        # Whoever keeps this folder does not delete them once more; another one cannot know that it was done.
        self._swept = fresh.sequence, fresh.nonce
        return len(changes)

    def _counted(self, root: Root, changes: Mapping[str, Item], *, into_leaves: bool) -> Root:
        """The root with these changes counted, whose nodes are stored."""
        deltas = unpacked(root.buffer)
        deltas.update(summed(changes.values()))
        attempt = TreeAttempt(self._items, root.sequence + 1, self._nonce(NONCE), self._limit)
        node = root.node
        if into_leaves:
            node, deltas = attempt.apply(node, deltas)
        elif sum(1 for count in deltas.values() if count) > self._buffered:
            chosen, waiting = fullest(node, deltas, self._buffered)
            node, deltas = attempt.apply(node, chosen)
            deltas.update(waiting)
        attempt.store()
        return Root(node, attempt.sequence, attempt.nonce, listed(changes), packed(deltas))

    @contextmanager
    def _beside(self, *works: Callable[[], object]) -> Iterator[None]:
        """Do something while a block runs, and have it done when the block ends: each of them waits for commits."""
        with ThreadPoolExecutor(len(works), thread_name_prefix="hansang-fold") as pool:
            # In the context of the fold: its meter counts what they cost, and its limits hold.
            doing = [pool.submit(copy_context().run, work) for work in works]
            yield
        for each in doing:
            each.result()

    def drain(self) -> None:
        """Fold until nothing is pending and every change is in a leaf."""
        while self.fold(into_leaves=True):
            pass

    def tidy(self) -> int:
        """Delete the nodes that no root leads to, left by attempts that lost long ago; how many there were."""
        root = self._items.root(consistent=True)
        if root is None:
            return 0
        reachable = {ident.hex() for ident in self._reachable(root.node)}
        stored = self._items.between("N#", f"N#{root.sequence:08x}~", "RankNodeItem.tidy", keys_only=True)
        lost = [ident for each in stored if (ident := each["SK"]["S"][2:]) not in reachable]
        now = self._items.root(consistent=True)
        if now is None or now.sequence != root.sequence:
            return 0
        self._database.batch_write(deletes=(RankNodeKey(tree=self._items.tree, ident=each) for each in lost))
        return len(lost)

    def _reachable(self, node: RankNode) -> Iterator[bytes]:
        if node.is_leaf:
            return
        for child in node.children():
            yield child.ident
            yield from self._reachable(self._items.node(child.ident, consistent=True))

    # ── pending changes ───────────────────────────────────────────────────────────────────────────

    def _pending(self, done: frozenset[str]) -> Iterator[tuple[str, Item]]:
        for shard in range(self._shards):
            found = self._items.between("P#", "P#~", "RankChange.pending", shard=shard, limit=self._at_once)
            for item in found:
                name = item["SK"]["S"][2:]
                if name not in done:
                    yield name, item

    def _delete_changes(self, names: Iterable[str]) -> None:
        """Delete changes, several batches at a time: the next fold waits for it, and every rank reads what is there."""
        tree = self._items.tree
        keys = [RankChangeKey(tree=shard_of(tree, named_shard(name)), change=name) for name in names]
        batches = [keys[at : at + _BATCH] for at in range(0, len(keys), _BATCH)]
        if len(batches) < 2:
            self._database.batch_write(deletes=keys)
            return
        with ThreadPoolExecutor(_BATCHES, thread_name_prefix="hansang-fold") as pool:
            # In the context of the fold: its meter counts them, and its limits hold.
            deleting = [
                pool.submit(copy_context().run, self._database.batch_write, (), batch) for batch in batches
            ]
        for each in deleting:
            each.result()

    # ── what earlier folds have left ──────────────────────────────────────────────────────────────

    def _sweep(self, root: Root) -> None:
        """Delete what this root has made needless; it has to be done before the next root comes."""
        tree, own = self._items.tree, f"{root.sequence:08x}{root.nonce.hex()}"
        freed = list(self._items.between("F#", f"F#{root.sequence:08x}~", "FreedNodes.sweep"))
        for item in freed:
            # Of another attempt nobody knows whether its nodes were replaced after all.
            if item["SK"]["S"] == f"F#{own}":
                idents = b64decode(item["E"]["B"])
                self._database.batch_write(
                    deletes=(RankNodeKey(tree=tree, ident=ident.hex()) for ident in pieces(idents))
                )
        lost = [
            *self._items.between(f"N#{root.sequence:08x}", f"N#{own}", "RankNodeItem.sweep", keys_only=True),
            *self._items.between(
                f"N#{own}~", f"N#{root.sequence:08x}~", "RankNodeItem.sweep", keys_only=True
            ),
        ]
        self._database.batch_write(deletes=(key_of(tree, item["SK"]["S"]) for item in [*freed, *lost]))
