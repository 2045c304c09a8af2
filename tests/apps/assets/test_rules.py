"""Months and codes, as the keys of the asset manager need them."""

from __future__ import annotations

import pytest

from hansang.apps.assets.rules import expect_code, month_after, month_before, month_of, months, surplus
from tests.clauses import clause


@clause("1-04")
def test_a_month_is_a_year_a_dot_and_two_digits() -> None:
    assert month_of(2025, 1) == "2025.01"


@clause("X1-18")
@pytest.mark.parametrize(
    "text", ["2025-01", "2025.13", "2025.00", "2025.1", "25.01", "", "2025.01 ", "２０２５.01"]
)
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no month"):
        month_before(text)


def test_a_thirteenth_month_is_refused() -> None:
    with pytest.raises(ValueError, match=r"2025\.13 is no month"):
        month_of(2025, 13)


@clause("1-04", "X1-26")
def test_the_months_of_two_years_are_twenty_four() -> None:
    found = list(months("2025.01", "2026.12"))
    assert (len(found), found[0], found[11], found[12], found[-1]) == (
        24,
        "2025.01",
        "2025.12",
        "2026.01",
        "2026.12",
    )
    assert list(months("2025.02", "2025.01")) == []


@clause("X1-07")
def test_the_month_before_january_is_december() -> None:
    assert (month_before("2025.01"), month_before("2025.12")) == ("2024.12", "2025.11")


@clause("X1-12")
@pytest.mark.parametrize("code", ["", "x" * 51, "배우자#1", " 월급", "월급 ", "월\n급", "월\x00급"])
def test_a_code_that_cannot_stand_in_a_key_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="code"):
        expect_code(code)


@clause("X1-12")
@pytest.mark.parametrize("code", ["월급", "기타 수입", "x" * 50, "401(k)"])
def test_any_other_code_is_taken(code: str) -> None:
    assert expect_code(code) == code


@clause("1-19")
def test_the_surplus_of_the_document_is_two_million() -> None:
    left = surplus(
        income=7_000_000, expense=2_300_000, savings=1_500_000, investment=1_000_000, short_savings=200_000
    )
    assert left == 2_000_000


def test_there_is_no_month_before_the_first_or_after_the_last() -> None:
    assert month_after("0000.02", -3) == "0000.01"
    assert month_after("9999.11", 3) == "9999.12"
