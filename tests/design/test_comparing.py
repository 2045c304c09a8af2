"""Fields against fields, and sizes: DynamoDB leaves what a filter in Python would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from pydantic import Field

from hansang.backends.embedded import Embedded
from hansang.design import Condition, Database, Entity, Key, Query, Table, attr, pattern
from hansang.design.comparing import SIGNS
from hansang.errors import Conflict, DesignError


class Boxes(Table, name="Boxes"):
    pass


class BoxKey(Key["Box"], pk="ALL", sk="{number:04d}"):
    number: int


class Box(BoxKey, Entity, table=Boxes):
    used: int
    most: int = 3
    least: int | None = None
    weight: Decimal | None = None
    label: str = "상자"
    note: str | None = None
    tags: set[str] = Field(default_factory=set)
    anything: str | int | None = None
    kept: int | None = 5

    @pattern
    def every(cls) -> Query[Box]:
        """All boxes."""
        return cls.query()


BOXES = [
    Box(number=number, used=used, most=most, least=least, weight=weight)
    for number, (used, most, least, weight) in enumerate(
        product((1, 3), (1, 3, 4), (None, 1, 3), (None, Decimal("2.5"), Decimal(3)))
    )
]
PAIRS = [
    ("used", "most"),
    ("most", "used"),
    ("most", "least"),
    ("least", "weight"),
    ("weight", "used"),
    ("note", "label"),
]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        found = Database(backend)
        found.create_tables(Boxes)
        found.batch_write(puts=BOXES)
        # Another program has left out what says no more than its absence.
        for box in BOXES:
            if box.most == 3 and box.number % 2:
                found.call(
                    "UpdateItem",
                    {
                        "TableName": "Boxes",
                        "Key": {"PK": {"S": "ALL"}, "SK": {"S": f"{box.number:04d}"}},
                        "UpdateExpression": "REMOVE most, label",
                    },
                    "test",
                )
        found.put(Box(number=100, used=1, label="쌀🍚", note="쌀🍚", tags={"a", "b"}, anything="x"))
        found.put(Box(number=101, used=1, label="", anything=7))
        yield found


def left(db: Database, condition: Condition | bool) -> list[int]:
    return [box.number for box in db.each(Box.every().where(condition))]


def kept(db: Database, holds: Callable[[Box], bool]) -> list[int]:
    return [box.number for box in db.each(Box.every()) if holds(box)]


def is_true(sign: str, one: Any, other: Any) -> bool:
    try:
        return SIGNS[sign](one, other)
    except TypeError:
        return False


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_a_field_is_compared_with_another_as_in_python(db: Database, pair: tuple[str, str]) -> None:
    one, other = pair
    for sign, compare in SIGNS.items():
        condition = compare(getattr(Box, one), getattr(Box, other))
        wanted = kept(db, lambda box, sign=sign: is_true(sign, getattr(box, one), getattr(box, other)))  # type: ignore[misc]
        assert left(db, condition) == wanted, sign


def test_a_condition_of_two_fields_guards_a_write(db: Database) -> None:
    box = next(box for box in BOXES if box.used == box.most == 3)
    with pytest.raises(Conflict, match=r"Box\.used < Box\.most"):
        db.update(box, attr(Box.used).add(1), when=Box.used < Box.most)


@pytest.mark.parametrize("sign", SIGNS)
def test_sizes_are_those_of_python_but_for_what_utf_16_counts_twice(db: Database, sign: str) -> None:
    for number in range(4):
        by_tags = SIGNS[sign](attr(Box.tags).size(), number)
        assert left(db, by_tags) == kept(db, lambda box, n=number: SIGNS[sign](len(box.tags), n))  # type: ignore[misc]
        by_label = SIGNS[sign](attr(Box.label).size(), number)
        units = kept(db, lambda box, n=number: SIGNS[sign](len(box.label.encode("utf-16-le")) // 2, n))  # type: ignore[misc]
        assert left(db, by_label) == units
    assert left(db, attr(Box.note).size() >= 0) == [100]


def test_a_field_of_several_types_is_asked_for_one(db: Database) -> None:
    assert left(db, attr(Box.anything).is_type("S")) == [100]
    assert left(db, attr(Box.anything).is_type("N")) == [101]


def test_what_may_be_none_beside_a_default_is_refused() -> None:
    with pytest.raises(DesignError, match="may be None"):
        _ = Box.kept == Box.used
    with pytest.raises(DesignError, match="is no text, no bytes and no collection"):
        attr(Box.used).size()
    with pytest.raises(DesignError, match="key"):
        Box.query(Box.used == Box.most)


def test_a_condition_says_what_it_is() -> None:
    assert str(Box.used < Box.most) == "Box.used < Box.most"
    assert str(attr(Box.tags).size() >= 2) == "size of Box.tags >= 2"
    assert str(attr(Box.anything).is_type("N")) == "Box.anything attribute_type 'N'"
