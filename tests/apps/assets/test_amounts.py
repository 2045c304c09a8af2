"""Amounts as people type them, and as they read them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.apps.assets.amounts import read_amount, short_amount
from hansang.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("35000", 35_000),
        ("35,000원", 35_000),
        ("₩35,000", 35_000),
        ("３５０００", 35_000),
        ("3.5만", 35_000),
        ("3만 5천", 35_000),
        ("3만5,000원", 35_000),
        ("1억 2천", 120_000_000),
        ("1억 2천만", 120_000_000),
        ("1억 2천원", 100_002_000),
        ("1억 2,500만", 125_000_000),
        ("1.25억", 125_000_000),
        ("5천3백", 5_300),
        ("만원", 10_000),
        ("백만", 1_000_000),
        ("12000+8500", 20_500),
        ("1만 + 5천 - 300", 14_700),
        ("-2,000", -2_000),
        ("+500", 500),
        ("0", 0),
    ],
)
def test_an_amount_is_read(text: str, amount: int) -> None:
    assert read_amount(text) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "원",
        "1.5",
        "3,50",
        "1만2억",
        "천백천",
        "1 2만",
        "12+",
        "+-5",
        "1++2",
        "3.5.1만",
        "오만",
        "1e5",
        "9" * 16,
        "1" * 101,
    ],
)
def test_what_cannot_be_read_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput, match="12000"):
        read_amount(text)


@given(st.integers(0, 10**12))
def test_every_amount_is_read_back_from_digits_commas_and_won(amount: int) -> None:
    assert [
        read_amount(text)
        for text in (f"{amount}", f"{amount:,}원", f"{amount // 10_000}만 {amount % 10_000}")
    ] == [amount] * 3


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        assert isinstance(read_amount(text), int)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (35_000, "3.5만"),
        (7_365_000, "736.5만"),
        (200_270_000, "2억 27만"),
        (10_000_000, "1,000만"),
        (99_999_999, "1억"),
        (-1_234_000, "−123.4만"),
    ],
)
def test_an_amount_is_shown_as_people_read_it(amount: int, text: str) -> None:
    assert short_amount(amount) == text
