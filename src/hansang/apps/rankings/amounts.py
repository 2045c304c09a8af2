"""Levels and powers as people write them: 37억 2,061만, 3.72B; and back."""

from __future__ import annotations

import re
from decimal import Decimal

from hansang.parts.words import Language

_KOREAN = ("", "만", "억", "조", "경", "해", "자", "양", "구", "간")
"""Each is ten thousand of the one before."""
_ENGLISH = ((10**15, "Q"), (10**12, "T"), (10**9, "B"), (10**6, "M"))
_ROOM = 1000
"""From so many of a unit on, the next one is left out."""
_LARGEST = 10**37
_PART = re.compile(r"([0-9][0-9,]{0,60}(?:\.[0-9]{1,12})?) ?([만억조경해]|[kmbt])?", re.IGNORECASE)
_UNITS = {
    **{name: 10_000**place for place, name in enumerate(_KOREAN[1:6], 1)},
    "k": 10**3,
    "m": 10**6,
    "b": 10**9,
    "t": 10**12,
}


def score_text(score: int, language: Language) -> str:
    """A score in its two largest units; small ones and those of English below a million in full."""
    sign, size = ("−" if score < 0 else ""), abs(score)
    return sign + (_korean(size) if language == "ko" else _english(size))


def change_text(change: int, language: Language) -> str:
    """A change of a score, with its sign; – for none."""
    if not change:
        return "–"
    return f"{'+' if change > 0 else ''}{score_text(change, language)}"


def _korean(size: int) -> str:
    place = 0
    while place + 1 < len(_KOREAN) and size >= 10_000 ** (place + 1):
        place += 1
    whole, rest = divmod(size, 10_000**place)
    text = f"{whole:,}{_KOREAN[place]}"
    if not place or whole >= _ROOM:
        return text
    following = rest // 10_000 ** (place - 1)
    return f"{text} {following:,}{_KOREAN[place - 1]}" if following else text


def _english(size: int) -> str:
    if size >= 10**18:
        power = len(str(size)) - 1
        return f"{Decimal(size).scaleb(-power):.2f}e{power}"
    for unit, name in _ENGLISH:
        if size >= unit:
            return f"{_three_digits(size, unit)}{name}"
    return f"{size:,}"


def _three_digits(size: int, unit: int) -> str:
    digits = 2 - min(2, len(str(size // unit)) - 1)
    cut = size * 10**digits // unit
    return f"{cut / 10**digits:,.{digits}f}"


def amount_of(text: str) -> int | None:
    """The number that somebody means by 3억, 1억 2,000만, 2.5B or 120,345; None for what is none."""
    rest, total = text.strip().lower(), Decimal(0)
    if not rest or len(rest) > 100:
        return None
    while rest:
        found = _PART.match(rest)
        if found is None:
            return None
        total += Decimal(found[1].replace(",", "")) * _UNITS.get(found[2] or "", 1)
        rest = rest[found.end() :].lstrip()
    return int(total) if total <= _LARGEST else None
