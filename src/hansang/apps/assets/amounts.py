"""Amounts as people type them: `35000`, `3.5만`, `1억 2천`, `35,000원`, `12000+8500`; always whole won."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction

from hansang.errors import InvalidInput

LONGEST = 100
"""In characters."""
_SMALL = {"십": 10, "백": 100, "천": 1000}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_TOKEN = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?|[십백천만억조원₩+-]")
_APART = re.compile(r"[0-9] +[0-9]")
"""Two numbers without a unit between them."""
_NUMBER = re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,8}|[0-9]{1,15})(?:\.[0-9]{1,8})?")


def read_amount(text: str) -> int:
    """The won that a text means; a sum of several, where there is a + or a -. InvalidInput if it cannot be read.

    What follows 억 without a unit of its own is meant in 만, as people say it: 1억 2천 is 120,000,000.
    """
    plain = unicodedata.normalize("NFKC", text).strip().replace("\u2212", "-")
    if not plain or len(text) > LONGEST or _APART.search(plain):
        raise _unreadable(text)
    parts = list(_tokens(plain.replace(" ", ""), text))
    if parts[0] not in "+-":
        parts = ["+", *parts]
    total, term = Fraction(0), list[str]()
    for part in reversed(parts):
        if part not in "+-":
            term.insert(0, part)
        elif not term:
            raise _unreadable(text)
        else:
            total, term = total + (-1 if part == "-" else 1) * _term(term, text), []
    if total.denominator != 1:
        raise _unreadable(text)
    return int(total)


def _tokens(plain: str, text: str) -> Iterator[str]:
    place = 0
    while place < len(plain):
        found = _TOKEN.match(plain, place)
        if found is None:
            raise _unreadable(text)
        yield found[0]
        place = found.end()


def _term(tokens: list[str], text: str) -> Fraction:
    """One amount without a sign: numbers and units, the greater before the smaller."""
    if tokens[0] == "₩":
        tokens = tokens[1:]
    is_won = bool(tokens) and tokens[-1] == "원"
    total, section, number, largest, unit = Fraction(0), Fraction(0), None, 10**16, 10**4
    for token in tokens[:-1] if is_won else tokens:
        if token in _SMALL:
            if _SMALL[token] >= unit:
                raise _unreadable(text)
            unit = _SMALL[token]
            section, number = section + (1 if number is None else number) * unit, None
        elif token in _LARGE:
            if _LARGE[token] >= largest:
                raise _unreadable(text)
            largest, unit = _LARGE[token], 10**4
            counted = Fraction(1) if number is None and not section else section + (number or 0)
            total, section, number = total + counted * largest, Fraction(0), None
        elif number is None and token[0].isdigit() and _NUMBER.fullmatch(token):
            number = Fraction(token.replace(",", ""))
        else:
            raise _unreadable(text)
    if not tokens or (is_won and len(tokens) == 1):
        raise _unreadable(text)
    if largest == _LARGE["억"] and section and number is None and not is_won:
        return total + section * _LARGE["만"]
    return total + section + (number or 0)


def _unreadable(text: str) -> InvalidInput:
    return InvalidInput(
        "{text} cannot be read as an amount. Write whole won, such as 35,000 or 12000+8500.",
        "amount",
        code="assets.not-an-amount",
        values={"text": text[:LONGEST]},
    )


def short_amount(amount: int) -> str:
    """An amount as people read it: 736.5만, 2억 27만; below 만 in won."""
    size, sign = abs(amount), "−" if amount < 0 else ""
    if size < 10**4:
        return f"{sign}{size:,}"
    if size < 10**7:
        tenths = (size + 500) // 1000
        text = f"{tenths // 10:,}" + (f".{tenths % 10}" if tenths % 10 else "")
        return f"{sign}{text}만"
    man = (size + 5000) // 10**4
    if man < 10**4:
        return f"{sign}{man:,}만"
    return f"{sign}{man // 10**4:,}억" + (f" {man % 10**4:,}만" if man % 10**4 else "")
