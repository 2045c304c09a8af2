"""Categories: one with posts is deleted only together with them, or after they have moved (X4-21)."""

from __future__ import annotations

from typing import Any

from hansang.apps.codex.design import Category, Post
from hansang.apps.codex.editorial import CategoryGate, CategoryGateKey
from hansang.apps.codex.entities import ANY_TAG, Desk, EditedBy, Entities, expect_tag, key_of
from hansang.apps.codex.posts import Posts
from hansang.design import attr
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, InvalidInput, Refused
from hansang.parts.editing import Edit

_TRIES = 5


class Categories(Entities[Category]):
    """The headings that posts are under."""

    def __init__(self, desk: Desk, posts: Posts) -> None:
        super().__init__(desk, desk.pipeline.registry.of(Category))
        self._posts = posts

    def delete(
        self,
        entity_id: str,
        tag: str,
        by: EditedBy,
        *,
        move_to: str | None = None,
        cascade: bool = False,
    ) -> Edit[Category]:
        """Delete a category; its posts move to another one, or go to the trash. Broken off, it can be done again."""
        for _ in range(_TRIES):
            seen, found = self.get(entity_id)
            expect_tag(seen, found, tag)
            gate = self._gate(entity_id)
            self._empty(seen, by, move_to, cascade)
            try:
                return self._close(seen, found, gate, by)
            except (Conflict, Refused):
                # A post has come in since its posts were read: it goes where the others went.
                if self._gate(entity_id) == gate:
                    raise
        raise Conflict(
            "Posts keep coming into the category {category}. Try again later.",
            code="codex.category-busy",
            values={"category": entity_id},
        )

    def _gate(self, category_id: str) -> CategoryGate | None:
        return self.desk.database.find(CategoryGateKey(category_id=category_id), consistent=True)

    def _close(self, seen: Category, tag: str, gate: CategoryGate | None, by: EditedBy) -> Edit[Category]:
        """Delete an empty category, unless a post has come in since its gate was read."""
        unchanged: Any = attr(CategoryGate.entered).missing()
        if gate is not None:
            unchanged = CategoryGate.entered == gate.entered

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.delete(CategoryGateKey(category_id=seen.id), when=unchanged)

        return self.desk.editing.delete(key_of(seen), tag, by.actor, by.request_id, beside)

    def _empty(self, category: Category, by: EditedBy, move_to: str | None, cascade: bool) -> None:
        posts = self._posts.in_category(category.id)
        alone = EditedBy(by.actor, by.request_id)
        if posts and move_to is None and not cascade:
            raise Conflict(
                "The category {category} has {count:,} posts. Give move_to with another category, or cascade=true.",
                category,
                code="codex.category-in-use",
                values={"category": category.id, "count": len(posts)},
            )
        if move_to is not None and (
            move_to == category.id or not self.desk.pipeline.exists("Category", move_to)
        ):
            raise InvalidInput(
                "Category {category} not found. Create it first, or name another.",
                "move_to",
                code="codex.no-category",
                values={"category": move_to},
            )
        for post in posts:
            self._send_away(post, alone, move_to)

    def _send_away(self, post: Post, by: EditedBy, move_to: str | None) -> None:
        if move_to is None:
            self._posts.delete(post.id, ANY_TAG, by)
            return
        seen, tag = self._posts.get(post.id)
        moved = seen.model_copy(update={"category_id": move_to, "updated_at": self.desk.pipeline.now})
        self._posts.save(seen, tag, moved, by)
