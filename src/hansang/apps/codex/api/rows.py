"""Posts, drafts and revisions as they are shown, with the names that the document gives to attributes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, create_model
from starlette.responses import Response

from hansang.apps.codex.api.documents import change_header, page_model, written
from hansang.apps.codex.contents import rendered
from hansang.apps.codex.editorial import PostDraft, PostRevision
from hansang.apps.codex.reading import PostRow, PostState
from hansang.apps.codex.registry import EntityType, shown_model
from hansang.apps.codex.registry import written as as_written
from hansang.parts.editing import Edit

_OF_ROW: dict[str, Any] = {
    "id": (str, ...),
    "state": (PostState, ...),
    "title": (str, ...),
    "categoryId": (str | None, ...),
    "category": (str | None, ...),
    "authorId": (str | None, ...),
    "author": (str | None, ...),
    "slug": (str | None, ...),
    "isPinned": (bool, ...),
    "CreatedAt": (datetime, ...),
    "UpdatedAt": (datetime, ...),
    "publishAt": (datetime | None, ...),
    "publishError": (str | None, ...),
    "expiresAt": (int | None, ...),
    "hasDraft": (bool, ...),
}
_OF_REVISION: dict[str, Any] = {
    "revision": (str, ...),
    "title": (str, ...),
    "wasPublished": (bool, ...),
    "savedAt": (datetime, ...),
    "replacedAt": (datetime, ...),
    "replacedBy": (str, ...),
}
_OF_WHOLE_REVISION: dict[str, Any] = _OF_REVISION | {
    "categoryId": (str | None, ...),
    "authorId": (str | None, ...),
    "contents": (str | dict[str, Any] | list[Any], ...),
    "contentsFormat": (str | None, ...),
    "slug": (str | None, ...),
}
_DRAFTS = EntityType(PostDraft, "drafts", "p")

ROW: type[BaseModel] = create_model("PostRowShown", __doc__=PostRow.__doc__, **_OF_ROW)
REVISION: type[BaseModel] = create_model(
    "RevisionShown", __doc__="What a post was before, without its contents.", **_OF_REVISION
)
WHOLE_REVISION: type[BaseModel] = create_model(
    "RevisionWhole", __doc__=PostRevision.__doc__, **_OF_WHOLE_REVISION
)


POSTS_PAGE = page_model("PostRowsPage", "A page of posts of a state.", ROW)
DRAFTS_PAGE = page_model("DraftsPage", "A page of drafts, the newest first.", ROW)
REVISIONS_PAGE = page_model("RevisionsPage", "A page of the revisions of a post, the newest first.", REVISION)


def _draft_shown() -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (info.annotation, info)
        for name, info in shown_model(_DRAFTS).model_fields.items()
        if name != "Type"
    }
    return create_model("DraftDocument", __doc__=PostDraft.__doc__, **fields, html=(str | None, None))


DRAFT = _draft_shown()


def row_shown(row: PostRow) -> BaseModel:
    """A row of a list."""
    found: dict[str, Any] = {
        "id": row.id,
        "state": row.state,
        "title": row.title,
        "categoryId": row.category_id,
        "category": row.category,
        "authorId": row.author_id,
        "author": row.author,
        "slug": row.slug,
        "isPinned": row.is_pinned,
        "CreatedAt": row.created_at,
        "UpdatedAt": row.updated_at,
        "publishAt": row.publish_at,
        "publishError": row.publish_error,
        "expiresAt": as_written(row.expires_at, as_seconds=True),
        "hasDraft": row.has_draft,
    }
    return ROW.model_construct(**found)


def revision_document(found: PostRevision) -> dict[str, Any]:
    """A revision without its contents."""
    return {
        "revision": found.revision,
        "title": found.title,
        "wasPublished": found.was_published,
        "savedAt": as_written(found.saved_at),
        "replacedAt": as_written(found.replaced_at),
        "replacedBy": found.replaced_by,
    }


def revision_shown(found: PostRevision) -> BaseModel:
    """A revision in a list."""
    return REVISION.model_validate(revision_document(found))


def draft_document(draft: PostDraft) -> dict[str, Any]:
    """A draft with its contents as HTML, if they are Markdown."""
    found = _DRAFTS.document(draft)
    html = rendered(draft.contents) if isinstance(draft.contents, str) else None
    return {name: value for name, value in found.items() if name != "Type"} | {"html": html}


def draft_saved(edit: Edit[PostDraft]) -> Response:
    """The answer to a draft that was changed."""
    return written(draft_document(edit.subject), edit.etag, change_header(edit))
