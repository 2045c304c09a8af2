"""Drafts as routes: everything that nobody sees yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import (
    CREATED,
    DELETED,
    PATH,
    SAME,
    WRITTEN,
    EntityId,
    both_versions,
    change_header,
    codex_of,
    edited_by,
    gone,
    wanted_tag,
    with_example,
    written,
)
from hansang.apps.codex.api.rows import DRAFT, DRAFTS_PAGE, draft_document, draft_saved, row_shown
from hansang.apps.codex.drafts import draft_model
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.reading import PostRow
from hansang.design import Page
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered, route
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatch, IfNoneMatch, is_known, quoted
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PREVIEW = timedelta(days=7)
_PATH = f"{PATH}/drafts"


class PreviewShown(BaseModel):
    """A link that shows a draft to whoever has it, until a moment."""

    token: str
    until: datetime


class DraftRoutes:
    """What is not published yet, for whoever may write."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._codex = shell, codex_of(shell)
        self._writer = gate.allow(AREA, "write")
        self._group = RouteGroup(_PATH, f"{AREA}.drafts", self._writer)

    def all(self) -> list[ApiRoute]:
        """List, create, read, save, delete, and the link to a preview."""
        return [
            self._group.route("GET", "", self.page, DRAFTS_PAGE),
            self._takes("POST", "", self.create, 201, CREATED),
            self._group.route("GET", "/{id}", self.read, DRAFT, extra=SAME),
            self._takes("PUT", "/{id}", self.save, 200, WRITTEN),
            self._group.route("DELETE", "/{id}", self.delete, None, 204, extra=DELETED),
            self._group.route("GET", "/{id}/preview", self.preview, PreviewShown),
        ]

    def _takes(self, method: str, path: str, answer: Any, status: int, extra: dict[str, Any]) -> ApiRoute:
        return route(
            method,
            f"{_PATH}{path}",
            answer,
            name=f"{AREA}.drafts.{answer.__name__}",
            tag=AREA,
            rule=self._writer,
            answers=DRAFT,
            status=status,
            takes=lambda: {"given": Annotated[draft_model(), Body()]},
            extra=extra | with_example(self._codex.posts.type),
        )

    def page(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """The drafts, those with a time among them, the newest first."""

        def found_page(limit: int, cursor: str | None) -> Page[PostRow]:
            found = self._codex.drafts.page(limit, cursor)
            rows = self._codex.reading.named_rows(found.items)
            return Page(rows, found.cursor, found.offset, found.unreadable)

        naming = Naming(self._shell, principal)
        return list_answer(request, asked, naming, DRAFTS_PAGE, found_page, row_shown, "codex-drafts")

    def create(self, given: BaseModel, key: IdempotencyKey, principal: Principal) -> Response:
        """A new draft; nothing of it is needed yet."""

        def work(beside: Beside[Edit[PostDraft]]) -> Edit[PostDraft]:
            return self._codex.drafts.create(given, edited_by(principal, beside))

        def told(edit: Edit[PostDraft]) -> Response:
            headers = {"Location": f"{_PATH}/{edit.subject.id}"} | change_header(edit)
            return written(draft_document(edit.subject), edit.etag, headers, 201)

        asked = f"POST {_PATH}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)

    def read(self, at: EntityId, seen: IfNoneMatch, principal: Principal) -> Response:
        """One draft, with its tag."""
        draft, tag = self._codex.drafts.get(at)
        if seen is not None and is_known(seen, tag):
            return Response(status_code=304, headers={"ETag": quoted(tag)})
        return written(draft_document(draft), tag)

    def save(
        self, at: EntityId, given: BaseModel, seen: IfMatch, key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Save a draft; the first one of a published post needs no If-Match."""
        tag = None if seen is None else seen.strip().strip('"')

        def work(beside: Beside[Edit[PostDraft]]) -> Edit[PostDraft]:
            with both_versions(self._codex, given):
                return self._codex.drafts.save(at, given, tag, edited_by(principal, beside))

        asked = f"PUT {_PATH}/{at} {tag}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, draft_saved)

    def delete(self, at: EntityId, seen: IfMatch, key: IdempotencyKey, principal: Principal) -> Response:
        """Delete a draft; what is published stays."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[PostDraft]]) -> Edit[PostDraft]:
            with both_versions(self._codex):
                return self._codex.drafts.delete(at, tag, edited_by(principal, beside))

        asked = f"DELETE {_PATH}/{at} {tag}".encode()
        return once(self._shell, principal, key, asked, work, gone)

    def preview(self, at: EntityId, principal: Principal) -> Response:
        """A link that shows the draft to whoever has it, for a week."""
        until = self._codex.desk.pipeline.now + PREVIEW
        return answered(PreviewShown(token=self._codex.drafts.preview(at, until), until=until))
