"""Key templates: filled, read back, and guarded."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.design.codec import codec_for
from hansang.design.notations import notation_for
from hansang.design.templates import Template
from hansang.errors import DesignError, InvalidKey


def template_of(text: str, **types: Any) -> Template:
    """A template whose fields have these types, text where none is given."""
    return Template.parse(text).bound(
        lambda place: notation_for(
            types.get(place.name, str), place.format, codec_for(types.get(place.name, str))
        )
    )


def test_a_template_is_filled_with_fields() -> None:
    template = template_of("INCOME#{month}")
    assert template.fill({"month": "2025.01"}) == "INCOME#2025.01"


def test_a_constant_key_needs_no_fields() -> None:
    template = Template.parse("CORP#INFO")
    assert (template.fields, template.fill({})) == ((), "CORP#INFO")


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("SNAP#{day}", {"day": date(2026, 2, 21)}, "SNAP#2026-02-21"),
        ("ORDER#{number:08d}", {"number": 42}, "ORDER#00000042"),
        ("{name}#{kind}", {"name": "배우자1", "kind": "월급"}, "배우자1#월급"),
        ("AT#{at:%Y%m}", {"at": datetime(2026, 2, 21, tzinfo=UTC)}, "AT#202602"),
    ],
)
def test_fields_have_formats(text: str, values: dict[str, object], key: str) -> None:
    types = {name: type(value) for name, value in values.items()}
    assert template_of(text, **types).fill(values) == key


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a#b", "separates"),
        ("", "empty"),
        (1.5, "is not text"),
        (True, "is not text"),
        (None, "is not text"),
        ("\ud800", "surrogates not allowed"),
        ("z\U0010ffff", "end of a range"),
    ],
)
def test_a_value_that_would_make_another_key_is_refused(value: object, words: str) -> None:
    with pytest.raises(InvalidKey, match=words):
        template_of("{name}#x").fill({"name": value})


def test_what_stands_right_behind_a_field_cannot_be_in_it() -> None:
    template = template_of("{first}-{second}")
    assert template.read(template.fill({"first": "a", "second": "b-c"})) == {"first": "a", "second": "b-c"}
    with pytest.raises(InvalidKey, match="has a '-' in it"):
        template.fill({"first": "a-b", "second": "c"})


@pytest.mark.parametrize("number", [100_000_000, -1])
def test_a_number_keeps_its_width(number: int) -> None:
    with pytest.raises(InvalidKey):
        template_of("ORDER#{number:08d}", number=int).fill({"number": number})


def test_composed_and_decomposed_hangul_are_one_key() -> None:
    template = template_of("N#{name}")
    loose = unicodedata.normalize("NFD", "배우자")
    assert template.fill({"name": loose}) == template.fill({"name": "배우자"})


@pytest.mark.parametrize("text", ["{a}{b}", "", "A#{", "A#{B}", "A}", "{a}#{a}"])
def test_a_template_that_cannot_be_read_back_is_refused(text: str) -> None:
    with pytest.raises(DesignError):
        Template.parse(text)


def test_a_foreign_key_is_not_read() -> None:
    with pytest.raises(InvalidKey, match="not a key of the form"):
        template_of("SNAP#{day}", day=date).read("METADATA")


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("EMP#{id}", str, "EMP#7#SALARY"),
        ("EMP#{id}", int, "EMP#007"),
        ("EMP#{id}", int, "EMP#1_0"),
        ("EMP#{id}", int, "EMP#٣"),
        ("EMP#{id:04d}", int, "EMP#12"),
        ("EMP#{id}", date, "EMP#20260101"),
        ("EMP#{id}", datetime, "EMP#2026-01-01 00:00:00Z"),
    ],
)
def test_a_text_that_no_value_has_is_not_read(text: str, kind: type, key: str) -> None:
    assert not template_of(text, id=kind).matches(key)


_parts = st.text(st.characters(exclude_characters="#\U0010ffff", exclude_categories=["Cs"]), min_size=1)


@given(first=_parts, second=_parts)
def test_what_is_filled_in_is_read_back(first: str, second: str) -> None:
    template = template_of("A#{first}#{second}")
    key = template.fill({"first": first, "second": second})
    normal = {
        name: unicodedata.normalize("NFC", text) for name, text in (("first", first), ("second", second))
    }
    assert template.read(key) == normal


def test_a_key_begins_with_what_is_known() -> None:
    template = template_of("{name}#{kind}")
    assert template.begin({"name": "배우자1"}) == ("배우자1#", ("kind",))
