"""Changes of entities, typed, from a table's stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Database, Entity, Expiry, Feed, Key, Table, attr
from hansang.errors import DesignError, Refused, WireError
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


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────


def put(db: Database, **item: str) -> None:
    found = {name: {"S": text} for name, text in item.items()}
    db.backend.call("PutItem", {"TableName": db.name(Notes), "Item": found})


def test_a_change_that_cannot_be_read_is_handed_over_and_the_others_come(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    notes.create(Note(id="1", text="a"))
    put(notes, PK="NOTE#2", SK="METADATA")
    put(notes, PK="ELSE#3", SK="METADATA", text="x")
    notes.create(Note(id="4", text="b"))
    changes = feed.poll()
    assert [each.kind for each in changes] == [Note, None, None, Note]
    assert [each.new.id for each in changes if each.kind] == ["1", "4"]
    assert changes[1].new_item == {"PK": {"S": "NOTE#2"}, "SK": {"S": "METADATA"}}
    assert "no attribute text" in changes[1].reason
    assert "of no kind that Notes has" in changes[2].reason


def test_what_became_readable_has_what_it_was_as_it_is_stored(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    put(notes, PK="NOTE#2", SK="METADATA")
    notes.put(Note(id="2", text="now"))
    mended = feed.poll()[-1]
    assert (mended.kind, mended.old, mended.new) == (Note, None, Note(id="2", text="now"))
    assert mended.old_item == {"PK": {"S": "NOTE#2"}, "SK": {"S": "METADATA"}}
    assert "no attribute text" in mended.reason


def test_a_limit_leaves_the_rest_for_the_next_time(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    for number in range(5):
        notes.create(Note(id=str(number), text="x"))
    assert [[each.new.id for each in feed.poll(2)] for _ in range(4)] == [["0", "1"], ["2", "3"], ["4"], []]


def test_a_position_is_of_what_was_handed_over(notes: Database) -> None:
    feed = notes.feed(Notes, start="oldest")
    for number in range(3):
        notes.create(Note(id=str(number), text="x"))
    feed.poll(1)
    again = notes.feed(Notes, position=feed.position)
    assert [each.new.id for each in again.poll()] == ["1", "2"]


def test_a_position_from_before_the_first_change_misses_nothing(notes: Database) -> None:
    notes.create(Note(id="before", text="x"))
    feed = notes.feed(Notes)
    position = dict(feed.position)
    notes.create(Note(id="after", text="x"))
    found = [each.new.id for each in notes.feed(Notes, position=position).poll()]
    assert "after" in found


# ── shards ────────────────────────────────────────────────────────────────────────────────────────


class Shards:
    """A stream of several shards, as AWS splits them; what a feed asks of it, and nothing more."""

    def __init__(self) -> None:
        self.shards: dict[str, dict[str, Any]] = {}
        self.fails = 0
        self.fails_at = ""

    def add(self, name: str, parent: str | None = None) -> None:
        self.shards[name] = {"parent": parent, "records": [], "closed": False}

    def write(self, name: str, *ids: str) -> None:
        records = self.shards[name]["records"]
        for each in ids:
            image = {"PK": {"S": f"NOTE#{each}"}, "SK": {"S": "METADATA"}, "text": {"S": each}}
            number = f"{len(records):021d}"
            records.append({"dynamodb": {"NewImage": image, "SequenceNumber": number}})

    def close(self, name: str) -> None:
        self.shards[name]["closed"] = True

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answers = {
            "DescribeTable": self.describe_table,
            "DescribeStream": self.describe_stream,
            "GetShardIterator": self.get_shard_iterator,
            "GetRecords": self.get_records,
        }
        return answers[operation](request)

    def describe_table(self, _: Any) -> dict[str, Any]:
        return {"Table": {"LatestStreamArn": "arn"}}

    def describe_stream(self, _: Any) -> dict[str, Any]:
        shards = []
        for name, shard in self.shards.items():
            ending = {"EndingSequenceNumber": "9"} if shard["closed"] else {}
            found = {"ShardId": name, "SequenceNumberRange": {"StartingSequenceNumber": "0", **ending}}
            shards.append(found | ({"ParentShardId": shard["parent"]} if shard["parent"] else {}))
        return {"StreamDescription": {"Shards": shards}}

    def get_shard_iterator(self, request: Mapping[str, Any]) -> dict[str, Any]:
        records = self.shards[request["ShardId"]]["records"]
        at = {"TRIM_HORIZON": 0, "LATEST": len(records)}.get(request["ShardIteratorType"])
        place = int(request["SequenceNumber"]) + 1 if at is None else at
        return {"ShardIterator": f"{request['ShardId']}@{place}"}

    def get_records(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.fails:
            self.fails -= 1
            raise WireError("ExpiredIteratorException", "The iterator is too old.")
        name, _, at = request["ShardIterator"].partition("@")
        if name == self.fails_at:
            raise WireError("ValidationException", "Not now.")
        shard, start = self.shards[name], int(at)
        records = shard["records"][start : start + request["Limit"]]
        answer: dict[str, Any] = {"Records": records}
        end = start + len(records)
        if not (shard["closed"] and end == len(shard["records"])):
            answer["NextShardIterator"] = f"{name}@{end}"
        return answer


@pytest.fixture
def stream() -> Shards:
    shards = Shards()
    shards.add("a")
    return shards


def ids(feed: Feed) -> list[str]:
    return [each.new.id for each in feed.poll()]


def test_a_child_that_is_found_later_is_read_from_its_beginning(stream: Shards) -> None:
    feed = Database(stream).feed(Notes)
    stream.write("a", "1")
    stream.close("a")
    stream.add("b", parent="a")
    stream.write("b", "2", "3")
    assert ids(feed) + ids(feed) == ["1", "2", "3"]


def test_a_child_waits_for_all_of_its_parent(stream: Shards) -> None:
    stream.write("a", "1", "2", "3")
    stream.close("a")
    stream.add("b", parent="a")
    stream.write("b", "4")
    feed = Database(stream).feed(Notes, start="oldest")
    found = [each.new.id for _ in range(4) for each in feed.poll(2)]
    assert found == ["1", "2", "3", "4"]


def test_a_feed_goes_on_in_the_children_of_where_it_was_left(stream: Shards) -> None:
    stream.write("a", "1", "2")
    feed = Database(stream).feed(Notes, start="oldest")
    assert [each.new.id for each in feed.poll(1)] == ["1"]
    stream.close("a")
    stream.add("b", parent="a")
    stream.write("b", "3")
    again = Database(stream).feed(Notes, position=feed.position)
    assert ids(again) + ids(again) == ["2", "3"]


def test_another_shard_that_had_nothing_yet_is_not_forgotten(stream: Shards) -> None:
    stream.add("z")
    feed = Database(stream).feed(Notes, start="oldest")
    stream.write("a", "1")
    assert ids(feed) == ["1"]
    stream.write("z", "2")
    assert ids(Database(stream).feed(Notes, position=feed.position)) == ["2"]


def test_what_was_read_before_a_failure_comes_with_the_next_call(stream: Shards) -> None:
    stream.add("b")
    feed = Database(stream).feed(Notes, start="oldest")
    stream.write("a", "1")
    stream.write("b", "2")
    stream.fails_at = "b"
    with pytest.raises(Refused):
        feed.poll()
    stream.fails_at = ""
    assert ids(feed) == ["1", "2"]


def test_an_iterator_that_is_too_old_is_had_anew(stream: Shards) -> None:
    feed = Database(stream).feed(Notes, start="oldest")
    stream.write("a", "1")
    assert ids(feed) == ["1"]
    stream.write("a", "2")
    stream.fails = 1
    assert ids(feed) == ["2"]


def test_a_shard_that_is_read_and_gone_is_forgotten(stream: Shards) -> None:
    feed = Database(stream).feed(Notes, start="oldest")
    stream.write("a", "1")
    stream.close("a")
    stream.add("b", parent="a")
    assert ids(feed) == ["1"]
    del stream.shards["a"]
    stream.write("b", "2")
    assert ids(feed) == ["2"]
    assert list(feed.position) == ["b"]
