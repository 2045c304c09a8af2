"""Scores as people write them, and what they mean by what they type."""

from __future__ import annotations

import pytest

from hansang.apps.rankings.amounts import amount_of, change_text, score_text


@pytest.mark.parametrize(
    ("score", "korean", "english"),
    [
        (0, "0", "0"),
        (9_999, "9,999", "9,999"),
        (203_456, "20만 3,456", "203,456"),
        (89_412_345, "8,941만", "89.4M"),
        (3_720_610_000, "37억 2,061만", "3.72B"),
        (100_000_000, "1억", "100M"),
        (-1_204, "−1,204", "−1,204"),
        (10**37, "10간", "1.00e37"),
        (999_999_999_999, "9,999억", "999B"),
    ],
)
def test_a_score_is_written_in_its_largest_units(score: int, korean: str, english: str) -> None:
    assert (score_text(score, "ko"), score_text(score, "en")) == (korean, english)


def test_a_change_has_its_sign() -> None:
    assert [change_text(each, "ko") for each in (22_400_000, -5, 0)] == ["+2,240만", "−5", "–"]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("3억", 300_000_000),
        ("1억 2,000만", 120_000_000),
        ("1.5억", 150_000_000),
        ("2.5B", 2_500_000_000),
        ("120,345", 120_345),
        (" 7 ", 7),
        ("", None),
        ("many", None),
        ("3억이요", None),
        ("-5", None),
        ("9" * 40, None),
    ],
)
def test_what_is_typed_is_understood_or_refused(text: str, amount: int | None) -> None:
    assert amount_of(text) == amount
