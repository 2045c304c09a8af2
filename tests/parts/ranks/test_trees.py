"""Trees built of a board: every rank is what the COUNT query says."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from hansang.design import Database
from hansang.errors import NotFound
from hansang.parts.ranks.building import TreeBuilder, clear_tree, remark, tie_marks
from hansang.parts.ranks.reading import RankedScore, RankTree, first_mark
from hansang.parts.ranks.storage import NodeCache, Root
from hansang.parts.ranks.table import RankNodeItem, RankRoot, RankRootKey, Ranks, TieMarks
from tests.clauses import clause
from tests.parts.ranks.boards import TREE, Boards, PlayerScore, ScoreRow, recounted, rows
from tests.storing import opened, stored


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Boards, Ranks) as db:
        yield db


def fill(db: Database, scores: list[int]) -> None:
    db.batch_write(PlayerScore(number=number, score=score) for number, score in enumerate(scores))


def scores_of(kind: str, count: int = 400) -> list[int]:
    chance = Random(kind)
    if kind == "ties":
        return [min(30, int(chance.expovariate(0.05))) for _ in range(count)]
    if kind == "wide":
        return [int(10 ** chance.uniform(0, 37)) for _ in range(count)]
    return [chance.randrange(1000) for _ in range(count)]


@clause("X5-10", "X5-28")
@pytest.mark.parametrize("largest_node", [90, 4000])
@pytest.mark.parametrize("kind", ["ties", "wide", "even"])
def test_every_rank_is_what_the_count_query_says(db: Database, kind: str, largest_node: int) -> None:
    fill(db, scores_of(kind))
    assert TreeBuilder(db, TREE, largest_node=largest_node).build(rows(db)) == 400
    tree, counts = RankTree(db, TREE), recounted(db)
    asked = [*counts, *(score + 1 for score in counts), -1, 0, 10**38 - 1]
    for score in asked[:: 1 if kind == "ties" else 9]:
        found = tree.standing(score)
        assert found.above == db.count(ScoreRow.above(score))
        assert (found.equal, found.total) == (db.count(ScoreRow.equal(score)), 400)


@clause("X5-08")
@pytest.mark.parametrize("largest_node", [90, 4000])
@pytest.mark.parametrize("kind", ["ties", "wide", "even"])
def test_every_position_is_what_the_walk_says(db: Database, kind: str, largest_node: int) -> None:
    fill(db, scores_of(kind))
    TreeBuilder(db, TREE, largest_node=largest_node).build(rows(db))
    tree, walked, counts = RankTree(db, TREE), [score for score, _ in rows(db)], recounted(db)
    for position in range(0, 400, 7):
        found = tree.score_at(position)
        assert found is not None
        assert found.score == walked[position]
        assert found.offset == position - walked.index(found.score)
        assert found.equal == counts[found.score]
    assert tree.score_at(400) is tree.score_at(-1) is None


def test_an_empty_board_has_a_tree(db: Database) -> None:
    assert TreeBuilder(db, TREE).build(rows(db)) == 0
    tree = RankTree(db, TREE)
    assert (tree.total, tree.standing(5).rank, tree.standing(5).percentile, tree.score_at(0)) == (
        0,
        1,
        None,
        None,
    )


def test_the_percentile_is_exact(db: Database) -> None:
    fill(db, list(range(1, 301)))
    TreeBuilder(db, TREE).build(rows(db))
    assert [RankTree(db, TREE).standing(score).percentile for score in (300, 3, 1)] == [
        100,
        1,
        Fraction(1, 3),
    ]


def test_building_again_leaves_nothing_of_the_tree_before(db: Database) -> None:
    fill(db, scores_of("wide"))
    TreeBuilder(db, TREE, largest_node=300).build(rows(db))
    before = len(stored(db, Ranks))
    TreeBuilder(db, TREE, largest_node=300).build(rows(db))
    assert len(stored(db, Ranks)) == before
    clear_tree(db, TREE)
    assert stored(db, Ranks) == []
    with pytest.raises(NotFound, match="no tree scores"):
        RankTree(db, TREE).standing(1)


def test_what_is_stored_is_what_the_design_says_and_no_node_is_over_4_kb(db: Database) -> None:
    fill(db, scores_of("wide", 900))
    TreeBuilder(db, TREE).build(rows(db))
    root = db.get(RankRootKey(tree=TREE))
    assert isinstance(root, RankRoot)
    nodes = [item for item in stored(db, Ranks) if item["SK"]["S"].startswith("N#")]
    shape = RankNodeItem.__shape__
    assert shape is not None
    assert len(nodes) > 3
    assert all(len(shape.decode(item).node) <= 3900 for item in nodes)
    assert {name for item in stored(db, Ranks) for name in item} <= {"PK", "SK", "E", "Seq", "Nonce"}


@clause("X5-10")
def test_a_rank_costs_as_many_reads_as_the_tree_is_deep(db: Database) -> None:
    fill(db, scores_of("wide", 900))
    TreeBuilder(db, TREE).build(rows(db))
    with db.meter() as cold:
        RankTree(db, TREE).standing(12345)
    cache = NodeCache()
    RankTree(db, TREE, cache).standing(12345)
    with db.meter() as warm:
        RankTree(db, TREE, cache).standing(12345)
    assert (cold.requests, cold.read, warm.requests, warm.read) == (2, 1.0, 1, 0.5)


@clause("X5-10")
def test_the_root_of_a_version_is_read_once_and_that_of_another_again(db: Database) -> None:
    fill(db, scores_of("wide", 900))
    TreeBuilder(db, TREE).build(rows(db))
    cache = NodeCache()
    with db.meter() as cold:
        found = RankTree(db, TREE, cache, 1).standing(12345)
    with db.meter() as warm:
        assert RankTree(db, TREE, cache, 1).standing(12345) == found
    with db.meter() as other:
        RankTree(db, TREE, cache, 2).standing(12345)
    assert (cold.requests, cold.read, warm.requests, other.requests) == (2, 1.5, 0, 1)


def test_a_root_whose_nodes_are_gone_is_read_again(db: Database) -> None:
    fill(db, scores_of("wide", 900))
    TreeBuilder(db, TREE).build(rows(db))
    cache = NodeCache(1)
    before = RankTree(db, TREE, cache, 1)
    assert before.standing(12345).total == 900
    clear_tree(db, TREE)
    TreeBuilder(db, TREE).build(rows(db))
    assert [before.standing(score).total for score in (1, 12345, 10**30)] == [900] * 3


# ── marks ─────────────────────────────────────────────────────────────────────────────────────────


def mark_before(tree: RankTree, position: int) -> tuple[str, int] | None:
    """The mark that leads to a position."""
    at = tree.score_at(position)
    assert at is not None
    return tree.mark(at, position - at.offset)


@clause("X5-09")
def test_a_large_group_of_equals_is_marked_at_every_hundredth_row_of_the_board(db: Database) -> None:
    fill(db, [6] * 30 + [5] * 350 + [4] * 100)
    TreeBuilder(db, TREE).build(rows(db))
    keys = [key for score, key in rows(db) if score == 5]
    tree = RankTree(db, TREE)
    assert [mark_before(tree, position) for position in (99, 100, 150, 200, 379)] == [
        None,
        (keys[69], 70),
        (keys[69], 70),
        (keys[169], 170),
        (keys[269], 270),
    ]
    assert tree.marks(5) == {keys[69]: 70, keys[169]: 170, keys[269]: 270}
    assert tree.marks(4) == {}


@clause("X5-09", "X5-30")
def test_marks_lead_to_the_row_they_name_wherever_a_group_stands_now(db: Database) -> None:
    """Players above a group may have been erased since, and older trees mark the hundreds of a group."""
    for first in (1, 37, 100):
        keys = [str(offset) for offset in range(first, 6700, 100)]
        db.batch_write(tie_marks(TREE, first, keys, first))
    older = [str(offset) for offset in range(100, 6700, 100)]
    db.batch_write(
        TieMarks(tree=TREE, score=7, chunk=chunk, keys=older[chunk * 64 : chunk * 64 + 64])
        for chunk in (0, 1)
    )
    tree, wrong = RankTree(db, TREE), []
    for score, above, offset in product((1, 37, 100, 7), (0, 1, 62, 63, 64, 99), (*range(1, 6700, 99), 6400)):
        key, passed = tree.mark(RankedScore(score, offset, 6700), above) or ("0", 0)
        farthest = 100 if first_mark(above) == score else 200
        if key != str(passed) or not 0 <= offset - passed < farthest:
            wrong.append((score, above, offset, key, passed))
    assert wrong == []


class Forgetting(RankTree):
    """One whose root another thread forgets, because a node was gone, right after every third look at it."""

    _held: Root | None = None
    _looks = 0

    @property
    def _kept(self) -> Root | None:
        found, self._looks = self._held, self._looks + 1
        if self._looks % 3 == 0:
            self._held = None
        return found

    @_kept.setter
    def _kept(self, root: Root | None) -> None:
        self._held = root


def test_a_root_that_is_forgotten_while_it_is_asked_for_is_there_all_the_same(db: Database) -> None:
    TreeBuilder(db, TREE).build([(5, "a"), (3, "b")])
    tree = Forgetting(db, TREE, NodeCache(), version=1)
    assert [tree.total for _ in range(4)] == [2, 2, 2, 2]


@clause("X5-09")
def test_the_marks_of_a_version_are_read_once(db: Database) -> None:
    db.batch_write(tie_marks(TREE, 5, ["a", "b"], 100))
    at = RankedScore(5, 150, 250)
    for version, reads in ((1, 1), (None, 3)):
        tree = RankTree(db, TREE, NodeCache(), version)
        with db.meter() as cost:
            assert [tree.mark(at, 0) for _ in range(3)] == [("a", 100)] * 3
        assert cost.requests == reads


@clause("X5-30")
def test_marks_are_written_again_for_a_group_that_has_changed(db: Database) -> None:
    fill(db, [5] * 6500 + [4] * 150)
    TreeBuilder(db, TREE).build(rows(db))
    keys = [key for score, key in rows(db) if score == 5]
    remark(db, TREE, 5, keys[1:260])
    tree = RankTree(db, TREE)
    assert [tree.mark(RankedScore(5, offset, 259), 0) for offset in (99, 100, 258)] == [
        None,
        (keys[100], 100),
        (keys[200], 200),
    ]
    assert [len(db.all(TieMarks.of_score(TREE, score))) for score in (5, 4, 3)] == [1, 1, 0]
    assert tree.marks(5) == {keys[100]: 100, keys[200]: 200}
