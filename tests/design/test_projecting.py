"""Projections: some of the fields of an entity, typed, and nothing else is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pytest

from hansang.backends.recording import Recording
from hansang.design import (
    GSI,
    Attr,
    Database,
    Entity,
    Key,
    Query,
    Table,
    Unreadable,
    View,
    attr,
    collection,
    pattern,
)
from hansang.errors import DesignError, NotFound, UnexpectedItem
from tests.storing import opened


class Press(Table, name="Press", type_attribute="Type"):
    by_day = GSI("Day", pk="Day", sk="SK", project=["Title"])
    by_topic = GSI("Topic", pk="Day", sk="SK", project=["Title", "Type"])
    whole = GSI("Type", pk="Type", sk="Day")


class StoryKey(Key["Story"], pk="PAPER#{paper}", sk="STORY#{number:04d}"):
    paper: str
    number: int


class Story(StoryKey, Entity, table=Press, type="Story"):
    title: Annotated[str, Attr("Title")]
    day: Annotated[str, Attr("Day")]
    text: str = "(none)"

    @pattern
    def of(cls, paper: str) -> Query[Story]:
        """The stories of a paper."""
        return cls.query(Story.paper == paper)


class OnDay(StoryKey, View, index=Press.by_day):
    day: Annotated[str, Attr("Day")]
    title: Annotated[str, Attr("Title")]


class OnTopic(StoryKey, View, index=Press.by_topic):
    day: Annotated[str, Attr("Day")]


class Front(StoryKey, View, of=Story):
    title: str
    text: str


class Name(StoryKey, View, of=Story):
    title: str


class PaperKey(Key["Paper"], pk="PAPER#{paper}", sk="PAPER"):
    paper: str


class Paper(PaperKey, Entity, table=Press, type="Paper"):
    name: str


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(Press) as db:
        stories = [
            Story(paper="한겨레", number=n, title=f"제목 {n}", day=f"d{n % 2}", text=f"글 {n}" * 50)
            for n in range(9)
        ]
        db.batch_write([Paper(paper="한겨레", name="한겨레"), *stories])
        yield db


def test_a_question_is_answered_with_the_fields_that_are_selected(db: Database) -> None:
    found = db.all(Story.of("한겨레").select(Name))
    assert [(type(each), each.number, each.title) for each in found[:2]] == [
        (Name, 0, "제목 0"),
        (Name, 1, "제목 1"),
    ]
    assert len(found) == 9
    assert not hasattr(found[0], "text")
    request = Story.of("한겨레").select(Name).request("Press")
    assert sorted(request["ExpressionAttributeNames"].values()) == ["PK", "SK", "Title", "Type"]
    sent = db.call("Query", request, "")["Items"]
    assert {name for item in sent for name in item} == {"PK", "SK", "Title", "Type"}


def test_pages_filters_counts_and_indexes_go_with_it(db: Database) -> None:
    asked = Story.of("한겨레").where(attr(Story.text).contains("글")).select(Name)
    page = db.page(asked, limit=4)
    rest = db.page(asked, limit=10, cursor=page.cursor)
    assert [each.number for each in (*page, *rest)] == [*range(9)]
    assert db.count(asked.where(Story.day == "d1")) == 4
    assert db.first(asked.descending()) == Name(paper="한겨레", number=8, title="제목 8")
    assert len(db.all(Story.query(index=Press.whole).select(Front))) == 9
    assert len(db.all(OnTopic.query(OnTopic.day == "d0").select(Name))) == 5
    assert sum(len(db.all(part.select(Name))) for part in Story.scan().segments(3)) == 9


def test_a_row_leads_to_its_entity_and_is_not_written(db: Database) -> None:
    row = db.first(Story.of("한겨레").select(Name))
    assert row is not None
    assert db.get(row).text.startswith("글 0")
    assert [type(each) for each in db.hydrate(Story.of("한겨레").select(Name), limit=2)] == [Story, Story]
    with pytest.raises(DesignError, match="only a whole one can be stored"):
        db.put(row)  # type: ignore[type-var]


def test_keys_are_answered_with_the_fields_that_are_selected(db: Database) -> None:
    recording = Recording(db.backend)
    recorded = Database(recording)
    keys = [StoryKey(paper="한겨레", number=n) for n in (8, 99, 2, 8)]
    assert recorded.get(keys[0], select=Name, consistent=True) == Name(
        paper="한겨레", number=8, title="제목 8"
    )
    assert recorded.find(keys[1], select=Name) is None
    with pytest.raises(NotFound, match="number=99"):
        recorded.get(keys[1], select=Name)
    assert [(type(each), each.number) for each in recorded.batch_get(keys, select=Name)] == [
        (Name, 8),
        (Name, 2),
    ]
    got, batched = recording.calls[0].response, recording.calls[-1].response
    assert got is not None
    assert batched is not None
    items = [got["Item"], *batched["Responses"]["Press"]]
    assert {name for item in items for name in item} == {"PK", "SK", "Title", "Type"}


def test_a_key_is_asked_for_the_fields_of_its_own_kind(db: Database) -> None:
    story, paper = StoryKey(paper="한겨레", number=1), PaperKey(paper="한겨레")
    for wrong, reason in (
        (lambda: db.get(paper, select=Name), "not of the kind"),
        (lambda: db.find(story, select=OnDay), "not some of the fields"),
        (lambda: db.batch_get([story, paper], select=Name), "not of the kind"),
        (lambda: db.batch_get([], select=OnDay), "not some of the fields"),
    ):
        with pytest.raises(DesignError, match=reason):
            wrong()


def test_what_is_selected_and_cannot_be_read_is_told_as_its_entity(db: Database) -> None:
    key = {"PK": {"S": "PAPER#y"}, "SK": {"S": "STORY#0001"}}
    db.call("PutItem", {"TableName": "Press", "Item": {**key, "Type": {"S": "Story"}}}, "")
    told: list[Unreadable] = []
    assert db.batch_get([StoryKey(paper="y", number=1)], select=Name, unreadable=told.append) == []
    assert [(bad.kind, bad.key, bad.attribute) for bad in told] == [(Story, key, "Title")]
    with pytest.raises(UnexpectedItem, match="Title"):
        db.get(StoryKey(paper="y", number=1), select=Name)
    db.delete(StoryKey(paper="y", number=1))


def test_an_absent_attribute_is_the_default_of_the_entity(db: Database) -> None:
    db.call(
        "PutItem",
        {
            "TableName": "Press",
            "Item": {
                "PK": {"S": "PAPER#x"},
                "SK": {"S": "STORY#0001"},
                "Type": {"S": "Story"},
                "Title": {"S": "t"},
                "Day": {"S": "d9"},
            },
        },
        "",
    )
    assert db.all(Story.of("x").select(Front)) == [Front(paper="x", number=1, title="t", text="(none)")]
    db.delete(StoryKey(paper="x", number=1))


def test_what_cannot_be_selected_is_refused() -> None:
    for wrong, reason in (
        (lambda: Story.of("x").select(Story), "not some of the fields"),
        (lambda: Story.of("x").select(OnDay), "not some of the fields"),
        (lambda: OnTopic.query(OnTopic.day == "d").select(Front), "does not project"),
        (lambda: OnDay.query(OnDay.day == "d").select(Name), "does not hold Type"),
        (lambda: Paper.query(Paper.paper == "x").select(Name), "not of the kind"),
        (lambda: collection(Story, Paper, where=[Story.paper == "x"]).select(Name), "not of the kind"),
        (lambda: Name.query(Name.paper == "x"), r"\.select\(Name\)"),
        (lambda: Name.scan(), r"\.select\(Name\)"),
    ):
        with pytest.raises(DesignError, match=reason):
            wrong()


def test_a_projection_is_of_the_fields_of_its_entity() -> None:
    with pytest.raises(DesignError, match="is not a field of Story"):

        class Strange(StoryKey, View, of=Story):
            subtitle: str

    with pytest.raises(DesignError, match="another type"):

        class Wrong(StoryKey, View, of=Story):
            title: int

    with pytest.raises(DesignError, match="another key"):

        class Other(PaperKey, View, of=Story):
            title: str

    with pytest.raises(DesignError, match="Give one of them"):

        class Both(StoryKey, View, of=Story, index=Press.by_day):
            title: str
