"""What the patterns of the company site cost, and what its keys refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.apps.codex.design import (
    Banner,
    Category,
    CategoryKey,
    ContactInquiry,
    ContactInquiryKey,
    CorpInfoKey,
    FMWebApp,
    Post,
    PostKey,
    PostLocator,
    PostLocatorKey,
    User,
    UserKey,
)
from hansang.design import Database, Key, Query, attr
from hansang.errors import AlreadyExists, Conflict, InvalidKey
from tests.apps.codex.site import NOON, banner, category, company, inquiry, post, user
from tests.clauses import clause
from tests.storing import examples, load, opened


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp) as db:
        yield db


# ── reads ─────────────────────────────────────────────────────────────────────────────────────────


@clause("4-24", "4-25", "4-27", "4-29", "X4-03", "4-43")
@pytest.mark.parametrize(
    "key",
    [
        UserKey(id="u001"),
        CategoryKey(id="c001"),
        PostKey(category_id="c001", id="p001"),
        CorpInfoKey(),
        ContactInquiryKey(id="inq001"),
    ],
)
def test_one_item_costs_half_a_unit_and_twice_that_for_a_strong_read(db: Database, key: Key[Any]) -> None:
    load(db, FMWebApp, *examples("codex").values())
    with db.meter() as eventual:
        db.get(key)
    with db.meter() as strong:
        db.get(key, consistent=True)
    assert (eventual.read, strong.read) == (0.5, 1.0)


@clause("4-26", "4-28", "4-30", "X4-03", "X4-19")
@pytest.mark.parametrize(
    ("question", "units"),
    [
        (Post.in_category("c001"), 0.5),
        (Category.with_posts("c001"), 0.5),
        (Post.latest(), 0.5),
        (Banner.latest(), 1.0),
        (ContactInquiry.latest(), 1.0),
        (User.latest(), 0.5),
        (User.with_id("u001"), 0.5),
    ],
)
def test_a_list_of_twenty_costs_half_a_unit_for_each_four_kilobytes(
    db: Database, question: Query[Any], units: float
) -> None:
    for number in range(1, 21):
        db.batch_write([user(number), post(number), banner(number), inquiry(number)])
    db.put(category(1))
    with db.meter() as cost:
        db.all(question)
    assert (cost.read, cost.requests) == (units, 1)


@clause("X4-06")
def test_a_post_is_found_by_its_id_alone_in_two_reads(db: Database) -> None:
    with db.transaction() as tx:
        tx.create(post())
        tx.create(PostLocator(post_id="p001", category_id="c001"))
    with db.meter() as cost:
        place = db.get(PostLocatorKey(post_id="p001"))
        found = db.get(PostKey(category_id=place.category_id, id=place.post_id))
    assert (found, cost.read, cost.requests) == (post(), 1.0, 2)


# ── writes ────────────────────────────────────────────────────────────────────────────────────────


@clause("4-21")
def test_a_write_costs_one_unit_for_the_table_and_one_for_the_index(db: Database) -> None:
    for made in (user(), category(), post(), banner(), company(), inquiry()):
        with db.meter() as cost:
            db.put(made)
        assert (cost.write, cost.tables[FMWebApp.name].write) == (2.0, 1.0)


@clause("X4-06")
def test_a_post_and_its_locator_are_written_together_or_not_at_all(db: Database) -> None:
    db.create(PostLocator(post_id="p001", category_id="c009"))
    with pytest.raises(AlreadyExists), db.transaction() as tx:
        tx.create(post())
        tx.create(PostLocator(post_id="p001", category_id="c001"))
    assert db.find(PostKey(category_id="c001", id="p001")) is None


@clause("X4-34")
def test_a_change_of_what_someone_else_changed_is_refused(db: Database) -> None:
    db.put(post())
    with pytest.raises(Conflict):
        db.update(post(), attr(Post.title).set("새 제목"), when=Post.updated_at == NOON)


@clause("X4-23")
def test_reserved_names_are_no_obstacle(db: Database) -> None:
    db.batch_write([user(), category(), inquiry()])
    assert len(db.all(User.latest().where(User.role == "admin"))) == 1
    assert len(db.all(Category.latest().where(attr(Category.desc).begins_with("보도")))) == 1
    moved = db.update(
        inquiry(), attr(ContactInquiry.status).set("done"), when=ContactInquiry.name == "홍길동"
    )
    assert moved.status == "done"


# ── keys and unknown attributes ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ident", ["", "c#1"])
def test_an_id_that_would_make_another_key_is_refused(db: Database, ident: str) -> None:
    with pytest.raises(InvalidKey):
        db.find(CategoryKey(id=ident))


@clause("X4-09")
def test_an_attribute_that_the_design_does_not_know_is_kept(db: Database) -> None:
    document = examples("codex")["Banner"] | {"campaign": "2025-봄"}
    load(db, FMWebApp, document)
    [found] = db.all(Banner.latest())
    db.put(found)
    request = {"TableName": FMWebApp.name, "Key": {"PK": {"S": "BANNER#bn001"}, "SK": {"S": "METADATA"}}}
    assert db.backend.call("GetItem", request)["Item"]["campaign"] == {"S": "2025-봄"}
