"""The delta by stream: what the old tables tell is brought over, deletions too, from where it was left."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hansang.apps.codex.design import CorpInfoKey, FMWebApp, Post
from hansang.apps.codex.migration.mapping import SAMPLE, read_mapping
from hansang.apps.codex.migration.migrating import Migration
from hansang.apps.codex.service import Codex
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import Conflict
from hansang.parts.platform import Platform
from tests.apps.codex.migration.old_tables import KEYS, create_old_tables, delete, fill, post, put
from tests.apps.codex.migration.test_migrating import Dying, Killed
from tests.clauses import clause
from tests.storing import opened
from tests.surfaces.shells import SetClock

DAY = 24 * 60 * 60


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        yield found


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def old() -> Iterator[Backend]:
    with Embedded.open(":memory:") as backend:
        yield backend


def turn_on(old: Backend, view: str = "KEYS_ONLY") -> None:
    for table in KEYS:
        specification = {"StreamEnabled": True, "StreamViewType": view}
        old.call("UpdateTable", {"TableName": table, "StreamSpecification": specification})


def migration(old: Backend, db: Database, clock: SetClock) -> Migration:
    return Migration(old, db, clock, read_mapping(None), "here")


@clause("X4-12")
def test_new_changed_moved_and_deleted_items_come_by_the_stream(
    old: Backend, db: Database, clock: SetClock
) -> None:
    fill(old, 6)
    turn_on(old)
    found = migration(old, db, clock)
    found.copy()
    assert found.delta(by="stream").written == 0
    put(old, "PostsTable", **post(0, title="고침"))
    put(old, "PostsTable", **post(1, categoryId="c0", updatedAt="2024-03-01T00:00:00Z"))
    put(old, "PostsTable", **post(6, categoryId=""))
    put(old, "PostsTable", **post(7))
    delete(old, "PostsTable", "p7")
    delete(old, "PostsTable", "p2")
    delete(old, "CategoriesTable", "c2")
    put(old, "CorpMetaTable", metaKey="fax", metaValue="02-1", createdAt="2023-01-01T00:00:00Z")
    report = found.delta(by="stream")
    assert (report.written, report.deleted, report.kept) == (4, 2, 0)
    assert db.get(CorpInfoKey()).fax == "02-1"
    assert found.verify().named == []
    assert found.delta(by="stream").written == 0


@clause("X4-12")
def test_what_was_changed_here_is_not_deleted_after_the_old_table(
    old: Backend, db: Database, clock: SetClock
) -> None:
    fill(old, 2)
    turn_on(old)
    found = migration(old, db, clock)
    found.copy()
    codex = Codex(db, clock)
    seen, _ = codex.posts.get("p1")
    db.put(seen.model_copy(update={"title": "새 표에서 고침"}))
    delete(old, "PostsTable", "p1")
    assert (found.delta(by="stream").deleted, codex.posts.get("p1")[0].title) == (0, "새 표에서 고침")


@clause("X4-12")
def test_kills_and_writers_lose_nothing_by_the_stream(old: Backend, db: Database, clock: SetClock) -> None:
    fill(old, 12)
    turn_on(old)
    chance, backend = Random(17), db.backend
    migration(old, db, clock).copy()

    def write() -> None:
        number = chance.randrange(20)
        if chance.random() < 0.3:
            delete(old, "PostsTable", f"p{number}")
        else:
            edited = post(number, title=f"판 {chance.random()}", categoryId=f"c{chance.randrange(3)}")
            put(old, "PostsTable", **edited)

    for _ in range(50):
        write()
    kills = 0
    for calls in (10, 14, 19, 25, 400):
        dying = Database(Dying(backend, calls, write), secret=b"of a test")
        try:
            migration(old, dying, clock).delta(by="stream")
        except Killed:
            kills += 1
    assert kills >= 3
    found = migration(old, db, clock)
    found.delta(by="stream")
    assert found.verify().named == []
    ids = [each.id for each in db.all(Post.latest())]
    assert len(ids) == len(set(ids)) == len(old.call("Scan", {"TableName": "PostsTable"})["Items"])
    told: list[str] = []
    found.delta(lambda table, _: told.append(table), by="stream")
    assert told == [], "what was dealt with does not come again"


@clause("X4-12")
def test_a_stream_that_may_have_lost_something_is_not_followed(
    old: Backend, db: Database, clock: SetClock
) -> None:
    fill(old, 2)
    found = migration(old, db, clock)
    found.copy()
    with pytest.raises(Conflict, match="no stream") as refused:
        found.delta(by="stream")
    assert refused.value.code == "codex.no-stream"
    turn_on(old)
    with pytest.raises(Conflict, match="once without --by stream"):
        found.delta(by="stream")
    found.delta()
    delete(old, "PostsTable", "p1")
    assert found.delta(by="stream").deleted == 1
    clock.advance(DAY)
    with pytest.raises(Conflict, match="keeps 24 hours"):
        found.delta(by="stream")
    found.delta()
    old.call("UpdateTable", {"TableName": "PostsTable", "StreamSpecification": {"StreamEnabled": False}})
    clock.advance(5)
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    old.call("UpdateTable", {"TableName": "PostsTable", "StreamSpecification": specification})
    with pytest.raises(Conflict) as refused:
        found.delta(by="stream")
    assert refused.value.code == "codex.stream-behind"


def test_ids_that_are_not_in_the_key_need_old_images(
    old: Backend, db: Database, clock: SetClock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    create_old_tables(old)
    turn_on(old, "NEW_IMAGE")
    path = tmp_path_factory.mktemp("mapping") / "mapping.toml"
    path.write_text(SAMPLE.replace('id = "postId"', 'id = "slug"'), encoding="utf-8")
    found = Migration(old, db, clock, read_mapping(path), "here")
    put(old, "PostsTable", **post(1, slug="first"))
    found.copy()
    with pytest.raises(Conflict, match="NEW_AND_OLD_IMAGES"):
        found.delta(by="stream")


@clause("X4-12")
def test_a_post_that_came_back_under_another_key_is_not_deleted(clock: SetClock) -> None:
    """The new item may be told of first: by an application that copies and then deletes, or by another shard."""
    wrong = []
    for keys in (("categoryId", "postId"), ("rowId",)):
        with Embedded.open(":memory:") as old, opened(FMWebApp) as target:
            create_old_tables(old)
            _key_posts_by(old, *keys)
            turn_on(old, "NEW_AND_OLD_IMAGES")
            put(old, "PostsTable", **post(1, categoryId="c1", rowId="a"))
            put(old, "PostsTable", **post(2, categoryId="c1", rowId="b"))
            found = migration(old, target, clock)
            found.copy()
            moved = post(1, categoryId="c2", rowId="c", updatedAt="2024-03-01T00:00:00Z")
            put(old, "PostsTable", **moved)
            found.delta(by="stream")
            for number, row in ((1, "a"), (2, "b")):
                key = {"categoryId": "c1", "postId": f"p{number}", "rowId": row}
                old.call(
                    "DeleteItem",
                    {"TableName": "PostsTable", "Key": {name: {"S": key[name]} for name in keys}},
                )
            deleted, named = found.delta(by="stream").deleted, found.verify().named
            if (deleted, named) != (1, []):
                wrong.append((keys, deleted, named))
    assert wrong == []


def _key_posts_by(old: Backend, *keys: str) -> None:
    old.call("DeleteTable", {"TableName": "PostsTable"})
    old.call(
        "CreateTable",
        {
            "TableName": "PostsTable",
            "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in keys],
            "KeySchema": [
                {"AttributeName": name, "KeyType": kind}
                for name, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


@clause("X4-12")
def test_a_stream_that_falls_behind_while_it_is_followed_is_told(
    old: Backend, db: Database, clock: SetClock
) -> None:
    fill(old, 2)
    turn_on(old)
    found = migration(old, db, clock)
    found.copy()
    put(old, "PostsTable", **post(0, title="고침"))
    with pytest.raises(Conflict, match="keeps 24 hours"):
        found.delta(lambda table, _: clock.advance(DAY), by="stream")
