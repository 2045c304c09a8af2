"""Forms made from types."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from hansang.blueprint.explorer.filling import fill, moment_text
from hansang.blueprint.explorer.forms import Fault, FieldKind, form_field
from hansang.blueprint.explorer.row_edits import edited_rows
from hansang.design import Input, Timestamp
from hansang.design.inputs import Title

Code = NewType("Code", str)


class Colour(enum.Enum):
    """A choice."""

    red = "r"
    blue = "b"


class Step(BaseModel):
    """A part of a value."""

    on: date
    count: Annotated[int, Field(ge=0)] = 1


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "text"), (Code, "text"), (str | None, "text"), (int, "whole"), (Annotated[int, Field(ge=0)], "whole"),
        (Decimal, "decimal"), (date, "day"), (Timestamp, "moment"), (bool, "choice"), (Literal["a", "b"], "choice"),
        (Colour, "choice"), (list[str], "lines"), (frozenset[str], "lines"), (dict[str, int] | None, "map"),
        (list[Step], "rows"), (list[int], "json"), (dict[str, list[str]], "json"), (bytes, "binary"),
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
        (list[int], "[1, 2]", [1, 2]), (list[str], " a \nb\n\n", ["a", "b"]), (list[str], '["a", "b"]', ["a", "b"]),
        (dict[str, Any], '{"a": 1.5}', {"a": Decimal("1.5")}),
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


def test_a_text_that_is_never_empty_is_needed_also_where_only_spaces_are_written() -> None:
    title = form_field("x", Title)
    assert (title.may_be_empty, title.is_optional) == (False, False)
    assert fill([title], {"x": " "}).faults == {"x": Fault("needed")}
    assert form_field("x", str).is_optional


def test_a_mark_of_the_design_says_the_widget_and_the_example() -> None:
    found = form_field("x", Annotated[str, Input("month", "2025.01")] | None)
    assert (found.widget, found.example, found.is_needed) == ("month", "2025.01", False)


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────

STEPS = form_field("steps", list[Step] | None)


def test_rows_are_read_in_the_order_of_the_form_without_empty_ones() -> None:
    texts = {"steps.4.on": "2026-11-15", "steps.4.count": "1,200", "steps.1.on": " ", "steps.1.count": ""}
    filled = fill([STEPS], texts | {"steps.0.on": "2026-11-16"})
    assert filled.values == {"steps": [{"on": date(2026, 11, 15), "count": 1200}, {"on": date(2026, 11, 16)}]}
    assert filled.rows == {"steps": ["4", "0"]}
    assert fill([STEPS], {}).values == {}
    assert fill([form_field("steps", list[Step])], {}).values == {"steps": []}


def test_what_is_wrong_in_a_row_is_said_at_its_field() -> None:
    filled = fill([STEPS], {"steps.4.on": "tomorrow", "steps.4.count": "", "steps.5.count": "2"})
    assert filled.faults == {"steps.4.on": Fault("day"), "steps.5.on": Fault("needed")}


def test_a_map_is_filled_in_as_rows_and_has_each_name_once() -> None:
    balances = form_field("x", dict[str, int])
    assert fill([balances], {"x.0.key": "a", "x.0.value": "1"}).values == {"x": {"a": 1}}
    twice = {"x.0.key": "a", "x.0.value": "1", "x.1.key": "a", "x.1.value": "2"}
    assert fill([balances], twice).faults == {"x.1.key": Fault("twice")}


def test_rows_are_added_removed_and_moved_without_a_script() -> None:
    texts = {"n": "1", "x.0.a": "first", "x.1.a": "second"}
    assert edited_rows(texts, "add:x") == texts | {"x.2.": ""}
    assert edited_rows(texts, "remove:x:0") == {"n": "1", "x.1.a": "second"}
    assert list(edited_rows(texts, "up:x:1")) == ["n", "x.1.a", "x.0.a"]
    assert list(edited_rows(texts, "down:x:0")) == ["n", "x.1.a", "x.0.a"]
    assert edited_rows(texts, "up:x:9") == edited_rows(texts, "up:x:0") == texts


# ── moments ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("zone", "moment", "text"),
    [
        ("Asia/Seoul", datetime(2026, 11, 15, 9, tzinfo=UTC), "2026-11-15 18:00"),
        ("Asia/Seoul", datetime(2026, 11, 15, 9, 0, 5, tzinfo=UTC), "2026-11-15 18:00:05"),
        ("America/New_York", datetime(2026, 11, 1, 6, 30, tzinfo=UTC), "2026-11-01 01:30-05:00"),
    ],
)
def test_a_moment_is_written_where_people_are_and_comes_back_as_it_was(
    zone: str, moment: datetime, text: str
) -> None:
    """An hour that the clock shows twice says which of the two it is."""
    there = ZoneInfo(zone)
    assert moment_text(moment, there) == text
    assert fill([form_field("x", Timestamp)], {"x": text}, there).values == {"x": moment}
