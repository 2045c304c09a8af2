"""Categories: their names and descriptions, and deleting one with a place for its posts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from hansang.apps.codex.console.forms import given_texts, wrong_fields
from hansang.apps.codex.console.links import MOST_CHOICES, codex_of, edited_by, page
from hansang.apps.codex.design import Category, Post
from hansang.apps.codex.entities import AREA
from hansang.errors import Conflict, InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

PLACE = "/codex/categories"
_TEXTS = {"title": "title", "desc": "desc"}


def show(visit: Visit) -> Response:
    """All categories, and the form of a new one."""
    return _shown(visit)


def show_one(visit: Visit) -> Response:
    """All categories, and the form of one of them."""
    return _shown(visit, codex_of(visit).categories.get(visit.param("id")))


def _shown(
    visit: Visit,
    opened: tuple[Category, str] | None = None,
    status: int = 200,
    wrong: dict[str, str] | None = None,
) -> Response:
    codex = codex_of(visit)
    found = list(reversed(codex.categories.page(MOST_CHOICES).items))
    counts = dict.fromkeys((each.id for each in found), 0)
    for post in codex.desk.database.each(Post.latest(), unreadable=lambda _: None):
        counts[post.category_id] = counts.get(post.category_id, 0) + 1
    typed = given_texts(visit, _TEXTS) if wrong else {}
    category = None if opened is None else opened[0]
    context: dict[str, Any] = {
        "found": found,
        "counts": counts,
        "opened": category,
        "tag": "" if opened is None else opened[1],
        "values": typed
        or {"title": category.title if category else "", "desc": category.desc if category else ""},
        "wrong": wrong or {},
        "category_path": category_path,
    }
    return page(visit, "categories.html", status, **context)


def category_path(category_id: str, rest: str = "") -> str:
    """The page of a category in the console."""
    return f"{PLACE}/{quote(category_id, safe='')}{rest}"


def create(visit: Visit) -> Response:
    """A new category."""
    try:
        codex_of(visit).categories.create(given_texts(visit, _TEXTS), edited_by(visit))
    except InvalidInput as refused:
        return _shown(visit, None, 422, wrong_fields(visit, refused))
    return visit.go(PLACE, "codex.done.kept")


def save(visit: Visit) -> Response:
    """Another name or description."""
    codex, category_id = codex_of(visit), visit.param("id")
    try:
        codex.categories.replace(
            category_id, given_texts(visit, _TEXTS), visit.given("tag"), edited_by(visit)
        )
    except (InvalidInput, Conflict) as refused:
        status = 409 if isinstance(refused, Conflict) else 422
        return _shown(visit, codex.categories.get(category_id), status, wrong_fields(visit, refused))
    return visit.go(category_path(category_id), "codex.done.kept")


def delete(visit: Visit) -> Response:
    """Delete a category; its posts move to another one, or go to the trash."""
    codex, category_id = codex_of(visit), visit.param("id")
    to = visit.given("move_to")
    try:
        codex.categories.delete(
            category_id,
            visit.given("tag"),
            edited_by(visit),
            move_to=to if to and to != "trash" else None,
            cascade=to == "trash",
        )
    except (InvalidInput, Conflict) as refused:
        return _shown(visit, codex.categories.get(category_id), 409, wrong_fields(visit, refused))
    return visit.go(PLACE, "codex.done.category_deleted")


_WRITE = allowed(AREA, "write")
PAGES = (
    PageRoute(PLACE, show, allowed(AREA, "read")),
    PageRoute(PLACE, create, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}", show_one, allowed(AREA, "read")),
    PageRoute(f"{PLACE}/{{id}}", save, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}/delete", delete, _WRITE, "POST"),
)
