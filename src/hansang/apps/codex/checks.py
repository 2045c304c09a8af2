"""What has to be true of content that somebody writes by hand."""

from __future__ import annotations

from hansang.apps.codex.design import (
    Category,
    CategoryKey,
    FMWebApp,
    Post,
    PostKey,
    PostLocatorKey,
    UserKey,
)
from hansang.apps.codex.editorial import CategoryGateKey
from hansang.design import Database
from hansang.design.requests import shape_of
from hansang.errors import InvalidInput, NotAllowed


def check_post(database: Database, before: Post | None, after: Post | None) -> None:
    """What a repair leaves: a post in one category only (X4-06), whose category and author are there."""
    if after is None:
        return
    if database.find(CategoryKey(id=after.category_id), consistent=True) is None:
        raise InvalidInput(
            "Category {category} not found. Create it first, or name another.",
            "category_id",
            code="codex.no-category",
            values={"category": after.category_id},
        )
    if database.find(UserKey(id=after.author_id), consistent=True) is None:
        raise InvalidInput(
            "User {author} not found. Name an author who is there.",
            "author_id",
            code="codex.no-author",
            values={"author": after.author_id},
        )
    if before is None and (there := _elsewhere(database, after)) is not None:
        raise NotAllowed(
            "The post {post} is in the category {category} already. Delete it there first, or give another id.",
            code="codex.post-elsewhere",
            values={"post": after.id, "category": there},
        )


def _elsewhere(database: Database, post: Post) -> str | None:
    """Another category that has a post with this id; the locator knows, or every category is asked."""
    located = database.find(PostLocatorKey(post_id=post.id), consistent=True)
    if located is not None and located.category_id != post.category_id:
        return located.category_id
    others = (each.id for each in database.each(Category.latest()) if each.id != post.category_id)
    for category_id in others:
        key = PostKey(category_id=category_id, id=post.id)
        if database.find_item(FMWebApp, shape_of(key).key(key.__dict__)) is not None:
            return category_id
    return None


def check_category(database: Database, before: CategoryKey | None, after: Category | None) -> None:
    """A category that has or had posts is deleted by its own verb, which looks after them (X4-21)."""
    if before is None or after is not None:
        return
    page = database.page(Post.in_category(before.id), limit=1)
    if page.items or page.unreadable or page.cursor:
        raise NotAllowed(
            "The category {category} has posts. Delete or move them first.",
            code="codex.category-has-posts",
            values={"category": before.id},
        )
    if database.find(CategoryGateKey(category_id=before.id), consistent=True) is not None:
        raise NotAllowed(
            "Posts come into the category {category}. Delete it where they are looked after: /codex/categories, "
            "DELETE /api/codex/categories/{category} or hansang codex delete Category {category}.",
            code="codex.delete-category-there",
            values={"category": before.id},
        )
