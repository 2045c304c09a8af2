"""Forms made from types."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType

import pytest
from pydantic import Field

from hansang.blueprint.explorer.forms import Fault, FieldKind, fill, form_field
from hansang.design import Timestamp

Code = NewType("Code", str)


class Colour(enum.Enum):
    """A choice."""

    red = "r"
    blue = "b"


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "text"), (Code, "text"), (str | None, "text"), (int, "whole"), (Annotated[int, Field(ge=0)], "whole"),
        (Decimal, "decimal"), (date, "day"), (Timestamp, "moment"), (bool, "choice"), (Literal["a", "b"], "choice"),
        (Colour, "choice"), (list[str], "json"), (dict[str, int] | None, "json"), (bytes, "binary"),
        (str | dict[str, Any] | list[Any], "either"),
    ],
)  # fmt: skip
def test_a_type_says_how_it_is_filled_in(annotation: Any, kind: FieldKind) -> None:
    assert form_field("x", annotation).kind == kind


def test_what_has_a_default_or_may_be_missing_is_not_needed() -> None:
    assert form_field("x", int).is_needed
    assert not form_field("x", int | None).is_needed
    assert not form_field("x", int, 3).is_needed
    assert form_field("x", int, 3).default == "3"
    assert form_field("x", Colour, Colour.red).default == "r"


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (str, " kept ", " kept "), (str, "a\r\nb", "a\nb"), (int, " 1,200 ", 1200), (Decimal, "1.50", Decimal("1.50")),
        (date, "2026-11-15", date(2026, 11, 15)), (bool, "false", False), (Literal[1, 2], "2", 2),
        (Colour, "b", Colour.blue), (bytes, "AQID", b"\x01\x02\x03"),
        (datetime, "2026-11-15T09:00:00Z", datetime(2026, 11, 15, 9, tzinfo=UTC)),
        (datetime, "2026-11-15T09:00:00+09:00", datetime(2026, 11, 15, tzinfo=UTC)),
        (datetime, "2026-11-15 09:00", datetime(2026, 11, 15, 9, tzinfo=UTC)),
        (list[int], "[1, 2]", [1, 2]), (dict[str, Any], '{"a": 1.5}', {"a": Decimal("1.5")}),
    ],
)  # fmt: skip
def test_a_text_means_a_value(annotation: Any, text: str, value: Any) -> None:
    assert fill([form_field("x", annotation)], {"x": text}).values == {"x": value}


@pytest.mark.parametrize(
    ("annotation", "text", "code"),
    [
        (int, "many", "whole"), (int, "1.5", "whole"), (Decimal, "NaN", "decimal"), (Decimal, "x", "decimal"),
        (date, "15.11.2026", "day"), (datetime, "noon", "moment"), (Literal["a"], "b", "choice"), (list[int], "[1", "json"),
        (bytes, "?", "binary"), (int, "", "needed"), (date, "", "needed"),
    ],
)  # fmt: skip
def test_a_text_that_means_nothing_is_a_fault(annotation: Any, text: str, code: str) -> None:
    filled = fill([form_field("x", annotation)], {"x": text})
    assert (filled.values, filled.faults) == ({}, {"x": Fault(code)})


def test_nothing_written_is_an_empty_text_only_where_a_text_is_needed_and_is_no_key() -> None:
    fields = [form_field("a", str), form_field("b", str | None), form_field("c", str, in_key=True)]
    filled = fill(fields, {})
    assert filled.values == {"a": ""}
    assert filled.faults == {"c": Fault("needed")}


def test_a_text_or_json_is_what_the_switch_beside_it_says() -> None:
    either = form_field("x", str | dict[str, Any])
    assert fill([either], {"x": '{"a": 1}', "x:as": "text"}).values == {"x": '{"a": 1}'}
    assert fill([either], {"x": '{"a": 1}', "x:as": "json"}).values == {"x": {"a": 1}}
    assert fill([either], {"x": "{", "x:as": "json"}).faults == {"x": Fault("json")}
