"""Changes and conditions go through the validators of their fields, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field, StringConstraints, field_validator

from hansang.design import Database, Entity, Key, Table, attr
from hansang.errors import Conflict, DesignError, HansangError, InvalidInput
from tests.design.conftest import Opens
from tests.storing import stored


class Shelf(Table, name="Shelf"):
    pass


class BookKey(Key["Book"], pk="BOOK#{isbn}", sk="METADATA"):
    isbn: str


class Book(BookKey, Entity, table=Shelf):
    title: Annotated[str, StringConstraints(min_length=1, max_length=20)]
    copies: Annotated[int, Field(ge=0, le=10)] = 0
    pages: Annotated[int, Field(strict=True)] = 1
    price: Decimal = Decimal(0)
    tags: set[str] = Field(default_factory=set)
    notes: list[str] = Field(default_factory=list)
    shelf: str | None = None
    weight: int | None = 5

    @field_validator("shelf")
    @classmethod
    def _spelled(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith("S"):
            raise ValueError("a shelf begins with S")
        return value


KEY = BookKey(isbn="1")


@pytest.fixture
def shelf(opens: Opens) -> Database:
    db = opens(Shelf)
    db.create(Book(isbn="1", title="Almond", copies=2))
    return db


REFUSED: list[tuple[Callable[[Database], object], str]] = [
    (lambda db: db.update(BookKey(isbn="2"), attr(Book.copies).set(1), upsert=True), "leave out title"),
    (lambda db: db.update(KEY, attr(Book.title).remove()), "cannot be removed"),
    (lambda db: db.update(KEY, attr(Book.title).set(None)), "cannot be None"),  # type: ignore[arg-type]
    (lambda db: db.update(KEY, attr(Book.copies).add(1.5)), "cannot be 1.5"),  # type: ignore[arg-type]
    (lambda db: db.update(KEY, attr(Book.copies).set(-1)), "greater than or equal to 0"),
    (lambda db: db.update(KEY, attr(Book.title).set("")), "at least 1 character"),
    (lambda db: db.update(KEY, attr(Book.pages).set("7")), "valid integer"),  # type: ignore[arg-type]
    (lambda db: db.update(KEY, attr(Book.shelf).set("A1")), "a shelf begins with S"),
    (lambda db: db.update(KEY, attr(Book.price).set(1.5j)), "Book.price cannot be"),  # type: ignore[arg-type]
    (lambda db: db.update(KEY, attr(Book.tags).add({1})), "valid string"),  # type: ignore[arg-type]
    (lambda db: db.update(KEY, attr(Book.tags).add(set())), "empty set"),
    (lambda db: db.update(KEY, attr(Book.title).add("x")), "is not a number or a set"),
    (lambda db: db.update(KEY, attr(Book.notes).append([1])), "valid string"),  # type: ignore[list-item]
    (
        lambda db: db.update(KEY, attr(Book.copies).set(1), when=Book.copies == "x"),  # type: ignore[comparison-overlap]
        "Book.copies cannot be 'x'",
    ),
    (lambda db: db.update(KEY, attr(Book.copies).set(1), when=Book.copies > -1), "greater than or equal"),
    (lambda db: db.update(KEY, attr(Book.copies).set(1), when=attr(Book.title).one_of()), "1 to 100 values"),
    (lambda db: db.update(KEY, attr(Book.copies).set(1), attr(Book.copies).set(2)), "changed twice"),
    (lambda db: db.update(KEY), "Nothing to update"),
    (
        lambda db: db.update(
            BookKey(isbn="2"), attr(Book.title).set("t"), attr(Book.copies).add(-1), upsert=True
        ),
        "a new one does not meet this condition",
    ),
]


@pytest.mark.parametrize(("write", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_the_entity_could_not_read_is_refused_before_it_is_sent(
    shelf: Database, write: Callable[[Database], object], words: str
) -> None:
    before = stored(shelf, Shelf)
    with pytest.raises(HansangError, match=words):
        write(shelf)
    assert stored(shelf, Shelf) == before


def test_a_sum_stays_within_the_bounds_of_its_field(shelf: Database) -> None:
    assert shelf.update(KEY, attr(Book.copies).add(-2)).copies == 0
    with pytest.raises(Conflict, match=r"it does not meet this condition: Book\.copies - 1 >= 0\.$"):
        shelf.update(KEY, attr(Book.copies).add(-1))
    assert shelf.update(KEY, attr(Book.copies).add(10)).copies == 10
    with pytest.raises(Conflict, match=r"Book\.copies \+ 1 <= 10"):
        shelf.update(KEY, attr(Book.copies).add(1))
    assert shelf.get(KEY).copies == 10


def test_none_is_none_again_where_its_absence_would_be_a_default(shelf: Database) -> None:
    shelf.put(Book(isbn="1", title="Almond", weight=None))
    assert shelf.get(KEY).weight is None
    assert shelf.update(KEY, attr(Book.weight).set(7)).weight == 7
    assert shelf.update(KEY, attr(Book.weight).set(None)).weight is None
    assert shelf.update(KEY, attr(Book.pages).set(2), when=attr(Book.weight).missing()).pages == 2
    assert shelf.update(KEY, attr(Book.weight).remove()).weight == 5
    with pytest.raises(Conflict, match=r"Book\.weight is None"):
        shelf.update(KEY, attr(Book.pages).set(3), when=attr(Book.weight).missing())


def test_an_empty_set_is_no_attribute_and_an_empty_set_again(shelf: Database) -> None:
    shelf.put(Book(isbn="1", title="Almond", tags={"a"}))
    assert shelf.update(KEY, attr(Book.tags).discard({"a"})).tags == set()
    shelf.put(Book(isbn="1", title="Almond", tags=set()))
    [item] = stored(shelf, Shelf)
    assert ("tags" in item, shelf.get(KEY).tags) == (False, set())
    assert shelf.update(KEY, attr(Book.tags).add({"b"})).tags == {"b"}
    assert shelf.update(KEY, attr(Book.tags).set(set())).tags == set()


def test_an_empty_set_beside_none_is_refused() -> None:
    class LabelKey(Key["Label"], pk="LABEL#{id}", sk="METADATA"):
        id: str

    class Label(LabelKey, Entity, table=Shelf):
        words: set[str] | None = None

    shape: Any = Label.__shape__
    assert "words" not in shape.encode(Label(id="1"))
    with pytest.raises(InvalidInput, match="cannot tell from None"):
        shape.encode(Label(id="1", words=set()))
    Shelf.shapes.remove(shape)


def test_a_copy_is_checked_as_the_first_was() -> None:
    book = Book(isbn="1", title="Almond")
    assert book.model_copy(update={"title": "Hill"}).title == "Hill"
    with pytest.raises(InvalidInput, match="Book has no field titel"):
        book.model_copy(update={"titel": "Hill"})
    with pytest.raises(InvalidInput, match="greater than or equal to 0"):
        book.model_copy(update={"copies": -1})


def test_what_was_made_past_the_checks_is_refused_when_it_is_stored(shelf: Database) -> None:
    made = Book.model_construct(isbn="9", title=None, copies=0, pages=1, price=Decimal(0), tags={1}, notes=[])
    with pytest.raises(HansangError):
        shelf.put(made)


def test_a_key_that_may_be_none_is_refused_when_the_class_is_made() -> None:
    class VagueKey(Key["Vague"], pk="VAGUE#{id}", sk="METADATA"):
        id: str | None

    with pytest.raises(DesignError, match="may be None, and a key needs it"):

        class Vague(VagueKey, Entity, table=Shelf):
            pass


def test_what_is_appended_begins_a_list_that_is_not_there(shelf: Database) -> None:
    made = shelf.update(
        BookKey(isbn="2"), attr(Book.title).set("t"), attr(Book.notes).append(["x"]), upsert=True
    )
    assert made.notes == ["x"]
    assert shelf.update(made, attr(Book.notes).append(["y"])).notes == ["x", "y"]
