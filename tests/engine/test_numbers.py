"""Numbers have one normal form, keep 38 digits exactly, and sort as bytes."""

from __future__ import annotations

from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import numbers
from hansang.errors import WireError
from tests.clauses import clause

OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"
NOT_A_NUMBER = "The parameter cannot be converted to a numeric value"
EXACT = Context(prec=400)


def spelled(negative: bool, digits: int, last: int) -> str:
    """A number of at most 38 digits, written with an exponent that keeps it in range."""
    exponent = max(-130, min(last, 126 - len(str(digits))))
    return f"{'-' if negative else ''}{digits}E{exponent}"


texts = st.builds(spelled, st.booleans(), st.integers(0, 10**38 - 1), st.integers(-130, 125))


@clause("B4")
@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("00042", "42"),
        ("1.0", "1"),
        ("3.1400", "3.14"),
        ("1.5E2", "150"),
        ("1e+3", "1000"),
        ("123e-2", "1.23"),
        ("+3", "3"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("0e5", "0"),
        ("0.0e126", "0"),
        ("0.1e126", "1" + "0" * 125),
        ("1e-20", "0." + "0" * 19 + "1"),
        ("-1E-130", "-0." + "0" * 129 + "1"),
    ],
)
def test_a_number_has_one_normal_form(text: str, normal: str) -> None:
    assert numbers.normal(text) == normal


@clause("B4")
@pytest.mark.parametrize("text", ["9" * 38, "-0." + "0" * 10 + "7" * 38, "9." + "9" * 37 + "E125", "1E-130"])
def test_a_number_at_the_limits_is_kept_exactly(text: str) -> None:
    assert Decimal(numbers.normal(text)) == Decimal(text)


@clause("B4")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1" * 39, TOO_PRECISE),
        ("-1.23456789012345678901234567890123456789", TOO_PRECISE),
        ("1e126", OVERFLOW),
        ("-11e125", OVERFLOW),
        ("1e99999999999999999999", OVERFLOW),
        ("1e-131", UNDERFLOW),
        ("-0.9e-130", UNDERFLOW),
        ("", NOT_A_NUMBER),
        *((text, f"{NOT_A_NUMBER}: {text}") for text in ("b", "NaN", "Infinity", " 1", "1 ", "1_0", "e5")),
        *((text, f"{NOT_A_NUMBER}: {text}") for text in ("-", ".", "1e", "0x1", "1,5", "--1", "\u0661")),
    ],
)
def test_a_number_out_of_form_or_range_is_refused(text: str, message: str) -> None:
    with pytest.raises(WireError) as caught:
        numbers.normal(text)
    assert (caught.value.code, caught.value.message) == ("ValidationException", message)


@pytest.mark.parametrize("text", ["0e126", "0e-131"])
def test_a_zero_with_an_exponent_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(WireError) as caught:
        numbers.normal(text)
    assert caught.value.code == "ValidationException"


def test_outer_zeros_are_no_significant_digits() -> None:
    assert numbers.normal("000" + "1" * 38 + "000") == "1" * 38 + "000"


@given(texts)
def test_the_normal_form_keeps_the_value_and_is_its_own(text: str) -> None:
    normal = numbers.normal(text)
    assert Decimal(normal) == Decimal(text)
    assert numbers.normal(normal) == normal


@given(texts, texts)
def test_sortable_bytes_sort_as_the_numbers_do(left: str, right: str) -> None:
    first, second = numbers.normal(left), numbers.normal(right)
    assert (numbers.sortable(first) < numbers.sortable(second)) == (Decimal(first) < Decimal(second))
    assert (numbers.sortable(first) == numbers.sortable(second)) == (Decimal(first) == Decimal(second))


@given(texts, texts, st.binary(max_size=3), st.binary(max_size=3))
def test_what_follows_a_number_does_not_change_its_place(left: str, right: str, a: bytes, b: bytes) -> None:
    first, second = numbers.normal(left), numbers.normal(right)
    if Decimal(first) < Decimal(second):
        assert numbers.sortable(first) + a < numbers.sortable(second) + b


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 1),
        ("1", 2),
        ("-1", 3),
        ("100", 2),
        ("123", 3),
        ("-12.5", 4),
        ("9" * 38, 20),
        ("3.14159", 5),
        ("100.5", 4),
        ("0.001", 2),
        ("1" + "0" * 125, 2),
    ],
)
def test_a_number_weighs_a_byte_for_two_digits(text: str, size: int) -> None:
    assert numbers.size(text) == size


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("0.1", "0.2", "0.3"),
        ("1", "10000000000000000000000", "10000000000000000000001"),
        ("9" * 37 + "8", "1", "9" * 38),
        ("9E125", "9E124", "99" + "0" * 124),
        ("5", "-5", "0"),
    ],
)
def test_addition_is_exact(left: str, right: str, total: str) -> None:
    assert numbers.add(numbers.normal(left), numbers.normal(right)) == total


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ("9E125", "9E125", OVERFLOW),
        ("1E50", "1", OVERFLOW),
        ("1E125", "1E-130", OVERFLOW),
    ],
)
def test_a_sum_that_cannot_be_kept_is_an_overflow(left: str, right: str, message: str) -> None:
    with pytest.raises(WireError) as caught:
        numbers.add(numbers.normal(left), numbers.normal(right))
    assert caught.value.message == message


@given(st.integers(-(10**37), 10**37), st.integers(-(10**37), 10**37))
def test_sums_and_differences_of_whole_numbers_are_those_of_arithmetic(left: int, right: int) -> None:
    assert numbers.add(str(left), str(right)) == str(left + right)
    assert numbers.subtract(str(left), str(right)) == str(left - right)


@given(texts)
def test_a_number_less_itself_is_zero(text: str) -> None:
    normal = numbers.normal(text)
    assert numbers.subtract(normal, normal) == "0"
    assert EXACT.create_decimal(numbers.add(normal, "0")) == EXACT.create_decimal(normal)
