"""Sample values, made from annotations or taken from examples."""

from __future__ import annotations

import enum
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from hansang.blueprint.samples import Samples, sample
from hansang.blueprint.subject import Design
from hansang.design import Serialized, Timestamp
from hansang.design.codec import codec_for, plain
from hansang.errors import DesignError
from hansang.surfaces.cli.designs import load
from tests.blueprint.designs import EXAMPLES, Colour, Shop
from tests.checked.fair import Colour as Tint
from tests.checked.fair import Fair, Stall

Month = NewType("Month", str)


Hue = Annotated[Tint, Serialized(str, lambda tint: tint.code, Tint)]


class Inner(BaseModel):
    text: str = Field(examples=["shown"])
    many: dict[str, list[int]]


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, str),
        (int, int),
        (bool, bool),
        (Decimal, Decimal),
        (bytes, bytes),
        (date, date),
        (Timestamp, datetime),
        (Month, str),
        (str | None, str),
        (int | str, int),
        (Annotated[int, Field(ge=0)], int),
        (Literal["a", "b"], str),
        (Colour, enum.Enum),
        (list[str], list),
        (set[int], set),
        (dict[str, int], dict),
        (Inner, Inner),
        (UUID, UUID),
        (Hue, Tint),
        (list[Hue], list),
        (Any, str),
    ],
)
def test_a_sample_is_of_its_type_and_can_be_stored(annotation: Any, kind: type) -> None:
    value = sample(annotation, "name")
    assert isinstance(value, kind)
    assert codec_for(plain(annotation)).encode(value)


def test_a_design_of_ids_unions_and_codecs_of_its_own_is_sampled() -> None:
    design = Design([Fair])
    assert Stall.__shape__ is not None
    stall = design.samples.entity(Stall.__shape__)
    assert Stall(**stall.__dict__) == stall
    assert [each.refusal for each in design.asked] == [None] * len(design.asked)


def test_a_codec_that_reads_no_sample_asks_for_an_example() -> None:
    with pytest.raises(DesignError, match=r"hex has no sample value: 'hex-1' .*examples=\["):
        sample(Annotated[int, Serialized(str, hex, lambda text: int(text, 16))], "hex")


def test_examples_of_a_field_are_used() -> None:
    assert sample(Inner, "inner").text == "shown"


def test_the_examples_of_a_design_are_used() -> None:
    samples = Samples(EXAMPLES)
    customer, order = Shop.shapes
    assert samples.entity(customer) is EXAMPLES[0]
    assert samples.field(order, "number") == 7


def test_arguments_are_those_of_the_example() -> None:
    asked = {each.label: each.arguments for each in Design([Shop], EXAMPLES).asked}
    assert asked["Order.of"] == {"id": "u001"}
    assert asked["Mailed.to"] == {"mail": "kim@example.com"}
    assert isinstance(asked["Order.between"]["since"], date)


def test_a_parameter_that_is_called_like_the_end_of_a_field_gets_its_value() -> None:
    asked = {each.label: each.arguments for each in load(["assets", "codex"]).asked}
    assert asked["Income.of_month"] == {"month": "2025.01"}
    assert asked["Post.with_id"] == {"category_id": "c001", "post_id": "p001"}
