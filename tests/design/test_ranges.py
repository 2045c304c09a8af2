"""Ranges inside templates: exact, or refused with the way out."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from hansang.design import Database, Entity, Key, Query, Table, attr, pattern
from hansang.errors import DesignError, InvalidInput, InvalidKey
from tests.design.conftest import Opens


class Places(Table, name="Places"):
    pass


class PlaceKey(Key["Place"], pk="W", sk="L#{country}#{city}"):
    country: str
    city: str


class Place(PlaceKey, Entity, table=Places):
    pass


class WordKey(Key["Word"], pk="WORDS#{book}", sk="W#{word}"):
    book: str
    word: str


class Word(WordKey, Entity, table=Places):
    @pattern
    def of(cls, book: str) -> Query[Word]:
        """The words of a book."""
        return cls.query(Word.book == book)


class StepKey(Key["Step"], pk="STEPS", sk="S#{n:04d}#{side}"):
    n: int
    side: str


class Step(StepKey, Entity, table=Places):
    pass


class LooseKey(Key["Loose"], pk="LOOSE", sk="N#{n}"):
    n: int


class Loose(LooseKey, Entity, table=Places):
    pass


WORDS = ["!", " ", "0", "A", "Z", "a", "a ", "a!", "a0", "ab", "b", "z", "가", "한", "한상", "\ue000", "🙂"]


@pytest.fixture
def words(opens: Opens) -> Database:
    db = opens(Places)
    db.batch_write(Word(book="b", word=word) for word in WORDS)
    return db


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_text_at_the_end_is_compared_as_texts_are(
    words: Database, compare: Callable[[Any, Any], Any]
) -> None:
    bounds = ["!", "a", "a!", "ab", "한", "\ue000", "🙂", "zzz"]
    found = {each: words.all(Word.query(Word.book == "b", compare(Word.word, each))) for each in bounds}
    assert {bound: [each.word for each in those] for bound, those in found.items()} == {
        bound: sorted(each for each in WORDS if compare(each, bound)) for bound in bounds
    }


def test_a_beginning_is_put_together_as_the_key_is(words: Database) -> None:
    loose = unicodedata.normalize("NFD", "한")
    found = words.all(Word.query(Word.book == "b", attr(Word.word).begins_with(loose)))
    assert [each.word for each in found] == ["한", "한상"]


def test_a_range_of_texts_with_more_behind_them_is_refused() -> None:
    with pytest.raises(DesignError, match="make an index that is sorted by it"):
        Place.query(Place.country <= "kr")


def test_one_value_of_such_a_text_finds_no_neighbours(opens: Opens) -> None:
    db = opens(Places)
    for country in ("kr", "kra", "krz", "kr "):
        db.create(Place(country=country, city="x"))
    assert [each.country for each in db.all(Place.query(Place.country == "kr"))] == ["kr"]
    begun = Place.query(attr(Place.country).begins_with("kra"))
    assert [each.country for each in db.all(begun)] == ["kra"]


def test_a_number_without_a_width_is_refused_in_a_range() -> None:
    with pytest.raises(DesignError, match=r"Give the number a width, such as \{n:010d\}"):
        Loose.query(Loose.n > 9)


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_number_with_a_width_is_compared_by_its_size(
    opens: Opens, compare: Callable[[Any, Any], Any]
) -> None:
    db, numbers = opens(Places), [0, 1, 9, 10, 9999]
    db.batch_write(Step(n=number, side=side) for number in numbers for side in ("l", "r"))
    bounds = [-5, 0, 1, 9, 10, 9998, 9999, 10_000, 10**9]
    found = {bound: db.all(Step.query(compare(Step.n, bound))) for bound in bounds}
    assert {bound: [each.n for each in those] for bound, those in found.items()} == {
        bound: [each for each in numbers if compare(each, bound) for _ in "lr"] for bound in bounds
    }


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Give the smaller first"):
        Step.query(attr(Step.n).between(9, 1))


def test_a_range_stays_within_its_kind(opens: Opens) -> None:
    db = opens(Places)
    db.create(Step(n=1, side="l"))
    db.backend.call(
        "PutItem", {"TableName": db.name(Places), "Item": {"PK": {"S": "STEPS"}, "SK": {"S": "T#2#x"}}}
    )
    assert [each.n for each in db.all(Step.query(Step.n >= 0))] == [1]


def test_a_value_that_would_mark_the_end_of_a_range_stays_out() -> None:
    with pytest.raises(InvalidKey, match="marks the end of a range"):
        Word.query(Word.book == "b", Word.word == "a\U0010ffff")
