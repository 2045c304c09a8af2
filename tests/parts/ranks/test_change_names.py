"""Names of changes: short ones, those of before, and lists of both."""

from __future__ import annotations

import secrets
from contextlib import nullcontext, suppress

import pytest

from hansang.design import Database
from hansang.errors import AlreadyExists
from hansang.parts.ranks.change_names import change_name, listed, named_shard, names_in
from hansang.parts.ranks.changes import change_request, rank_change
from hansang.parts.ranks.folding import Folder
from hansang.parts.ranks.live import LiveTree
from hansang.parts.ranks.nodes import RankNode
from hansang.parts.ranks.reading import RankTree
from hansang.parts.ranks.storage import Root, TreeItems
from hansang.parts.ranks.table import RankChange, Ranks
from tests.parts.ranks.boards import TREE, Died, Mortal
from tests.storing import opened, stored

OLD = ["07" + "ab" * 11, "ff" + "00" * 11, "00" * 12, "00" + "cd" * 11]


def test_a_name_says_its_shard() -> None:
    shard, name = change_name(256, lambda length: b"\xfe".ljust(length, b"\xff"))
    assert (shard, named_shard(name), len(name)) == (254, 254, 12)
    assert [named_shard(name) for name in OLD] == [7, 255, 0, 0]


def test_a_list_has_the_names_that_it_was_made_of() -> None:
    for count in range(14):
        fresh = [change_name(4, secrets.token_bytes)[1] for _ in range(count)]
        for old in ([], OLD[:1], OLD):
            assert sorted(names_in(listed([*old, *fresh]))) == sorted([*old, *fresh])


def test_a_list_of_before_is_read() -> None:
    assert names_in(bytes.fromhex("".join(OLD))) == OLD
    assert names_in(b"") == []


def test_a_name_is_sorted_before_the_root_and_within_the_range_of_changes() -> None:
    fills = [bytes([fill]) * 9 for fill in range(256)]
    names = [change_name(256, fill.ljust)[1] for fill in fills]
    assert all("P#" < f"P#{name}" < "P#~" < "R" for name in names)


@pytest.mark.parametrize("calls", range(16))
def test_changes_of_before_are_counted_once_beside_others_while_folders_die(calls: int) -> None:
    with opened(Ranks) as db:
        # A root that counted one of them, and whose folder died before it was deleted.
        db.create(RankChange(tree=TREE, change=OLD[3], after=5))
        TreeItems(db, TREE).flip(Root(RankNode.leaf([(5, 1)]), 1, b"1234", bytes.fromhex(OLD[3])), None)
        db.create(RankChange(tree=TREE, change=OLD[2], before=5, after=6))
        db.create(rank_change(TREE, None, 7))
        with suppress(Died):
            Folder(Database(Mortal(db.backend, calls)), TREE).fold()
        assert _equals(LiveTree(db, TREE, atomic_queries=True)) == [0, 1, 1]
        Folder(db, TREE).drain()
        assert _equals(RankTree(db, TREE)) == [0, 1, 1]


def _equals(tree: LiveTree | RankTree) -> list[int]:
    return [tree.standing(score).equal for score in (5, 6, 7)]


def test_of_the_changes_of_a_week_two_hundred_and_twenty_are_read_for_three_units() -> None:
    week = "week.2026-11-13"
    with opened(Ranks) as db:
        db.batch_write(
            rank_change(week, 60_000 + number, 90_000 + number, row=str(100_000 + number))
            for number in range(220)
        )
        with db.meter() as cost:
            assert LiveTree(db, week, atomic_queries=True).standing(95_000).above == 0
        assert cost.patterns["LiveTree.read"].read == 3.0


@pytest.mark.parametrize(("before", "after", "row"), [(5, 9, "7"), (None, 9, None), (-5, None, "7")])
def test_the_request_of_a_change_creates_what_the_design_creates(
    before: int | None, after: int | None, row: str | None
) -> None:
    found = []
    for is_plain in (False, True):
        with opened(Ranks) as db:
            if is_plain:
                request = change_request(Ranks.name, TREE, before, after, shards=3, row=row, chance=bytes)
                for refused in (False, True):
                    with pytest.raises(AlreadyExists) if refused else nullcontext(), db.transaction() as both:
                        both.put_request(Ranks, request)
            else:
                db.create(rank_change(TREE, before, after, shards=3, row=row, chance=bytes))
            found.append(stored(db, Ranks))
    assert found[0] == found[1]
