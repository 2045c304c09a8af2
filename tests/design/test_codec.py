"""Python values and attribute values, there and back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from hansang.design import Attr, Expiry, Timestamp, TimestampMs
from hansang.design.codec import codec_for, to_python, to_value
from hansang.errors import DesignError


class Role(Enum):
    ADMIN = "admin"


class Entry(BaseModel):
    amount: int
    memo: str | None = None


CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    (str, "밥", {"S": "밥"}),
    (int, 3_500_000, {"N": "3500000"}),
    (Decimal, Decimal("1.50"), {"N": "1.5"}),
    (bool, False, {"BOOL": False}),
    (bytes, b"\x00\xff", {"B": "AP8="}),
    (date, date(2026, 2, 21), {"S": "2026-02-21"}),
    (Timestamp, datetime(2025, 1, 1, tzinfo=UTC), {"S": "2025-01-01T00:00:00Z"}),
    (Expiry, datetime(1970, 1, 2, tzinfo=UTC), {"N": "86400"}),
    (Role, Role.ADMIN, {"S": "admin"}),
    (Literal["new", "done"], "new", {"S": "new"}),
    (list[str], [], {"L": []}),
    (list[int], [1, 2], {"L": [{"N": "1"}, {"N": "2"}]}),
    (dict[str, int], {"운동": 500_000}, {"M": {"운동": {"N": "500000"}}}),
    (set[str], {"b", "a"}, {"SS": ["a", "b"]}),
    (Entry, Entry(amount=1), {"M": {"amount": {"N": "1"}}}),
    (Annotated[str, "note"], "x", {"S": "x"}),
]


@pytest.mark.parametrize(("annotation", "value", "stored"), CASES, ids=range(len(CASES)))
def test_a_value_goes_there_and_back(annotation: Any, value: Any, stored: dict[str, Any]) -> None:
    codec = codec_for(annotation)
    assert codec.encode(value) == stored
    assert codec.decode(stored) == value


def test_a_float_is_refused_when_the_design_is_loaded() -> None:
    with pytest.raises(DesignError, match="not exact"):
        codec_for(float)


def test_a_float_inside_free_data_is_refused() -> None:
    with pytest.raises(TypeError, match="not exact"):
        to_value({"a": [1.5]})


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        codec_for(Timestamp).encode(datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize("kind", [Timestamp, Expiry])
def test_a_moment_that_is_finer_than_its_field_is_refused(kind: Any) -> None:
    moment = datetime(2026, 1, 1, 0, 0, 0, 999_000, tzinfo=UTC)
    with pytest.raises(ValueError, match="finer than a second"):
        codec_for(kind).encode(moment)
    assert codec_for(TimestampMs).encode(moment) == {"S": "2026-01-01T00:00:00.999Z"}
    with pytest.raises(ValueError, match="finer than a millisecond"):
        codec_for(TimestampMs).encode(moment.replace(microsecond=1))


_free = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**37), 10**37) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_free)
def test_free_data_goes_there_and_back(value: Any) -> None:
    assert to_python(to_value(value)) == value


class Member(BaseModel, extra="allow"):
    full_name: Annotated[str, Attr("fullName")]


def test_members_of_a_model_have_names_of_their_own() -> None:
    stored = {"M": {"fullName": {"S": "민지"}}}
    codec = codec_for(Member)
    assert codec.encode(Member(full_name="민지")) == stored
    assert codec.decode(stored) == Member(full_name="민지")


def test_a_model_that_takes_extra_members_keeps_them() -> None:
    stored = {"M": {"fullName": {"S": "민지"}, "age": {"N": "7"}}}
    codec = codec_for(Member)
    assert codec.encode(codec.decode(stored)) == stored
