"""What the pages of the public site share: their frame, their addresses, and short texts of posts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from hansang.apps.codex.console.links import (
    SITE,
    category_choices,
    category_path,
    codex_of,
    post_path,
    settings_of,
)
from hansang.apps.codex.contents import plain_text, rendered
from hansang.apps.codex.design import Contents, CorpInfo, Post
from hansang.apps.codex.service import Codex
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.http.security import content_policy

EXCERPT = 110
DESCRIBED = 150
_CHARACTERS_A_MINUTE = 500
_LEGAL_FORMS = ("주식회사", "유한회사", "(주)", "㈜")


@dataclass(frozen=True, slots=True)
class PostTeaser:
    """A post in a list of the site."""

    href: str
    title: str
    excerpt: str
    category: str | None
    at: datetime
    is_pinned: bool


def teasers(codex: Codex, posts: list[Post]) -> list[PostTeaser]:
    """Posts as the lists of the site show them."""
    titles = codex.reading.category_titles(each.category_id for each in posts)
    return [
        PostTeaser(
            post_path(each),
            each.title,
            shortened(each.contents, EXCERPT),
            titles.get(each.category_id),
            each.created_at,
            bool(each.is_pinned),
        )
        for each in posts
    ]


def shortened(contents: Contents, length: int) -> str:
    """The first words of contents, cut between two of them."""
    text = unescape(plain_text(contents))
    if len(text) <= length:
        return text
    return f"{text[:length].rpartition(' ')[0] or text[:length]}…"


def minutes_to_read(contents: Contents) -> int:
    return max(1, round(len(plain_text(contents)) / _CHARACTERS_A_MINUTE))


def body_of(visit: Visit, contents: Contents) -> Markup | None:
    """The HTML of a text in Markdown, which is sanitised; None for JSON."""
    if not isinstance(contents, str):
        return None
    return Markup(rendered(contents, settings_of(visit)))  # noqa: S704 - sanitised


# ── the frame ─────────────────────────────────────────────────────────────────────────────────────


def base_url(visit: Visit) -> str:
    """Where the site is, for addresses that are read elsewhere."""
    own = settings_of(visit).site_url
    server = visit.shell.settings.public_url or f"{visit.request.url.scheme}://{visit.request.url.netloc}"
    return own or server.rstrip("/")


def site_page(visit: Visit, template: str, status: int = 200, **context: Any) -> Response:
    """A page of the site, with what all of them need and a policy of its own: no script, pictures of the CDN."""
    codex, settings = codex_of(visit), settings_of(visit)
    company = codex.company.find("")
    corp: CorpInfo | None = None if company is None else company[0]
    base, path = base_url(visit), quote(visit.request.url.path)
    shared = {
        "site": SITE,
        "shows": settings.shows,
        "corp": corp,
        "brand": brand(corp) or visit.t("codex.site.unnamed"),
        "categories": category_choices(codex),
        "category_path": category_path,
        "post_path": post_path,
        "base_url": base,
        "canonical": f"{base}{path}",
        "description": visit.t("codex.site.about"),
        "picture": "",
        "kind": "website",
        "is_indexed": status == 200,
        "naver": settings.naver,
        "here_category": "",
        "q": "",
        "short_day": lambda at: visit.formats.short_day(at.astimezone(visit.formats.zone).date()),
        "local": lambda at: at.astimezone(visit.formats.zone),
    }
    response = visit.page(f"codex/site/{template}", status, **shared | context)
    response.headers["Content-Security-Policy"] = content_policy(settings.cdn, scripts=False)
    return response


def brand(corp: CorpInfo | None) -> str:
    """The name of the company without its legal form, as people call it."""
    name = "" if corp is None else corp.name
    for each in _LEGAL_FORMS:
        name = name.replace(each, "")
    return name.strip()
