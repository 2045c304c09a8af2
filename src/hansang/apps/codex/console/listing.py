"""The posts of the console: published ones, drafts and deleted ones in one list, filtered and in an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hansang.apps.codex.contents import plain_text
from hansang.apps.codex.design import Post
from hansang.apps.codex.editorial import PostDraft, TrashedPost
from hansang.apps.codex.reading import MOST_SEARCHED, PostRow
from hansang.apps.codex.service import Codex
from hansang.design.normalize import normalize_nfc

ListState = Literal["all", "draft", "scheduled", "published", "edited", "trashed"]
STATES: tuple[ListState, ...] = ("all", "draft", "scheduled", "published", "edited", "trashed")
Order = Literal["edited", "published", "title"]
ORDERS: tuple[Order, ...] = ("edited", "published", "title")
ON_A_PAGE = 20
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


@dataclass(frozen=True, slots=True)
class PostList:
    """A page of them, how many there are of each state, and how many fit."""

    rows: list[PostRow]
    counts: dict[ListState, int]
    total: int
    pages: int


def post_list(codex: Codex, asked: ListAsked) -> PostList:
    """The posts that fit; a site has few enough to read them all (X4-17)."""
    database = codex.desk.database
    posts = database.all(Post.latest(), MOST_SEARCHED, unreadable=lambda _: None)
    drafts = database.all(PostDraft.every(), MOST_SEARCHED, unreadable=lambda _: None)
    trashed = codex.posts.trash(MOST_SEARCHED).items
    found: list[Any] = [*posts, *_alone(drafts, posts), *trashed]
    kept = {each.id for each in found if _fits(each, asked)}
    rows = [*_rows(codex, posts), *_rows(codex, _alone(drafts, posts)), *_rows(codex, trashed)]
    scheduled = {each.id: each for each in drafts if each.publish_at is not None}
    states = {row.id: _states(row, scheduled) for row in rows}
    counts: dict[ListState, int] = {state: sum(state in each for each in states.values()) for state in STATES}
    fitting = [row for row in rows if row.id in kept and asked.state in states[row.id]]
    fitting.sort(key=_PLACES[asked.order])
    start = (asked.page - 1) * ON_A_PAGE
    pages = max(1, -(-len(fitting) // ON_A_PAGE))
    return PostList(fitting[start : start + ON_A_PAGE], counts, len(fitting), pages)


def _rows(codex: Codex, found: list[Any]) -> list[PostRow]:
    return codex.reading.named_rows(found)


def _alone(drafts: list[PostDraft], posts: list[Post]) -> list[PostDraft]:
    """The drafts of posts that were never published, or were taken down."""
    published = {each.id for each in posts}
    return [each for each in drafts if each.id not in published]


def _states(row: PostRow, scheduled: dict[str, PostDraft]) -> set[ListState]:
    if row.state == "trashed":
        return {"trashed"}
    found: set[ListState] = {"all", row.state}
    if row.id in scheduled:
        found.add("scheduled")
    return found | ({"edited"} if row.has_draft else set())


def _fits(found: Post | PostDraft | TrashedPost, asked: ListAsked) -> bool:
    if asked.category_id and found.category_id != asked.category_id:
        return False
    if asked.author_id and found.author_id != asked.author_id:
        return False
    words = normalize_nfc(asked.text).casefold().split()
    if not words:
        return True
    text = normalize_nfc(f"{found.title} {plain_text(found.contents)}").casefold()
    return all(each in text for each in words)
