"""What a post was before: its revisions, two of them beside each other, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import orjson
from starlette.responses import Response

from hansang.apps.codex.console.editor import opened
from hansang.apps.codex.console.links import codex_of, edit_path, edited_by, page
from hansang.apps.codex.design import Contents
from hansang.apps.codex.diffs import compare, sizes
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

MOST = 60
DRAFT, PUBLISHED = "draft", "published"


@dataclass(frozen=True, slots=True)
class PostVersion:
    """A version of a post: the draft, what is published, or what was kept when it was replaced."""

    name: str
    title: str
    contents: Contents
    at: datetime
    by: str | None
    is_draft: bool = False
    is_published: bool = False

    @property
    def text(self) -> str:
        """Its contents as a text that can be compared."""
        if isinstance(self.contents, str):
            return self.contents
        return orjson.dumps(self.contents, option=orjson.OPT_INDENT_2, default=str).decode()


def versions(codex: Codex, post_id: str) -> list[PostVersion]:
    """All versions that are kept, the newest first."""
    edited = opened(codex, post_id)
    found = []
    if edited.draft is not None:
        draft = edited.draft
        found.append(
            PostVersion(DRAFT, draft.title, draft.contents, draft.updated_at, draft.saved_by, is_draft=True)
        )
    if edited.post is not None:
        post = edited.post
        author = codex.reading.author_names([post.author_id]).get(post.author_id)
        found.append(
            PostVersion(PUBLISHED, post.title, post.contents, post.updated_at, author, is_published=True)
        )
    kept = codex.posts.revisions(post_id, MOST).items
    return [
        *found,
        *(
            PostVersion(each.revision, each.title, each.contents, each.saved_at, each.replaced_by)
            for each in kept
        ),
    ]


def show(visit: Visit) -> Response:
    """The versions, and two of them beside each other."""
    codex, post_id = codex_of(visit), visit.param("id")
    found = versions(codex, post_id)
    by_name = {each.name: each for each in found}
    right = by_name.get(visit.query("right")) or found[0]
    others = [each for each in found if each is not right]
    left = by_name.get(visit.query("left")) or (others[0] if others else right)
    title, body = compare(left.title, right.title), compare(left.text, right.text)
    zone = visit.formats.zone
    days = groupby(found, key=lambda each: each.at.astimezone(zone).date())
    numbers = {each.name: len(found) - place for place, each in enumerate(found)}
    context: dict[str, Any] = {
        "post_id": post_id,
        "days": [(day, list(each)) for day, each in days],
        "numbers": numbers,
        "left": left,
        "right": right,
        "title_blocks": title,
        "runs": [(kind, list(each)) for kind, each in groupby(body, key=lambda each: each.kind == "same")],
        "changed": sum(each.kind != "same" for each in (*title, *body)),
        "sizes": sizes([*title, *body]),
        "clock": lambda at: f"{at.astimezone(zone):%H:%M}",
    }
    return page(visit, "revisions.html", **context)


def restore(visit: Visit) -> Response:
    """Make a draft of a revision; nothing that is published changes."""
    post_id = visit.param("id")
    codex_of(visit).drafts.restore(post_id, visit.given("revision"), edited_by(visit))
    return visit.go(edit_path(post_id), "codex.done.revision_restored")


PAGES = (
    PageRoute("/codex/posts/{id}/revisions", show, allowed(AREA, "write")),
    PageRoute("/codex/posts/{id}/revisions", restore, allowed(AREA, "write"), "POST"),
)
