"""The company's public site: home, categories, posts, search; and what stands where nothing is."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from urllib.parse import unquote

from starlette.responses import RedirectResponse, Response

from hansang.apps.codex.console import site_contact, site_feeds
from hansang.apps.codex.console.links import SITE, codex_of, post_path
from hansang.apps.codex.console.site_pages import (
    DESCRIBED,
    PostTeaser,
    body_of,
    minutes_to_read,
    shortened,
    site_page,
    teasers,
)
from hansang.apps.codex.design import Banner, Category, Post
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.errors import InvalidCursor, NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PUBLIC, PageRoute, readable

SMALL_BANNERS = 3
LATEST = 6
NOTICES = 4
ON_A_PAGE = 20
_LOOKED_AT = 60
_MOST_OF_A_CATEGORY = 10_000
_SUGGESTED = 4
_MOVED, _GONE = 308, 410


def home(visit: Visit) -> Response:
    """The banners, the latest posts and the notices."""
    codex = codex_of(visit)
    posts = codex.reading.published(_LOOKED_AT).items
    notices = [each for each in posts if each.is_pinned]
    banners = codex.reading.shown_banners()
    context: dict[str, Any] = {
        "hero": banners[0] if banners else None,
        "small": [(each, _target(each)) for each in banners[1 : 1 + SMALL_BANNERS]],
        "latest": teasers(codex, posts[:LATEST]),
        "notices": teasers(codex, notices[:NOTICES]),
        "picture": banners[0].img_uri if banners else "",
    }
    return site_page(visit, "home.html", **context)


def _target(banner: Banner) -> str:
    """Where a small banner leads, which has no room for buttons."""
    return banner.btn1_uri or banner.btn2_uri or ""


def posts(visit: Visit) -> Response:
    """All posts, the newest first."""
    codex = codex_of(visit)
    try:
        page = codex.reading.published(ON_A_PAGE, visit.query("cursor") or None)
    except InvalidCursor:
        return _from_start(visit)
    return site_page(
        visit,
        "category.html",
        category=None,
        years=_by_year(visit, teasers(codex, page.items)),
        pinned=[],
        total=None,
        more=visit.link(cursor=page.cursor) if page.cursor else "",
        is_indexed=not visit.query("cursor"),
    )


def category(visit: Visit) -> Response:
    """A category: the pinned posts, then the others by year."""
    codex, category_id = codex_of(visit), visit.param("id")
    try:
        found = codex.reading.category_page(category_id, _MOST_OF_A_CATEGORY)
    except NotFound:
        return lost(visit)
    number, every = _number(visit), found.posts.items
    shown = every[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    if not shown and number > 1:
        return lost(visit)
    listed = teasers(codex, shown)
    return site_page(
        visit,
        "category.html",
        category=found.category,
        years=_by_year(visit, [each for each in listed if not each.is_pinned]),
        pinned=[each for each in listed if each.is_pinned],
        total=len(every),
        more=visit.link(page=str(number + 1)) if len(every) > number * ON_A_PAGE else "",
        description=found.category.desc or found.category.title,
        here_category=found.category.id,
    )


def _from_start(visit: Visit) -> Response:
    """The same list from its beginning: a visitor's link may be older than what it goes on with."""
    return RedirectResponse(visit.request.url.path + visit.link(cursor=None), 303)


def _number(visit: Visit) -> int:
    text = visit.query("page")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _by_year(visit: Visit, found: list[PostTeaser]) -> list[tuple[int, list[PostTeaser]]]:
    zone = visit.formats.zone
    return [
        (year, list(each)) for year, each in groupby(found, key=lambda each: each.at.astimezone(zone).year)
    ]


# ── a post ────────────────────────────────────────────────────────────────────────────────────────


def post(visit: Visit) -> Response:
    """A post by its readable address, or by its id; a former address leads on, and what was taken down is gone."""
    codex, wanted = codex_of(visit), visit.param("slug")
    known = codex.posts.slugs.find(wanted)
    found = codex.posts.find(known or wanted)
    if found is None or not codex.reading.is_readable(found[0]):
        return lost(visit, _GONE if known or codex.posts.find_trashed(wanted) else 404)
    to = post_path(found[0])
    if unquote(to.rpartition("/")[2]) != wanted:
        return RedirectResponse(to, _MOVED)
    return _shown(visit, codex, found[0])


