"""Editing single items by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS
from hansang.design import AT_WRITE, Database, Entity, Key, Table, UpdatedAt, Version
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    Throttled,
    Unavailable,
)
from hansang.parts.editing import Edit, Editing
from hansang.parts.etags import etag
from hansang.parts.history import LARGEST_IMAGE, Actor, Change, History
from hansang.parts.platform import Platform
from hansang.parts.write_rules import ONCE
from hansang.surfaces.cli.designs import load
from tests.checked.shop import Customer, CustomerKey, Order, OrderKey, Shop
from tests.parts.conftest import SetClock
from tests.parts.faults import Meddler, at_once, losing, no_sleep
from tests.spoiling import put_item, spoil

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = CustomerKey(id="c1")
ITEM_KEY: Item = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}
ACTOR = Actor("person", "seoyeon", "윤서연")


def customer(name: str = "민지", **fields: Any) -> Customer:
    return Customer(**{"id": "c1", "name": name, "created_at": NOW, **fields})


def order(note: str | None = None) -> Order:
    return Order(customer_id="c1", number=1, day=date(2026, 1, 1), total=100, note=note, created_at=NOW)


def item(**attributes: Any) -> Item:
    return {
        **ITEM_KEY,
        "Type": {"S": "Customer"},
        "name": {"S": "민지"},
        "visits": {"N": "0"},
        "CreatedAt": {"S": "2026-01-01T00:00:00Z"},
        **attributes,
    }


@pytest.fixture
def shop(database: Database) -> Database:
    """The platform's table, and that of an application."""
    database.create_tables(Shop)
    return database


def on(database: Database, clock: SetClock) -> Editing:
    history = History(database, clock)
    areas: dict[type[Table], str] = {Shop: "shop"}
    return Editing(database, history, areas=areas, rules={Order: ONCE}, sleep=no_sleep)


@pytest.fixture
def editing(shop: Database, clock: SetClock) -> Editing:
    return on(shop, clock)


@pytest.fixture
def history(shop: Database, clock: SetClock) -> History:
    return History(shop, clock)


def stored(database: Database) -> Item | None:
    return database.find_item(Shop, ITEM_KEY)


def changed(edit: Edit[Any]) -> Change:
    assert edit.change is not None
    return edit.change


# ── entities ──────────────────────────────────────────────────────────────────────────────────────


def test_what_is_created_is_there_with_its_change(editing: Editing, history: History, shop: Database) -> None:
    edit = editing.create(customer(), ACTOR, "r1")
    assert editing.find(Customer, {"id": "c1"}) == (customer(), edit.etag)
    [change] = history.page()
    assert change == changed(edit)
    assert (change.area, change.table, change.kind, change.verb) == ("shop", "Shop", "Customer", "create")
    assert (change.before, change.after, change.request_id) == (None, stored(shop), "r1")
    assert (change.subject, change.key) == ("Shop/CUSTOMER#c1/METADATA", ITEM_KEY)


def test_what_is_there_is_not_created_again(editing: Editing, history: History) -> None:
    editing.create(customer("first"), ACTOR)
    with pytest.raises(AlreadyExists, match="already") as there:
        editing.create(customer("second"), ACTOR)
    assert there.value.item == customer("first")
    assert len(history.page()) == 1


def test_an_entity_is_replaced_as_it_was_seen(editing: Editing, shop: Database) -> None:
    seen = editing.create(customer(visits=1), ACTOR)
    edit = editing.replace(customer(visits=2), seen.etag, ACTOR)
    assert editing.find(Customer, {"id": "c1"}) == (customer(visits=2), edit.etag)
    assert (changed(edit).before or {})["visits"] == {"N": "1"}
    assert changed(edit).after == stored(shop)


def test_an_entity_that_was_changed_meanwhile_is_a_conflict(editing: Editing, history: History) -> None:
    seen = editing.create(customer(visits=1), ACTOR)
    editing.replace(customer(visits=2), seen.etag, ACTOR)
    acts: list[Callable[[], object]] = [
        lambda: editing.replace(customer(visits=3), seen.etag, ACTOR),
        lambda: editing.delete(KEY, seen.etag, ACTOR),
    ]
    for act in acts:
        with pytest.raises(Conflict, match="Read it again") as late:
            act()
        assert late.value.item == customer(visits=2)
    assert len(history.page()) == 2


