"""What values a field of a key can have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

import pytest
from pydantic import Field, StringConstraints

from hansang.blueprint.domains import has_few_values, is_bounded, is_free_text, is_number, is_time
from hansang.design import Attr, Entity, Key, Table
from hansang.design.shape import Shape
from tests.blueprint.designs import Colour


class Things(Table, name="Things"):
    pass


class ThingKey(Key["Thing"], pk="THING#{id}", sk="METADATA"):
    id: str


class Thing(ThingKey, Entity, table=Things):
    fixed: Annotated[str, Field(min_length=26, max_length=26)]
    constrained: Annotated[str, StringConstraints(min_length=2, max_length=2)]
    short: Annotated[str, Field(max_length=9)]
    number: int
    colour: Colour
    choice: Literal["a", "b"]
    flag: bool
    born: date
    month: str
    dt_utc: str
    stamped: Annotated[str, Attr("yearMonth")]
    weekly: str


[SHAPE] = Things.shapes
TRUE: dict[Callable[[Shape, str], bool], set[str]] = {
    is_free_text: {"id", "short", "month", "dt_utc", "stamped", "weekly"},
    is_bounded: {"fixed", "constrained", "short"},
    is_number: {"number"},
    has_few_values: {"colour", "choice", "flag"},
    is_time: {"born", "month", "dt_utc", "stamped"},
}


@pytest.mark.parametrize("asked", TRUE, ids=lambda asked: asked.__name__)
def test_a_domain_has_the_fields_that_it_should_have(asked: Callable[[Shape, str], bool]) -> None:
    assert {name for name in SHAPE.slots if asked(SHAPE, name)} == TRUE[asked]
