"""What pages and readers are shown of the site: rows with names, and what is shown now.

The shapes here are for whoever shows something; they hold no rule that writing needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Literal

from hansang.apps.codex.design import Banner, Category, CategoryKey, Post, User, UserKey
from hansang.apps.codex.drafts import Drafts
from hansang.apps.codex.editorial import PostDraft, TrashedPost
from hansang.apps.codex.entities import Desk, newest_first, no_such
from hansang.apps.codex.posts import Posts, shown_place
from hansang.apps.codex.searching import SearchPage, search_page
from hansang.design import Page

PostState = Literal["published", "draft", "scheduled", "trashed"]
REMEMBERED_SECONDS = 30
"""How long the name of an author or a category is taken as it was read."""


@dataclass(frozen=True, slots=True)
class PostRow:
    """A post, a draft or a deleted post in a list: without its contents (X4-17), with names for its references."""

    id: str
    state: PostState
    title: str
    category_id: str | None
    category: str | None
    author_id: str | None
    author: str | None
    slug: str | None
    is_pinned: bool
    created_at: datetime
    updated_at: datetime
    publish_at: datetime | None = None
    publish_error: str | None = None
    expires_at: datetime | None = None
    has_draft: bool = False
    """Whether a published post has changes that are not published."""


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """A category and a page of its posts, the pinned first, then the newest."""

    category: Category
    posts: Page[Post]


class SiteReading:
    """Answers what the console, the API and the site ask."""

    def __init__(self, desk: Desk, posts: Posts, drafts: Drafts) -> None:
        self._desk, self._posts, self._drafts = desk, posts, drafts
        self._names: dict[tuple[str, str], tuple[float, str | None]] = {}
        self._lock = Lock()

    # ── names ─────────────────────────────────────────────────────────────────────────────────────

    def author_names(self, ids: Iterable[str | None]) -> dict[str, str | None]:
        """What authors are called, None for one who is gone; read together and kept for a moment (X4-22)."""
        return self._named("User", ids)

    def category_titles(self, ids: Iterable[str | None]) -> dict[str, str | None]:
        """What categories are called, None for one that is gone."""
        return self._named("Category", ids)

    def _named(self, kind: str, ids: Iterable[str | None]) -> dict[str, str | None]:
        wanted, now = {each for each in ids if each is not None}, self._desk.clock()
        with self._lock:
            known = {
                each: self._names[kind, each][1]
                for each in wanted
                if (kind, each) in self._names and 0 <= now - self._names[kind, each][0] < REMEMBERED_SECONDS
            }
        read = self._read_names(kind, wanted - known.keys())
        with self._lock:
            self._names.update({(kind, each): (now, name) for each, name in read.items()})
        return known | read

    def _read_names(self, kind: str, ids: set[str]) -> dict[str, str | None]:
        keys: list[Any] = [UserKey(id=each) if kind == "User" else CategoryKey(id=each) for each in ids]
        found = self._desk.database.batch_get(keys, unreadable=lambda _: None)
        names = {each.id: each.display_name if isinstance(each, User) else each.title for each in found}
        return dict.fromkeys(ids, None) | names

    # ── lists of posts ────────────────────────────────────────────────────────────────────────────

    def rows(self, state: PostState, limit: int = 20, cursor: str | None = None) -> Page[PostRow]:
        """Posts of a state, the newest first."""
        page: Page[Any]
        if state == "published":
            page = self.published(limit, cursor)
        elif state == "trashed":
            page = self._posts.trash(limit, cursor)
        else:
            page = self._drafts.page(limit, cursor)
            wanted = state == "scheduled"
            kept = [each for each in page.items if (each.publish_at is not None) == wanted]
            page = Page(kept, page.cursor, page.offset, page.unreadable)
        return Page(self.named_rows(page.items), page.cursor, page.offset, page.unreadable)

    def published(self, limit: int = 20, cursor: str | None = None) -> Page[Post]:
        """Posts of all categories, the newest first; what has expired is not shown (X4-13)."""
        page = self._desk.database.page(Post.latest(), limit, cursor)
        return Page(self._unexpired(newest_first(page.items)), page.cursor, page.offset, page.unreadable)

    def each_published(self) -> Iterator[Post]:
        """All posts that visitors may read, the newest first."""
        found = self._desk.database.each(Post.latest(), unreadable=lambda _: None)
        return (each for each in found if self.is_readable(each))

    def is_readable(self, post: Post) -> bool:
        """Whether visitors may read a post: until it expires (X4-13)."""
        return post.expires_at is None or post.expires_at > self._desk.pipeline.now

    def _unexpired(self, posts: list[Post]) -> list[Post]:
        return [each for each in posts if self.is_readable(each)]

    def named_rows(self, found: list[Post] | list[PostDraft] | list[TrashedPost]) -> list[PostRow]:
        """Rows of these, with the names of their authors and categories."""
        authors = self.author_names(each.author_id for each in found)
        categories = self.category_titles(each.category_id for each in found)
        drafted = self._drafts.which([each.id for each in found if isinstance(each, Post)])
        return [_row(each, authors, categories, drafted) for each in found]

    def category_page(self, category_id: str, limit: int = 20, cursor: str | None = None) -> CategoryPage:
        """A category and its posts in one query, the pinned first, then the newest (X4-05, X4-19)."""
        found = self._desk.database.all(Category.with_posts(category_id), unreadable=lambda _: None)
        category = next((each for each in found if isinstance(each, Category)), None)
        if category is None:
            raise no_such("Category", category_id)
        posts = self._unexpired([each for each in found if isinstance(each, Post)])
        ordered = sorted(posts, key=shown_place, reverse=True)
        return CategoryPage(category, self._cut(f"codex posts {category_id}", ordered, limit, cursor))

    def _cut(self, subject: str, posts: list[Post], limit: int, cursor: str | None) -> Page[Post]:
        """A page of posts in their order; the cursor names the last one that was given."""
        if cursor is not None:
            pinned, at, post_id = self._desk.database.unsealed(subject, cursor)
            behind = (bool(pinned), datetime.fromisoformat(at), post_id)
            posts = [each for each in posts if shown_place(each) < behind]
        page, rest = posts[:limit], posts[limit:]
        following = None
        if rest and page:
            pinned, at, post_id = shown_place(page[-1])
            following = self._desk.database.sealed(subject, [pinned, at.isoformat(), post_id])
        return Page(page, following, 0)

    # ── banners ───────────────────────────────────────────────────────────────────────────────────

    def banners(self) -> list[Banner]:
        """All banners in the order of the site: by their number, then the newest first (X4-26)."""
        found = self._desk.database.all(Banner.latest(), unreadable=lambda _: None)
        return sorted(newest_first(found), key=_banner_place)

    def shown_banners(self) -> list[Banner]:
        """The banners that visitors see now."""
        now = self._desk.pipeline.now
        return [each for each in self.banners() if is_shown(each, now)]

    # ── searching ─────────────────────────────────────────────────────────────────────────────────

    def search(self, text: str, limit: int = 20, cursor: str | None = None) -> SearchPage:
        """Published posts that have every word of a text, the newest posts first, a bounded step at a time."""
        return search_page(self._desk.database, text, self.is_readable, limit, cursor)


def is_shown(banner: Banner, now: datetime) -> bool:
    """Whether visitors see a banner; what says nothing is shown (X4-26)."""
    is_over = banner.expires_at is not None and banner.expires_at <= now
    is_early = banner.starts_at is not None and banner.starts_at > now
    return banner.is_active is not False and not is_over and not is_early


def _banner_place(banner: Banner) -> tuple[bool, int]:
    return banner.sort_no is None, banner.sort_no or 0


def _row(
    found: Post | PostDraft | TrashedPost,
    authors: dict[str, str | None],
    categories: dict[str, str | None],
    drafted: set[str],
) -> PostRow:
    common: dict[str, Any] = {
        "id": found.id,
        "title": found.title,
        "category_id": found.category_id,
        "category": categories.get(found.category_id or ""),
        "author_id": found.author_id,
        "author": authors.get(found.author_id or ""),
        "slug": found.slug,
        "is_pinned": bool(found.is_pinned),
        "expires_at": found.expires_at,
    }
    if isinstance(found, Post):
        times: dict[str, Any] = {"created_at": found.created_at, "updated_at": found.updated_at}
        return PostRow(state="published", has_draft=found.id in drafted, **common, **times)
    if isinstance(found, TrashedPost):
        times = {"created_at": found.first_created_at, "updated_at": found.deleted_at}
        return PostRow(state="trashed", **common, **times)
    return PostRow(
        state="draft" if found.publish_at is None else "scheduled",
        created_at=found.drafted_at,
        updated_at=found.updated_at,
        publish_at=found.publish_at,
        publish_error=found.publish_error,
        **common,
    )
