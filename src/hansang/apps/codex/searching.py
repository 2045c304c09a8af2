"""Searching posts by words: through all of them, the newest first, in steps whose work is bounded.

No index is kept: a part of a word has to be found too, as Korean needs it. A step says how far it has looked, and the
next one goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from html import unescape
from typing import Any

from hansang.apps.codex.contents import plain_text
from hansang.apps.codex.design import Contents, Post
from hansang.design import Database
from hansang.design.normalize import normalize_nfc, normalize_words
from hansang.errors import InvalidCursor

MOST_POSTS = 2_000
"""How many posts one step looks at."""
MOST_READ = 16_000_000
"""How many characters of contents one step reads."""
MOST_RENDERED = 500_000
"""How many characters of Markdown one step makes into plain text, which is what takes time."""
SNIPPET = 120
_FEWEST, _A_PAGE = 5, 50
_SUBJECT = "codex search 2"
"""What cursors are signed for; another number for another form of them."""


@dataclass(frozen=True, slots=True)
class FoundPost:
    """A post that a search has found, with the words around the first place."""

    post: Post
    snippet: str
    is_in_title: bool

    @property
    def place(self) -> tuple[bool, datetime, str]:
        """Where it is among the others: all words in the title first, then the newest."""
        return self.is_in_title, self.post.created_at, self.post.id


@dataclass(frozen=True, slots=True)
class StepEnd:
    """Where a step has ended: the last post that it looked at, and where the next step begins."""

    created_at: datetime
    post_id: str
    cursor: str

    def cut(self, posts: list[Post]) -> tuple[list[Post], bool]:
        """The posts that are not behind it, and whether it was among them; the post itself may be gone by now."""
        for place, each in enumerate(posts):
            if each.created_at < self.created_at:
                return posts[:place], True
            if (each.created_at, each.id) == (self.created_at, self.post_id):
                return posts[: place + 1], True
        return posts, False


@dataclass(slots=True)
class SearchStep:
    """The posts that one step has looked at, those that have the words, and where the next step begins."""

    posts: list[Post] = field(default_factory=list)
    found: list[FoundPost] = field(default_factory=list)
    cursor: str | None = None

    @property
    def end(self) -> StepEnd | None:
        """Where it has ended, None if nothing is behind it."""
        if self.cursor is None or not self.posts:
            return None
        return StepEnd(self.posts[-1].created_at, self.posts[-1].id, self.cursor)


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """What a cursor of a search holds: where a step begins, and, within one, where it ends and the last hit of it."""

    start: str | None = None
    after: str = ""
    """The last post of the step before: one that is moved meanwhile may come behind itself."""
    end: StepEnd | None = None
    behind: tuple[bool, datetime, str] | None = None

    def is_left(self, hit: FoundPost) -> bool:
        """Whether a hit of the step was not given yet."""
        return hit.post.id != self.after and (self.behind is None or hit.place < self.behind)

    def written(self) -> list[Any]:
        """As values of JSON."""
        end = self.end and [self.end.created_at.isoformat(), self.end.post_id, self.end.cursor]
        behind = self.behind and [self.behind[0], self.behind[1].isoformat(), self.behind[2]]
        return [self.start, self.after, end, behind]

    @classmethod
    def read(cls, values: list[Any]) -> SearchPlace:
        """The place that was written so."""
        start, after, end, behind = values
        return cls(
            start,
            after,
            end and StepEnd(datetime.fromisoformat(end[0]), end[1], end[2]),
            behind and (behind[0], datetime.fromisoformat(behind[1]), behind[2]),
        )


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What was found, and how far that was looked for; a cursor says that there may be more."""

    found: list[FoundPost]
    looked: int
    until: datetime | None
    """When the oldest post was created that was looked at."""
    cursor: str | None


def words_of(text: str) -> list[str]:
    """The words of a text, each of which has to be found, as they are compared."""
    return normalize_nfc(text).casefold().split()


