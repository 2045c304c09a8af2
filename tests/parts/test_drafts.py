"""Items as people write them, and as the designs of the applications have them."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field as Bounds

from hansang.apps.catalog import APPLICATIONS
from hansang.design import Attr, Entity, Key, Table, derived
from hansang.design.requests import shape_of
from hansang.errors import InvalidInput
from hansang.parts.drafts import encoded, strange_attributes
from hansang.surfaces.cli.designs import load


class Shelf(Table, name="Shelf"):
    """A table whose kinds are told apart by their keys."""


class BookKey(Key["Book"], pk="BOOK#{isbn}", sk="INFO"):
    isbn: Annotated[str, Attr("isbn")]


class Book(BookKey, Entity, table=Shelf):
    title: str
    pages: Annotated[int, Bounds(ge=1)]
    title_lower = derived("title_lower", of="title", by=str.lower)


class CopyKey(Key["Copy"], pk="BOOK#{isbn}", sk="COPY#{number:03d}"):
    isbn: str
    number: int


class Copy(CopyKey, Entity, table=Shelf):
    place: str


BOOK = {
    "PK": {"S": "BOOK#1"},
    "SK": {"S": "INFO"},
    "isbn": {"S": "1"},
    "title": {"S": "Hangul"},
    "pages": {"N": "9"},
}


def test_what_follows_from_other_attributes_is_worked_out() -> None:
    stale = {**BOOK, "title_lower": {"S": "something old"}}
    assert encoded(Shelf, BOOK, {}) == encoded(Shelf, stale, {}) == {**BOOK, "title_lower": {"S": "hangul"}}


def test_a_bound_of_the_design_is_a_bound_here() -> None:
    with pytest.raises(InvalidInput, match=r"Book.pages: .*greater than or equal to 1") as refused:
        encoded(Shelf, {**BOOK, "pages": {"N": "0"}}, {})
    assert refused.value.field == "pages"


def test_a_key_agrees_with_its_attributes() -> None:
    with pytest.raises(InvalidInput, match="it is BOOK#1, and by its attributes it would be BOOK#2"):
        encoded(Shelf, {**BOOK, "isbn": {"S": "2"}}, {})


def test_kinds_without_a_type_are_named_by_their_keys() -> None:
    with pytest.raises(InvalidInput, match=r"Book \(PK=BOOK#{isbn}, SK=INFO\), Copy \(PK="):
        encoded(Shelf, {**BOOK, "SK": {"S": "ELSE"}}, {})


def test_a_missing_attribute_is_named() -> None:
    with pytest.raises(InvalidInput, match="no attribute title, which every Book has"):
        encoded(Shelf, {name: value for name, value in BOOK.items() if name != "title"}, {})


def test_a_number_in_a_key_is_one() -> None:
    with pytest.raises(InvalidInput, match="No kind of item of Shelf is like this one"):
        encoded(Shelf, {"PK": {"S": "BOOK#1"}, "SK": {"S": "COPY#x"}, "place": {"S": "a"}}, {})


def test_the_strange_attributes_of_an_item_are_those_its_entity_does_not_know() -> None:
    assert strange_attributes(Shelf, {**BOOK, "colour": {"S": "red"}}) == {"colour": {"S": "red"}}
    assert strange_attributes(Shelf, None) == {}
    assert strange_attributes(Shelf, {**BOOK, "SK": {"S": "ELSE"}}) == {}


@pytest.mark.parametrize("name", [each.name for each in APPLICATIONS])
def test_the_items_of_every_design_pass_as_they_are(name: str) -> None:
    examples = list(load([name]).samples.examples.values())
    assert examples
    for entity in examples:
        shape = shape_of(entity)
        item = shape.encode(shape.cls(**entity.__dict__))
        assert encoded(shape.table, item, {}) == item