def test_what_is_not_there_is_neither_replaced_nor_deleted(editing: Editing) -> None:
    with pytest.raises(NotFound):
        editing.replace(customer(), "0" * 20, ACTOR)
    with pytest.raises(NotFound):
        editing.delete(KEY, "0" * 20, ACTOR)


def test_a_replacement_without_a_difference_leaves_no_trace(editing: Editing, history: History) -> None:
    seen = editing.create(customer(), ACTOR)
    edit = editing.replace(customer(), seen.etag, ACTOR)
    assert (edit.change, edit.etag) == (None, seen.etag)
    assert len(history.page()) == 1


def test_a_replacement_keeps_what_the_design_does_not_know(editing: Editing, shop: Database) -> None:
    shop.backend.call("PutItem", {"TableName": "Shop", "Item": item(vip={"BOOL": True})})
    found = editing.find(Customer, {"id": "c1"})
    assert found is not None
    edit = editing.replace(customer("지민"), found[1], ACTOR)
    assert stored(shop) == item(name={"S": "지민"}, vip={"BOOL": True})
    assert edit.etag == etag(item(name={"S": "지민"}, vip={"BOOL": True})) == editing.etag(edit.subject)


def test_a_deleted_entity_is_returned_and_gone(editing: Editing) -> None:
    seen = editing.create(customer(), ACTOR)
    edit = editing.delete(KEY, seen.etag, ACTOR)
    assert edit.subject == customer()
    assert changed(edit).after is None
    assert editing.find(Customer, {"id": "c1"}) is None


def test_an_entity_of_another_kind_is_not_found(editing: Editing, shop: Database) -> None:
    shop.backend.call("PutItem", {"TableName": "Shop", "Item": item(Type={"S": "Stranger"})})
    assert editing.find(Customer, {"id": "c1"}) is None


def test_a_tag_is_the_same_for_the_same_item_alone() -> None:
    tags = item(tags={"SS": ["b", "a"]}, visits={"N": "10"})
    assert etag(tags) == etag(item(tags={"SS": ["a", "b"]}, visits={"N": "1e1"}))
    others = [item(), item(tags={"SS": ["a", "c"]}), item(visits={"N": "11"}), item(tags={"L": []})]
    assert len({etag(each) for each in [tags, *others]}) == 5


# ── kept for ever ─────────────────────────────────────────────────────────────────────────────────


def test_what_is_written_once_is_neither_replaced_nor_deleted_nor_undone(
    editing: Editing, history: History
) -> None:
    seen = editing.create(order(), ACTOR)
    key = OrderKey(customer_id="c1", number=1)
    acts: list[Callable[[], object]] = [
        lambda: editing.replace(order("선물"), seen.etag, ACTOR),
        lambda: editing.delete(key, seen.etag, ACTOR),
        lambda: editing.undo(changed(seen).id, ACTOR),
    ]
    for act in acts:
        with pytest.raises(NotAllowed, match="is immutable"):
            act()
    assert editing.find(Order, key.__dict__) == (order(), seen.etag)
    assert len(history.page()) == 1


def test_the_tables_of_the_platform_are_not_edited_by_hand(editing: Editing) -> None:
    change: Item = {
        "PK": {"S": "SECRETS"},
        "SK": {"S": "SECRET#x"},
        "Type": {"S": "Secret"},
        "octets": {"B": "AAAA"},
    }
    with pytest.raises(NotAllowed, match="not edited by hand"):
        editing.create_item(Platform, change, ACTOR)


# ── items ─────────────────────────────────────────────────────────────────────────────────────────


def test_an_item_is_created_replaced_and_deleted(editing: Editing, shop: Database) -> None:
    made = editing.create_item(Shop, item(), ACTOR)
    assert stored(shop) == made.subject == item()
    edit = editing.replace_item(Shop, item(visits={"N": "3"}), made.etag, ACTOR)
    assert stored(shop) == edit.subject == item(visits={"N": "3"})
    assert editing.find_item(Shop, ITEM_KEY) == (edit.subject, edit.etag)
    assert editing.delete_item(Shop, ITEM_KEY, edit.etag, ACTOR).subject == edit.subject
    assert stored(shop) is None


