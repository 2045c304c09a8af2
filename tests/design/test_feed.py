"""Changes of entities, typed, from a table's stream."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Database, Entity, Expiry, Key, Table, attr
from hansang.errors import DesignError
from tests.checked.shop import Shop


class Notes(Table, name="Notes", stream="NEW_AND_OLD_IMAGES"):
    """A table with a stream, and notes that expire."""


class NoteKey(Key["Note"], pk="NOTE#{id}", sk="METADATA"):
    id: str


class Note(NoteKey, Entity, table=Notes):
    text: str
    until: Expiry | None = None


@pytest.fixture
def notes() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(Notes)
        yield database


def test_a_change_has_the_entity_before_and_after(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    notes.create(Note(id="1", text="밥"))
    notes.update(NoteKey(id="1"), attr(Note.text).set("차"))
    notes.delete(NoteKey(id="1"))
    changes = feed.poll()
    assert [(each.old and each.old.text, each.new and each.new.text) for each in changes] == [
        (None, "밥"),
        ("밥", "차"),
        ("차", None),
    ]
    assert feed.poll() == []


def test_a_feed_goes_on_where_another_was_left(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    notes.create(Note(id="1", text="a"))
    feed.poll()
    notes.create(Note(id="2", text="b"))
    again = notes.feed(Notes, position=feed.position)
    assert [each.new.id for each in again.poll()] == ["2"]


def test_the_newest_start_leaves_out_what_was(notes: Database) -> None:
    notes.create(Note(id="1", text="a"))
    feed = notes.feed(Notes)
    notes.create(Note(id="2", text="b"))
    assert [each.new.id for each in feed.poll()] == ["2"]


def test_what_expired_was_deleted_by_nobody(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    notes.create(Note(id="1", text="a", until=datetime(2026, 1, 1, tzinfo=UTC)))
    backend = notes.backend
    assert isinstance(backend, Embedded)
    backend.engine.sweep()
    assert [(each.kind, each.expired) for each in feed.poll()] == [(Note, False), (Note, True)]


def test_a_table_without_a_stream_has_no_feed(db: Database) -> None:
    with pytest.raises(DesignError, match="no stream"):
        db.feed(Shop)
