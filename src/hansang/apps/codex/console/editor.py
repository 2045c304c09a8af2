"""The editor: a draft that saves itself, its preview, and the way to the site, now or at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import orjson
from starlette.responses import HTMLResponse, Response

from hansang.apps.codex.accounts import own_role, own_user, set_role
from hansang.apps.codex.console import conflicts
from hansang.apps.codex.console.draft_forms import given_of, typed_contents
from hansang.apps.codex.console.links import (
    SITE,
    category_choices,
    codex_of,
    edit_path,
    edited_by,
    page,
    settings_of,
    user_choices,
)
from hansang.apps.codex.console.site_pages import body_of
from hansang.apps.codex.contents import plain_text, rendered
from hansang.apps.codex.design import Post
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.editing import Edit
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

NEW = "/codex/posts/new"
PREVIEWED = timedelta(days=7)
_LONGEST_PREVIEW = 400_000


@dataclass(frozen=True, slots=True)
class EditedPost:
    """What the editor is opened with: a draft, or the published post that a draft would be made of."""

    draft: PostDraft | None
    tag: str
    post: Post | None

    @property
    def shown(self) -> PostDraft | Post | None:
        return self.draft or self.post

    @property
    def is_text(self) -> bool:
        return self.shown is None or isinstance(self.shown.contents, str)


def opened(codex: Codex, post_id: str, *, with_draft: bool = True) -> EditedPost:
    """A post and its draft, or NotFound."""
    draft, post = codex.drafts.find(post_id) if with_draft else None, codex.posts.find(post_id)
    if draft is None and post is None:
        codex.posts.get(post_id)
    return EditedPost(
        None if draft is None else draft[0],
        "" if draft is None else draft[1],
        None if post is None else post[0],
    )


def begin(visit: Visit) -> Response:
    """An empty page; nothing is stored before something is written."""
    return _shown(visit, "", EditedPost(None, "", None))


def show(visit: Visit) -> Response:
    """A post to be edited; whoever only reads sees what is published."""
    post_id = visit.param("id")
    return _shown(visit, post_id, opened(codex_of(visit), post_id, with_draft=visit.may(AREA, "write")))


def _shown(visit: Visit, post_id: str, edited: EditedPost) -> Response:
    codex, found = codex_of(visit), edited.shown
    now = codex.desk.pipeline.now
    context: dict[str, Any] = {
        "post_id": post_id,
        "edited": edited,
        "draft": edited.draft,
        "post": edited.post,
        "title_text": found.title if found else "",
        "contents": found.contents if found and isinstance(found.contents, str) else "",
        "body": (body_of(visit, found.contents) if found else None) or "",
        "category_id": (found.category_id if found else visit.query("category")) or "",
        "author_id": (found.author_id if found else _own_id(visit)) or "",
        "slug": (found.slug if found else "") or "",
        "is_pinned": bool(found and found.is_pinned),
        "attachments": list(found.attachments or []) if found else [],
        "categories": category_choices(codex),
        "authors": user_choices(codex),
        "revisions": len(codex.posts.revisions(post_id, 100).items) if post_id else 0,
        "preview_href": _preview_link(visit, codex, edited.draft) if edited.draft else "",
        "tomorrow": _local_text(visit, now + timedelta(days=1)),
        "publish_error": edited.draft.publish_error if edited.draft else None,
    }
    return page(visit, "editor.html", **context)


def _own_id(visit: Visit) -> str:
    """The user of whoever begins a post, who is its author unless another one is chosen (X4-42)."""
    own = own_user(codex_of(visit), visit.asking)
    return "" if own is None else own.id


def _preview_link(visit: Visit, codex: Codex, draft: PostDraft) -> str:
    token = codex.drafts.preview(draft.id, codex.desk.pipeline.now + PREVIEWED)
    server = visit.shell.settings.public_url or f"{visit.request.url.scheme}://{visit.request.url.netloc}"
    return f"{server.rstrip('/')}{SITE}/preview/{quote(token, safe='')}"


def _local_text(visit: Visit, moment: datetime) -> str:
    return f"{moment.astimezone(visit.formats.zone):%Y-%m-%dT09:00}"


# ── saving ────────────────────────────────────────────────────────────────────────────────────────


def create(visit: Visit) -> Response:
    """The first words of a new post."""
    set_role(codex_of(visit), visit.asking.name, own_role(visit.asking), edited_by(visit))
    return _answered(visit, lambda codex: codex.drafts.create(given_of(visit, None), edited_by(visit)))


def save(visit: Visit) -> Response:
    """What was typed, as the draft of a post; somebody else's changes are never written over."""
    codex, post_id = codex_of(visit), visit.param("id")
    edited = opened(codex, post_id)
    try:
        return _answered(
            visit,
            lambda codex: codex.drafts.save(
                post_id, given_of(visit, edited.shown), visit.given("tag") or None, edited_by(visit)
            ),
        )
    except Conflict:
        if _is_script(visit):
            return _json({"conflict": True}, 409)
        return conflicts.show(visit, codex, post_id)