def test_an_item_is_written_in_the_form_of_its_entity(editing: Editing, shop: Database) -> None:
    drafted = item()
    del drafted["visits"]
    editing.create_item(Shop, drafted, ACTOR)
    assert stored(shop) == item()


@pytest.mark.parametrize(
    ("drafted", "message"),
    [
        (item(colour={"S": "red"}, size={"N": "1"}), "no attribute colour, size. It has .*name"),
        (item(Type={"S": "Stranger"}), r"There are: Customer \(Type=Customer\), Order"),
        (item(visits={"S": "many"}), "visits"),
        (item(visits={"N": "1.5"}), "visits"),
        (item(CreatedAt={"S": "yesterday"}), "CreatedAt"),
        (item(SK={"S": "ELSEWHERE"}), "'ELSEWHERE' is not a key of the form METADATA"),
        (item(name="민지"), 'name is not a valid attribute value. Write it with its type: {"S"'),
        (item(name={"S": "a", "N": "1"}), "name is not a valid attribute value"),
        (item(tags={"M": {"a": "b"}}), "tags is not a valid attribute value"),
        (item(tags={"L": [1]}), "tags is not a valid attribute value"),
        (item(PK=7), "PK is not a valid attribute value"),
        ({"PK": {"S": "CUSTOMER#c1"}}, "no SK, which is part of its key"),
    ],
)
def test_an_item_that_is_not_its_entity_is_refused(
    editing: Editing, shop: Database, drafted: Item, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        editing.create_item(Shop, drafted, ACTOR)
    assert stored(shop) is None


def test_a_strange_attribute_that_is_there_may_stay_and_may_go(editing: Editing, shop: Database) -> None:
    shop.backend.call("PutItem", {"TableName": "Shop", "Item": item(vip={"BOOL": True})})
    tag = etag(item(vip={"BOOL": True}))
    with pytest.raises(InvalidInput, match="no attribute vip"):
        editing.replace_item(Shop, item(vip={"BOOL": False}), tag, ACTOR)
    kept = editing.replace_item(Shop, item(vip={"BOOL": True}, visits={"N": "1"}), tag, ACTOR)
    assert stored(shop) == item(vip={"BOOL": True}, visits={"N": "1"})
    editing.replace_item(Shop, item(), kept.etag, ACTOR)
    assert stored(shop) == item()


def test_an_item_that_nobody_knows_can_be_deleted_and_comes_back_as_it_was(
    editing: Editing, shop: Database
) -> None:
    strange = item(Type={"S": "Stranger"}, visits={"L": []})
    shop.backend.call("PutItem", {"TableName": "Shop", "Item": strange})
    edit = editing.delete_item(Shop, ITEM_KEY, etag(strange), ACTOR)
    assert stored(shop) is None
    editing.undo(changed(edit).id, ACTOR)
    assert stored(shop) == strange


# ── repairing ─────────────────────────────────────────────────────────────────────────────────────

BROKEN = item(CreatedAt={"S": "2026-01-01T00:00:00.123Z"}, Old={"S": "stays"})


def repaired(editing: Editing, table: type[Table], seen: Item, **changed: Any) -> Edit[Item]:
    return editing.repair_item(table, seen, {**seen, **changed}, etag(seen), ACTOR)


def test_an_item_that_cannot_be_read_is_repaired_with_its_trace_and_undone(
    editing: Editing, shop: Database
) -> None:
    put_item(shop, Shop, BROKEN)
    edit = repaired(editing, Shop, BROKEN, CreatedAt={"S": "2026-01-01T00:00:00Z"})
    assert stored(shop) == edit.subject == item(Old={"S": "stays"})
    assert (changed(edit).verb, changed(edit).before) == ("replace", BROKEN)
    editing.undo(changed(edit).id, ACTOR)
    assert stored(shop) == BROKEN


def test_an_item_with_a_wrong_key_moves_and_comes_back_when_that_is_undone(
    editing: Editing, shop: Database
) -> None:
    seen = item(SK={"S": "METADATE"})
    put_item(shop, Shop, seen)
    edit = repaired(editing, Shop, seen, SK={"S": "METADATA"})
    assert (stored(shop), shop.find_item(Shop, {**ITEM_KEY, "SK": {"S": "METADATE"}})) == (item(), None)
    editing.undo(changed(edit).id, ACTOR)
    assert (stored(shop), shop.find_item(Shop, {**ITEM_KEY, "SK": {"S": "METADATE"}})) == (None, seen)


def test_an_item_does_not_move_to_where_another_is(editing: Editing, shop: Database) -> None:
    seen = item(SK={"S": "METADATE"})
    put_item(shop, Shop, seen)
    editing.create(customer("다른 사람"), ACTOR)
    with pytest.raises(AlreadyExists):
        repaired(editing, Shop, seen, SK={"S": "METADATA"})
    assert shop.get(KEY).name == "다른 사람"


def test_an_item_without_a_type_is_given_one(editing: Editing, shop: Database) -> None:
    seen = {name: value for name, value in item().items() if name != "Type"}
    put_item(shop, Shop, seen)
    repaired(editing, Shop, seen, Type={"S": "Customer"})
    assert stored(shop) == item()


def test_what_is_kept_for_ever_is_repaired_when_it_cannot_be_read(editing: Editing, shop: Database) -> None:
    key = shape_of(OrderKey(customer_id="c1", number=1)).key({"customer_id": "c1", "number": 1})
    shop.create(order())
    seen = spoil(shop, OrderKey(customer_id="c1", number=1), Total=None)
    edit = editing.repair_item(Shop, key, {**seen, "Total": {"N": "100"}}, etag(seen), ACTOR)
    assert shop.get(OrderKey(customer_id="c1", number=1)) == order()
    with pytest.raises(NotAllowed):
        editing.undo(changed(edit).id, ACTOR)


@pytest.mark.parametrize(
    ("seen", "given", "refusal"),
    [
        (BROKEN, {"CreatedAt": {"S": "yesterday"}}, InvalidInput),
        (BROKEN, {"CreatedAt": "2026-01-01T00:00:00Z"}, InvalidInput),
        (BROKEN, {"CreatedAt": {"S": "2026-01-01T00:00:00Z"}, "New": {"S": "x"}}, InvalidInput),
        (item(), {"name": {"S": "다른"}}, NotAllowed),
    ],
)
def test_a_repair_that_is_none_changes_nothing(
    editing: Editing, shop: Database, seen: Item, given: Item, refusal: type[Exception]
) -> None:
    put_item(shop, Shop, seen)
    with pytest.raises(refusal):
        repaired(editing, Shop, seen, **given)
    assert stored(shop) == seen


def test_an_item_that_changed_meanwhile_is_not_repaired(editing: Editing, shop: Database) -> None:
    put_item(shop, Shop, {**BROKEN, "visits": {"N": "7"}})
    with pytest.raises(Conflict):
        repaired(editing, Shop, BROKEN, CreatedAt={"S": "2026-01-01T00:00:00Z"})


# ── undoing ───────────────────────────────────────────────────────────────────────────────────────


def test_every_kind_of_change_can_be_undone(editing: Editing, shop: Database) -> None:
    made = editing.create(customer(visits=1), ACTOR)
    replaced = editing.replace(customer(visits=2), made.etag, ACTOR)
    deleted = editing.delete(KEY, replaced.etag, ACTOR)
    for edit, visits in ((deleted, "2"), (replaced, "1")):
        editing.undo(changed(edit).id, ACTOR)
        assert stored(shop) == item(visits={"N": visits})
    editing.undo(changed(made).id, ACTOR)
    assert stored(shop) is None


def test_an_undoing_is_a_change_and_marks_what_it_undoes(editing: Editing, history: History) -> None:
    made = changed(editing.create(customer(), ACTOR))
    undone = editing.undo(made.id, ACTOR, "r2")
    assert history.get(made.id).undone_by == undone.id
    assert (undone.verb, undone.undoes, undone.before, undone.after) == ("undo", made.id, made.after, None)
    assert history.get(undone.id) == undone


def test_an_undoing_can_be_undone(editing: Editing, shop: Database) -> None:
    made = editing.create(customer(visits=1), ACTOR)
    replaced = editing.replace(customer(visits=2), made.etag, ACTOR)
    undone = editing.undo(changed(replaced).id, ACTOR)
    redone = editing.undo(undone.id, ACTOR)
    assert stored(shop) == item(visits={"N": "2"})
    editing.undo(redone.id, ACTOR)
    assert stored(shop) == item(visits={"N": "1"})


def test_a_change_is_undone_once(editing: Editing, history: History) -> None:
    made = changed(editing.create(customer(), ACTOR))
    editing.undo(made.id, ACTOR)
    with pytest.raises(Conflict, match="undone already"):
        editing.undo(made.id, ACTOR)
    assert len(history.page()) == 2


def test_a_change_under_a_later_one_is_not_undone(editing: Editing, shop: Database) -> None:
    made = editing.create(customer(visits=1), ACTOR)
    replaced = editing.replace(customer(visits=2), made.etag, ACTOR)
    with pytest.raises(Conflict, match="changed again since") as late:
        editing.undo(changed(made).id, ACTOR)
    assert late.value.item == customer(visits=2)
    deleted = editing.delete(KEY, replaced.etag, ACTOR)
    editing.create(customer(visits=9), ACTOR)
    with pytest.raises(Conflict, match="changed again since"):
        editing.undo(changed(deleted).id, ACTOR)
    assert stored(shop) == item(visits={"N": "9"})


def test_a_change_of_the_platform_is_not_undone_here(editing: Editing, history: History) -> None:
    change = history.record(ACTOR, "platform", "Person", "people/minji", "create")
    with pytest.raises(NotAllowed, match="change of a Person cannot be undone"):
        editing.undo(change.id, ACTOR)


def test_a_change_that_nobody_knows_is_not_undone(editing: Editing) -> None:
    with pytest.raises(NotFound):
        editing.undo("0" * 26, ACTOR)


def test_a_large_item_can_be_taken_back_and_not_put_back(editing: Editing, shop: Database) -> None:
    large = customer("x" * (LARGEST_IMAGE + 1))
    made = editing.create(large, ACTOR)
    assert changed(made).is_undoable
    deleted = editing.delete(KEY, made.etag, ACTOR)
    assert not changed(deleted).is_undoable
    with pytest.raises(NotAllowed, match="too large for the history"):
        editing.undo(changed(deleted).id, ACTOR)
    again = editing.create(large, ACTOR)
    editing.undo(changed(again).id, ACTOR)
    assert stored(shop) is None


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: str(each.name))
def test_the_items_of_every_design_can_be_made_deleted_and_put_back(
    database: Database, clock: SetClock, application: Application
) -> None:
    database.create_tables(*application.tables)
    areas = dict.fromkeys(application.tables, application.name)
    editing = Editing(database, History(database, clock), areas=areas, sleep=no_sleep)
    examples = list(load([application.name]).samples.examples.values())
    assert examples
    for entity in examples:
        shape = shape_of(entity)
        made = editing.create(entity, ACTOR)
        deleted = editing.delete_item(shape.table, shape.encode(entity), made.etag, ACTOR)
        undone = editing.undo(changed(deleted).id, ACTOR)
        assert database.find_item(shape.table, shape.key(entity.__dict__)) == undone.after
        editing.undo(undone.id, ACTOR)
        assert database.find_item(shape.table, shape.key(entity.__dict__)) is None


