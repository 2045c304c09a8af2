"""Categories as routes: with their posts, and deleted only when the posts have somewhere to go."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query as InAddress
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import (
    DELETED,
    DocumentRoutes,
    EntityId,
    both_versions,
    edited_by,
    gone,
    page_model,
    wanted_tag,
)
from hansang.apps.codex.design import Category, Post
from hansang.apps.codex.registry import shown_model
from hansang.design import Page
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed, Spoken
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatch
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

WITHOUT_CONTENTS = frozenset({"contents"})


class DeletionAsked(Spoken):
    """What becomes of the posts of a category."""

    move_to: str | None = None
    cascade: bool = False


class CategoryRoutes(DocumentRoutes):
    """The headings that posts are under."""

    subject = Category

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._post = self._codex.registry.of(Post)
        self._row = shown_model(self._post, WITHOUT_CONTENTS)
        self._posts_page = page_model(
            "CategoryPostsPage",
            "A page of the posts of a category, the pinned first, then the newest.",
            self._row,
        )

    def all(self) -> list[ApiRoute]:
        """Those of every type, with another way to delete, and the posts."""
        own = [each for each in super().all() if "DELETE" not in (each.methods or ())]
        return [
            *own,
            self._group.route(
                "DELETE", "/{id}", self.delete_with, None, 204, rule=self._writer, extra=DELETED
            ),
            self._group.route("GET", "/{id}/posts", self.posts, self._posts_page),
        ]

    def delete_with(
        self,
        at: EntityId,
        asked: Annotated[DeletionAsked, InAddress()],
        seen: IfMatch,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Delete a category; with posts, it has to be said where they go."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            with both_versions(self._codex):
                return self._codex.categories.delete(
                    at, tag, edited_by(principal, beside), move_to=asked.move_to, cascade=asked.cascade
                )

        request = self._asked("DELETE", f"/{at} {tag} {asked.move_to} {asked.cascade}")
        return once(self._shell, principal, key, request, work, gone)

    def posts(self, at: EntityId, request: Request, asked: Listed, principal: Principal) -> Response:
        """The posts of a category, the pinned first, then the newest."""

        def page(limit: int, cursor: str | None) -> Page[Post]:
            return self._codex.reading.category_page(at, limit, cursor).posts

        naming = Naming(self._shell, principal)
        return list_answer(
            request, asked, naming, self._posts_page, page, self._in_posts, f"codex-{at}-posts"
        )

    def _in_posts(self, post: Post) -> Any:
        document = self._post.document(post)
        return self._row.model_validate(
            {name: value for name, value in document.items() if name not in WITHOUT_CONTENTS}
        )
