"""The site for programs: the sitemap for search engines, and RSS for readers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime
from itertools import islice
from xml.sax.saxutils import escape

from starlette.responses import Response

from hansang.apps.codex.console.links import SITE, category_path, codex_of, post_path
from hansang.apps.codex.console.site_pages import DESCRIBED, base_url, brand, shortened
from hansang.apps.codex.design import Post
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.design.timestamps import seconds_text
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable

MOST_ADDRESSES = 50_000
"""As many as a sitemap may have."""
_IN_FEED = 30
_DECLARED = '<?xml version="1.0" encoding="UTF-8"?>'


def sitemap(visit: Visit) -> Response:
    """Every address of the site that has a page of its own, with the time of its last change."""
    addresses = islice(_addresses(codex_of(visit)), MOST_ADDRESSES)
    lines = [_url(base_url(visit) + path, at) for path, at in addresses]
    start = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return _xml("\n".join([_DECLARED, start, *lines, "</urlset>"]), "application/xml")


def _addresses(codex: Codex) -> Iterator[tuple[str, datetime | None]]:
    yield SITE, None
    yield f"{SITE}/contact", None
    for category in reversed(codex.categories.page(500).items):
        yield category_path(category.id), category.updated_at
    for post in codex.reading.each_published():
        yield post_path(post), post.updated_at


def _url(address: str, at: datetime | None) -> str:
    changed = "" if at is None else f"<lastmod>{seconds_text(at)}</lastmod>"
    return f"<url><loc>{escape(address)}</loc>{changed}</url>"


def rss(visit: Visit) -> Response:
    """The newest posts."""
    codex, base = codex_of(visit), base_url(visit)
    company = codex.company.find("")
    name = brand(None if company is None else company[0]) or visit.t("codex.site.unnamed")
    items = [_item(each, base) for each in codex.reading.published(_IN_FEED).items]
    head = [
        _DECLARED,
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>',
        f"<title>{escape(name)}</title><link>{escape(base + SITE)}</link>",
        f"<description>{escape(visit.t('codex.site.about'))}</description><language>{visit.language}</language>",
        f'<atom:link href="{escape(base + SITE)}/rss.xml" rel="self" type="application/rss+xml"/>',
    ]
    return _xml("\n".join([*head, *items, "</channel></rss>"]), "application/rss+xml")


def _item(post: Post, base: str) -> str:
    link = escape(base + post_path(post))
    return (
        f'<item><title>{escape(post.title)}</title><link>{link}</link><guid isPermaLink="false">{escape(post.id)}'
        f"</guid><pubDate>{format_datetime(post.created_at)}</pubDate>"
        f"<description>{escape(shortened(post.contents, DESCRIBED))}</description></item>"
    )


def _xml(text: str, kind: str) -> Response:
    allowed = "".join(each for each in text if each >= " " or each in "\n\t")
    return Response(allowed, media_type=f"{kind}; charset=utf-8")


PAGES = (
    PageRoute(f"{SITE}/sitemap.xml", sitemap, readable(AREA)),
    PageRoute(f"{SITE}/rss.xml", rss, readable(AREA)),
)