# ── others at the same time ───────────────────────────────────────────────────────────────────────


def test_of_many_who_saw_the_same_one_changes_it(editing: Editing, history: History) -> None:
    seen = editing.create(customer(), ACTOR)
    found = at_once(8, lambda number: editing.replace(customer(visits=number + 1), seen.etag, ACTOR))
    winners = [each for each in found if isinstance(each, Edit)]
    assert len(winners) == 1
    assert all(isinstance(each, Edit | Conflict | Throttled) for each in found)
    assert len(history.page()) == 2
    assert editing.find(Customer, {"id": "c1"}) == (winners[0].subject, winners[0].etag)


def test_of_many_who_undo_the_same_one_does(editing: Editing, history: History) -> None:
    made = changed(editing.create(customer(), ACTOR))
    found = at_once(8, lambda number: editing.undo(made.id, ACTOR))
    assert sum(isinstance(each, Change) for each in found) == 1
    assert all(isinstance(each, Change | Conflict | NotFound | Throttled) for each in found)
    assert len(history.page()) == 2


@pytest.mark.parametrize(
    "meanwhile",
    [item(name={"S": "다른"}), item(tags={"SS": ["new"]}), None],
    ids=["another value", "an attribute more", "deleted"],
)
def test_a_change_between_reading_and_writing_is_noticed(
    shop: Database, clock: SetClock, meanwhile: Item | None
) -> None:
    seen = on(shop, clock).create(customer(), ACTOR)

    def meddle() -> None:
        if meanwhile is None:
            shop.delete(KEY)
        else:
            shop.backend.call("PutItem", {"TableName": "Shop", "Item": meanwhile})

    editing = on(Database(Meddler(shop.backend, "TransactWriteItems", meddle)), clock)
    with pytest.raises((Conflict, NotFound)):
        editing.replace(customer("내 것"), seen.etag, ACTOR)
    assert stored(shop) == meanwhile
    assert len(History(shop, clock).page()) == 1


