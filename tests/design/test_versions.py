"""Versions and times that the database keeps up: raised, checked, and written with every write."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from hansang.design import AT_WRITE, Database, Entity, Key, Table, Timestamp, UpdatedAt, Version, attr
from hansang.errors import AlreadyExists, Conflict, DesignError, InvalidInput, NotFound
from tests.design.conftest import Opens


class Wiki(Table, name="Wiki"):
    pass


class PageKey(Key["Page"], pk="PAGE#{id}", sk="METADATA"):
    id: str


class Page(PageKey, Entity, table=Wiki):
    text: str
    version: Version = 0
    updated_at: UpdatedAt = AT_WRITE


class NoteKey(Key["Note"], pk="NOTE#{id}", sk="METADATA"):
    id: str


class Note(NoteKey, Entity, table=Wiki):
    text: str
    number: int = 0
    updated_at: Timestamp = datetime(2026, 1, 1, tzinfo=UTC)


KEY = PageKey(id="1")
START = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START.timestamp() + 0.75

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def wiki(opens: Opens, clock: Clock) -> Database:
    return opens(Wiki, clock=clock)


def test_every_write_raises_the_version_and_writes_the_time(wiki: Database, clock: Clock) -> None:
    made = wiki.create(Page(id="1", text="a"))
    assert (made.version, made.updated_at) == (1, START)
    clock.now += 60
    put = wiki.put(made.model_copy(update={"text": "b"}))
    assert (put.version, put.updated_at) == (2, START + timedelta(minutes=1))
    assert wiki.get(KEY) == put
    clock.now += 60
    updated = wiki.update(KEY, attr(Page.text).set("c"))
    assert (updated.version, updated.updated_at) == (3, START + timedelta(minutes=2))
    replaced = wiki.replace(updated.model_copy(update={"text": "d"}), seen=updated)
    assert (replaced.version, wiki.get(KEY)) == (4, replaced)


WRITES: list[Callable[[Database, Page], object]] = [
    lambda db, seen: db.put(seen.model_copy(update={"text": "late"})),
    lambda db, seen: db.replace(seen.model_copy(update={"text": "late"}), seen=seen),
    lambda db, seen: db.replace(
        seen.model_copy(update={"text": "late", "version": 9}), seen=seen, by=Page.version
    ),
    lambda db, seen: db.update(seen, attr(Page.text).set("late")),
    lambda db, seen: db.delete(seen),
]


@pytest.mark.parametrize("write", WRITES)
def test_of_two_who_saw_the_same_version_one_writes(
    wiki: Database, write: Callable[[Database, Page], object]
) -> None:
    seen = wiki.create(Page(id="1", text="a"))
    first = wiki.update(seen, attr(Page.text).set("first"))
    with pytest.raises(Conflict, match="has changed since it was read") as lost:
        write(wiki, seen)
    assert (lost.value.item, wiki.get(KEY)) == (first, first)


@pytest.mark.parametrize("write", WRITES)
def test_what_is_gone_is_not_written_again(wiki: Database, write: Callable[[Database, Page], object]) -> None:
    seen = wiki.create(Page(id="1", text="a"))
    wiki.delete(KEY)
    with pytest.raises(NotFound):
        write(wiki, seen)
    assert wiki.find(KEY) is None


def test_a_first_version_takes_the_place_of_nothing(wiki: Database) -> None:
    assert wiki.put(Page(id="1", text="a")).version == 1
    with pytest.raises(Conflict):
        wiki.put(Page(id="1", text="b"))
    with pytest.raises(AlreadyExists):
        wiki.create(Page(id="1", text="b"))


def test_an_upsert_begins_at_one(wiki: Database) -> None:
    assert [wiki.update(KEY, attr(Page.text).set("a"), upsert=True).version for _ in range(3)] == [1, 2, 3]


def test_a_transaction_checks_versions_too(wiki: Database) -> None:
    seen = wiki.create(Page(id="1", text="a"))
    wiki.update(KEY, attr(Page.text).set("b"))
    with pytest.raises(Conflict), wiki.transaction() as tx:
        tx.create(Page(id="2", text="x"))
        tx.put(seen.model_copy(update={"text": "late"}))
    assert wiki.find(PageKey(id="2")) is None
    with wiki.transaction() as tx:
        made = tx.create(Page(id="2", text="x"))
    assert wiki.get(PageKey(id="2")) == made


def test_nobody_else_changes_what_the_database_keeps_up(wiki: Database) -> None:
    for change in (attr(Page.version).set(7), attr(Page.updated_at).set(START)):
        with pytest.raises(DesignError, match="set by the database"):
            wiki.update(KEY, change)


def test_a_batch_cannot_check_a_version(wiki: Database) -> None:
    with pytest.raises(DesignError, match="a batch cannot check"):
        wiki.batch_write([Page(id="1", text="a")])


# ── without a version ─────────────────────────────────────────────────────────────────────────────


def test_a_field_that_was_not_raised_lets_nobody_win(wiki: Database) -> None:
    seen = wiki.create(Note(id="1", text="a"))
    with pytest.raises(InvalidInput, match="two writers could not be told apart"):
        wiki.replace(seen.model_copy(update={"text": "b"}), seen=seen, by=Note.number)
    first = seen.model_copy(update={"text": "b", "number": 1})
    wiki.replace(first, seen=seen, by=Note.number)
    with pytest.raises(Conflict):
        wiki.replace(seen.model_copy(update={"text": "c", "number": 1}), seen=seen, by=Note.number)
    assert wiki.get(NoteKey(id="1")) == first


def test_a_replacement_keeps_kind_and_key(wiki: Database) -> None:
    seen = wiki.create(Note(id="1", text="a"))
    with pytest.raises(DesignError, match="keeps the kind and the key"):
        wiki.replace(Note(id="2", text="b", number=1), seen=seen, by=Note.number)
    with pytest.raises(DesignError, match="has no Version"):
        wiki.replace(seen, seen=seen)
    with pytest.raises(DesignError, match="is not a field of Note"):
        wiki.replace(seen, seen=seen, by=Page.version)
