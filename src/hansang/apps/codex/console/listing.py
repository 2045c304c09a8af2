"""The posts of the console: published ones, drafts and deleted ones in one list, filtered and in an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from hansang.apps.codex.contents import plain_text
from hansang.apps.codex.design import PostLocatorKey
from hansang.apps.codex.editorial import PostDraft, TrashedPost
from hansang.apps.codex.reading import PostRow
from hansang.apps.codex.searching import SearchStep, may_have, search_step, words_of
from hansang.apps.codex.service import Codex
from hansang.design.normalize import normalize_words

ListState = Literal["all", "draft", "scheduled", "published", "edited", "trashed"]
STATES: tuple[ListState, ...] = ("all", "draft", "scheduled", "published", "edited", "trashed")
Order = Literal["edited", "published", "title"]
OF_READERS: tuple[ListState, ...] = ("all", "published")
"""The states that whoever only reads can ask for."""
ORDERS: tuple[Order, ...] = ("edited", "published", "title")
ON_A_PAGE = 20
MOST_LISTED = 5_000
"""How many posts are listed and counted at once."""
_PLACES: dict[str, Callable[[PostRow], Any]] = {
    "edited": lambda row: -row.updated_at.timestamp(),
    "published": lambda row: -row.created_at.timestamp(),
    "title": lambda row: row.title.casefold(),
}


@dataclass(frozen=True, slots=True)
class ListAsked:
    """Which posts somebody wants to see."""

    state: ListState = "all"
    category_id: str = ""
    author_id: str = ""
    text: str = ""
    order: Order = "edited"
    page: int = 1
    before: str = ""
    """The cursor behind which to look; empty for the newest ones."""
    most: int = MOST_LISTED
    with_drafts: bool = True
    """Whether what is not published is listed too: whoever only reads sees none of it."""


@dataclass(frozen=True, slots=True)
class PostList:
    """A page of them, how many there are of each state, and how many fit."""

    rows: list[PostRow]
    counts: dict[ListState, int]
    total: int
    pages: int
    older: str | None = None
    """The cursor of the posts that were not looked at."""
    until: datetime | None = None
    """How far was looked, if that is not everything."""


def post_list(codex: Codex, asked: ListAsked) -> PostList:
    """The posts that fit, among the newest ones or those behind a cursor (X4-17)."""
    database, words = codex.desk.database, words_of(asked.text)
    step = search_step(database, words, asked.before or None, asked.most)
    posts = step.posts
    drafts: list[PostDraft] = []
    if asked.with_drafts:
        drafts = database.all(PostDraft.every(), MOST_LISTED, unreadable=lambda _: None)
    alone = [] if asked.before else _alone(codex, drafts, step)
    trashed = [] if asked.before or not asked.with_drafts else codex.posts.trash(MOST_LISTED).items
    others: list[PostDraft | TrashedPost] = [*alone, *trashed]
    kept = {each.post.id for each in step.found} | {each.id for each in others if _has(each, words)}
    rows = [*_rows(codex, posts), *_rows(codex, alone), *_rows(codex, trashed)]
    if not asked.with_drafts:
        rows = [replace(row, has_draft=False) for row in rows]
    scheduled = {each.id: each for each in drafts if each.publish_at is not None}
    states = {row.id: _states(row, scheduled) for row in rows}
    counts: dict[ListState, int] = {state: sum(state in each for each in states.values()) for state in STATES}
    fitting = [row for row in rows if row.id in kept and asked.state in states[row.id] and _fits(row, asked)]
    fitting.sort(key=_PLACES[asked.order])
    start = (asked.page - 1) * ON_A_PAGE
    pages = max(1, -(-len(fitting) // ON_A_PAGE))
    until = posts[-1].created_at if posts and (step.cursor or asked.before) else None
    return PostList(fitting[start : start + ON_A_PAGE], counts, len(fitting), pages, step.cursor, until)


def _rows(codex: Codex, found: list[Any]) -> list[PostRow]:
    return codex.reading.named_rows(found)


def _alone(codex: Codex, drafts: list[PostDraft], step: SearchStep) -> list[PostDraft]:
    """The drafts of posts that were never published, or were taken down."""
    published = {each.id for each in step.posts}
    if step.cursor is not None:
        others = [PostLocatorKey(post_id=each.id) for each in drafts if each.id not in published]
        published |= {each.post_id for each in codex.desk.database.batch_get(others)}
    return [each for each in drafts if each.id not in published]


def _states(row: PostRow, scheduled: dict[str, PostDraft]) -> set[ListState]:
    if row.state == "trashed":
        return {"trashed"}
    found: set[ListState] = {"all", row.state}
    if row.id in scheduled:
        found.add("scheduled")
    return found | ({"edited"} if row.has_draft else set())


def _fits(row: PostRow, asked: ListAsked) -> bool:
    return asked.category_id in ("", row.category_id) and asked.author_id in ("", row.author_id)


def _has(found: PostDraft | TrashedPost, words: list[str]) -> bool:
    if not may_have(found.title, found.contents, words):
        return False
    text = normalize_words(f"{found.title} {plain_text(found.contents)}").casefold() if words else ""
    return all(each in text for each in words)
