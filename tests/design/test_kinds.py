"""Kinds of items in one table: told apart by type or by key, or refused when the class is made."""

from __future__ import annotations

from datetime import date
from types import new_class
from typing import Annotated, Any, Literal

import pytest

from hansang.design import GSI, Attr, Database, Entity, Key, Query, Table, attr, collection, derived, pattern
from hansang.errors import DesignError, InvalidKey, UnexpectedItem
from tests.design.conftest import Opens


class Staff(Table, name="Staff", type_attribute="Type"):
    by_type = GSI("ByType", pk="Type", sk="since")


class EmployeeKey(Key["Employee"], pk="ORG#{org}", sk="EMP#{id}"):
    org: str
    id: str


class Employee(EmployeeKey, Entity, table=Staff, type="Employee"):
    name: str
    since: date = date(2026, 1, 1)


class SalaryKey(Key["Salary"], pk="ORG#{org}", sk="EMP#{id}#SALARY"):
    org: str
    id: str


class Salary(SalaryKey, Entity, table=Staff, type="Salary"):
    amount: int


class TeamKey(Key["Team"], pk="ORG#{org}", sk="TEAM#{name}"):
    org: str
    name: str


class Team(TeamKey, Entity, table=Staff, type="Team"):
    pass


class OfficeKey(Key["Office"], pk="OFFICE#{id}", sk="METADATA"):
    id: str


class Office(OfficeKey, Entity, table=Staff, type="Office"):
    pass


class Plain(Table, name="Plain"):
    pass


class PageKey(Key["Page"], pk="SITE#{site}", sk="{path}"):
    site: str
    path: str


class Page(PageKey, Entity, table=Plain):
    title: str = ""

    @pattern
    def of(cls, site: str) -> Query[Page]:
        """The pages of a site."""
        return cls.query(Page.site == site)


class SiteKey(Key["Site"], pk="SITE#{site}", sk="METADATA"):
    site: str


class Site(SiteKey, Entity, table=Plain):
    owner: str = ""


@pytest.fixture
def staff(opens: Opens) -> Database:
    db = opens(Staff)
    for number in ("1", "2", "3"):
        db.create(Employee(org="o", id=number, name=f"n{number}"))
        db.create(Salary(org="o", id=number, amount=100))
    db.create(Team(org="o", name="t"))
    return db


# ── by type ───────────────────────────────────────────────────────────────────────────────────────


def test_a_prefix_that_others_have_too_finds_its_own_kind(staff: Database) -> None:
    question = Employee.query(Employee.org == "o")
    assert [each.id for each in staff.all(question)] == ["1", "2", "3"]
    assert (staff.count(question), staff.first(question)) == (3, staff.get(EmployeeKey(org="o", id="1")))
    pages, cursor = [], None
    while True:
        page = staff.page(question, limit=2, cursor=cursor)
        assert page.unreadable == []
        pages.append([each.id for each in page])
        cursor = page.cursor
        if cursor is None:
            break
    assert [each for page in pages for each in page] == ["1", "2", "3"]


def test_an_item_of_another_type_is_not_read_as_this_kind(staff: Database) -> None:
    item = {"PK": {"S": "ORG#o"}, "SK": {"S": "EMP#9"}, "Type": {"S": "Robot"}, "name": {"S": "R"}}
    staff.backend.call("PutItem", {"TableName": staff.name(Staff), "Item": item})
    assert [each.id for each in staff.all(Employee.query(Employee.org == "o"))] == ["1", "2", "3"]
    with pytest.raises(UnexpectedItem, match="has the Type Robot, so it is not of kind Employee"):
        staff.get(EmployeeKey(org="o", id="9"))


def test_an_item_without_its_type_is_named_and_not_guessed_at(staff: Database) -> None:
    item = {"PK": {"S": "ORG#o"}, "SK": {"S": "EMP#9"}, "name": {"S": "R"}}
    staff.backend.call("PutItem", {"TableName": staff.name(Staff), "Item": item})
    page = staff.page(Employee.query(Employee.org == "o"))
    assert ([each.id for each in page], len(page.unreadable)) == (["1", "2", "3"], 1)
    assert "has no Type" in page.unreadable[0].reason


def test_a_collection_has_its_kinds_alone_and_reads_what_lies_between(staff: Database) -> None:
    question = collection(Employee, Salary, where=[Employee.org == "o"])
    kinds = [type(each).__name__ for each in staff.all(question)]
    assert kinds == ["Employee", "Salary"] * 3
    assert question.sort is not None
    assert [value["S"] for value in question.sort.values] == ["EMP#"]
    assert {type(each) for each in staff.all(collection(Salary, Team, where=[Team.org == "o"]))} == {
        Salary,
        Team,
    }


