"""What the pages of the news list share: the ways between them, and the ways out."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

from starlette.responses import Response

from hansang.apps.news.service import News
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs

AREA = "news"
_BRIEF = 160


def news_of(visit: Visit) -> News:
    """The application on the database of the server."""
    shell = visit.shell
    return News(shell.database, shell.clock, publish=shell.topics.publish, sandbox=shell.sandbox)


def page(visit: Visit, template: str, status: int = 200, **context: Any) -> Response:
    """A page of the news list, with what all of them need."""
    shared = {
        "tabs": tabs(visit, AREA),
        "article_path": article_path,
        "ticker_path": ticker_path,
        "run_path": run_path,
        "outward": outward,
        "host": host,
        "brief": brief,
        "may_write": visit.may(AREA, "write"),
    }
    return visit.page(f"news/{template}", status, **shared, **context)


def article_path(pk: str) -> str:
    """The page of an article."""
    return f"/news/articles/{quote(pk, safe='')}"


def ticker_path(ticker: str) -> str:
    """The page of a ticker."""
    return f"/news/tickers/{quote(ticker, safe='')}"


def run_path(run: str) -> str:
    """The page of a run."""
    return f"/news/runs/{quote(run, safe='')}"


def outward(url: str) -> str | None:
    """The address that a browser may be sent to; None for what is no page of the web, such as javascript:."""
    return url if url.lower().startswith(("http://", "https://")) and host(url) else None


def host(url: str) -> str:
    """The name of the site of a link, empty when it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def called(title: str, url: str) -> str:
    """What an article is called: its title, else its address."""
    return title.strip() or url


def brief(title: str, url: str) -> str:
    """The same in a list, where an endless title would push the others away."""
    name = called(title, url)
    return name if len(name) <= _BRIEF else f"{name[:_BRIEF].rstrip()}…"
