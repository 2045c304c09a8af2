"""What has to be true of content that somebody writes by hand."""

from __future__ import annotations

from hansang.apps.codex.design import Category, CategoryKey, Post, PostKey, PostLocatorKey, UserKey
from hansang.design import Database
from hansang.errors import InvalidInput, NotAllowed


def check_post(database: Database, before: Post | None, after: Post | None) -> None:
    """A post is in one category only (X4-06), and its category and its author are there."""
    if after is None:
        return
    if database.find(CategoryKey(id=after.category_id), consistent=True) is None:
        raise InvalidInput(
            f"There is no category {after.category_id}. Create it first, or name another.", "category_id"
        )
    if database.find(UserKey(id=after.author_id), consistent=True) is None:
        raise InvalidInput(f"There is no user {after.author_id}. Name an author who is there.", "author_id")
    if before is None and (there := _elsewhere(database, after)) is not None:
        raise NotAllowed(
            f"The post {after.id} is in the category {there} already. Delete it there first, or give another id."
        )


def _elsewhere(database: Database, post: Post) -> str | None:
    """Another category that has a post with this id; the locator knows, or every category is asked."""
    located = database.find(PostLocatorKey(post_id=post.id), consistent=True)
    if located is not None and located.category_id != post.category_id:
        return located.category_id
    others = (each.id for each in database.each(Category.latest()) if each.id != post.category_id)
    found = database.batch_get(PostKey(category_id=each, id=post.id) for each in others)
    return next((each.category_id for each in found), None)


def check_category(database: Database, before: Category | None, after: Category | None) -> None:
    """A category that has posts stays."""
    if before is None or after is not None:
        return
    if database.page(Post.in_category(before.id), limit=1).items:
        raise NotAllowed(f"The category {before.id} has posts. Delete or move them first.")
