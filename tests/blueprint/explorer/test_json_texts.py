"""JSON that keeps every digit."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.blueprint.explorer.json_texts import read, written

EXACT = "0.1234567890123456789012345678901234567"

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False, places=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    assert read(written(value)) == value


def test_a_fraction_keeps_all_its_digits() -> None:
    assert written({"a": [Decimal(EXACT)]}) == f'{{"a": [{EXACT}]}}'
    assert read(f"[{EXACT}]") == [Decimal(EXACT)]


def test_times_bytes_and_sets_are_written_as_texts_and_lists() -> None:
    value = [date(2026, 1, 2), datetime(2026, 1, 2, 3, tzinfo=UTC), b"\x01", {"b", "a"}]
    assert written(value) == '["2026-01-02", "2026-01-02T03:00:00Z", "AQ==", ["a", "b"]]'


@pytest.mark.parametrize("text", ["{", "NaN", "[Infinity]", ""])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|no number"):
        read(text)