def search_page(
    database: Database,
    text: str,
    is_shown: Callable[[Post], bool],
    limit: int = 20,
    cursor: str | None = None,
    most: int = MOST_POSTS,
) -> SearchPage:
    """A page of what one step finds; when all of that was given, the cursor leads to the step behind it."""
    words = words_of(text)
    if not words:
        return SearchPage([], 0, None, None)
    subject = f"{_SUBJECT} {' '.join(words)}"
    place = SearchPlace() if cursor is None else SearchPlace.read(database.unsealed(subject, cursor))
    if place.behind is None:
        step = search_step(database, words, place.start, most)
    else:
        step = search_step_again(database, words, place.start, place.end, most)
    hits = [each for each in step.found if is_shown(each.post) and place.is_left(each)]
    hits.sort(key=lambda each: each.place, reverse=True)
    following = None
    if len(hits) > limit:
        following = replace(place, end=step.end, behind=hits[limit - 1].place)
    elif step.end is not None:
        following = SearchPlace(step.end.cursor, step.end.post_id)
    shown = [each for each in step.posts if is_shown(each)]
    return SearchPage(
        hits[:limit],
        len(shown),
        shown[-1].created_at if shown else None,
        None if following is None else database.sealed(subject, following.written()),
    )


def search_step_again(
    database: Database, words: list[str], start: str | None, end: StepEnd | None, most: int = MOST_POSTS
) -> SearchStep:
    """The same posts once more: whatever came or went meanwhile, the step ends where it did.

    Otherwise a post at its end would be found in two steps, or in none.
    """
    step = search_step(database, words, start, 2 * most + _A_PAGE, end, bounds=2)
    if step.cursor != (None if end is None else end.cursor):
        raise InvalidCursor(
            "Too much has changed since this cursor was given. Start again without one.",
            code="codex.search-changed",
        )
    return step


def search_step(
    database: Database,
    words: list[str],
    cursor: str | None = None,
    most: int = MOST_POSTS,
    end: StepEnd | None = None,
    *,
    bounds: int = 1,
) -> SearchStep:
    """Look at posts, the newest first, until a bound or the end is reached; without words, all of them fit.

    `bounds` is how many times as much may be read and made into text as otherwise.
    """
    step, read, made, size = SearchStep(cursor=cursor), 0, 0, _FEWEST
    while len(step.posts) < most and read < MOST_READ * bounds and made < MOST_RENDERED * bounds:
        page = database.page(Post.latest(), size, step.cursor)
        posts, is_over = (page.items, False) if end is None else end.cut(page.items)
        for post in posts:
            length = len(post.contents) if isinstance(post.contents, str) else len(str(post.contents))
            read += length
            if may_have(post.title, post.contents, words):
                made += length if words else 0
                hit = found_post(post, words)
                step.found += [] if hit is None else [hit]
        step.posts += posts
        step.cursor = page.cursor
        if end is not None and (is_over or page.cursor is None):
            step.cursor = end.cursor
            break
        if page.cursor is None:
            break
        size = max(1, min(_A_PAGE, MOST_RENDERED * len(step.posts) // (read + 1)))
    return step


def may_have(title: str, contents: Contents, words: list[str]) -> bool:
    """Whether contents can have the words once their marks are gone: a cheap question before a dear one."""
    if not words or not isinstance(contents, str):
        return True
    letters = set(normalize_words(f"{title} {contents}").casefold())
    return "&" in letters or all(letters.issuperset(word) for word in words)


def found_post(post: Post, words: list[str]) -> FoundPost | None:
    """A post with the words around the first place, None if it does not have every word."""
    if not words:
        return FoundPost(post, "", False)
    title, text = normalize_nfc(post.title), normalize_words(unescape(plain_text(post.contents)))
    folded, body = title.casefold(), text.casefold()
    if not all(word in folded or word in body for word in words):
        return None
    at = max(0, min((place for word in words if (place := body.find(word)) >= 0), default=0) - SNIPPET // 3)
    return FoundPost(post, text[at : at + SNIPPET], all(word in folded for word in words))
