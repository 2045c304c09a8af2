"""Items that cannot be read: what is wrong with them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.codex.design import Category, Credentials
from hansang.blueprint.explorer.flaws import Flaw, flaws
from hansang.design.shape import Item

MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)


def found(kind: Any, **changed: Any) -> list[Flaw]:
    item: Item = kind.__shape__.encode(category())
    return flaws(kind.__shape__, {name: each for name, each in {**item, **changed}.items() if each})


def category() -> Category:
    return Category(id="c1", title="소식", desc="", created_at=MOMENT, updated_at=MOMENT)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"title": None}, [Flaw("missing", "title", "Category", expects="text")]),
        ({"Type": None}, [Flaw("type", "Type", "Category", "Category")]),
        ({"SK": {"S": "META"}}, [Flaw("key", "PK / SK", "Category", "CATEGORY#{id} / METADATA")]),
        (
            {"CreatedAt": {"S": "2026"}, "desc": {"N": "7"}},
            [
                Flaw("value", "desc", "Category", '{"N": "7"}', "text"),
                Flaw("value", "CreatedAt", "Category", '{"S": "2026"}', "moment"),
            ],
        ),
    ],
)
def test_everything_that_is_wrong_is_found(changed: dict[str, Any], expected: list[Flaw]) -> None:
    assert found(Category, **changed) == expected


def test_a_secret_that_cannot_be_read_is_not_told() -> None:
    shape: Any = Credentials.__shape__
    item = {**shape.key({"user_id": "u1"}), "passwordHash": {"N": "7"}}
    assert flaws(shape, item) == [Flaw("value", "passwordHash", "Credentials", "••••••••", "text")]
