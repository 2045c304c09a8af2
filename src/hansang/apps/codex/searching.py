"""Searching posts by words: through all of them, the newest first, in steps whose work is bounded.

No index is kept: a part of a word has to be found too, as Korean needs it. A step says how far it has looked, and the
next one goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape

from hansang.apps.codex.contents import plain_text
from hansang.apps.codex.design import Contents, Post
from hansang.design import Database
from hansang.design.normalize import normalize_nfc, normalize_words

MOST_POSTS = 2_000
"""How many posts one step looks at."""
MOST_READ = 16_000_000
"""How many characters of contents one step reads."""
MOST_RENDERED = 500_000
"""How many characters of Markdown one step makes into plain text, which is what takes time."""
SNIPPET = 120
_FEWEST, _A_PAGE = 5, 50
_SUBJECT = "codex search"


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


@dataclass(slots=True)
class SearchStep:
    """The posts that one step has looked at, those that have the words, and where the next step begins."""

    posts: list[Post] = field(default_factory=list)
    found: list[FoundPost] = field(default_factory=list)
    cursor: str | None = None


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
    start, behind = (None, None) if cursor is None else database.unsealed(subject, cursor)
    step = search_step(database, words, start, most)
    hits = sorted(
        (each for each in step.found if is_shown(each.post)), key=lambda each: each.place, reverse=True
    )
    if behind is not None:
        is_in_title, at, post_id = behind
        hits = [
            each for each in hits if each.place < (bool(is_in_title), datetime.fromisoformat(at), post_id)
        ]
    following = step.cursor and database.sealed(subject, [step.cursor, None])
    if len(hits) > limit:
        is_in_title, created_at, post_id = hits[limit - 1].place
        following = database.sealed(subject, [start, [is_in_title, created_at.isoformat(), post_id]])
    until = step.posts[-1].created_at if step.posts else None
    return SearchPage(hits[:limit], len(step.posts), until, following)


def search_step(
    database: Database, words: list[str], cursor: str | None = None, most: int = MOST_POSTS
) -> SearchStep:
    """Look at posts, the newest first, until one of the bounds is reached; without words, all of them fit."""
    step, read, made, size = SearchStep(cursor=cursor), 0, 0, _FEWEST
    while len(step.posts) < most and read < MOST_READ and made < MOST_RENDERED:
        page = database.page(Post.latest(), size, step.cursor)
        for post in page.items:
            length = len(post.contents) if isinstance(post.contents, str) else len(str(post.contents))
            read += length
            if may_have(post.title, post.contents, words):
                made += length if words else 0
                hit = found_post(post, words)
                step.found += [] if hit is None else [hit]
        step.posts += page.items
        step.cursor = page.cursor
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
