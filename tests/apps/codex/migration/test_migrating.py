"""Migrating three old tables into the one: nothing lost, nothing twice, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from hansang.apps.codex.design import Category, CorpInfoKey, FMWebApp, Post, PostLocatorKey
from hansang.apps.codex.entities import ANY_TAG, EditedBy
from hansang.apps.codex.migration.mapping import SAMPLE, read_mapping
from hansang.apps.codex.migration.migrating import Migration
from hansang.apps.codex.migration.state import MigratedTable
from hansang.apps.codex.service import Codex
from hansang.backends.base import Backend
from hansang.backends.busy_retry import PAUSES
from hansang.backends.embedded import Embedded
from hansang.blueprint.copying import tables_of
from hansang.design import Database
from hansang.errors import Conflict, NotAllowed, NotFound, SettingsError, StoreBusy
from hansang.parts.history import Actor
from hansang.parts.platform import Platform
from tests.apps.codex.migration.old_tables import delete, fill, post, put
from tests.clauses import clause
from tests.contention import Contended, Occupied
from tests.storing import opened, stored
from tests.surfaces.shells import SetClock

BY = EditedBy(Actor("operator", "test", "Test"))


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        yield found


@pytest.fixture
def old() -> Iterator[Backend]:
    with Embedded.open(":memory:") as backend:
        yield backend


class Killed(BaseException):
    """The process is gone."""


class Dying:
    """A backend that is gone after so many calls, and meanwhile lets somebody write."""

    def __init__(self, backend: Backend, calls: int, meanwhile: Any = lambda: None) -> None:
        self._backend, self._left, self._meanwhile = backend, calls, meanwhile

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0:
            raise Killed
        self._meanwhile()
        return self._backend.call(operation, request)


def migration(old: Backend, db: Database) -> Migration:
    return Migration(old, db, SetClock(), read_mapping(None), "here")


@clause("4-05", "4-07", "4-49", "X4-08", "X4-11", "X4-12")
def test_all_three_tables_come_over_with_their_types_and_times(old: Backend, db: Database) -> None:
    fill(old, 130)
    found = migration(old, db)
    found.copy()
    assert found.verify().counts == {"CorpInfo": (1, 1, 1), "Category": (3, 3, 3), "Post": (130, 130, 130)}
    assert found.verify().is_clean
    posts = db.all(Post.latest())
    assert (len(posts), posts[0].id) == (130, "p129")
    assert db.get(PostLocatorKey(post_id="p7")).category_id == "c1"
    company = db.get(CorpInfoKey())
    assert (company.name, company.email) == ("두루빛", "hello@durubit.example")
    typed = [item for item in stored(db, FMWebApp) if "Type" in item]
    assert all({"CreatedAt", "UpdatedAt", "id"} <= item.keys() for item in typed)


@clause("X4-09", "X4-10", "X4-15")
def test_a_plan_tells_what_has_no_mapping_and_writes_nothing(old: Backend, db: Database) -> None:
    fill(old, 4)
    put(old, "PostsTable", postId="p9", title="시각과 분류가 없음", likes=7)
    put(old, "PostsTable", **post(10, createdAt=1_704_067_200_123, updatedAt="2024-01-01T09:00:00+09:00"))
    put(old, "PostsTable", postId="bad#id", title="x")
    put(old, "CorpMetaTable", metaKey="Name", metaValue="다른 이름", createdAt="2023-01-01T00:00:00Z")
    plans = {each.source: each for each in migration(old, db).plan()}
    posts = plans["PostsTable"].findings
    assert (plans["PostsTable"].items, posts.unmapped) == (7, {"likes": 1})
    assert (posts.uncategorized, posts.estimated, posts.normalised) == (1, 2, 6)
    assert [each.partition(": ")[2] for each in posts.failures] == ["the id 'bad#id' cannot be in a key"]
    assert plans["CorpMetaTable"].findings.unmapped == {"phone": 1, "Name": 1}
    assert stored(db, FMWebApp) == []


@clause("X4-09", "X4-10")
def test_what_is_missing_gets_a_category_and_the_oldest_time_with_a_flag_and_never_now(
    old: Backend, db: Database
) -> None:
    fill(old, 2)
    put(old, "PostsTable", postId="p9", title="시각과 분류가 없음", likes=7)
    found = migration(old, db)
    found.copy()
    [item] = [each for each in stored(db, FMWebApp) if each.get("id") == {"S": "p9"}]
    assert (item["PK"], item["CreatedAt"]) == ({"S": "CATEGORY#uncategorized"}, {"S": "2023-01-01T00:00:00Z"})
    assert (item["createdAtIsEstimated"], item["likes"]) == ({"BOOL": True}, {"N": "7"})
    assert "uncategorized" in {each.id for each in db.all(Category.latest())}
    assert found.verify().is_clean


@clause("X4-08")
def test_rows_that_contradict_each_other_are_told(old: Backend, db: Database, tmp_path: Path) -> None:
    fill(old, 1)
    for row, (at, mail) in enumerate(
        [("2024-01-01T00:00:00Z", "new@x.example"), ("2023-01-01T00:00:00Z", "old@x.example")]
    ):
        put(old, "CorpMetaTable", metaKey=f"row{row}", email=mail, createdAt=at)
    path = tmp_path / "mapping.toml"
    path.write_text(
        SAMPLE.replace('key = "metaKey"\n', "").replace('value = "metaValue"\n', ""), encoding="utf-8"
    )
    found = Migration(old, db, SetClock(), read_mapping(path))
    [plan] = [each for each in found.plan() if each.type == "CorpInfo"]
    assert any(
        "old@x.example and new@x.example; the later one is kept" in each for each in plan.findings.conflicts
    )
    found.copy()
    assert db.get(CorpInfoKey()).email == "new@x.example"


@clause("X4-12")
def test_a_delta_brings_new_changed_moved_and_deleted_items(old: Backend, db: Database) -> None:
    fill(old, 6)
    found = migration(old, db)
    found.copy()
    put(old, "PostsTable", **post(0, title="고침"))
    put(old, "PostsTable", **post(1, categoryId="c0", updatedAt="2024-03-01T00:00:00.500Z"))
    put(old, "PostsTable", **post(6))
    delete(old, "PostsTable", "p2")
    assert not found.verify().is_clean
    report = found.delta()
    assert (report.written, report.deleted, report.kept) == (3, 1, 0)
    assert found.verify().is_clean
    assert {each.id: (each.category_id, each.title) for each in db.all(Post.latest())}["p1"] == ("c0", "글 1")
    assert found.delta().written == 0


@clause("X4-12")
def test_what_is_newer_in_the_new_table_stays(old: Backend, db: Database) -> None:
    fill(old, 3)
    found = migration(old, db)
    found.copy()
    codex = Codex(db, SetClock())
    seen, _ = codex.posts.get("p1")
    codex.desk.database.put(
        seen.model_copy(update={"title": "새 표에서 고침", "updated_at": codex.desk.pipeline.now})
    )
    put(old, "PostsTable", **post(1, title="옛 표에서 고침", updatedAt="2024-05-01T00:00:00Z"))
    assert (found.delta().kept, codex.posts.get("p1")[0].title) == (1, "새 표에서 고침")


@clause("X4-12")
def test_kills_and_writers_lose_nothing_and_copy_nothing_twice(old: Backend, db: Database) -> None:
    fill(old, 120)
    chance, backend = Random(17), db.backend

    def write() -> None:
        number = chance.randrange(140)
        if chance.random() < 0.2:
            delete(old, "PostsTable", f"p{number}")
        else:
            put(
                old,
                "PostsTable",
                **post(number, title=f"판 {chance.random()}", categoryId=f"c{chance.randrange(3)}"),
            )

    kills = 0
    for calls in (4, 7, 9, 12, 30, 1000):
        dying = Database(Dying(backend, calls, write), secret=b"of a test")
        try:
            Migration(old, dying, SetClock(), read_mapping(None), "here").copy()
        except Killed:
            kills += 1
    assert kills >= 3
    for calls in (6, 20, 2000):
        try:
            Migration(
                old, Database(Dying(backend, calls, write), secret=b"x"), SetClock(), read_mapping(None)
            ).delta()
        except Killed:
            kills += 1
    found = migration(old, db)
    found.delta()
    report = found.verify()
    assert report.named == []
    ids = [each.id for each in db.all(Post.latest())]
    assert len(ids) == len(set(ids)) == len(old.call("Scan", {"TableName": "PostsTable"})["Items"])


@clause("X4-12")
def test_a_post_that_moves_before_its_page_is_copied_again_is_in_one_category(
    old: Backend, db: Database
) -> None:
    fill(old, 2)
    found = migration(old, db)
    found.copy()
    put(old, "PostsTable", **post(1, categoryId="c0"))
    db.put(MigratedTable(source="PostsTable"))
    found.copy()
    assert sorted((each.id, each.category_id) for each in db.all(Post.latest())) == [
        ("p0", "c0"),
        ("p1", "c0"),
    ]
    seen, _ = Codex(db, SetClock()).posts.get("p1")
    db.put(seen.model_copy(update={"category_id": "c2"}))
    assert [each for each in found.verify().named if "(2, 2, 3)" in each], "twice in the index is told"


@clause("4-05", "X4-12")
def test_nothing_is_dropped_without_a_clean_verification_and_the_switch(old: Backend, db: Database) -> None:
    fill(old, 3)
    found = migration(old, db)
    with pytest.raises(Conflict, match="Copy it first"):
        found.delta()
    found.copy()
    with pytest.raises(NotAllowed, match="Verify first"):
        found.switch()
    found.verify()
    with pytest.raises(NotAllowed, match="Switch first"):
        found.drop()
    found.switch()
    with pytest.raises(NotAllowed, match="switched"):
        found.copy()
    found.switch(undo=True)
    found.verify()
    found.switch()
    assert sorted(found.drop()) == ["CategoriesTable", "CorpMetaTable", "PostsTable"]
    assert tables_of(old) == []
    with pytest.raises(NotAllowed, match="seven days"):
        found.switch(undo=True)


def test_a_copy_that_is_stopped_goes_on_where_it_was(old: Backend, db: Database) -> None:
    fill(old, 5)
    stop = Event()
    stop.set()
    found = migration(old, db)
    found.copy(stop=stop)
    assert not db.all(Post.latest())
    found.copy()
    assert len(db.all(Post.latest())) == 5


def test_without_the_old_tables_it_says_so(old: Backend, db: Database, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="PostsTable"):
        migration(old, db).plan()
    path = tmp_path / "mapping.toml"
    path.write_text('[PostsTable]\ntype = "Post"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="needs id"):
        read_mapping(path)


def test_a_migrated_post_is_edited_like_any_other(old: Backend, db: Database) -> None:
    fill(old, 3)
    migration(old, db).copy()
    codex = Codex(db, SetClock())
    codex.users.create({"id": "u1", "displayName": "가", "role": "editor"}, BY)
    seen, tag = codex.posts.get("p1")
    given = {"categoryId": "c2", "authorId": "u1", "title": "새 제목", "contents": ""}
    edit = codex.posts.replace("p1", given, tag, BY)
    assert (edit.subject.category_id, edit.subject.created_at) == ("c2", seen.created_at)
    codex.posts.delete("p1", ANY_TAG, BY)


# ── a busy data file ──────────────────────────────────────────────────────────────────────────────


def waiting_migration(old: Backend, backend: Backend, waits: list[float]) -> Migration:
    return Migration(old, Database(backend), SetClock(), read_mapping(None), "here", waits.append)


@clause("X4-12")
def test_a_migration_outlasts_a_file_that_is_busy_at_every_write(old: Backend, db: Database) -> None:
    fill(old, 60)
    found = waiting_migration(old, Contended(db.backend), [])
    found.copy()
    put(old, "PostsTable", **post(7, title="바뀐 제목"))
    delete(old, "PostsTable", "p8")
    report = found.delta()
    assert (report.written, report.deleted, found.verify().named) == (1, 1, [])


@clause("X4-12")
def test_a_step_that_cannot_write_for_minutes_says_so_and_goes_on(old: Backend, db: Database) -> None:
    fill(old, 60)
    file, waits = Occupied(db.backend), list[float]()
    found = waiting_migration(old, file, waits)

    def others_come(table: str, items: int) -> None:
        file.is_taken = True

    for step in ("copy", "delta", "verify"):
        waits.clear()
        with pytest.raises(StoreBusy, match=f"Run {step} again, and it goes on") as stopped:
            getattr(found, step)(others_come)
        assert (stopped.value.code, waits) == ("codex.step-stopped", list(PAUSES))
        file.is_taken = False
        getattr(found, step)()
    assert found.verify().counts == {"CorpInfo": (1, 1, 1), "Category": (3, 3, 3), "Post": (60, 60, 60)}
