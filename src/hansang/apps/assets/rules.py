"""What the keys of the asset manager need, decided without reading anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from hansang.apps.assets.settings import AssetsSettings
from hansang.errors import InvalidInput

MONTH = re.compile(r"[0-9]{4}\.(0[1-9]|1[0-2])")
LONGEST_CODE = 50
_LAST_MONTH = 9999 * 12 + 11
LATE = 15
"""A month that begins after this day of one month is called after the next."""


def month_of(year: int, month: int) -> str:
    """A month as it stands in keys: `2025.01`."""
    text = f"{year:04d}.{month:02d}"
    if not MONTH.fullmatch(text):
        raise _no_month(text)
    return text


def expect_month(text: str) -> str:
    """A month as it stands in keys, or InvalidInput (X1-18)."""
    if not MONTH.fullmatch(text):
        raise InvalidInput(
            "{month!r} is not a valid month. Write it as 2025.01.",
            "month",
            code="assets.not-a-month",
            values={"month": text},
        )
    return text


def months(first: str, last: str) -> Iterator[str]:
    """The months from one to another, both included."""
    at, end = _counted(first), _counted(last)
    for number in range(at, end + 1):
        yield month_of(number // 12, number % 12 + 1)


def month_before(month: str) -> str:
    """The month before; the opening balances of a household stand there (X1-07)."""
    number = _counted(month) - 1
    return month_of(number // 12, number % 12 + 1)


def _no_month(text: str) -> InvalidInput:
    return InvalidInput(
        "{month} is no month. Write it as 2025.01.",
        "month",
        code="assets.no-month",
        values={"month": text[:20]},
    )


def _counted(month: str) -> int:
    if not MONTH.fullmatch(month):
        raise _no_month(month)
    return int(month[:4]) * 12 + int(month[5:]) - 1


def book_month(day: date, settings: AssetsSettings, *, is_card: bool = False) -> str:
    """The month that a payment of a day is counted in: by the payday, and a card's line by its use or its payment."""
    if is_card and settings.card_month == "payment":
        following = month_after(f"{day:%Y.%m}")
        day = date(int(following[:4]), int(following[5:]), settings.card_payment_day)
    begun = settings.month_starts_on
    if begun > LATE and day.day >= begun:
        return month_after(f"{day:%Y.%m}")
    return month_before(f"{day:%Y.%m}") if begun <= LATE and day.day < begun else f"{day:%Y.%m}"


def expect_code(code: str) -> str:
    """A code that can stand in a key, or InvalidInput (X1-12)."""
    if not code or len(code) > LONGEST_CODE:
        raise InvalidInput(
            "A code has 1 to {most} characters.", code="assets.code-length", values={"most": LONGEST_CODE}
        )
    if "#" in code or code != code.strip() or not code.isprintable():
        raise InvalidInput(
            "A code has no #, no control characters and no space at its ends; salary is one, for example.",
            code="assets.not-a-code",
        )
    return code


def surplus(*, income: int, expense: int, savings: int, investment: int, short_savings: int) -> int:
    """What is left of a month: `netAsset` in the design (1-19)."""
    return income - expense - savings - investment - short_savings


def month_after(month: str, count: int = 1) -> str:
    """The month that comes so many months later, or so many earlier; there is none before 0000.01 or after 9999.12."""
    number = min(max(_counted(month) + count, 0), _LAST_MONTH)
    return month_of(number // 12, number % 12 + 1)


def months_between(first: str, last: str) -> int:
    """How many months lie from one to another; both in the same month are none."""
    return _counted(last) - _counted(first)
