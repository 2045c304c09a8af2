"""Nodes: packed, searched and split."""

from __future__ import annotations

from base64 import b64encode
from random import Random

import pytest

from hansang.parts.ranks.nodes import (
    HIGHEST,
    ID_LENGTH,
    Child,
    EncodedBytes,
    LeafEntry,
    NodeSize,
    RankNode,
    split,
    split_children,
)
from tests.clauses import clause

LEAVES = {
    "empty": [],
    "one": [LeafEntry(7, 3)],
    "dense": [LeafEntry(300 - n, n % 4 + 1) for n in range(300)],
    "gaps": [LeafEntry(1000 - 7 * n, 1) for n in range(50)],
    "negative": [LeafEntry(5, 1), LeafEntry(0, 2), LeafEntry(-9, 300)],
    "upper halves alike": [LeafEntry(10**37 - n, n % 3 + 1) for n in (0, 3, 4, 2**64, 2**64 + 7, 10**36)],
    "widest": [LeafEntry(HIGHEST, 1), LeafEntry(10**37, 70_000), LeafEntry(-HIGHEST, 2**40)],
}


def as_stored(node: RankNode) -> RankNode:
    return RankNode(EncodedBytes(b64encode(node.blob).decode()))


class Counted(EncodedBytes):
    """Counts how many bytes are decoded."""

    decoded = 0

    def __getitem__(self, wanted: slice) -> bytes:
        found = super().__getitem__(wanted)
        Counted.decoded += len(found)
        return found


def test_a_search_of_a_node_that_was_just_read_decodes_little_of_it() -> None:
    blob = RankNode.leaf([LeafEntry(10**30 - n**7, 1) for n in range(180)]).blob
    node = RankNode(Counted(b64encode(blob).decode()))
    Counted.decoded = 0
    assert node.above(node.at_or_below(10**30 - 100**7)) == 100
    assert Counted.decoded < len(blob) / 10


@pytest.mark.parametrize("length", [1, 2, 3, 4, 30])
def test_encoded_bytes_are_cut_as_the_bytes_would_be(length: int) -> None:
    plain = bytes(range(length))
    encoded = EncodedBytes(b64encode(plain).decode())
    cuts = [(start, stop) for start in range(length + 1) for stop in range(start, length + 1)]
    assert all(encoded[start:stop] == plain[start:stop] for start, stop in cuts)
    assert bytes(encoded) == plain


@clause("X5-28")
@pytest.mark.parametrize("entries", LEAVES.values(), ids=LEAVES)
def test_a_leaf_has_what_was_put_into_it(entries: list[LeafEntry]) -> None:
    node = as_stored(RankNode.leaf(entries))
    assert (node.is_leaf, node.entries()) == (True, entries)
    assert (node.size, node.total) == (len(entries), sum(entry.rows for entry in entries))


@pytest.mark.parametrize("entries", [each for each in LEAVES.values() if each], ids=[*LEAVES][1:])
def test_a_leaf_is_searched_as_a_list_would_be(entries: list[LeafEntry]) -> None:
    """In base64, and unpacked after some searches."""
    node = as_stored(RankNode.leaf(entries))
    scores = [entry.low for entry in entries]
    for score in 2 * [*(each + near for each in scores for near in (-1, 0, 1)), 10**40, -(10**40)]:
        place = node.at_or_below(score)
        assert place == next((n for n, each in enumerate(scores) if each <= score), len(scores))
        assert node.above(place) == sum(entry.rows for entry in entries if entry.low > score)
    for place, entry in enumerate(entries):
        for position in (node.above(place), node.above(place) + entry.rows - 1):
            assert node.holding(position) == place


def test_an_inner_node_knows_its_children() -> None:
    children = [Child(100 - n, 10 * n + 1, bytes([n]) * ID_LENGTH) for n in range(40)]
    node = as_stored(RankNode.inner(children))
    assert (node.is_leaf, node.children()) == (False, children)
    assert node.ident(3) == bytes([3]) * ID_LENGTH


def test_scores_without_a_gap_take_no_room() -> None:
    dense = RankNode.leaf([LeafEntry(2000 - n, 1) for n in range(1000)])
    sparse = RankNode.leaf([LeafEntry(2000 - 2 * n, 1) for n in range(1000)])
    assert len(sparse.blob) - len(dense.blob) == 2 * 1000


@pytest.mark.parametrize("seed", range(4))
def test_the_size_is_known_before_a_node_is_made(seed: int) -> None:
    chance = Random(seed)
    scores = sorted(chance.sample(range(10 ** chance.choice([3, 9, 30])), 200), reverse=True)
    entries = [LeafEntry(score, chance.randint(1, 300)) for score in scores]
    size = NodeSize(is_leaf=True)
    for number, entry in enumerate(entries, 1):
        assert size.add(entry.low, entry.rows) == len(RankNode.leaf(entries[:number]).blob)


@pytest.mark.parametrize("limit", [120, 1000])
def test_pieces_hold_everything_in_order_and_fit(limit: int) -> None:
    entries = [LeafEntry(10**6 - n * n, 1) for n in range(900)]
    parts = split(entries, limit)
    assert [entry for part in parts for entry in part] == entries
    assert all(len(RankNode.leaf(part).blob) <= limit for part in parts)
    children = [Child(entry.low, 1, bytes(ID_LENGTH)) for entry in entries]
    groups = split_children(children, limit)
    assert [child for group in groups for child in group] == children
    assert all(len(group) >= 3 for group in groups[:-1])


def test_nothing_makes_no_piece() -> None:
    assert split([], 100) == []