def _answered(visit: Visit, work: Any) -> Response:
    """The answer to what was saved: the new tag for a script, else the editor again."""
    try:
        edit: Edit[PostDraft] = work(codex_of(visit))
    except (InvalidInput, NotFound) as refused:
        if _is_script(visit):
            return _json({"problem": said(visit, refused)}, 422)
        raise
    if _is_script(visit):
        answer = {"id": edit.subject.id, "tag": edit.etag, "href": edit_path(edit.subject.id)}
        return _json(answer | {"saved": visit.t("codex.edit.saved_at", time=_clock(visit, edit.subject))})
    return visit.go(edit_path(edit.subject.id), "codex.done.saved")


def _clock(visit: Visit, draft: PostDraft) -> str:
    return f"{draft.updated_at.astimezone(visit.formats.zone):%H:%M}"


def _is_script(visit: Visit) -> bool:
    return visit.request.headers.get("x-autosave") == "1"


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def said(visit: Visit, refused: HansangError) -> str:
    """Why something was refused, in the language of whoever looks."""
    return visit.worded(str(refused), refused.code, refused.values)


def preview(visit: Visit) -> Response:
    """How a text will read, made and sanitised on the server."""
    text = typed_contents(visit)[:_LONGEST_PREVIEW]
    answer = HTMLResponse(rendered(text, settings_of(visit)))
    answer.headers["X-Characters"] = str(len(plain_text(text)))
    return answer


# ── publishing ────────────────────────────────────────────────────────────────────────────────────


def publish(visit: Visit) -> Response:
    """Show a draft to everyone: now, or at a time."""
    codex, post_id = codex_of(visit), visit.param("id")
    try:
        if visit.given("when") == "later":
            at = _moment(visit)
            codex.drafts.schedule(post_id, at, edited_by(visit))
            return visit.go(edit_path(post_id), "codex.done.scheduled", when=visit.formats.moment(at))
        codex.drafts.publish(post_id, edited_by(visit), visit.given("tag"))
    except (InvalidInput, NotFound) as refused:
        return visit.go(edit_path(post_id), "codex.done.refused", why=said(visit, refused))
    except Conflict:
        return visit.go(edit_path(post_id), "codex.done.changed_meanwhile")
    slug = codex.posts.get(post_id)[0].slug or post_id
    return visit.go(
        edit_path(post_id), "codex.done.published", (f"{SITE}/posts/{quote(slug, safe='')}", "codex.view")
    )


def _moment(visit: Visit) -> datetime:
    try:
        local = datetime.fromisoformat(visit.given("publish_at"))
    except ValueError as fault:
        raise InvalidInput(
            "Give the day and the time at which it becomes public.", "publishAt", code="codex.no-time"
        ) from fault
    return local.replace(tzinfo=visit.formats.zone, second=0, microsecond=0)


def unschedule(visit: Visit) -> Response:
    """Let a draft wait again."""
    post_id = visit.param("id")
    codex_of(visit).drafts.schedule(post_id, None, edited_by(visit))
    return visit.go(edit_path(post_id), "codex.done.unscheduled")


def discard(visit: Visit) -> Response:
    """Delete the draft of a published post; what is published stays."""
    codex, post_id = codex_of(visit), visit.param("id")
    codex.posts.get(post_id)
    codex.drafts.delete(post_id, visit.given("tag"), edited_by(visit))
    return visit.go(edit_path(post_id), "codex.done.discarded")


_WRITE = allowed(AREA, "write")
PAGES = (
    PageRoute(NEW, begin, _WRITE),
    PageRoute(NEW, create, _WRITE, "POST"),
    PageRoute("/codex/posts/preview", preview, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}", show, allowed(AREA, "read")),
    PageRoute("/codex/posts/{id}/save", save, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}/publish", publish, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}/unschedule", unschedule, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}/discard", discard, _WRITE, "POST"),
)
