"""Posts: written, moved, deleted and restored, each together with its locator, its address and its revision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

from hansang.apps.codex.design import (
    Category,
    CategoryKey,
    FMWebApp,
    Post,
    PostLocator,
    PostLocatorKey,
)
from hansang.apps.codex.editorial import (
    CategoryGate,
    CategoryGateKey,
    PostDraft,
    PostRevision,
    PostRevisionKey,
    TrashedPost,
    TrashedPostKey,
)
from hansang.apps.codex.entities import Desk, EditedBy, Entities, expect_tag, key_of, no_such
from hansang.apps.codex.pipeline import Given
from hansang.apps.codex.slugs import Slugs
from hansang.design import Page, attr
from hansang.design.requests import shape_of
from hansang.design.transaction import Transaction
from hansang.errors import InvalidInput, NotFound
from hansang.parts.editing import Edit
from hansang.parts.etags import etag

KEPT_IN_TRASH = timedelta(days=30)
_IN_BOTH = ("id", "category_id", "author_id", "title", "contents", "contents_format", "slug")
_IN_TRASH = (*_IN_BOTH, "is_pinned", "attachments")


class Posts(Entities[Post]):
    """The published posts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, desk.pipeline.registry.of(Post))
        self.slugs = Slugs(desk.database)

    # ── finding ───────────────────────────────────────────────────────────────────────────────────

    def find(self, entity_id: str) -> tuple[Post, str] | None:
        """A post by its id alone, in two reads (X4-06)."""
        located = self.desk.database.find(PostLocatorKey(post_id=entity_id), consistent=True)
        found = None if located is None else self._in_category(located.category_id, entity_id)
        return found or self._without_locator(entity_id)

    def _in_category(self, category_id: str, post_id: str) -> tuple[Post, str] | None:
        return self.desk.editing.find(Post, {"category_id": category_id, "id": post_id})

    def _without_locator(self, post_id: str) -> tuple[Post, str] | None:
        """A post that somebody has stored by hand, without a locator: every category is asked."""
        for category in self.desk.database.each(Category.latest(), unreadable=lambda _: None):
            found = self._in_category(category.id, post_id)
            if found is not None:
                return found
        return None

    def find_by_slug(self, slug: str) -> Post | None:
        """The post that an address leads to; if its own is another, that is where to redirect."""
        post_id = self.slugs.find(slug)
        found = None if post_id is None else self.find(post_id)
        return None if found is None else found[0]

    def in_category(self, category_id: str) -> list[Post]:
        """The posts of a category, read from the table itself: the pinned first, then the newest (X4-05)."""
        query = Post.in_category(category_id).consistent()
        found = self.desk.database.all(query, unreadable=lambda _: None)
        return sorted(found, key=shown_place, reverse=True)

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def create(self, given: Given, by: EditedBy) -> Edit[Post]:
        """Publish a new post, with its locator and its address."""
        return self.publish(cast(Post, self.desk.pipeline.made(self.type, given)), by)

    def publish(self, post: Post, by: EditedBy) -> Edit[Post]:
        """Store a post that is made, and that no category has yet."""
        post = self._addressed(post)

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.create(PostLocator(post_id=post.id, category_id=post.category_id))
            self._enter_category(transaction, post.category_id)
            self.slugs.claim(transaction, post)

        return self.desk.editing.create(post, by.actor, by.request_id, beside)

    def replace(self, entity_id: str, given: Given, tag: str, by: EditedBy) -> Edit[Post]:
        """Store a post in place of the one with this tag, which is kept as a revision; another category moves it."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        changed = cast(Post, self.desk.pipeline.changed(self.type, seen, given))
        return self.save(seen, found, changed, by)

    def save(self, seen: Post, tag: str, post: Post, by: EditedBy) -> Edit[Post]:
        """Store a post in place of the one that was seen."""
        post = post if post.slug is not None else self._addressed(post, seen.slug)
        revision = self.revision_of(seen, by)

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.put(revision)
            if post.slug != seen.slug:
                self.slugs.claim(transaction, post)
            if post.category_id != seen.category_id:
                transaction.put(PostLocator(post_id=post.id, category_id=post.category_id))
                self._enter_category(transaction, post.category_id)

        if post.category_id == seen.category_id:
            return self.desk.editing.replace(post, tag, by.actor, by.request_id, beside)
        return self._move(seen, post, by, beside)

    def _move(self, seen: Post, post: Post, by: EditedBy, beside: Any) -> Edit[Post]:
        """Delete it there and put it here, with its locator, all at once (X4-20)."""
        shape = shape_of(post)
        item = self.desk.database.find_item(FMWebApp, shape.key(seen.__dict__))
        if item is None:
            raise no_such("Post", seen.id)
        moved = {**item, **shape.encode(post)}
        absent = shape.encode(seen).keys() - shape.encode(post).keys()
        moved = {name: value for name, value in moved.items() if name not in absent}

        def typed(transaction: Transaction, edit: Edit[Any]) -> None:
            beside(transaction, Edit(post, edit.etag, edit.change))

        edit = self.desk.editing.mend_item(FMWebApp, item, moved, by.actor, by.request_id, typed)
        return Edit(post, etag(moved), edit.change)

    def _addressed(self, post: Post, before: str | None = None) -> Post:
        """The post with an address: its own, the one that it had, or one of its title."""
        if post.slug is not None:
            return post
        slug = before or self.slugs.free(post.title, post.id)
        return post.model_copy(update={"slug": slug})

    def _enter_category(self, transaction: Transaction, category_id: str) -> None:
        """Let a post in only where the category is, and let a delete of the category notice it (X4-21)."""
        transaction.check(CategoryKey(id=category_id), attr(Category.title).exists())
        gate = CategoryGateKey(category_id=category_id)
        transaction.update(gate, attr(CategoryGate.entered).add(1), upsert=True)

    # ── revisions ─────────────────────────────────────────────────────────────────────────────────

    def revision_of(self, seen: Post | PostDraft, by: EditedBy) -> PostRevision:
        """What is kept of a post, or of a draft, that is about to be replaced."""
        kept = {name: getattr(seen, name) for name in _IN_BOTH if name != "id"}
        return PostRevision(
            post_id=seen.id,
            revision=self.desk.pipeline.new_id(""),
            was_published=isinstance(seen, Post),
            saved_at=seen.updated_at,
            replaced_at=self.desk.pipeline.now,
            replaced_by=by.actor.shown,
            **kept,
        )

    def revisions(self, post_id: str, limit: int = 20, cursor: str | None = None) -> Page[PostRevision]:
        """What a post was before, the newest first."""
        return self.desk.database.page(PostRevision.of_post(post_id), limit, cursor)

    def revision(self, post_id: str, revision: str) -> PostRevision:
        """One revision of a post, or NotFound."""
        found = self.desk.database.find(PostRevisionKey(post_id=post_id, revision=revision))
        if found is None:
            raise NotFound(
                "Revision {revision} of the post {post} not found.",
                code="codex.no-revision",
                values={"revision": revision, "post": post_id},
            )
        return found

    # ── trash ─────────────────────────────────────────────────────────────────────────────────────

    def delete(self, entity_id: str, tag: str, by: EditedBy) -> Edit[Post]:
        """Move a post to the trash, from where it can be restored for thirty days."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        now = self.desk.pipeline.now
        trashed = TrashedPost(
            **{name: getattr(seen, name) for name in _IN_TRASH},
            first_created_at=seen.created_at,
            saved_at=seen.updated_at,
            deleted_at=now,
            deleted_by=by.actor.shown,
            expires_at=now + KEPT_IN_TRASH,
        )

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.put(trashed)

        return self.remove(seen, found, EditedBy(by.actor, by.request_id, beside))

    def remove(self, seen: Post, tag: str, by: EditedBy) -> Edit[Post]:
        """Take a post and its locator away; its address stays its own."""

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.delete(PostLocatorKey(post_id=seen.id))

        return self.desk.editing.delete(key_of(seen), tag, by.actor, by.request_id, beside)

    def trash(self, limit: int = 20, cursor: str | None = None) -> Page[TrashedPost]:
        """The deleted posts that can still be restored."""
        page = self.desk.database.page(TrashedPost.every(), limit, cursor)
        now = self.desk.pipeline.now
        left = [each for each in page.items if each.expires_at > now]
        return Page(left, page.cursor, page.offset, page.unreadable)

    def find_trashed(self, post_id: str) -> TrashedPost | None:
        """A deleted post that can still be restored, or None."""
        found = self.desk.database.find(TrashedPostKey(id=post_id), consistent=True)
        return None if found is None or found.expires_at <= self.desk.pipeline.now else found

    def restore(self, post_id: str, by: EditedBy, category_id: str | None = None) -> Edit[Post]:
        """Put a deleted post back where it was, or into another category."""
        trashed = self.find_trashed(post_id)
        if trashed is None:
            raise NotFound(
                "Post {id} is not in the trash.", code="codex.not-in-trash", values={"id": post_id}
            )
        fields = {name: getattr(trashed, name) for name in _IN_TRASH}
        post = Post(
            **{**fields, "category_id": category_id or trashed.category_id},
            created_at=trashed.first_created_at,
            updated_at=self.desk.pipeline.now,
        )
        if not self.desk.pipeline.exists("Category", post.category_id):
            raise InvalidInput(
                "The category {category} is gone. Name another one to restore the post into.",
                "categoryId",
                code="codex.category-gone",
                values={"category": post.category_id},
            )

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.delete(TrashedPostKey(id=post_id), when=attr(TrashedPost.title).exists())

        return self.publish(post, EditedBy(by.actor, by.request_id, beside))

    def purge(self, trashed: TrashedPost) -> None:
        """Delete a post for good, with its revisions and its address."""
        database = self.desk.database
        revisions = database.each(PostRevision.of_post(trashed.id), unreadable=lambda _: None)
        keys: list[Any] = [PostRevisionKey(post_id=trashed.id, revision=each.revision) for each in revisions]
        keys += self.slugs.each(trashed.id, iter([trashed.slug] if trashed.slug else []))
        database.batch_write(deletes=[*keys, TrashedPostKey(id=trashed.id)])

    def each_expired(self) -> Iterator[TrashedPost]:
        """The deleted posts that nobody can restore any more."""
        now = self.desk.pipeline.now
        found = self.desk.database.each(TrashedPost.every(), unreadable=lambda _: None)
        return (each for each in found if each.expires_at <= now)


def shown_place(post: Post) -> tuple[bool, Any, str]:
    """Where a post stands in its category: the pinned first, then the newest."""
    return bool(post.is_pinned), post.created_at, post.id
