"""The items of one tree. Reading is done on the items as they are stored, because it is done for every rank."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Any

from hansang.design import Database, Entity, all_of
from hansang.errors import Conflict
from hansang.parts.ranks.change_names import names_in
from hansang.parts.ranks.nodes import ID_LENGTH, EncodedBytes, RankNode
from hansang.parts.ranks.table import RankNodeItem, RankRoot, Ranks, TieMarks, TieMarksKey

Item = Mapping[str, Any]
_MarksPlace = tuple[str, object, int, int]
"""A tree and its version, a score, and the number of the item."""


class NodeGone(Conflict):
    """A node was not found: the root has moved on, and has to be read again."""


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a tree as it was read."""

    node: RankNode
    sequence: int
    nonce: bytes
    done: bytes = b""
    buffer: bytes = b""

    @property
    def done_names(self) -> frozenset[str]:
        """The names of the changes that are counted and perhaps not deleted yet."""
        return frozenset(names_in(self.done))

    @classmethod
    def of(cls, item: Item) -> Root:
        """The root as it is stored."""
        return cls(
            RankNode(EncodedBytes(item["E"]["B"])),
            int(item["Seq"]["N"]),
            b64decode(item["Nonce"]["B"]),
            b64decode(item["Done"]["B"]) if "Done" in item else b"",
            b64decode(item["Buf"]["B"]) if "Buf" in item else b"",
        )


def pieces(joined: bytes) -> Iterator[bytes]:
    """The ids that were joined, one after the other."""
    return (joined[at : at + ID_LENGTH] for at in range(0, len(joined), ID_LENGTH))


def node_id(sequence: int, nonce: bytes, number: int) -> bytes:
    """The id of a node: for which root it was made, by which attempt, and its number among them."""
    return struct.pack(">I4sI", sequence, nonce, number)


class NodeCache:
    """The nodes that were read last, of any tree; a node never changes, so none is ever out of date.

    A root does change, and so do marks. Whoever knows a version of the tree, which is another one whenever they may
    be, gets those of that version from here.
    """

    def __init__(self, most: int = 256) -> None:
        self._most, self._lock = most, Lock()
        self._nodes: dict[tuple[str, bytes], RankNode] = {}
        self._roots: OrderedDict[str, tuple[object, Root]] = OrderedDict()
        self._marks: OrderedDict[_MarksPlace, TieMarks] = OrderedDict()

    def root(self, tree: str, version: object) -> Root | None:
        """The root of a version of a tree, if it was the last one that was read."""
        with self._lock:
            known, root = self._roots.get(tree, (None, None))
            return root if known == version else None

    def put_root(self, tree: str, version: object, root: Root) -> None:
        with self._lock:
            self._roots[tree] = version, root
            self._roots.move_to_end(tree)
            if len(self._roots) > self._most:
                self._roots.popitem(last=False)

    def drop_root(self, tree: str) -> None:
        with self._lock:
            self._roots.pop(tree, None)

    def marks(self, place: _MarksPlace) -> TieMarks | None:
        with self._lock:
            return self._marks.get(place)

    def put_marks(self, place: _MarksPlace, marks: TieMarks) -> None:
        with self._lock:
            self._marks[place] = marks
            if len(self._marks) > self._most:
                self._marks.popitem(last=False)

    def get(self, tree: str, ident: bytes) -> RankNode | None:
        # Without the lock and without a place in a queue of use, which would cost as much as the search in a node.
        return self._nodes.get((tree, ident))

    def put(self, tree: str, ident: bytes, node: RankNode) -> None:
        with self._lock:
            self._nodes[tree, ident] = node
            if len(self._nodes) > self._most:
                del self._nodes[next(iter(self._nodes))]


