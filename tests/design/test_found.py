"""What strangers, readers and designs made at random have found: each once more."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from hansang.design import (
    AT_WRITE,
    GSI,
    KEYS_ONLY,
    Attr,
    Database,
    Entity,
    Expiry,
    Key,
    Query,
    Table,
    Timestamp,
    UpdatedAt,
    Version,
    View,
    attr,
    collection,
    derived,
    none_of,
    pattern,
)
from hansang.design.decoding import decode
from hansang.errors import (
    Conflict,
    DesignError,
    HansangError,
    InvalidCursor,
    InvalidInput,
    InvalidKey,
    UnexpectedItem,
)
from tests.design.conftest import Opens
from tests.storing import stored

NFD = unicodedata.normalize("NFD", "한월")


# ── what is read ──────────────────────────────────────────────────────────────────────────────────


class Rows(Table, name="Rows"):
    by_group = GSI("ByGroup", pk="group")


class RowKey(Key["Row"], pk="P#{a}", sk="R#{n:04d}"):
    a: str
    n: int


class Row(RowKey, Entity, table=Rows):
    group: str = "g"


class OtherKey(Key["Other"], pk="P#{a}#C#{c}", sk="R#{n:04d}"):
    a: str
    c: str
    n: int


class Other(OtherKey, Entity, table=Rows):
    group: str = "g"


class CatKey(Key["Cat"], pk="CAT#{cat}", sk="METADATA"):
    cat: Annotated[str, Attr("cat")]


class Cat(CatKey, Entity, table=Rows):
    pass


def test_a_page_takes_no_field_of_the_item_before(opens: Opens) -> None:
    db = opens(Rows)
    db.batch_write([Row(a="one", n=1), Other(a="one", c="z", n=2), Row(a="one", n=3)])
    found = db.all(Row.query(Row.group == "g", index=Rows.by_group))
    assert sorted((each.a, each.n) for each in found) == [("one", 1), ("one", 3)]


_texts = st.sampled_from(["a", "a#b", "", NFD, "한월", "CAT#a", "0001", "-0", "1 1", "R#0001", "x" * 300])


@given(pk=_texts, sk=_texts, extra=st.booleans(), kind=st.sampled_from([Row, Other, Cat]))
def test_the_ways_to_read_an_item_agree(pk: str, sk: str, extra: bool, kind: Any) -> None:
    shape = kind.__shape__
    item = {"PK": {"S": f"P#{pk}"}, "SK": {"S": f"R#{sk}"}, "group": {"S": "g"}}
    if kind is Cat:
        item = {"PK": {"S": f"CAT#{pk}"}, "SK": {"S": "METADATA"}, "cat": {"S": sk}}
    item |= {"more": {"S": "x"}} if extra else {}
    strange: list[Any] = []
    page = shape.decode_page([item], lambda each, found: strange.append(each))
    try:
        walked = decode(shape, item)
    except UnexpectedItem:
        assert page == []
        with pytest.raises(UnexpectedItem):
            shape.decode(item)
        return
    assert shape.decode(item) == walked
    assert page == [walked] or strange == [item]
    assert shape.key(walked.__dict__) == {name: item[name] for name in ("PK", "SK")}


@pytest.mark.parametrize("format_", ["%m-%d", "%y%m%d", "%Y-%W", "%Y-%U", "%I%M"])
def test_a_format_that_keeps_less_of_a_day_is_refused(format_: str) -> None:
    class Days(Table, name="Days"):
        pass

    class DayKey(Key["Day"], pk="D", sk=f"B#{{day:{format_}}}"):
        day: date

    with pytest.raises(DesignError, match="keeps only a part of"):

        class Day(DayKey, Entity, table=Days):
            pass


def test_a_week_does_not_sort_by_its_days() -> None:
    class Weeks(Table, name="Weeks"):
        pass

    class WeekKey(Key["Week"], pk="W", sk="{day:%Y-%W-%w}"):
        day: Annotated[date, Attr("day")]

    class Week(WeekKey, Entity, table=Weeks):
        pass

    with pytest.raises(DesignError):
        Week.query(Week.day <= date(2026, 3, 5))


def test_a_text_of_one_width_may_have_the_separator(opens: Opens) -> None:
    class Plans(Table, name="Plans"):
        pass

    class PlanKey(Key["Plan"], pk="P:{at}", sk="{day}-{n:02d}"):
        at: Timestamp
        day: Annotated[date, Attr("day")]
        n: int

    class Plan(PlanKey, Entity, table=Plans):
        pass

    db, at = opens(Plans), datetime(2026, 1, 1, tzinfo=UTC)
    plan = db.create(Plan(at=at, day=date(2026, 1, 2), n=3))
    assert db.all(Plan.query(Plan.at == at, Plan.day == date(2026, 1, 2))) == [plan]


def test_an_expiry_beyond_time_is_one_item_that_cannot_be_read(opens: Opens) -> None:
    class Ends(Table, name="Ends", expires=False):
        pass

    class EndKey(Key["End"], pk="E", sk="{id}"):
        id: str

    class End(EndKey, Entity, table=Ends):
        at: Expiry

    db = opens(Ends)
    good = db.create(End(id="1", at=datetime(2030, 1, 1, tzinfo=UTC)))
    item = {"PK": {"S": "E"}, "SK": {"S": "2"}, "at": {"N": "9" * 20}}
    db.backend.call("PutItem", {"TableName": db.name(Ends), "Item": item})
    page = db.page(End.query())
    assert (page.items, len(page.unreadable)) == ([good], 1)


# ── kinds ─────────────────────────────────────────────────────────────────────────────────────────


class Typed(Table, name="Typed", type_attribute="Type"):
    by_g = GSI("ByG", pk="g", project=["Type"])


class AKey(Key["A"], pk="P#{a}", sk="S"):
    a: str


class A(AKey, Entity, table=Typed, type="A"):
    g: str = "g"
    v: int = 0


class BKey(Key["B"], pk="P#{b}", sk="S"):
    b: str


class B(BKey, Entity, table=Typed, type="B"):
    g: str = "g"
    w: int = 0


class UntypedKey(Key["Untyped"], pk="P#{u}", sk="S"):
    u: str


class Untyped(UntypedKey, Entity, table=Typed):
    v: int = 0


class ARow(AKey, View, index=Typed.by_g):
    g: str


def test_nothing_is_done_to_an_item_of_another_type(opens: Opens) -> None:
    db = opens(Typed)
    made = db.put(A(a="1", v=1))
    writes: list[Callable[[], object]] = [
        lambda: db.update(BKey(b="1"), attr(B.w).set(5)),
        lambda: db.update(BKey(b="1"), attr(B.w).set(5), upsert=True),
        lambda: db.delete(BKey(b="1")),
    ]
    for write in writes:
        with pytest.raises(Conflict, match="is not of kind B"):
            write()
    assert db.get(AKey(a="1")) == made
    assert db.update(BKey(b="2"), attr(B.w).set(5), upsert=True).w == 5
    assert db.delete(BKey(b="3")) is None


def test_a_kind_without_a_type_reads_nothing_that_has_one(opens: Opens) -> None:
    db = opens(Typed)
    db.put(A(a="1"))
    with pytest.raises(UnexpectedItem, match="is a A, so it is not of kind Untyped"):
        db.find(UntypedKey(u="1"))
    assert db.all(Untyped.query(Untyped.u == "1")) == []


def test_a_view_has_no_rows_of_another_type(opens: Opens) -> None:
    db = opens(Typed)
    db.put(A(a="1"))
    db.put(B(b="2"))
    assert [each.a for each in db.all(ARow.query(ARow.g == "g"))] == ["1"]


def test_a_view_that_could_not_tell_is_refused() -> None:
    class Both(Table, name="Both", type_attribute="Type"):
        lean = GSI("Lean", pk="l", project=KEYS_ONLY)

    class OneKey(Key["One"], pk="P#{a}", sk="S"):
        a: str

    class One(OneKey, Entity, table=Both, type="One"):
        l: str = "x"  # noqa: E741

    class TwoKey(Key["Two"], pk="P#{b}", sk="S"):
        b: str

    class Two(TwoKey, Entity, table=Both, type="Two"):
        l: str = "x"  # noqa: E741

    with pytest.raises(DesignError, match="Project Type too"):

        class Lean(OneKey, View, index=Both.lean):
            l: str  # noqa: E741


# ── what follows ──────────────────────────────────────────────────────────────────────────────────


class Tasks(Table, name="Tasks"):
    by_time = GSI("ByTime", pk="GP", sk="GS")
    by_owner = GSI("ByOwner", pk="OP")
    by_low = GSI("ByLow", pk="Low")
    by_street = GSI("ByStreet", pk="street")


class TaskKey(Key["Task"], pk="T#{id}", sk="S"):
    id: str


class Task(
    TaskKey,
    Entity,
    table=Tasks,
    index_keys={Tasks.by_time: ("ALL", "{at}#{id}"), Tasks.by_owner: ("O#{owner}", None)},
):
    owner: str | None = "nobody"
    street: str = "main"
    title: str = ""
    at: UpdatedAt = AT_WRITE
    low = derived("Low", of="id", by=str.lower)


def test_an_index_by_the_last_write_follows_it(opens: Opens) -> None:
    now = [1_700_000_000.0]
    db = opens(Tasks, clock=lambda: now[0])
    made = db.put(Task(id="1"))
    now[0] += 60
    changed = db.update(TaskKey(id="1"), attr(Task.title).set("x"))
    assert changed.at == made.at + timedelta(minutes=1)
    assert db.all(Task.query(Task.at == changed.at, index=Tasks.by_time)) == [changed]


def test_an_upsert_invents_no_index_key_for_a_stored_none(opens: Opens) -> None:
    db = opens(Tasks)
    db.put(Task(id="1", owner=None))
    with pytest.raises(Conflict, match="OP, which follows a default"):
        db.update(TaskKey(id="1"), attr(Task.title).set("x"), upsert=True)
    assert "OP" not in stored(db, Tasks)[0]
    made = db.update(TaskKey(id="2"), attr(Task.title).set("x"), upsert=True)
    assert [each.id for each in db.all(Task.query(Task.owner == "nobody", index=Tasks.by_owner))] == ["2"]
    assert db.update(TaskKey(id="2"), attr(Task.title).set("y"), upsert=True).at == made.at


def test_a_removed_field_with_a_default_stays_in_its_index(opens: Opens) -> None:
    db = opens(Tasks)
    db.put(Task(id="1", street="side"))
    assert db.update(TaskKey(id="1"), attr(Task.street).remove()).street == "main"
    assert [each.id for each in db.all(Task.query(Task.street == "main", index=Tasks.by_street))] == ["1"]


def test_what_is_derived_from_a_key_is_normal_as_the_key_is(opens: Opens) -> None:
    db = opens(Tasks)
    made = db.put(Task(id=NFD))
    db.update(TaskKey(id=NFD + "2"), attr(Task.owner).set("o"), upsert=True)
    assert made.id == "한월"
    assert {item["Low"]["S"] for item in stored(db, Tasks)} == {"한월", "한월2"}
    assert db.count(Task.query(Task.low == NFD, index=Tasks.by_low)) == 1


def test_what_follows_a_version_is_refused() -> None:
    class Counted(Table, name="Counted"):
        by = GSI("By", pk="G")

    class ThingKey(Key["Thing"], pk="T#{id}", sk="S"):
        id: str

    with pytest.raises(DesignError, match="no key and no derived attribute can follow"):

        class Thing(ThingKey, Entity, table=Counted, index_keys={Counted.by: ("V#{version}", None)}):
            version: Version = 0


# ── sums, defaults and validators ─────────────────────────────────────────────────────────────────


class Level(IntEnum):
    LOW, HIGH = 1, 2


class Address(BaseModel):
    city: str


class Docs(Table, name="Docs"):
    pass


class DocKey(Key["Doc"], pk="D#{id}", sk="S"):
    id: str


class Doc(DocKey, Entity, table=Docs):
    email: str = "a@b"
    names: list[str] = Field(default=["d"], max_length=3)
    tags: set[str] = Field(default_factory=set, max_length=2)
    level: Level = Level.LOW
    pick: Literal[1, 2] = 1
    until: Expiry = datetime(2030, 1, 1, tzinfo=UTC)
    price: Annotated[Decimal, Field(ge=0)] | None = None
    low: int = 0
    high: int = 10
    address: Address = Address(city="서울")

    @model_validator(mode="after")
    def _ordered(self) -> Doc:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self

    @pattern
    def one(cls, id: str) -> Query[Doc]:  # noqa: A002
        """One document."""
        return cls.query(Doc.id == id)


KEY = DocKey(id="1")


@pytest.fixture
def docs(opens: Opens) -> Database:
    """A document from before most of its fields."""
    db = opens(Docs)
    item = {"PK": {"S": "D#1"}, "SK": {"S": "S"}}
    db.backend.call("PutItem", {"TableName": db.name(Docs), "Item": item})
    return db


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (attr(Doc.email).begins_with("a"), 1),
        (attr(Doc.email).begins_with("b"), 0),
        (attr(Doc.email).contains("@"), 1),
        (attr(Doc.names).contains("d"), 1),
        (none_of(attr(Doc.names).contains("d")), 0),
        (none_of(Doc.low == 0), 0),
        (Doc.low != 0, 0),
        (attr(Doc.low).at_most(0), 1),
    ],
)
def test_a_filter_knows_the_default_of_what_is_not_stored(docs: Database, condition: Any, found: int) -> None:
    assert docs.count(Doc.one("1").where(condition)) == found


@pytest.mark.parametrize("change", [Doc.level, Doc.pick, Doc.until])
def test_only_plain_numbers_are_added_up(change: Any) -> None:
    with pytest.raises(DesignError, match="not a plain number"):
        attr(change).add(1)


def test_a_list_and_a_set_keep_their_greatest_length(docs: Database) -> None:
    assert docs.update(KEY, attr(Doc.names).append(["e", "f"])).names == ["d", "e", "f"]
    with pytest.raises(Conflict, match=r"the number of Doc\.names \+ 1 <= 3"):
        docs.update(KEY, attr(Doc.names).append(["g"]))
    docs.update(KEY, attr(Doc.tags).add({"a", "b"}))
    with pytest.raises(Conflict, match=r"the number of Doc\.tags \+ 1 <= 2"):
        docs.update(KEY, attr(Doc.tags).add({"c"}))


def test_bounds_inside_of_an_optional_field_hold(docs: Database) -> None:
    docs.update(KEY, attr(Doc.price).set(Decimal("1.50")))
    with pytest.raises(Conflict, match=r"Doc\.price - 2 >= 0"):
        docs.update(KEY, attr(Doc.price).add(Decimal(-2)))
    with pytest.raises(InvalidInput):
        attr(Doc.price).set(Decimal(-1))


def test_a_copy_is_looked_at_as_a_whole() -> None:
    with pytest.raises(InvalidInput, match="low is above high"):
        Doc(id="1").model_copy(update={"low": 50})


def test_what_a_nested_model_does_not_know_is_kept(docs: Database) -> None:
    address = {"M": {"city": {"S": "부산"}, "zip": {"S": "1"}}}
    item = {"PK": {"S": "D#1"}, "SK": {"S": "S"}, "address": address}
    docs.backend.call("PutItem", {"TableName": docs.name(Docs), "Item": item})
    docs.put(docs.get(KEY).model_copy(update={"email": "x@y"}))
    assert stored(docs, Docs)[0]["address"] == address


def test_a_comparison_is_of_an_item_that_is_there(docs: Database) -> None:
    for condition in (Doc.low == 0, Doc.low != 1, none_of(Doc.low == 1), attr(Doc.email).begins_with("a")):
        with pytest.raises(HansangError, match=r"Doc .*not found"):
            docs.put(Doc(id="9"), when=condition)
    assert docs.find(DocKey(id="9")) is None


# ── questions ─────────────────────────────────────────────────────────────────────────────────────


class Talks(Table, name="Talks", type_attribute="Type"):
    pass


class CommentKey(Key["Comment"], pk="TALK#{talk}", sk="C#{name}"):
    talk: str
    name: str


class Comment(CommentKey, Entity, table=Talks, type="Comment"):
    pass


class VoteKey(Key["Vote"], pk="TALK#{talk}", sk="C#{name}#V#{n:02d}"):
    talk: str
    name: str
    n: int


class Vote(VoteKey, Entity, table=Talks, type="Vote"):
    pass


def of(name: str) -> Query[Comment | Vote]:
    return collection(Comment, Vote, where=[Comment.talk == "a", Comment.name == name, Vote.name == name])


def test_several_kinds_are_asked_by_the_same_partition() -> None:
    with pytest.raises(DesignError, match="One question asks one partition"):
        collection(Comment, Vote, where=[Comment.talk == "a", Vote.talk == "b"])


def test_several_kinds_are_asked_by_what_stands_in_their_keys(opens: Opens) -> None:
    db = opens(Talks)
    comment = db.put(Comment(talk="a", name=NFD))
    vote = db.put(Vote(talk="a", name=NFD, n=1))
    db.put(Comment(talk="a", name="한월!"))
    item = {"PK": {"S": "TALK#a"}, "SK": {"S": "C#한월!#V#x"}, "Type": {"S": "Vote"}}
    db.backend.call("PutItem", {"TableName": db.name(Talks), "Item": item})
    assert db.all(of(NFD)) == [comment, vote]


def test_a_cursor_is_of_the_kinds_that_were_asked(opens: Opens) -> None:
    db = opens(Talks)
    for number in range(3):
        db.put(Vote(talk="a", name="m1", n=number))
    page = db.page(of("m1"), limit=1)
    with pytest.raises(InvalidCursor):
        db.page(of("m2"), limit=1, cursor=page.cursor)


def test_the_first_among_many_others_is_found_in_few_requests(opens: Opens) -> None:
    db = opens(Talks)
    db.batch_write(Vote(talk="a", name="a", n=number) for number in range(99))
    last = db.put(Comment(talk="a", name="z"))
    with db.meter() as cost:
        assert db.first(Comment.query(Comment.talk == "a")) == last
    assert cost.requests == 2


# ── values ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("zone", [9, -5])
def test_a_moment_that_is_none_in_utc_is_refused(zone: int) -> None:
    edge = datetime(9999, 12, 31, 23, tzinfo=UTC) if zone < 0 else datetime(1, 1, 1, tzinfo=UTC)
    moment = edge.replace(tzinfo=timezone(timedelta(hours=zone)))
    with pytest.raises(HansangError, match="outside the years 1 to 9999"):
        attr(Doc.until).set(moment)


def test_a_number_is_written_as_dynamodb_writes_it(opens: Opens) -> None:
    class Prices(Table, name="Prices", pk="p", sk=None):
        pass

    class PriceKey(Key["Price"], pk="{p}"):
        p: Decimal

    class Price(PriceKey, Entity, table=Prices):
        pass

    db = opens(Prices)
    db.put(Price(p=Decimal("1.50")))
    assert [each.p for each in db.batch_get([PriceKey(p=Decimal("1.50")), PriceKey(p=Decimal("1.5"))])] == [
        Decimal("1.5")
    ]


def test_a_key_that_is_too_long_is_refused_before_it_is_sent() -> None:
    with pytest.raises(InvalidKey, match="it may have 2,048"):
        Doc.one("x" * 3000)
    shape: Any = Vote.__shape__
    with pytest.raises(InvalidKey, match="it may have 1,024"):
        shape.key({"talk": "a", "name": "가" * 400, "n": 1})


def test_an_empty_text_in_an_index_key_is_refused_before_it_is_sent(opens: Opens) -> None:
    db = opens(Tasks)
    with pytest.raises(InvalidKey, match="is empty, and it is the key of an index"):
        db.put(Task(id="1", street=""))


class Itself(BaseModel):
    inner: Itself | None = None


class Aliased(BaseModel):
    name: str = Field(alias="n")


@pytest.mark.parametrize(
    "kind",
    [dict[int, str], tuple[int, str], Literal["a", 1], str | date, float | str, Itself, Aliased, list[float]],
)
def test_a_type_that_would_not_come_back_is_refused_when_the_class_is_made(kind: Any) -> None:
    with pytest.raises(DesignError):

        class Odd(DocKey, Entity, table=Docs):
            value: kind


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GSI("X", pk="a", project="KEYS_ONLY"), "a text. Give ALL, KEYS_ONLY"),
        (lambda: Database("x"), "is not a backend"),  # type: ignore[arg-type]
        (lambda: Database(Database, secret="x"), "is not a backend|secret"),  # type: ignore[arg-type]
        (lambda: attr(Doc.level).between(Level.HIGH, Level.LOW), "Give the smaller first"),
        (lambda: attr(Doc.address).between(Address(city="a"), Address(city="b")), "have no order"),
    ],
)
def test_a_wrong_use_is_told_at_once(make: Any, words: str) -> None:
    with pytest.raises(HansangError, match=words):
        make()


def test_a_repair_raises_the_version(opens: Opens) -> None:
    class Pages(Table, name="Pages"):
        pass

    class PageKey(Key["Page"], pk="PAGE", sk="{id}"):
        id: str

    class Page(PageKey, Entity, table=Pages):
        text: str
        version: Version = 0

    db = opens(Pages)
    seen = db.put(Page(id="1", text="a"))
    item = {**stored(db, Pages)[0], "text": {"N": "1"}}
    db.backend.call("PutItem", {"TableName": db.name(Pages), "Item": item})
    [bad] = db.page(Page.query()).unreadable
    assert db.repair(bad, {"text": {"S": "b"}}).version == 2
    with pytest.raises(Conflict):
        db.put(seen)
    with pytest.raises(InvalidInput, match="Write it with its type"):
        db.repair(bad, {"text": "plain"})


# ── the second attack ─────────────────────────────────────────────────────────────────────────────


class Money(Table, name="Money", type_attribute="Type"):
    pass


class SumKey(Key["Sum"], pk="{p}", sk="{n}"):
    p: str
    n: int


class Sum(SumKey, Entity, table=Money, type="Sum"):
    amount: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    stock: Annotated[int, Field(ge=0)] | None = 5
    five: int = Field(default=0, multiple_of=5)
    price: Annotated[Decimal, Field(max_digits=5, decimal_places=2)] = Decimal(0)
    rev: int = 0
    days: list[date] = Field(default_factory=lambda: [date(2026, 1, 1)])


class RestKey(Key["Rest"], pk="{p}", sk="{n}"):
    p: str
    n: int


class Rest(RestKey, Entity, table=Money, type="Rest"):
    rev: int = 5
    w: int = 0


ONE = SumKey(p="x", n=5)


@pytest.fixture
def money(opens: Opens) -> Database:
    db = opens(Money)
    db.put(Sum(p="x", n=5))
    db.put(Rest(p="x", n=6))
    return db


def test_a_long_decimal_keeps_its_digits(money: Database) -> None:
    long = Decimal("1234567890123456789012345678901234567")
    assert money.update(ONE, attr(Sum.amount).set(long)).amount == long
    with pytest.raises(Conflict, match=">= 0"):
        money.update(ONE, attr(Sum.amount).add(-long - 1))
    for wrong in (Decimal("1E+1000"), Decimal("sNaN")):
        with pytest.raises(HansangError):
            money.update(ONE, attr(Sum.amount).set(wrong))


def test_a_sum_of_none_is_a_conflict_that_can_be_told(money: Database) -> None:
    money.update(ONE, attr(Sum.stock).set(None))
    with pytest.raises(Conflict):
        money.update(ONE, attr(Sum.stock).add(-1))


def test_a_sum_keeps_its_steps_and_its_digits(money: Database) -> None:
    with pytest.raises(InvalidInput, match="it has to be a multiple of 5"):
        attr(Sum.five).add(3)
    with pytest.raises(InvalidInput, match="2 digits after the decimal point"):
        attr(Sum.price).add(Decimal("0.001"))
    money.update(ONE, attr(Sum.price).add(Decimal("999.99")))
    with pytest.raises(Conflict, match="< 1000"):
        money.update(ONE, attr(Sum.price).add(Decimal("0.01")))
    assert money.update(ONE, attr(Sum.five).add(10)).five == 10


def test_several_kinds_are_asked_by_numbers_too(money: Database) -> None:
    found = money.all(collection(Sum, Rest, where=[Sum.p == "x", Sum.n == 5, Rest.n == 6]))
    assert [type(each) for each in found] == [Sum, Rest]
    with pytest.raises(DesignError, match="One question asks one partition"):
        collection(Sum, Rest, where=[Sum.p == "x", Rest.p == "y"])
    with pytest.raises(DesignError, match="means different things"):
        collection(Sum, Rest, where=[Sum.p == "x"]).where(Sum.rev == 0)


def test_a_condition_is_not_true_of_another_kind(money: Database) -> None:
    writes: list[Callable[[Any], object]] = [
        lambda tx: tx.check(RestKey(p="x", n=5), Rest.w == 0),
        lambda tx: tx.put(Rest(p="x", n=5), when=Rest.w == 0),
        lambda tx: tx.put(Rest(p="x", n=5), when=attr(Rest.w).missing()),
    ]
    for write in writes:
        with pytest.raises(Conflict, match="is not of kind Rest"), money.transaction() as tx:
            write(tx)
    assert money.get(ONE) == Sum(p="x", n=5)


def test_what_was_deleted_is_not_replaced(money: Database) -> None:
    seen = money.get(ONE)
    money.delete(ONE)
    with pytest.raises(HansangError, match=r"Sum .*not found"):
        money.replace(seen.model_copy(update={"rev": 1}), seen=seen, by=Sum.rev)


def test_one_key_of_two_kinds_is_read_as_what_it_is(money: Database) -> None:
    bad: list[Any] = []
    found = money.batch_get([RestKey(p="x", n=5), ONE], unreadable=bad.append)
    assert ([type(each) for each in found], len(bad)) == ([Sum], 1)


def test_a_member_is_looked_for_as_its_type_has_it(money: Database) -> None:
    question = Sum.query(Sum.p == "x").where(attr(Sum.days).contains("2026-01-01"))
    assert money.count(question) == 1
    item = {"PK": {"S": "x"}, "SK": {"N": "5"}, "Type": {"S": "Sum"}}
    money.backend.call("PutItem", {"TableName": money.name(Money), "Item": item})
    assert money.count(question) == 1


def test_a_number_of_a_list_in_a_key_is_told_from_a_text() -> None:
    class Listed(Table, name="Listed"):
        pass

    class OneKey(Key["One"], pk="P", sk="L#{n:02d}"):
        n: Literal[1, 2]

    class One(OneKey, Entity, table=Listed):
        pass

    class TwoKey(Key["Two"], pk="P", sk="L#01"):
        pass

    class Two(TwoKey, Entity, table=Listed):
        pass

    shape: Any = One.__shape__
    assert [each.cls for each in shape.narrower] == [Two]


def test_the_time_of_writing_is_no_part_of_a_key() -> None:
    class Stamped(Table, name="Stamped"):
        pass

    class StampKey(Key["Stamp"], pk="P", sk="AT#{at}"):
        at: UpdatedAt = AT_WRITE

    with pytest.raises(DesignError, match="changes with every write"):

        class Stamp(StampKey, Entity, table=Stamped):
            pass
