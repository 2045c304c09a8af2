"""What the pages of the content share: the application, who edits, and the ways between pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from hansang.apps.codex.design import Post, User
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA, EditedBy
from hansang.apps.codex.service import Codex
from hansang.apps.codex.settings import CodexSettings
from hansang.parts.receipts import alone
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs
from hansang.surfaces.http.security import content_policy

SITE = "/site"
MOST_CHOICES = 500
"""How many categories and people a form offers."""


def codex_of(visit: Visit) -> Codex:
    """The application on the database of the server, with the names that it remembers."""
    shell = visit.shell

    def make() -> Codex:
        return Codex(shell.database, shell.clock, settings_of(visit), rights=shell.identity.rights)

    return shell.once(f"{AREA} pages", make)


def settings_of(visit: Visit) -> CodexSettings:
    found: CodexSettings = visit.shell.chosen.get(AREA) or CodexSettings()
    return found


def edited_by(visit: Visit) -> EditedBy:
    """Whoever looks, as the verbs take it."""
    return EditedBy(visit.actor, visit.request_id, alone)


def page(visit: Visit, template: str, status: int = 200, **context: Any) -> Response:
    """A page of the content, with what all of them need; its previews show pictures of the company's CDN."""
    settings = settings_of(visit)
    shared = {
        "tabs": tabs(visit, AREA),
        "shows": settings.shows,
        "cdn": settings.cdn,
        "may_write": visit.may(AREA, "write"),
        "may_admin": visit.may(AREA, "admin"),
        "edit_path": edit_path,
        "post_path": post_path,
        "asked": visit.query,
    }
    response = visit.page(f"codex/{template}", status, **shared, **context)
    response.headers["Content-Security-Policy"] = content_policy(settings.cdn)
    return response


# ── choices ───────────────────────────────────────────────────────────────────────────────────────


def category_choices(codex: Codex) -> list[tuple[str, str]]:
    """The categories by id and title, in the order of the site."""
    found = codex.categories.page(MOST_CHOICES).items
    return [(each.id, each.title) for each in reversed(found)]


def user_choices(codex: Codex) -> list[tuple[str, str]]:
    """Those who write, by id and name."""
    found: list[User] = codex.users.page(MOST_CHOICES).items
    return sorted(((each.id, each.display_name) for each in found), key=lambda each: each[1])


# ── ways ──────────────────────────────────────────────────────────────────────────────────────────


def post_path(post: Post | PostDraft | Any) -> str:
    """The page of a post on the site: by its readable address, else by its id."""
    return f"{SITE}/posts/{quote(post.slug or post.id, safe='')}"


def category_path(category_id: str) -> str:
    """The page of a category on the site."""
    return f"{SITE}/categories/{quote(category_id, safe='')}"


def edit_path(post_id: str, rest: str = "", **asked: str) -> str:
    """A page of a post in the console: the editor, or what is below it."""
    path = f"/codex/posts/{quote(post_id, safe='')}{rest}"
    return f"{path}?{urlencode(asked)}" if asked else path
