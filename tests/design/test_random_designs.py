"""Whatever the design, a question is answered as a plain filter answers it, or it is refused."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import event, given, note
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from hansang.design import Database, Query, collection
from hansang.design.kinds import recognised
from hansang.errors import DesignError, HansangError
from tests.design.random_designs import Design, design_plans, designs, made, opened, searched
from tests.design.random_questions import (
    REFUSED,
    Demand,
    Pools,
    Question,
    Stored,
    canonical,
    filled,
    key_text,
    questions,
)
from tests.design.random_writes import (
    Write,
    comparable,
    comparable_item,
    deleted_by_batch,
    fields_of,
    key_of,
    raw_items,
    stored_by_batch,
    writes,
)


def test_most_random_designs_are_accepted() -> None:
    tally: Counter[bool] = Counter()

    @searched(80, 1000)
    @given(plan=design_plans())
    def draw(plan: Any) -> None:
        try:
            tally[bool(made(plan).plans)] += 1
        except DesignError:
            tally[False] += 1

    draw()
    assert tally[True] > 0.7 * tally.total()


# ── questions ─────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_is_what_a_plain_filter_finds() -> None:
    tally: Counter[bool] = Counter()

    @searched(50, 3000)
    @given(design=designs(), data=st.data())
    def ask(design: Design, data: DataObject) -> None:
        with opened(design) as db:
            pools = Pools(data.draw, design)
            stored = filled(data.draw, design, db, pools)
            for _ in range(8):
                question = data.draw(questions(design, stored, pools))
                if question is not None:
                    tally[answered(db, design, question, stored)] += 1

    ask()
    assert tally[True] > 0.3 * tally.total()


def answered(db: Database, design: Design, question: Question, stored: Stored) -> bool:
    """A question has the right answer however it is asked, or is refused; whether it was answered."""
    try:
        query = question.query(design)
        query.request("Random")
    except REFUSED as reason:
        event(f"refused: {type(reason).__name__}")
        return False
    event("answered")
    note(f"{question} is {query.request('Random')}")
    found = db.all(query)
    expect_right(found, question, query, stored, design)
    assert db.count(query) == len(found)
    assert db.first(query) == (found[0] if found else None)
    assert paged(db, query, 1 + len(found) // 3) == found
    return True


def expect_right(
    found: list[Any], question: Question, query: Query[Any], stored: Stored, design: Design
) -> None:
    expected = question.answer(stored, design)
    assert sorted(map(key_text, found)) == sorted(expected)
    for each in found:
        assert type(each) is question.kind
        names = type(each).__shape__.slots
        assert canonical(each) == canonical(expected[key_text(each)], names)
    expect_order([expected[key_text(each)] for each in found], query)


def expect_order(found: list[Any], query: Query[Any]) -> None:
    """The answers are in the order of the sort key."""
    sk = query.keys[1]
    if sk is not None:
        places = [sortable(type(each).__shape__.encode(each)[sk]) for each in found]
        assert places == sorted(places, reverse=not query.forward)


def sortable(value: dict[str, Any]) -> Any:
    """A key attribute as DynamoDB compares it."""
    [(kind, content)] = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if kind == "S" else b64decode(content)


def paged(db: Database, query: Query[Any], limit: int) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = db.page(query, limit, cursor)
        assert (page.offset, page.unreadable) == (len(found), [])
        assert len(page) <= limit
        found += page
        cursor = page.cursor
        if cursor is None:
            return found


# ── views ─────────────────────────────────────────────────────────────────────────────────────────


@searched(30, 2000)
@given(design=designs().filter(lambda each: bool(each.views)), data=st.data())
def test_the_rows_of_a_view_stand_for_their_entities(design: Design, data: DataObject) -> None:
    with opened(design) as db:
        pools = Pools(data.draw, design)
        stored = filled(data.draw, design, db, pools)
        for _ in range(6):
            question = data.draw(questions(design, stored, pools))
            if question is not None and question.kind is not question.entity:
                hydrated(db, design, question, stored)


def hydrated(db: Database, design: Design, question: Question, stored: Stored) -> None:
    """The whole entities of a view's rows are those that a plain filter finds."""
    try:
        query = question.query(design)
        query.request("Random")
    except REFUSED:
        return
    note(str(question))
    expected = question.answer(stored, design)
    found = db.hydrate(query, limit=1000)
    assert found.cursor is None
    assert {key_text(each): canonical(each) for each in found} == {
        key: canonical(each) for key, each in expected.items()
    }


# ── several kinds ─────────────────────────────────────────────────────────────────────────────────


@searched(40, 3000)
@given(design=designs(together=True), data=st.data())
def test_kinds_in_one_partition_are_told_apart(design: Design, data: DataObject) -> None:
    with opened(design) as db:
        stored = filled(data.draw, design, db, Pools(data.draw, design))
        expect_own_kinds(db, design, stored)
        if stored:
            one = data.draw(st.sampled_from(list(stored.values())))
            for kind in design.kinds:
                expect_together(db, design, stored, one, [kind])
            kinds = data.draw(st.lists(st.sampled_from(design.kinds), min_size=2, unique=True))
            expect_together(db, design, stored, one, kinds)


