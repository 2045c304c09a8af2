"""The list of posts, and what is done with one from there."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from hansang.apps.codex.console.links import (
    category_choices,
    codex_of,
    edit_path,
    edited_by,
    page,
    user_choices,
)
from hansang.apps.codex.console.listing import (
    OF_READERS,
    ON_A_PAGE,
    ORDERS,
    STATES,
    ListAsked,
    post_list,
)
from hansang.apps.codex.entities import ANY_TAG, AREA
from hansang.errors import InvalidCursor, InvalidInput
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

LIST = "/codex"
_FILTERS = ("category", "author", "q")


def show(visit: Visit) -> Response:
    """The posts with their states."""
    codex, asked = codex_of(visit), list_asked(visit)
    try:
        found = post_list(codex, asked)
    except InvalidCursor:
        return RedirectResponse(LIST + visit.link(before=None, page=None), 303)
    context: dict[str, Any] = {
        "wanted": asked,
        "found": found,
        "states": STATES if asked.with_drafts else OF_READERS,
        "orders": ORDERS,
        "first": (asked.page - 1) * ON_A_PAGE + 1,
        "categories": category_choices(codex),
        "authors": user_choices(codex),
        "is_filtered": any(visit.query(name) for name in _FILTERS),
    }
    return page(visit, "posts.html", **context)


def list_asked(visit: Visit) -> ListAsked:
    """What the address asks for."""
    number = visit.query("page")
    return ListAsked(
        state=next((each for each in STATES if each == visit.query("state")), "all"),
        category_id=visit.query("category")[:200],
        author_id=visit.query("author")[:200],
        text=visit.query("q").strip()[:100],
        order=next((each for each in ORDERS if each == visit.query("order")), "edited"),
        before=visit.query("before"),
        with_drafts=visit.may(AREA, "write"),
        page=max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 6 else 1,
    )


def trash(visit: Visit) -> Response:
    """Delete a draft for good, or move a published post to the trash, from where it comes back with one click."""
    codex, post_id = codex_of(visit), visit.param("id")
    if codex.posts.find(post_id) is None:
        codex.drafts.delete(post_id, ANY_TAG, edited_by(visit))
        return visit.go(_next(visit), "codex.done.draft_deleted")
    codex.posts.delete(post_id, ANY_TAG, edited_by(visit))
    return visit.go(_next(visit), "codex.done.trashed", undo=Undo(edit_path(post_id, "/restore")))


def restore(visit: Visit) -> Response:
    """Put a deleted post back."""
    codex, post_id = codex_of(visit), visit.param("id")
    try:
        codex.posts.restore(post_id, edited_by(visit), visit.given("category_id") or None)
    except InvalidInput as refused:
        if refused.code != "codex.category-gone":
            raise
        return visit.go(f"{LIST}?state=trashed", "codex.done.category_gone")
    return visit.go(_next(visit), "codex.done.restored", (edit_path(post_id), "codex.open"))


def take_down(visit: Visit) -> Response:
    """Take a post off the site; it goes on as a draft."""
    post_id = visit.param("id")
    codex_of(visit).drafts.take_down(post_id, ANY_TAG, edited_by(visit))
    return visit.go(_next(visit), "codex.done.taken_down", (edit_path(post_id), "codex.open"))


def _next(visit: Visit) -> str:
    to = visit.given("next")
    return to if to.partition("?")[0] == LIST else LIST


_WRITE = allowed(AREA, "write")
PAGES = (
    PageRoute(LIST, show, allowed(AREA, "read")),
    PageRoute("/codex/posts/{id}/trash", trash, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}/restore", restore, _WRITE, "POST"),
    PageRoute("/codex/posts/{id}/take-down", take_down, _WRITE, "POST"),
)
