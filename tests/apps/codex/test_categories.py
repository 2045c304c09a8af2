"""Deleting a category while posts come into it: none is left behind without its category (X4-21)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from hansang.apps.codex.design import CategoryKey, FMWebApp, Post, PostLocator
from hansang.apps.codex.editorial import CategoryGateKey
from hansang.apps.codex.entities import ANY_TAG, EditedBy
from hansang.apps.codex.service import Codex
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import Conflict, HansangError
from hansang.parts.history import Actor
from hansang.parts.platform import Platform
from tests.apps.codex.site import category, user
from tests.clauses import clause
from tests.surfaces.shells import SetClock

BY = EditedBy(Actor("person", "kim", "김대연"))
Interruption = Callable[[], object]


class Interrupted:
    """A backend that lets something else happen before one of the writes of a verb."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.writes = 0
        self.before: dict[int, Interruption] = {}

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            self.writes += 1
            self.before.pop(self.writes, lambda: None)()
        return self._backend.call(operation, request)


@pytest.fixture
def backend() -> Iterator[Embedded]:
    with Embedded.open(":memory:") as found:
        database = Database(found)
        database.create_tables(FMWebApp, Platform)
        for each in (user(), category(1), category(2)):
            database.put(each)
        yield found


def given(title: str = "소식") -> dict[str, Any]:
    return {"categoryId": "c001", "authorId": "u001", "title": title, "contents": "…"}


def left_behind(database: Database) -> list[str]:
    """The posts whose category is not there, and those whose locator leads elsewhere."""
    posts = database.all(Post.latest())
    orphans = [each.id for each in posts if database.find(CategoryKey(id=each.category_id)) is None]
    lost = [each.id for each in posts if database.find(PostLocator(post_id=each.id, category_id="?")) is None]
    return orphans + lost


@clause("X4-21")
@pytest.mark.parametrize("way", [{"move_to": "c002"}, {"cascade": True}, {}])
def test_a_post_that_comes_in_while_its_category_is_deleted_is_never_left_behind(
    backend: Embedded, way: dict[str, Any]
) -> None:
    """A post is published before each of the writes of the delete in turn: it goes with the others, or stops it."""
    database, clock = Database(backend), SetClock()
    others = Codex(database, clock)
    if way:
        others.posts.create(given(), BY)
    for place in (1, 2, 3):
        seam = Interrupted(backend)
        seam.before = {place: lambda: others.posts.create(given("늦은 글"), BY)}
        try:
            Codex(Database(seam), clock).categories.delete("c001", ANY_TAG, BY, **way)
        except Conflict:
            assert not way
        assert left_behind(database) == []
        if way and seam.writes >= place:
            assert database.find(CategoryKey(id="c001")) is None
            assert database.find(CategoryGateKey(category_id="c001")) is None
        if database.find(CategoryKey(id="c001")) is None:
            database.put(category(1))
            others.posts.create(given(), BY)


@clause("X4-21")
def test_a_post_is_not_published_into_a_category_that_was_deleted_meanwhile(backend: Embedded) -> None:
    clock, seam = SetClock(), Interrupted(backend)
    others = Codex(Database(backend), clock)
    seam.before = {1: lambda: others.categories.delete("c001", ANY_TAG, BY)}
    with pytest.raises(HansangError, match="c001"):
        Codex(Database(seam), clock).posts.create(given(), BY)
    assert Database(backend).all(Post.latest()) == []