# ── lost answers ──────────────────────────────────────────────────────────────────────────────────


def test_a_lost_answer_is_asked_for_again_and_nothing_happens_twice(shop: Database, clock: SetClock) -> None:
    editing = on(losing(shop, 0.3), clock)
    seen = editing.create(customer(), ACTOR)
    for visits in range(1, 20):
        seen = editing.replace(customer(visits=visits), seen.etag, ACTOR)
    assert len(History(shop, clock).page(limit=100)) == 20
    assert stored(shop) == item(visits={"N": "19"})


@pytest.mark.parametrize("seed", range(3))
def test_however_many_answers_are_lost_the_changes_tell_the_whole_story(
    shop: Database, clock: SetClock, seed: int
) -> None:
    editing = on(losing(shop, 0.8, seed), clock)
    for number in range(25):
        clock.advance(1)
        try:
            found = editing.find(Customer, {"id": "c1"})
            if found is None:
                editing.create(customer(visits=number), ACTOR)
            elif number % 5 == 0:
                editing.delete(KEY, found[1], ACTOR)
            else:
                editing.replace(customer(visits=number), found[1], ACTOR)
        except Unavailable:
            continue
    story = list(History(shop, clock).each("shop"))[::-1]
    assert len(story) > 10
    assert [each.before for each in story] == [None, *(each.after for each in story[:-1])]
    assert story[-1].after == stored(shop)