def test_a_collection_of_all_kinds_of_a_partition_needs_no_range(staff: Database) -> None:
    assert collection(Employee, Salary, Team, where=[Team.org == "o"]).sort is None
    assert staff.count(collection(Employee, Salary, Team, where=[Team.org == "o"])) == 7


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: collection(Employee, Office, where=[Employee.org == "o"]),
            "Office is never in the partition ORG#o",
        ),
        (lambda: collection(Employee, Site, where=[Employee.org == "o"]), "One question asks one table"),
        (
            lambda: collection(Employee, Salary, where=[Office.id == "o"]),
            "is not a field of Employee or Salary",
        ),
        (lambda: collection(where=[]), "at least one kind"),
        (lambda: collection(Employee, str, where=[Employee.org == "o"]), "is not an entity of a table"),
    ],
)
def test_kinds_that_never_lie_together_are_refused(ask: Any, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        ask()


# ── by key ────────────────────────────────────────────────────────────────────────────────────────


def test_of_two_keys_that_fit_the_narrower_is_meant_and_nobody_writes_the_other(opens: Opens) -> None:
    db = opens(Plain)
    db.create(Site(site="s", owner="o"))
    db.create(Page(site="s", path="/a"))
    assert [each.path for each in db.all(Page.of("s"))] == ["/a"]
    assert [type(each) for each in db.all(collection(Site, Page, where=[Site.site == "s"]))] == [Page, Site]
    with pytest.raises(InvalidKey, match="is the key of a Site"):
        db.put(Page(site="s", path="METADATA"))


def test_a_key_that_says_other_than_its_attributes_is_not_read(opens: Opens) -> None:
    class Posts(Table, name="Posts"):
        pass

    class PostKey(Key["Post"], pk="POST#{id}", sk="METADATA"):
        id: Annotated[str, Attr("id")]

    class Post(PostKey, Entity, table=Posts):
        title: str

    db = opens(Posts)
    item = {"PK": {"S": "POST#1"}, "SK": {"S": "METADATA"}, "id": {"S": "2"}, "title": {"S": "t"}}
    db.backend.call("PutItem", {"TableName": db.name(Posts), "Item": item})
    with pytest.raises(UnexpectedItem, match="by its attributes it would be POST#2"):
        db.get(PostKey(id="1"))


# ── refused when the class is made ────────────────────────────────────────────────────────────────


def test_kinds_that_cannot_be_told_apart_are_refused() -> None:
    class OtherKey(Key["Other"], pk="SITE#{name}", sk="{text}"):
        name: str
        text: str

    with pytest.raises(DesignError, match="cannot be told apart") as refused:

        class Other(OtherKey, Entity, table=Plain):
            pass

    assert "type_attribute" in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other"), [("{n:04d}", "{day}"), ("A#{x}", "B#{x}"), ("E#{x}", "E#{x}#S"), ("r#{c}", "b")]
)
def test_keys_that_no_text_has_both_of_are_apart(one: str, other: str) -> None:
    class Apart(Table, name="Apart"):
        pass

    class OneKey(Key["One"], pk="P", sk=one.replace("{c}", "{colour}")):
        n: int = 0
        day: date = date(2026, 1, 1)
        x: str = ""
        colour: Literal["red", "blue"] = "red"

    class OtherKey(Key["Other"], pk="P", sk=other):
        n: int = 0
        day: date = date(2026, 1, 1)
        x: str = ""

    class One(OneKey, Entity, table=Apart):
        pass

    class Other(OtherKey, Entity, table=Apart):
        pass

    assert all(not shape.narrower for shape in Apart.shapes)


def test_a_key_class_has_one_entity() -> None:
    with pytest.raises(DesignError, match="SiteKey is the key of Site already"):

        class Again(SiteKey, Entity, table=Plain):
            pass


def test_an_entity_has_no_entity_of_its_own() -> None:
    with pytest.raises(DesignError, match="derived from Site, which has items of its own"):

        class Special(Site, table=Plain):
            extra: str = ""


def test_what_was_derived_without_a_table_is_not_stored_as_its_parent(opens: Opens) -> None:
    class Shown(Site):
        extra: str = ""

    db = opens(Plain)
    with pytest.raises(DesignError, match="Shown has no table of its own"):
        db.put(Shown(site="s", extra="lost"))


@pytest.mark.parametrize(
    "fields",
    [
        {"a": Annotated[str, Attr("x")], "b": Annotated[str, Attr("x")]},
        {"PK": str},
        {"a": Annotated[str, Attr("SK")]},
        {"kind": Annotated[str, Attr("Type")]},
        {"lower": str, "name": str},
    ],
)
def test_an_attribute_has_one_field(fields: dict[str, Any]) -> None:
    class Doubled(Table, name="Doubled", type_attribute="Type"):
        pass

    class ThingKey(Key["Any"], pk="THING#{id}", sk="METADATA"):
        id: str

    namespace: dict[str, Any] = {"__annotations__": fields, "__module__": __name__}
    if "lower" in fields:
        namespace["lowered"] = derived("lower", of="name", by=str.lower)
    with pytest.raises(DesignError, match="Give one of them another name"):
        new_class(
            "Thing",
            (ThingKey, Entity),
            {"table": Doubled, "type": "Thing"},
            lambda own: own.update(namespace),
        )


def test_none_in_an_index_key_needs_no_other_default() -> None:
    class Sparse(Table, name="Sparse"):
        by_rank = GSI("ByRank", pk="rank")

    class RowKey(Key["Row"], pk="ROW#{id}", sk="METADATA"):
        id: str

    with pytest.raises(DesignError, match="Give it the default None"):

        class Row(RowKey, Entity, table=Sparse):
            rank: int | None = 5


def test_presence_is_asked_by_any_field_of_the_key(staff: Database) -> None:
    with staff.transaction() as tx:
        tx.check(EmployeeKey(org="o", id="1"), attr(Employee.id).exists())
        tx.create(Team(org="o", name="new"))
    assert staff.find(TeamKey(org="o", name="new")) is not None
