"""Live boards: every rank is exact while changes are pending, buffered, folded, and folders die."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from hansang.design import Database
from hansang.errors import Conflict
from hansang.parts.ranks.changes import Deltas, packed, rank_change, unpacked
from hansang.parts.ranks.folding import BUFFERED, Folder
from hansang.parts.ranks.live import LiveTree
from hansang.parts.ranks.nodes import Child, RankNode
from hansang.parts.ranks.reading import RankTree
from hansang.parts.ranks.rewriting import fullest
from hansang.parts.ranks.storage import TreeItems
from hansang.parts.ranks.table import Ranks
from tests.parts.faults import Meddler
from tests.parts.ranks.boards import (
    TREE,
    Boards,
    Died,
    Mortal,
    PlayerScore,
    ScoreRow,
    recounted,
    rows,
    set_score,
)
from tests.storing import opened, stored

HISTORIES = int(os.environ.get("HANSANG_RANK_HISTORIES", "6"))


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Boards, Ranks) as db:
        yield db


class Reviving(Mortal):
    """One whose caller goes on after it was killed."""

    def live_for(self, calls: int) -> None:
        self._left = calls


def folder(db: Database, chance: Random, shards: int = 1) -> Folder:
    return Folder(
        db, TREE, shards=shards, largest_node=90, buffered=4, at_once=chance.choice([3, 20, 400]),
        nonce=chance.randbytes,
    )  # fmt: skip


def expect_exact(db: Database, tree: LiveTree | RankTree, chance: Random) -> None:
    """Some ranks and some positions, against the index."""
    walked, counts = [score for score, _ in rows(db)], recounted(db)
    assert tree.total == len(walked)
    for score in [*chance.sample(walked, min(2, len(walked))), chance.randrange(60)]:
        found = tree.standing(score)
        assert (found.above, found.equal) == (db.count(ScoreRow.above(score)), counts[score])
    for position in {0, len(walked) // 2, len(walked) - 1} if walked else ():
        at = tree.score_at(position)
        assert at is not None
        assert (at.score, at.offset, at.equal) == (
            walked[position],
            position - walked.index(at.score),
            counts[at.score],
        )


def tree_counts(db: Database) -> dict[int, int]:
    """What the leaves say; every inner count has to be its child's total."""
    items = TreeItems(db, TREE)
    root = items.root(consistent=True)
    assert root is not None
    assert (root.buffer, root.node.size > 1 or root.node.is_leaf) == (b"", True)
    found: dict[int, int] = {}

    def walk(node: RankNode) -> None:
        if node.is_leaf:
            assert all(entry.rows > 0 for entry in node.entries())
            found.update(node.entries())
            return
        for child in node.children():
            below = items.node(child.ident, consistent=True)
            assert child.rows == below.total
            assert child.low == (below.entries()[-1].low if below.is_leaf else below.children()[-1].low)
            walk(below)

    walk(root.node)
    assert list(found) == sorted(found, reverse=True)
    return found


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_any_history_is_exact_while_folders_die(db: Database, seed: int, shards: int) -> None:
    chance = Random(f"{seed} {shards}")
    highest = chance.choice([12, 60, 10**37])
    tree = LiveTree(db, TREE, shards=shards, atomic_queries=chance.random() < 0.5)
    for _ in range(25):
        for _ in range(chance.randint(0, 12)):
            score = None if chance.random() < 0.15 else chance.randrange(highest)
            set_score(db, chance.randrange(40), score, shards)
        if chance.random() < 0.7:
            dying = Database(Mortal(db.backend, chance.randrange(12), after=chance.random() < 0.5))
            with suppress(Died):
                folder(dying, chance, shards).fold(into_leaves=chance.random() < 0.5)
        expect_exact(db, tree, chance)
    folder(db, chance, shards).drain()
    assert tree_counts(db) == recounted(db)
    expect_exact(db, RankTree(db, TREE), chance)


