"""Searching: every post is found, however old, in steps that each do a bounded amount of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unicodedata import normalize

import pytest

from hansang.apps.codex.console.listing import ListAsked, post_list
from hansang.apps.codex.design import FMWebApp, Post
from hansang.apps.codex.searching import MOST_RENDERED, search_page, search_step
from hansang.apps.codex.service import Codex
from hansang.design import Database
from hansang.errors import InvalidCursor
from hansang.parts.platform import Platform
from tests.apps.codex.site import category, post
from tests.clauses import clause
from tests.storing import opened
from tests.surfaces.shells import SetClock

POSTS = 60
ODD = {
    4: ("벚꽃 안내", "x"),
    31: ("소식", "긴 말 " * 2000 + normalize("NFD", "어제 ") + f"**{normalize('NFD', '벚')}**꽃이 피었다"),
    55: ("소식", "벚꽃과 봄"),
}


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        texts = [ODD.get(number, ("글", "여름 바다")) for number in range(POSTS)]
        posts = [
            post(number).model_copy(update={"title": title, "contents": contents})
            for number, (title, contents) in enumerate(texts)
        ]
        found.batch_write([category(), *posts])
        yield found


def walked(db: Database, text: str, limit: int, most: int) -> tuple[list[str], int]:
    """The ids that a search finds when it is gone on with to the end, and how often that was asked."""
    ids, cursor, asked = list[str](), None, 0
    while True:
        page = search_page(db, text, lambda _: True, limit, cursor, most)
        ids += [each.post.id for each in page.found]
        cursor, asked = page.cursor, asked + 1
        if cursor is None:
            return ids, asked


@clause("X4-41")
def test_the_oldest_post_is_found_and_none_is_found_twice(db: Database) -> None:
    assert walked(db, "벚꽃", 20, 1000) == (["p004", "p055", "p031"], 1)
    assert walked(db, "벚꽃", 1, 1000) == (["p004", "p055", "p031"], 3)
    assert walked(db, "벚꽃", 20, 10)[0] == ["p055", "p031", "p004"]
    every, asked = walked(db, "글", 7, 25)
    assert len(every) == len(set(every)) == POSTS - len(ODD)
    assert asked > 3


@clause("X4-41")
def test_a_step_says_how_far_it_looked(db: Database) -> None:
    first = search_page(db, "없는말", lambda _: True, most=30)
    assert (first.found, first.looked < POSTS, first.until is not None) == ([], True, True)
    rest = search_page(db, "없는말", lambda _: True, cursor=first.cursor)
    assert (first.looked + rest.looked, rest.cursor) == (POSTS, None)
    with pytest.raises(InvalidCursor):
        search_page(db, "다른 말", lambda _: True, cursor=first.cursor)


@clause("X4-41")
def test_long_posts_end_a_step_early() -> None:
    with opened(FMWebApp) as db:
        long = "plain words " * 10_000
        posts = [post(number).model_copy(update={"contents": long}) for number in range(12)]
        db.batch_write([category(), *posts])
        step = search_step(db, ["plainx"])
        assert step.cursor is None, "what cannot have the letters is not rendered"
        step = search_step(db, ["sniw"])
        rendered = sum(len(str(each.contents)) for each in step.posts)
        assert step.cursor is not None
        assert rendered <= MOST_RENDERED + len(long)


def test_the_list_of_the_console_goes_on_behind_the_newest(db: Database) -> None:
    codex = Codex(db, SetClock())
    newest = post_list(codex, ListAsked(text="벚꽃", most=30))
    assert newest.older is not None
    assert newest.until is not None
    older = post_list(codex, ListAsked(text="벚꽃", before=newest.older))
    assert {row.id for row in (*newest.rows, *older.rows)} == {"p004", "p031", "p055"}
    assert (older.older, post_list(codex, ListAsked()).until) == (None, None)


def flowers(number: int, **more: str) -> Post:
    return post(number).model_copy(update={"title": "글", "contents": "봄꽃"} | more)


SOME = (119, 110, 90, 66, 10)
LAST = 65
"""The last post of the first step, as long as nothing changes."""
IN_TITLE = {number: flowers(number, title="봄꽃") for number in (LAST, LAST - 1)}
CHANGES: dict[str, Callable[[Database], object]] = {
    "new posts": lambda db: db.batch_write([post(number) for number in range(200, 204)]),
    "a new post with the words": lambda db: db.put(flowers(200, title="봄꽃")),
    "deleted posts": lambda db: db.batch_write(deletes=[post(117), post(118)]),
    "a post that became longer": lambda db: db.put(
        post(117).model_copy(update={"contents": "긴 말 " * 9000})
    ),
    "the last post of a step deleted and stored again elsewhere": lambda db: db.batch_write(
        [category(2), IN_TITLE[LAST].model_copy(update={"category_id": "c002"})], [post(LAST)]
    ),
}


def many(db: Database) -> None:
    found = {number: post(number) for number in range(120)}
    found |= {number: flowers(number) for number in SOME} | IN_TITLE
    db.batch_write([category(), *found.values()])


@clause("X4-41")
def test_posts_that_come_and_go_while_somebody_pages_make_none_come_twice_or_never() -> None:
    wrong, wanted = [], {*SOME, *IN_TITLE}
    for name, change in CHANGES.items():
        with opened(FMWebApp) as db:
            many(db)
            page = search_page(db, "봄꽃", lambda _: True, 2, most=10)
            assert [each.post.id for each in page.found] == [f"p{LAST:03d}", "p119"]
            change(db)
            ids = [each.post.id for each in page.found]
            while page.cursor is not None:
                page = search_page(db, "봄꽃", lambda _: True, 2, page.cursor, 10)
                ids += [each.post.id for each in page.found]
            if sorted(ids) != sorted(f"p{number:03d}" for number in wanted):
                wrong.append((name, ids))
    assert wrong == []


@clause("X4-41")
def test_a_cursor_that_has_been_overtaken_is_refused() -> None:
    with opened(FMWebApp) as db:
        many(db)
        cursor = search_page(db, "봄꽃", lambda _: True, 2, most=10).cursor
        db.batch_write([post(number) for number in range(200, 300)])
        with pytest.raises(InvalidCursor) as refused:
            search_page(db, "봄꽃", lambda _: True, 2, cursor, 10)
        assert refused.value.code == "codex.search-changed"


@clause("X4-41")
def test_what_visitors_may_not_read_is_not_counted() -> None:
    with opened(FMWebApp) as db:
        db.batch_write([category(), *(post(number) for number in range(8))])
        page = search_page(db, "nothing", lambda each: each.id > "p003")
        assert (page.looked, page.until) == (4, post(4).created_at)