class TreeItems:
    """The partition of a tree."""

    def __init__(self, database: Database, tree: str, cache: NodeCache | None = None) -> None:
        self.database, self.tree = database, tree
        self._cache = cache if cache is not None else NodeCache(0)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def root(self, *, consistent: bool = False) -> Root | None:
        found = self._get("R", "RankRoot.get", consistent=consistent)
        return None if found is None else Root.of(found)

    def root_of(self, version: object) -> Root | None:
        """The root of a version of the tree; read consistently once, since it is kept for as long as that is asked for."""
        found = self._cache.root(self.tree, version)
        if found is None:
            found = self.root(consistent=True)
            if found is not None:
                self._cache.put_root(self.tree, version, found)
        return found

    def forget_root(self) -> None:
        """Read the root again, whatever the version."""
        self._cache.drop_root(self.tree)

    def node(self, ident: bytes, *, consistent: bool = False) -> RankNode:
        """A node, or NodeGone."""
        cached = self._cache.get(self.tree, ident)
        if cached is not None:
            return cached
        found = self._get(f"N#{ident.hex()}", "RankNodeItem.get", consistent=consistent)
        if found is None and not consistent:
            found = self._get(f"N#{ident.hex()}", "RankNodeItem.get", consistent=True)
        if found is None:
            raise NodeGone(f"A node of the tree {self.tree} is no longer there. Read its root again.")
        node = RankNode(EncodedBytes(found["E"]["B"]))
        self._cache.put(self.tree, ident, node)
        return node

    def marks(self, score: int, chunk: int, version: object) -> TieMarks | None:
        """Some marks of a group of equals; those of a version of the tree are read once."""
        place = self.tree, version, score, chunk
        found = None if version is None else self._cache.marks(place)
        if found is None:
            found = self.database.find(TieMarksKey(tree=self.tree, score=score, chunk=chunk))
            if found is not None and version is not None:
                self._cache.put_marks(place, found)
        return found

    def _get(self, sk: str, pattern: str, *, consistent: bool) -> Item | None:
        request: dict[str, Any] = {
            "TableName": self.database.name(Ranks),
            "Key": {"PK": {"S": f"RANK#{self.tree}"}, "SK": {"S": sk}},
        }
        if consistent:
            request["ConsistentRead"] = True
        found: Item | None = self.database.call("GetItem", request, pattern).get("Item")
        return found

    def between(
        self,
        first: str,
        last: str,
        pattern: str,
        *,
        shard: int = 0,
        keys_only: bool = False,
        limit: int | None = None,
    ) -> Iterator[Item]:
        """The items whose sort keys lie between these, read consistently; of one request if there is a limit."""
        request: dict[str, Any] = {
            "TableName": self.database.name(Ranks),
            "KeyConditionExpression": "PK = :pk AND SK BETWEEN :first AND :last",
            "ExpressionAttributeValues": {
                ":pk": {"S": f"RANK#{shard_of(self.tree, shard)}"},
                ":first": {"S": first},
                ":last": {"S": last},
            },
            "ConsistentRead": True,
        }
        if keys_only:
            request["ProjectionExpression"] = "SK"
        if limit is not None:
            request["Limit"] = limit
        while True:
            response = self.database.call("Query", dict(request), pattern)
            yield from response["Items"]
            if limit is not None or "LastEvaluatedKey" not in response:
                return
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def put_nodes(self, nodes: Iterable[tuple[bytes, RankNode]], beside: Iterable[Entity] = ()) -> None:
        """Store nodes under ids that nobody else has, and something beside them."""
        items = (RankNodeItem(tree=self.tree, ident=ident.hex(), node=node.blob) for ident, node in nodes)
        self.database.batch_write(chain(items, beside))

    def flip(self, root: Root, seen: Root | None) -> None:
        """Put a root in place of the one that was seen; AlreadyExists or Conflict if another has come first."""
        item = RankRoot(
            tree=self.tree,
            node=root.node.blob,
            sequence=root.sequence,
            nonce=root.nonce,
            done=root.done or None,
            buffer=root.buffer or None,
        )
        if seen is None:
            self.database.create(item)
        else:
            as_seen = all_of(RankRoot.sequence == seen.sequence, RankRoot.nonce == seen.nonce)
            self.database.put(item, when=as_seen)


def shard_of(tree: str, number: int) -> str:
    """The name under which the changes of a shard are written; those of the first lie beside the root."""
    return tree if number == 0 else f"{tree}~{number}"