# ── what the database keeps up ────────────────────────────────────────────────────────────────────


class Shelf(Table, name="Shelf"):
    pass


class JarKey(Key["Jar"], pk="JAR#{id}", sk="METADATA"):
    id: str


class Jar(JarKey, Entity, table=Shelf):
    label: str
    version: Version = 0
    updated_at: UpdatedAt = AT_WRITE


@pytest.fixture
def shelf(database: Database, clock: SetClock) -> Editing:
    database.create_tables(Shelf)
    return Editing(database, History(database, clock), areas={Shelf: "shelf"}, sleep=no_sleep)


def test_a_write_by_hand_raises_the_version_and_keeps_the_time(shelf: Editing, database: Database) -> None:
    made = shelf.create(Jar(id="1", label="honey", version=55), ACTOR)
    assert made.subject.version == 1
    seen = database.get(JarKey(id="1"))
    assert seen.updated_at > AT_WRITE
    edited = shelf.replace(Jar(id="1", label="jam"), made.etag, ACTOR)
    assert edited.subject.version == 2
    assert edited.change is not None
    with pytest.raises(Conflict):
        database.put(seen.model_copy(update={"label": "lost"}))
    again = shelf.replace(Jar(id="1", label="jam", version=9), edited.etag, ACTOR)
    assert again.change is None
    shelf.undo(edited.change.id, ACTOR)
    assert database.get(JarKey(id="1")).label == "honey"
    assert database.get(JarKey(id="1")).version == 3