def test_after_draining_there_is_nothing_but_the_tree(db: Database) -> None:
    chance = Random(3)
    for _ in range(6):
        for _ in range(30):
            set_score(db, chance.randrange(60), chance.randrange(500))
        folder(db, chance).drain()
    for _ in range(2):
        folder(db, chance).fold()
    kinds = [item["SK"]["S"][:1] for item in stored(db, Ranks)]
    assert (kinds.count("P"), kinds.count("F"), kinds.count("R")) == (0, 0, 1)
    assert folder(db, chance).tidy() == 0


def test_of_two_folders_one_wins_and_the_other_changes_nothing(db: Database) -> None:
    for number in range(30):
        set_score(db, number, number)
    first = Folder(db, TREE, largest_node=90, buffered=0)
    racing = Database(Meddler(db.backend, "PutItem", first.fold))
    assert Folder(racing, TREE, largest_node=90, buffered=0).fold() == 0
    Folder(db, TREE).drain()
    assert tree_counts(db) == recounted(db)
    assert Folder(db, TREE).tidy() == 0


def test_a_folder_that_is_kept_deletes_each_change_once_and_another_one_makes_sure_of_it(
    db: Database,
) -> None:
    kept, costs = Folder(db, TREE), []
    for points, following in ((10, kept), (20, Folder(db, TREE))):
        for number in range(5):
            set_score(db, number, number + points)
        assert kept.fold() == 5
        with db.meter() as cost:
            following.fold()
        costs.append(cost.write)
    assert costs[1] - costs[0] == 5
    kept.drain()
    assert tree_counts(db) == recounted(db)


def test_whoever_measures_a_fold_measures_the_deletes_of_all_batches(db: Database) -> None:
    db.batch_write(rank_change(TREE, None, score) for score in range(60))
    with db.meter() as cost:
        assert Folder(db, TREE).fold() == 60
    assert cost.patterns["batch_write"].write == 60


def test_a_folder_that_died_before_it_deleted_goes_on_without_counting_twice(db: Database) -> None:
    for number in range(5):
        set_score(db, number, number)
    dying = Reviving(db.backend, 0)
    found = Folder(Database(dying), TREE)
    for calls in range(1, 12):
        dying.live_for(calls)
        set_score(db, calls, 50 + calls)
        with suppress(Died):
            found.fold()
    dying.live_for(1000)
    found.drain()
    assert tree_counts(db) == recounted(db)


def test_nodes_of_an_attempt_that_lost_long_ago_are_tidied_away(db: Database) -> None:
    for number in range(30):
        set_score(db, number, number)
    Folder(db, TREE, largest_node=90).drain()
    TreeItems(db, TREE).put_nodes([(bytes(12), RankNode.leaf([]))])
    assert Folder(db, TREE).tidy() == 1
    assert tree_counts(db) == recounted(db)


def test_a_second_change_that_is_folded_before_the_first_waits_for_it(db: Database) -> None:
    db.create(PlayerScore(number=1, score=9))
    db.create(rank_change(TREE, None, 5, chance=lambda length: b"\x00\xff".ljust(length)))
    db.create(rank_change(TREE, 5, 9, chance=lambda length: b"\x00\x01".ljust(length)))
    Folder(db, TREE, at_once=1, buffered=0).fold()
    tree = LiveTree(db, TREE)
    assert (tree.standing(9).equal, tree.standing(5).equal, tree.standing(4).above, tree.total) == (
        1,
        0,
        1,
        1,
    )
    Folder(db, TREE).drain()
    assert tree_counts(db) == {9: 1}


def test_a_change_and_its_score_are_written_together_or_not_at_all(db: Database) -> None:
    set_score(db, 1, 5)
    other = Database(Meddler(db.backend, "TransactWriteItems", lambda: set_score(db, 1, 7)))
    with pytest.raises(Conflict):
        set_score(other, 1, 6)
    tree = LiveTree(db, TREE)
    assert [tree.standing(score).equal for score in (5, 6, 7)] == [0, 0, 1]


