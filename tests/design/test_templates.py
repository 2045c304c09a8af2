"""Key templates: filled, read back, and guarded."""

from __future__ import annotations

import unicodedata
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.design.templates import Template
from hansang.errors import DesignError, InvalidKey


def test_a_template_is_filled_with_fields() -> None:
    template = Template.parse("INCOME#{month}")
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
        ("AT#{at:%Y%m}", {"at": datetime(2026, 2, 21)}, "AT#202602"),  # noqa: DTZ001
    ],
)
def test_fields_have_formats(text: str, values: dict[str, object], key: str) -> None:
    assert Template.parse(text).fill(values) == key


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a#b", "separates"),
        ("", "empty"),
        (1.5, "whole numbers"),
        (True, "whole numbers"),
        (None, "whole numbers"),
    ],
)
def test_a_value_that_would_make_another_key_is_refused(value: object, words: str) -> None:
    with pytest.raises(InvalidKey, match=words):
        Template.parse("{name}#x").fill({"name": value})


@pytest.mark.parametrize("number", [100_000_000, -1])
def test_a_number_keeps_its_width(number: int) -> None:
    with pytest.raises(InvalidKey):
        Template.parse("ORDER#{number:08d}").fill({"number": number})


def test_composed_and_decomposed_hangul_are_one_key() -> None:
    template = Template.parse("N#{name}")
    loose = unicodedata.normalize("NFD", "배우자")
    assert template.fill({"name": loose}) == template.fill({"name": "배우자"})


@pytest.mark.parametrize("text", ["{a}{b}", "", "A#{", "A#{B}"])
def test_a_template_that_cannot_be_read_back_is_refused(text: str) -> None:
    with pytest.raises(DesignError):
        Template.parse(text)


def test_a_foreign_key_is_not_read() -> None:
    with pytest.raises(InvalidKey, match="not a key of the form"):
        Template.parse("SNAP#{day}").read("METADATA")


_parts = st.text(st.characters(exclude_characters="#", exclude_categories=["Cs"]), min_size=1)


@given(first=_parts, second=_parts)
def test_what_is_filled_in_is_read_back(first: str, second: str) -> None:
    template = Template.parse("A#{first}#{second}")
    key = template.fill({"first": first, "second": second})
    normal = {
        name: unicodedata.normalize("NFC", text) for name, text in (("first", first), ("second", second))
    }
    assert template.read(key) == normal


def test_a_key_begins_with_what_is_known() -> None:
    template = Template.parse("{name}#{kind}")
    assert template.begin({"name": "배우자1"}) == ("배우자1#", ("kind",))
