"""Texts of keys: they sort as their values do, are read back, and show which kinds could share a key."""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import IntEnum
from itertools import product
from typing import Any, Literal
from unicodedata import normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from hansang.design import Timestamp, TimestampMs
from hansang.design.codec import codec_for
from hansang.design.kinds import meet
from hansang.design.notations import Notation, notation_for
from hansang.design.templates import Template
from hansang.errors import InvalidKey
from tests.design.random_designs import searched
from tests.design.random_fields import Color, Level, Mood, Rank, UserId

_FIRST = datetime(1000, 1, 1, tzinfo=UTC)
"""No format writes a year before it."""

_days = st.dates(min_value=_FIRST.date())
_moments = st.datetimes(min_value=_FIRST.replace(tzinfo=None), timezones=st.just(UTC)).map(
    lambda each: each.replace(microsecond=0)
)
_fine_moments = st.datetimes(min_value=_FIRST.replace(tzinfo=None), timezones=st.just(UTC)).map(
    lambda each: each.replace(microsecond=each.microsecond // 1000 * 1000)
)
_texts = st.text(st.characters(exclude_characters="\U0010ffff", exclude_categories=["Cs"]), min_size=1).map(
    lambda text: normalize("NFC", text)
)

NOTATIONS: dict[str, tuple[Any, str, SearchStrategy[Any]]] = {
    "text": (str, "", _texts),
    "new type": (UserId, "", _texts),
    "text enum": (Color, "", st.sampled_from(Color)),
    "enum": (Mood, "", st.sampled_from(Mood)),
    "literal": (Literal["S", "M", "XL"], "", st.sampled_from(("S", "M", "XL"))),
    "number": (int, "", st.integers()),
    "padded number": (int, "04d", st.integers(0, 9999)),
    "padded new type": (Rank, "03d", st.integers(0, 999)),
    "number enum": (Level, "02d", st.sampled_from(Level)),
    "day": (date, "", st.dates()),
    "day without dashes": (date, "%Y%m%d", _days),
    "day first": (date, "%d.%m.%Y", _days),
    "month": (date, "%Y-%m", _days),
    "birthday": (date, "%m-%d", _days),
    "short year": (date, "%y%m%d", _days),
    "week": (date, "%Y-%W", _days),
    "day of the year": (date, "%Y-%j", _days),
    "moment": (Timestamp, "", _moments),
    "moment without dashes": (Timestamp, "%Y%m%d%H%M%S", _moments),
    "moment without a year": (Timestamp, "%m%d%H%M%S", _moments),
    "moment of half a day": (Timestamp, "%Y%m%d%I%M%S", _moments),
    "moment by its day": (Timestamp, "%Y-%m-%d", _moments),
    "millisecond": (TimestampMs, "", _fine_moments),
    "millisecond without dashes": (TimestampMs, "%Y%m%d%H%M%S%f", _fine_moments),
    "millisecond of a day": (TimestampMs, "%H%M%S%f", _fine_moments),
}


def notation(kind: Any, format_: str) -> Notation:
    return notation_for(kind, format_, codec_for(kind))


def plain(value: Any) -> Any:
    return getattr(value, "value", value)


@pytest.mark.parametrize("name", NOTATIONS)
def test_texts_that_are_said_to_sort_do(name: str) -> None:
    kind, format_, values = NOTATIONS[name]
    found = notation(kind, format_)

    @searched(60, 2000)
    @given(first=values, second=values)
    def check(first: Any, second: Any) -> None:
        texts = found.write(first), found.write(second)
        assert (plain(first) < plain(second)) == (texts[0] < texts[1])

    if found.sorts:
        check()


@pytest.mark.parametrize("name", NOTATIONS)
def test_a_text_that_can_be_read_is_read_as_its_value(name: str) -> None:
    kind, format_, values = NOTATIONS[name]
    found = notation(kind, format_)

    @searched(60, 2000)
    @given(value=values)
    def check(value: Any) -> None:
        assert found.read is not None
        text = found.write(value)
        assert found.read(text) == value
        assert found.width in (None, len(text))

    if found.read is not None:
        check()


# ── templates ─────────────────────────────────────────────────────────────────────────────────────

_literals = st.sampled_from(("#", ", ", "-", "_", "#X#", ":", "a", "0"))


@st.composite
def filled_templates(draw: DrawFn) -> tuple[Template, dict[str, Any]]:
    """A template and values for it, which it may refuse."""
    names = draw(st.lists(st.sampled_from(sorted(NOTATIONS)), min_size=1, max_size=4))
    text, kinds, values = draw(st.sampled_from(("", "A#", "한"))), {}, {}
    for number, name in enumerate(names):
        kind, format_, drawn = NOTATIONS[name]
        text += draw(_literals) if number else ""
        text += f"{{f{number}:{format_}}}" if format_ else f"{{f{number}}}"
        kinds[f"f{number}"], values[f"f{number}"] = kind, draw(drawn)
    text += draw(st.sampled_from(("", "", "#END", "-")))
    return bound(text, kinds), values


def bound(text: str, kinds: dict[str, Any]) -> Template:
    return Template.parse(text).bound(lambda place: notation(kinds[place.name], place.format))


@searched(200, 10_000)
@given(drawn=filled_templates())
def test_what_a_template_is_filled_with_is_read_back(drawn: tuple[Template, dict[str, Any]]) -> None:
    template, values = drawn
    try:
        key = template.fill(values)
    except InvalidKey:
        assume(False)
        raise
    notations = {name: place.notation for name, place in template.places.items()}
    written = {name: each.write(values[name]) for name, each in notations.items() if each is not None}
    assert template.matches(key)
    assert template.read(key) == written
    assert template.begin(values) == (key, ())


# ── kinds that could share a key ──────────────────────────────────────────────────────────────────


class Few(IntEnum):
    """Numbers of two lengths."""

    ONE = 1
    MANY = 11


ALPHABET = "a1#-"
TEXTS = ["".join(letters) for length in range(1, 7) for letters in product(ALPHABET, repeat=length)]


FIXED: tuple[tuple[str, Any], ...] = (("", str), ("", str), ("01d", int), ("", Literal["a", "1", "-"]))
VARIED: tuple[tuple[str, Any], ...] = (
    *FIXED,
    ("", int),
    ("", Few),
    ("02d", int),
    ("", Literal["a", "1a", "-"]),
)


@st.composite
def short_templates(draw: DrawFn, forms: tuple[tuple[str, Any], ...]) -> Template:
    """A template that shares a short text with another, if it shares one."""
    text, kinds = draw(st.sampled_from(("", "a", "1", "#"))), dict[str, Any]()
    for number in range(draw(st.integers(0, 2))):
        format_, kind = draw(st.sampled_from(forms))
        text += draw(st.sampled_from(("#", "-", "a"))) if number else ""
        text += f"{{f{number}:{format_}}}" if format_ else f"{{f{number}}}"
        kinds[f"f{number}"] = kind
    return bound((text or "a") + draw(st.sampled_from(("", "", "#", "1"))), kinds)


@searched(150, 5000)
@given(one=short_templates(VARIED), other=short_templates(VARIED))
def test_templates_that_share_a_text_meet(one: Template, other: Template) -> None:
    shared = next((text for text in TEXTS if one.matches(text) and other.matches(text)), None)
    assert shared is None or meet(one, other), shared


@searched(150, 5000)
@given(one=short_templates(FIXED), other=short_templates(FIXED))
def test_templates_that_meet_share_a_text(one: Template, other: Template) -> None:
    """Whole numbers without a width are taken for any digits, so that they meet more than they have to."""
    assert not meet(one, other) or any(one.matches(text) and other.matches(text) for text in TEXTS)
