"""Composed index keys: they follow every write, or the write is refused."""

from __future__ import annotations

from datetime import date
from typing import Literal

import pytest

from hansang.design import (
    ALL,
    GSI,
    KEYS_ONLY,
    Database,
    Entity,
    Key,
    Query,
    Table,
    View,
    attr,
    derived,
    pattern,
)
from hansang.design.shape import Item
from hansang.errors import Conflict, DesignError
from tests.design.conftest import Opens
from tests.storing import stored


class Work(Table, name="Work", type_attribute="Type"):
    by_status = GSI("ByStatus", pk="GSI1PK", sk="GSI1SK", project=ALL)
    by_owner = GSI("ByOwner", pk="GSI2PK", sk="GSI2SK", project=KEYS_ONLY)
    by_rank = GSI("ByRank", pk="GSI3PK", sk="rank_key")


class TaskKey(Key["Task"], pk="BOARD#{board}", sk="TASK#{id}"):
    board: str
    id: str


class Task(
    TaskKey,
    Entity,
    table=Work,
    type="Task",
    index_keys={
        Work.by_status: ("STATUS", "{status}#{due}"),
        Work.by_owner: ("USER#{owner}", "{board}#{id}"),
        Work.by_rank: ("BOARD#{board}", "{rank}"),
    },
):
    status: Literal["open", "done"] = "open"
    due: date
    owner: str | None = None
    rank: int = 0
    title: str = ""
    title_lower = derived("title_lower", of="title", by=str.lower)

    @pattern
    def of_status(cls, status: Literal["open", "done"]) -> Query[Task]:
        """The tasks in a status, by the day they are due."""
        return cls.query(Task.status == status, index=Work.by_status)


class Owned(TaskKey, View, index=Work.by_owner):
    """What a user has; all of it stands in the keys."""

    owner: str

    @pattern
    def by(cls, owner: str) -> Query[Owned]:
        """The tasks of a user."""
        return cls.query(Owned.owner == owner)

    @pattern
    def on_board(cls, owner: str, board: str) -> Query[Owned]:
        """The tasks of a user on one board."""
        return cls.query(Owned.owner == owner, Owned.board == board)


KEY = TaskKey(board="b", id="1")
DAY = date(2026, 3, 1)


@pytest.fixture
def work(opens: Opens) -> Database:
    db = opens(Work)
    db.create(Task(board="b", id="1", due=DAY, owner="민지", title="Plan"))
    return db


def item(db: Database) -> Item:
    [found] = stored(db, Work)
    return found


def expect_consistent(db: Database) -> None:
    shape = Task.__shape__
    assert shape is not None
    for each in stored(db, Work):
        assert shape.encode(shape.decode(each)) == each


def test_what_an_index_key_borrows_must_still_be_as_it_was_seen(work: Database) -> None:
    seen = work.get(KEY)
    work.update(seen, attr(Task.status).set("done"))
    with pytest.raises(Conflict, match="has changed since it was read"):
        work.update(seen, attr(Task.due).set(date(2026, 4, 1)))
    assert item(work)["GSI1SK"] == {"S": "done#2026-03-01"}
    work.update(work.get(KEY), attr(Task.due).set(date(2026, 4, 1)))
    assert item(work)["GSI1SK"] == {"S": "done#2026-04-01"}
    expect_consistent(work)


def test_a_key_alone_knows_too_little_of_an_index_key(work: Database) -> None:
    with pytest.raises(DesignError, match="it needs status too"):
        work.update(KEY, attr(Task.due).set(date(2026, 4, 1)))


def test_an_index_key_goes_with_its_field(work: Database) -> None:
    work.update(KEY, attr(Task.owner).remove())
    assert "GSI2PK" not in item(work)
    work.update(KEY, attr(Task.owner).set("지우"))
    assert item(work)["GSI2PK"] == {"S": "USER#지우"}
    expect_consistent(work)


def test_an_upsert_writes_index_keys_that_are_constant_or_of_the_key(opens: Opens) -> None:
    db = opens(Work)
    db.update(KEY, attr(Task.due).set(DAY), attr(Task.status).set("open"), upsert=True)
    found = item(db)
    assert (found["GSI1PK"], found["GSI1SK"]) == ({"S": "STATUS"}, {"S": "open#2026-03-01"})
    assert (found["GSI2SK"], found["GSI3PK"], found["rank_key"]) == (
        {"S": "b#1"},
        {"S": "BOARD#b"},
        {"N": "0"},
    )
    expect_consistent(db)
    db.update(
        KEY, attr(Task.title).set("NEW"), attr(Task.due).set(DAY), attr(Task.status).set("done"), upsert=True
    )
    assert item(db)["title_lower"] == {"S": "new"}
    expect_consistent(db)


def test_an_index_key_of_one_number_is_a_number(work: Database) -> None:
    for number in (2, 10, 9):
        work.create(Task(board="n", id=str(number), due=DAY, rank=number))
    ranked = work.all(Task.query(Task.board == "n", index=Work.by_rank).descending())
    assert [each.rank for each in ranked] == [10, 9, 2]
    above = Task.query(Task.board == "n", Task.rank > 2, index=Work.by_rank)
    assert [each.rank for each in work.all(above)] == [9, 10]


def test_a_sum_in_an_index_key_is_refused_because_it_cannot_follow(work: Database) -> None:
    with pytest.raises(DesignError, match="whose new value is not known here"):
        work.update(KEY, attr(Task.rank).add(1))


def test_a_view_over_composed_keys_is_asked_by_its_fields(work: Database) -> None:
    work.create(Task(board="c", id="2", due=DAY, owner="민지"))
    assert [(each.owner, each.board, each.id) for each in work.all(Owned.by("민지"))] == [
        ("민지", "b", "1"),
        ("민지", "c", "2"),
    ]
    assert [each.id for each in work.all(Owned.on_board("민지", "c"))] == ["2"]
    assert [each.title for each in work.hydrate(Owned.by("민지"))] == ["Plan", ""]


def test_a_view_is_asked_by_the_fields_of_its_entity_too(work: Database) -> None:
    assert [each.id for each in work.all(Owned.query(Task.owner == "민지"))] == ["1"]


def test_an_index_of_another_table_is_refused() -> None:
    class Elsewhere(Table, name="Elsewhere"):
        pass

    class ThingKey(Key["Thing"], pk="T#{id}", sk="METADATA"):
        id: str

    with pytest.raises(DesignError, match="is not an index of Elsewhere"):

        class Thing(ThingKey, Entity, table=Elsewhere, index_keys={Work.by_rank: ("A", "B")}):
            pass
