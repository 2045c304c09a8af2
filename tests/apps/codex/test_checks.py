"""What has to be true of content that somebody writes by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.codex.design import CategoryKey, FMWebApp
from hansang.apps.codex.editorial import CategoryGate
from hansang.design.codec import Value
from hansang.errors import NotAllowed
from hansang.parts.history import Actor
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import category, post
from tests.spoiling import spoil
from tests.surfaces.shells import SetClock, opened

ACTOR = Actor("person", "minjun", "강민준")


@pytest.fixture
def shell() -> Iterator[Shell]:
    with opened(SetClock()) as found:
        found.database.put(category())
        yield found


def delete(shell: Shell, changed: dict[str, Value | None]) -> None:
    item = spoil(shell.database, CategoryKey(id="c001"), **changed)
    found = shell.editing.find_item(FMWebApp, item)
    assert found is not None
    shell.editing.delete_item(FMWebApp, item, found[1], ACTOR)


def test_a_category_that_posts_come_into_is_deleted_where_they_are_looked_after(shell: Shell) -> None:
    shell.database.put(CategoryGate(category_id="c001", entered=1))
    with pytest.raises(NotAllowed, match="DELETE /api/codex/categories/c001"):
        delete(shell, {})


@pytest.mark.parametrize("changed", [{}, {"CreatedAt": {"S": "?"}}, {"title": None}, {"Type": None}])
def test_a_category_with_posts_stays_whether_or_not_it_can_be_read(
    shell: Shell, changed: dict[str, Value | None]
) -> None:
    shell.database.put(post())
    with pytest.raises(NotAllowed, match="c001 has posts"):
        delete(shell, changed)


def test_a_category_without_posts_that_cannot_be_read_is_deleted(shell: Shell) -> None:
    delete(shell, {"title": None})
    assert shell.database.find(CategoryKey(id="c001")) is None