def _shown(visit: Visit, codex: Codex, found: Post) -> Response:
    category, posts = _surroundings(codex, found)
    older = [each for each in posts if each.created_at < found.created_at]
    context: dict[str, Any] = {
        "category": category,
        "before": max(older, key=lambda each: each.created_at, default=None),
        "author": codex.reading.author_names([found.author_id]).get(found.author_id),
        "here_category": found.category_id,
        "kind": "article",
    }
    return _article(visit, found, **context)


def _surroundings(codex: Codex, found: Post) -> tuple[Category | None, list[Post]]:
    """The category of a post and what is in it; a post that was migrated may name one that no table had."""
    try:
        page = codex.reading.category_page(found.category_id, _MOST_OF_A_CATEGORY)
    except NotFound:
        return None, []
    return page.category, page.posts.items


def _article(visit: Visit, found: Any, **context: Any) -> Response:
    shared: dict[str, Any] = {
        "post": found,
        "body": body_of(visit, found.contents),
        "minutes": minutes_to_read(found.contents),
        "description": shortened(found.contents, DESCRIBED),
        "is_preview": False,
    }
    return site_page(visit, "post.html", **shared | context)


def preview(visit: Visit) -> Response:
    """A draft as the site will show it, for whoever has the link."""
    codex = codex_of(visit)
    try:
        draft = codex.drafts.previewed(visit.param("token"))
    except InvalidCursor:
        draft = None
    if draft is None:
        return lost(visit)
    response = _article(
        visit,
        draft,
        category=None,
        before=None,
        author=codex.reading.author_names([draft.author_id]).get(draft.author_id or ""),
        is_preview=True,
        is_indexed=False,
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


# ── searching, and what is not there ──────────────────────────────────────────────────────────────


def search(visit: Visit) -> Response:
    """What has the words that a visitor looks for."""
    codex, text = codex_of(visit), visit.query("q").strip()[:100]
    cursor = visit.query("cursor") or None
    try:
        page = codex.reading.search(text, ON_A_PAGE, cursor)
    except InvalidCursor:
        return _from_start(visit)
    listed = teasers(codex, [each.post for each in page.found])
    context: dict[str, Any] = {
        "found": [(teaser, each.snippet) for teaser, each in zip(listed, page.found, strict=True)],
        "until": page.until if page.cursor or cursor else None,
        "more": visit.link(cursor=page.cursor) if page.cursor else "",
    }
    return site_page(visit, "search.html", q=text, is_indexed=False, **context)


def lost(visit: Visit, status: int = 404) -> Response:
    """What stands at an address without a page: a search, and posts that may have been meant."""
    codex = codex_of(visit)
    words = unquote(visit.request.url.path.rpartition("/")[2]).replace("-", " ").split()[:8]
    found = [each.post for word in words[:2] for each in codex.reading.search(word, _SUGGESTED).found]
    meant = list({each.id: each for each in found}.values()) or codex.reading.published(_SUGGESTED).items
    return site_page(
        visit, "lost.html", status, meant=teasers(codex, meant[:_SUGGESTED]), is_near=bool(found), code=status
    )


def nowhere(visit: Visit) -> Response:
    """Every address of the site that is none."""
    return lost(visit)


_EVERYONE = readable(AREA)
PAGES = (
    PageRoute(SITE, home, _EVERYONE),
    PageRoute(f"{SITE}/posts", posts, _EVERYONE),
    PageRoute(f"{SITE}/posts/{{slug}}", post, _EVERYONE),
    PageRoute(f"{SITE}/categories/{{id}}", category, _EVERYONE),
    PageRoute(f"{SITE}/search", search, _EVERYONE),
    PageRoute(f"{SITE}/preview/{{token}}", preview, PUBLIC),
    *site_contact.PAGES,
    *site_feeds.PAGES,
    PageRoute(f"{SITE}/{{rest:path}}", nowhere, _EVERYONE),
)
