"""Pages over several questions in a row."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.design import Database, Entity, Key, Page, Query, Table, pattern
from hansang.errors import InvalidCursor, InvalidInput
from hansang.parts.chained import Chain, in_order
from tests.spoiling import spoil
from tests.storing import opened


class Library(Table, name="Library"): ...


class BookKey(Key["Book"], pk="SHELF#{shelf}", sk="BOOK#{number:04d}"):
    shelf: str
    number: int


class Book(BookKey, Entity, table=Library):
    chapters: list[str]

    @pattern
    def on_shelf(cls, shelf: str) -> Query[Book]:
        """The books of a shelf."""
        return cls.query(Book.shelf == shelf)


SHELVES = {"a": 3, "b": 0, "c": 7, "d": 1, "e": 0}
TITLES = [f"{shelf}{number}" for shelf, count in SHELVES.items() for number in range(count)]
CHAPTERS = [f"{title}.{chapter}" for title in TITLES for chapter in range(4)]


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Library) as db:
        for shelf, count in SHELVES.items():
            put(db, shelf, count)
        yield db


def put(db: Database, shelf: str, count: int) -> None:
    for number in range(count):
        chapters = [f"{shelf}{number}.{chapter}" for chapter in range(4)]
        db.put(Book(shelf=shelf, number=number, chapters=chapters))


def titles(books: Page[Book]) -> list[str]:
    return [f"{book.shelf}{book.number}" for book in books]


def chapters(books: Page[Book]) -> list[str]:
    return [chapter for book in books for chapter in book.chapters]


def questions(shelves: str) -> dict[str, Query[Book]]:
    return {shelf: Book.on_shelf(shelf) for shelf in shelves}


def chain(shelves: str = "abcde", /, **bounds: int) -> Chain[Book, str]:
    return Chain("books", in_order(questions(shelves)), titles, **bounds)


def walked(db: Database, given: Chain[Book, str], limit: int) -> list[list[str]]:
    pages: list[list[str]] = []
    cursor = None
    while True:
        page = given.page(db, limit, cursor)
        assert page.offset == sum(map(len, pages))
        pages.append(page.items)
        cursor = page.cursor
        if cursor is None:
            return pages


@pytest.mark.parametrize("at_once", [1, 2, 1000])
@pytest.mark.parametrize("limit", [1, 2, 3, 10, 11, 50])
def test_pages_are_full_until_the_last_and_have_everything_once(
    db: Database, limit: int, at_once: int
) -> None:
    pages = walked(db, chain(at_once=at_once), limit)
    assert [title for page in pages for title in page] == TITLES
    assert all(len(page) == limit for page in pages[:-1] if page != pages[-1])


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("limit", [1, 3, 4, 5, 100])
def test_an_item_that_holds_several_answers_is_cut_where_the_page_is_full(
    db: Database, limit: int, at_once: int
) -> None:
    by_chapter = Chain("chapters", in_order(questions("abcde")), chapters, at_once=at_once)
    pages = walked(db, by_chapter, limit)
    assert [chapter for page in pages for chapter in page] == CHAPTERS
    assert all(len(page) <= limit for page in pages)


@pytest.mark.parametrize("bounds", [{"most_asked": 2}, {"most_read": 2}])
def test_a_page_that_asks_or_reads_enough_is_short_and_its_cursor_goes_on(
    db: Database, bounds: dict[str, int]
) -> None:
    last = Chain("last", in_order(questions("abcde")), lambda page: titles(page)[:0], 1, **bounds)
    with db.meter() as cost:
        page = last.page(db, 10)
    assert (page.items, page.cursor is not None) == ([], True)
    assert cost.read == 2 * 0.5
    assert walked(db, chain("abcde", at_once=1, **bounds), 10)[0] == TITLES[:2]


def test_empty_questions_count_too(db: Database) -> None:
    given = Chain("empty", in_order({str(each): Book.on_shelf(f"x{each}") for each in range(9)}), titles)
    assert given.page(db, 1).cursor is None
    bounded = Chain("empty", given.questions, titles, most_asked=4)
    assert walked(db, bounded, 1) == [[], [], []]


def test_questions_that_come_before_do_not_move_the_place(db: Database) -> None:
    page = chain("cd").page(db, 5)
    assert chain("abcd").page(db, 5, page.cursor).items == ["c5", "c6", "d0"]


def test_a_question_that_is_gone_takes_its_cursors_with_it(db: Database) -> None:
    cursor = chain("cd").page(db, 5).cursor
    with pytest.raises(InvalidCursor, match="Start again without one"):
        chain("abd").page(db, 5, cursor)


def test_a_cursor_of_another_chain_or_made_up_is_refused(db: Database) -> None:
    cursor = chain().page(db, 4).cursor
    other = Chain("others", in_order(questions("abcde")), titles)
    assert cursor is not None
    inner = db.page(Book.on_shelf("c"), 1).cursor
    with pytest.raises(InvalidCursor):
        other.page(db, 4, cursor)
    for forged in ("", "x", "한글", cursor[:-1], "A" + cursor[1:], inner, f"c.{inner}"):
        with pytest.raises(InvalidCursor, match="Start again without one"):
            chain().page(db, 4, forged)


def test_a_limit_is_at_least_one(db: Database) -> None:
    with pytest.raises(InvalidInput):
        chain().page(db, 0)


def test_what_cannot_be_read_is_told_once(db: Database) -> None:
    spoil(db, BookKey(shelf="c", number=0), chapters={"N": "7"})
    given = Chain("chapters", in_order(questions("c")), chapters)
    first = given.page(db, 5)
    second = given.page(db, 5, first.cursor)
    assert [each.key["SK"] for each in first.unreadable] == [{"S": "BOOK#0000"}]
    assert second.unreadable == []
    assert (first.items + second.items)[:5] == CHAPTERS[16:21]