def test_a_rank_costs_one_query_and_the_leaves_on_the_way(db: Database) -> None:
    for number in range(60):
        set_score(db, number, number * 1000)
    Folder(db, TREE, largest_node=90).drain()
    Folder(db, TREE).fold()
    tree = LiveTree(db, TREE, atomic_queries=True)
    with db.meter() as cost:
        tree.standing(30_000)
    assert (cost.patterns["LiveTree.read"].read, cost.requests) == (1.0, 1 + len(_path(db, 30_000)))


def _path(db: Database, score: int) -> list[bytes]:
    items, idents = TreeItems(db, TREE), list[bytes]()
    root = items.root()
    assert root is not None
    node = root.node
    while not node.is_leaf:
        idents.append(node.ident(node.at_or_below(score)))
        node = items.node(idents[-1])
    return idents


def test_the_buffer_of_a_root_keeps_any_scores() -> None:
    deltas = unpacked(b"")
    deltas.update({10**37: 3, -4: -2, 0: 7, 5: 0})
    assert unpacked(packed(deltas)) == {10**37: 3, -4: -2, 0: 7}
    assert packed(unpacked(b"")) == b""


def test_what_a_root_of_before_keeps_is_read() -> None:
    found = [(10**30, 3), (0, -2)]
    offsets = b"".join(
        (10**30 - score).to_bytes(16) + count.to_bytes(8, signed=True) for score, count in found
    )
    header = bytes([16]) + len(found).to_bytes(4) + (10**30).to_bytes(16)
    assert unpacked(header + offsets) == dict(found)


def test_a_full_buffer_of_a_game_s_scores_takes_less_than_a_read_unit() -> None:
    chance = Random(5)
    deltas = Deltas({score: chance.choice((-1, 1, 2)) for score in chance.sample(range(100_000), BUFFERED)})
    assert len(packed(deltas)) < 4096
    assert unpacked(packed(deltas)) == deltas


def test_where_a_buffer_overflows_the_leaves_with_the_most_changes_are_written_anew(db: Database) -> None:
    for number in range(60):
        set_score(db, number, number * 10)
    counting = Folder(db, TREE, largest_node=90, buffered=12)
    counting.drain()
    few, many = _path(db, 5), _path(db, 595)
    db.batch_write(rank_change(TREE, None, score) for score in (5, *range(581, 595)))
    assert counting.fold() == 15
    root = TreeItems(db, TREE).root()
    assert root is not None
    assert unpacked(root.buffer) == {5: 1}
    assert _path(db, 5)[-1] == few[-1]
    assert _path(db, 595)[-1] != many[-1]
    assert [LiveTree(db, TREE).standing(score).equal for score in (5, 581, 594)] == [1, 1, 1]


def test_no_more_leaves_are_written_anew_than_bring_a_root_back_to_what_it_may_keep(db: Database) -> None:
    for number in range(60):
        set_score(db, number, number * 10)
    counting = Folder(db, TREE, largest_node=90, buffered=12)
    counting.drain()
    waiting = range(101, 111)
    db.batch_write(rank_change(TREE, None, score) for score in (*waiting, *range(591, 605)))
    assert counting.fold() == 24
    root = TreeItems(db, TREE).root()
    assert root is not None
    assert unpacked(root.buffer) == dict.fromkeys(waiting, 1)


def test_a_root_whose_leaves_have_as_many_changes_each_keeps_what_it_may() -> None:
    children = [Child(900 - 100 * n, 1, bytes([n]) * 12) for n in range(10)]
    deltas = Deltas(dict.fromkeys(range(0, 1000, 10), 1))
    chosen, left = fullest(RankNode.inner(children), deltas, 50)
    assert (len(chosen), len(left), chosen + left) == (50, 50, deltas)
