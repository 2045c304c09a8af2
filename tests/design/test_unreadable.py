"""Items that their entity cannot read: named among the others, and mended."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

import pytest

from hansang.design import GSI, Attr, Database, Entity, Key, Query, Table, Timestamp, Unreadable, pattern
from hansang.errors import AlreadyExists, Conflict, NotFound, UnexpectedItem
from tests.design.conftest import Opens
from tests.storing import stored


class Board(Table, name="Board", pk="Id", sk="Week"):
    by_week = GSI("ByWeek", pk="Week", sk="Score")


class BestKey(Key["Best"], pk="{id}", sk="{start}, {end}"):
    id: Annotated[int, Attr("Id")]
    start: date
    end: date


class Best(BestKey, Entity, table=Board):
    score: Annotated[int, Attr("Score")]
    at: Annotated[Timestamp, Attr("At")]

    @pattern
    def of(cls, player: int) -> Query[Best]:
        """The weeks of a player."""
        return cls.query(Best.id == player)


AT = datetime(2026, 1, 1, tzinfo=UTC)
GOOD = [
    Best(id=1, start=date(2026, 1, day), end=date(2026, 1, day + 6), score=day, at=AT) for day in (2, 9, 16)
]
BAD = {
    "Id": {"N": "1"},
    "Week": {"S": "2026-01-05,2026-01-11"},
    "Score": {"N": "5"},
    "At": {"S": "2026-01-01T00:00:00Z"},
}
FINE = {**BAD, "Week": {"S": "2026-01-12, 2026-01-18"}, "At": {"S": "2026-01-01T00:00:00.123Z"}}


@pytest.fixture
def board(opens: Opens) -> Database:
    db = opens(Board)
    db.batch_write(GOOD)
    for item in (BAD, FINE):
        db.backend.call("PutItem", {"TableName": db.name(Board), "Item": item})
    return db


def test_a_page_shows_the_rest_and_names_what_it_cannot_read(board: Database) -> None:
    page = board.page(Best.of(1))
    assert page.items == GOOD
    assert [(each.kind, each.key["Week"]) for each in page.unreadable] == [
        (Best, BAD["Week"]),
        (Best, FINE["Week"]),
    ]
    assert "not a key of the form {start}, {end}" in page.unreadable[0].reason
    assert "The attribute At" in page.unreadable[1].reason


def test_a_page_names_what_lies_on_it_and_nothing_twice(board: Database) -> None:
    seen, items, cursor = [], [], None
    while True:
        page = board.page(Best.of(1), limit=1, cursor=cursor)
        seen += [each.key["Week"]["S"] for each in page.unreadable]
        items += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert (items, sorted(seen)) == (GOOD, sorted([BAD["Week"]["S"], FINE["Week"]["S"]]))


def test_a_list_that_must_be_whole_is_refused(board: Database) -> None:
    for ask in (board.all, lambda question: list(board.each(question))):
        with pytest.raises(UnexpectedItem) as refused:
            ask(Best.of(1))
        assert refused.value.item == BAD
    bad: list[Unreadable] = []
    assert board.all(Best.of(1), unreadable=bad.append) == GOOD
    assert len(bad) == 2


def test_the_item_itself_is_refused(board: Database) -> None:
    with pytest.raises(UnexpectedItem, match=r"which is not a valid Best\.at"):
        board.get(BestKey(id=1, start=date(2026, 1, 12), end=date(2026, 1, 18)))


def test_an_attribute_is_mended_in_its_place(board: Database) -> None:
    [_, fine] = board.page(Best.of(1)).unreadable
    found = board.repair(fine, {"At": {"S": "2026-01-01T00:00:00Z"}})
    assert (found.at, found.start) == (AT, date(2026, 1, 12))
    assert board.get(BestKey(id=1, start=found.start, end=found.end)) == found


def test_a_mended_key_moves_the_item(board: Database) -> None:
    [bad, _] = board.page(Best.of(1)).unreadable
    found = board.repair(bad, {"Week": {"S": "2026-01-05, 2026-01-11"}})
    assert found.score == 5
    assert BAD not in stored(board, Board)
    assert board.get(found) == found


def test_what_still_cannot_be_read_is_not_stored(board: Database) -> None:
    before = stored(board, Board)
    [bad, fine] = board.page(Best.of(1)).unreadable
    with pytest.raises(UnexpectedItem):
        board.repair(fine, {"At": {"S": "yesterday"}})
    with pytest.raises(UnexpectedItem):
        board.repair(fine, {"Score": None})
    assert stored(board, Board) == before
    board.delete(GOOD[0])
    board.repair(bad, {"Week": {"S": "2026-01-05, 2026-01-11"}})
    with pytest.raises(NotFound):
        board.repair(bad, {"Week": {"S": "2026-01-05, 2026-01-11"}})


def test_a_mended_item_does_not_take_the_place_of_another(board: Database) -> None:
    [bad, _] = board.page(Best.of(1)).unreadable
    with pytest.raises(AlreadyExists):
        board.repair(bad, {"Week": {"S": "2026-01-02, 2026-01-08"}})
    assert board.get(GOOD[0]) == GOOD[0]


def test_what_cannot_be_read_can_be_deleted(board: Database) -> None:
    assert board.delete(BestKey(id=1, start=date(2026, 1, 12), end=date(2026, 1, 18))) is None
    assert FINE not in stored(board, Board)


def test_a_conflict_with_an_item_that_cannot_be_read_has_the_item(board: Database) -> None:
    best = Best(id=1, start=date(2026, 1, 12), end=date(2026, 1, 18), score=1, at=AT)
    with pytest.raises(Conflict) as refused:
        board.put(best, when=Best.score == 9)
    assert refused.value.item == FINE