def expect_own_kinds(db: Database, design: Design, stored: Stored) -> None:
    """Every item is recognised as what it was put as."""
    items = list(raw_items(db).values())
    assert len(items) == len(stored)
    for item in items:
        shape = recognised(design.table.shapes, item)
        assert shape is not None, item
        found = shape.decode(item)
        assert type(found) is type(stored[key_text(found)])
        assert canonical(found) == canonical(stored[key_text(found)])


def expect_together(db: Database, design: Design, stored: Stored, one: Any, kinds: list[Any]) -> None:
    """A question for some kinds in the partition of an entity finds all of theirs, in the order of the key."""
    names = [each.name for each in design.plan_of(kinds[0]).pk.fields]
    where = [Demand(name, "==", (getattr(one, name),)).condition(kinds[0]) for name in names]
    try:
        query = collection(*kinds, where=where)
    except REFUSED:
        return
    note(f"{kinds} are {query.request('Random')}")
    found = db.all(query)
    own = {
        key: each for key, each in stored.items() if type(each) in kinds and partition(each) == partition(one)
    }
    assert {key_text(each): canonical(each) for each in found} == {
        key: canonical(each) for key, each in own.items()
    }
    assert len(found) == len(own)
    assert [type(each) for each in found] == [type(own[key_text(each)]) for each in found]
    expect_order([own[key_text(each)] for each in found], query)
    assert db.count(query) == len(found)
    assert paged(db, query, 2) == found


def partition(entity: Any) -> Any:
    shape = type(entity).__shape__
    return comparable(shape.encode(entity)[shape.table.pk])


# ── writes ────────────────────────────────────────────────────────────────────────────────────────


@searched(40, 4000)
@given(design=designs(), data=st.data())
def test_whatever_is_written_is_whole_and_can_be_read(design: Design, data: DataObject) -> None:
    with opened(design) as db:
        ledger = Ledger(db, design)
        pools = Pools(data.draw, design)
        for _ in range(14):
            count = data.draw(st.sampled_from((1, 1, 1, 1, 2, 3)))
            batch = [data.draw(writes(design, ledger.stored, ledger.history, pools)) for _ in range(count)]
            note(str(batch))
            if count == 1 and data.draw(st.integers(0, 5)):
                ledger.write(batch[0])
            else:
                ledger.transact(batch)
        puts = [pools.entity(data.draw, design, plan) for plan in design.plans.values()]
        ledger.write_batch(puts, ledger.history[-2:-1])


class Ledger:
    """A database, and what has to be in it."""

    def __init__(self, db: Database, design: Design) -> None:
        self.db, self.design = db, design
        self.stored: Stored = {}
        self.history: list[Any] = []

    def write(self, write: Write) -> None:
        self._done(lambda: [write.send(self.db)], [write])

    def transact(self, batch: list[Write]) -> None:
        def send() -> list[Any]:
            with self.db.transaction() as tx:
                for write in batch:
                    write.send(tx)
            return []

        self._done(send, batch)

    def write_batch(self, puts: list[Any], deletes: list[Any]) -> None:
        batch = [*map(stored_by_batch, puts), *map(deleted_by_batch, deletes)]
        self._done(lambda: [self.db.batch_write(puts, deletes)], batch)

    def _done(self, send: Callable[[], list[Any]], batch: list[Write]) -> None:
        """A refused write changes nothing; one that is done changes its own items as it says."""
        before = raw_items(self.db)
        try:
            answers = send()
        except HansangError as reason:
            event(f"refused: {type(reason).__name__}")
            note(f"refused: {reason}")
            assert raw_items(self.db) == before
            return
        event("written")
        self._expect(batch)
        for answer, write in zip(answers, batch, strict=False):
            if isinstance(answer, write.kind) and not write.deletes:
                assert canonical(answer) == canonical(self.stored[write.key])

    def _expect(self, batch: list[Write]) -> None:
        wanted = {key: fields_of(each) for key, each in self.stored.items()}
        for write in batch:
            there = self.stored.get(write.key)
            old = there if isinstance(there, write.kind) else None
            assert old is not there or write.may(old), f"{write} was done against its condition"
            left = write.after(old)
            if left is None:
                wanted.pop(write.key, None)
            else:
                wanted[write.key] = left
        found = {key_text(each): each for each in map(self._read, raw_items(self.db).values())}
        assert {key: fields_of(each) for key, each in found.items()} == wanted
        touched = dict.fromkeys(write.key for write in batch)
        for key in found.keys() & self.stored.keys():
            if type(found[key]) is type(self.stored[key]):
                self._expect_raised(self.stored[key], found[key], key in touched)
        self.stored = found
        self.history += [found[key] for key in touched if key in found]

    def _read(self, item: dict[str, Any]) -> Any:
        """The entity of an item, which is stored just as that entity is written."""
        shape = recognised(self.design.table.shapes, item)
        assert shape is not None, item
        entity = shape.decode(item)
        assert comparable_item(shape.encode(entity)) == comparable_item(item), item
        key = key_of(self.design, self.design.plan_of(shape.cls), entity)
        assert canonical(self.db.get(key)) == canonical(entity)
        return entity

    def _expect_raised(self, old: Any, new: Any, is_written: bool) -> None:
        shape = type(new).__shape__
        for slot in (*shape.touched, *([shape.version] if shape.version else [])):
            before, after = getattr(old, slot.name), getattr(new, slot.name)
            assert after > before if is_written else after == before
