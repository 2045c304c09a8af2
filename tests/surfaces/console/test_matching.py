"""What is meant by what somebody types."""

from __future__ import annotations

import pytest

from hansang.surfaces.console.matching import initials, rank


@pytest.mark.parametrize(
    ("typed", "name", "found"),
    [
        ("", "Data", 0),
        ("da", "Data", 0),
        ("month", "Income.of_month", 1),
        ("come", "Income.of_month", 2),
        ("MONTH inc", "Income.of_month", 1),
        ("week", "Income.of_month", None),
        ("ㄴㅅ", "뉴스", 0),
        ("ㅂㅈㅎ", "박준호", 0),
        ("준호", "박준호", 2),
        ("ㄴㅅ", "가계부", None),
        ("ㅎ떡", "호떡6501", 0),
        ("ㅎㄸ6501", "호떡6501", 0),
        ("ㅎ떡", "빨간 호떡", 1),
        ("ㅎ떡", "호두", None),
        ("ㄳ", "감사", 0),
        ("ㄳ", "ㄳㄳ", 0),
    ],
)
def test_a_name_fits_by_its_beginning_its_words_or_its_letters(
    typed: str, name: str, found: int | None
) -> None:
    assert rank(typed, name) == found


def test_what_is_said_beside_a_name_is_searched_as_well() -> None:
    assert rank("junho owner", "박준호", "@junho · Owner") == 2


def test_korean_syllables_have_their_first_letter() -> None:
    assert initials("꽃 Data 1호") == "ㄲ Data 1ㅎ"
