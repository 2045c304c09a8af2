"""Posts as routes: published ones, drafts beside them, revisions and the trash."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import (
    CHANGED,
    DELETED,
    DocumentRoutes,
    EntityId,
    both_versions,
    edited_by,
    gone,
    wanted_tag,
    written,
)
from hansang.apps.codex.api.rows import (
    DRAFT,
    POSTS_PAGE,
    REVISIONS_PAGE,
    WHOLE_REVISION,
    draft_saved,
    revision_document,
    revision_shown,
    row_shown,
)
from hansang.apps.codex.contents import rendered
from hansang.apps.codex.design import Post
from hansang.apps.codex.editorial import PostDraft, PostRevision
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.reading import PostRow, PostState
from hansang.apps.codex.registry import ExactMoment, shown_model
from hansang.design import Page
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Exported, Listed, Spoken
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, expect
from hansang.surfaces.api.tags import TAGGED, IfMatch
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

_DONE: dict[str, Any] = {"responses": {"200": {"headers": TAGGED | CHANGED}}}

Revision = Annotated[str, InPath(min_length=1, max_length=64)]


class PostsAsked(Exported):
    """Which posts are asked for."""

    state: PostState = "published"


class RestoreAsked(Spoken):
    """Where a post is restored to, if not where it was."""

    category_id: str | None = None


class ScheduleGiven(BaseModel):
    """When a draft publishes itself; null for no longer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"publishAt": "2099-01-02T00:00:00Z"}}
    )

    publish_at: Annotated[ExactMoment | None, Field(alias="publishAt")]


@cache
def _whole(shown: type[BaseModel]) -> type[BaseModel]:
    return create_model("PostWhole", __base__=shown, __doc__=Post.__doc__, html=(str | None, None))


class PostRoutes(DocumentRoutes):
    """What is written on the site."""

    subject = Post

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._shown = _whole(shown_model(self._type))

    def all(self) -> list[ApiRoute]:
        """Those of every type, then drafts, revisions and the verbs."""
        own = [each for each in super().all() if each.name != f"{self._name}.page"]
        verb, shown = self._group.route, self._shown
        return [
            self._group.route("GET", "", self.rows, POSTS_PAGE),
            *own,
            verb("POST", "/{id}/publish", self.publish, shown, rule=self._writer, extra=_DONE),
            verb("POST", "/{id}/schedule", self.schedule, DRAFT, rule=self._writer, extra=_DONE),
            verb("POST", "/{id}/restore", self.restore, shown, rule=self._writer, extra=_DONE),
            verb("POST", "/{id}/take-down", self.take_down, None, 204, rule=self._writer, extra=DELETED),
            verb("GET", "/{id}/revisions", self.revisions, REVISIONS_PAGE, rule=self._writer),
            verb("GET", "/{id}/revisions/{revision}", self.revision, WHOLE_REVISION, rule=self._writer),
            verb(
                "POST",
                "/{id}/revisions/{revision}/restore",
                self.restore_revision,
                DRAFT,
                rule=self._writer,
                extra=_DONE,
            ),
        ]

    # ── posts ─────────────────────────────────────────────────────────────────────────────────────

    def rows(
        self, request: Request, asked: Annotated[PostsAsked, InAddress()], principal: Principal
    ) -> Response:
        """Posts of all categories, the newest first, without their contents; what is not published takes codex:write."""
        if asked.state != "published":
            expect(principal, AREA, "write")

        def page(limit: int, cursor: str | None) -> Page[PostRow]:
            return self._codex.reading.rows(asked.state, limit, cursor)

        naming = Naming(self._shell, principal)
        return list_answer(request, asked, naming, POSTS_PAGE, page, row_shown, f"codex-posts-{asked.state}")

    def shown(self, entity: Any) -> dict[str, Any]:
        """A post with its contents as HTML, if they are Markdown."""
        contents = entity.contents
        return super().shown(entity) | {"html": rendered(contents) if isinstance(contents, str) else None}

    def publish(self, at: EntityId, key: IdempotencyKey, principal: Principal) -> Response:
        """Publish a draft now."""

        def work(beside: Beside[Edit[Post]]) -> Edit[Post]:
            return self._codex.drafts.publish(at, edited_by(principal, beside))

        return once(self._shell, principal, key, self._asked("POST", f"/{at}/publish"), work, self.saved)

    def schedule(
        self, at: EntityId, given: Annotated[ScheduleGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Let a draft publish itself at a time, or no longer."""

        def work(beside: Beside[Edit[PostDraft]]) -> Edit[PostDraft]:
            return self._codex.drafts.schedule(at, given.publish_at, edited_by(principal, beside))

        asked = self._asked("POST", f"/{at}/schedule", given)
        return once(self._shell, principal, key, asked, work, draft_saved)

    def restore(
        self,
        at: EntityId,
        asked: Annotated[RestoreAsked, InAddress()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Put a deleted post back."""

        def work(beside: Beside[Edit[Post]]) -> Edit[Post]:
            return self._codex.posts.restore(at, edited_by(principal, beside), asked.category_id)

        request = self._asked("POST", f"/{at}/restore {asked.category_id}")
        return once(self._shell, principal, key, request, work, self.saved)

    def take_down(self, at: EntityId, seen: IfMatch, key: IdempotencyKey, principal: Principal) -> Response:
        """Take a post off the site; it becomes a draft."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[Post]]) -> Edit[Post]:
            with both_versions(self._codex):
                return self._codex.drafts.take_down(at, tag, edited_by(principal, beside))

        return once(self._shell, principal, key, self._asked("POST", f"/{at}/take-down {tag}"), work, gone)

    # ── revisions ─────────────────────────────────────────────────────────────────────────────────

    def revisions(self, at: EntityId, request: Request, asked: Listed, principal: Principal) -> Response:
        """What a post was before, the newest first."""

        def page(limit: int, cursor: str | None) -> Page[PostRevision]:
            return self._codex.posts.revisions(at, limit, cursor)

        naming = Naming(self._shell, principal)
        return list_answer(
            request, asked, naming, REVISIONS_PAGE, page, revision_shown, f"codex-{at}-revisions"
        )

    def revision(self, at: EntityId, revision: Revision, principal: Principal) -> Response:
        """One revision with its contents."""
        found = self._codex.posts.revision(at, revision)
        document = revision_document(found) | {
            "categoryId": found.category_id,
            "authorId": found.author_id,
            "contents": found.contents,
            "contentsFormat": found.contents_format,
            "slug": found.slug,
        }
        return written(document, found.revision)

    def restore_revision(
        self, at: EntityId, revision: Revision, key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Make a draft of a revision; nothing that is published changes."""

        def work(beside: Beside[Edit[PostDraft]]) -> Edit[PostDraft]:
            return self._codex.drafts.restore(at, revision, edited_by(principal, beside))

        asked = self._asked("POST", f"/{at}/revisions/{revision}/restore")
        return once(self._shell, principal, key, asked, work, draft_saved)
