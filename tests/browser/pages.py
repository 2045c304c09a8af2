"""The pages of the console: its routes, each with an address that is found by following links from the first page."""

from __future__ import annotations

import re
from collections.abc import Collection
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import httpx2
from starlette.routing import Match, Route

from hansang.settings import ServerSettings
from hansang.surfaces.console.app import create_console
from hansang.wiring import open_shell
from tests.browser.serving import PASSWORD, Site

NO_PAGES = ("/static/", "/live", "/search/results")
COPIED = (
    "/data/{app}/copies/{copy}/tables/{table}",
    "/data/{app}/copies/{copy}/tables/{table}/item",
)
"""Pages of further copies of tables; the shared server has none, and one with two boards is asked for these."""
UNLINKED = {
    *COPIED,
    "/data/{app}/copies/{copy}/tables/{table}/raw",
    "/sign-in",
    "/sign-in/link/{token}",
    "/once/{token}",
    "/news/articles/{pk}/text",
    "/assets/files/export",
    "/assets/manifest.webmanifest",
    "/site/contact/sent",
    "/site/preview/{token}",
    "/site/rss.xml",
    "/site/search",
    "/site/sitemap.xml",
    "/site/{rest:path}",
    "/rankings/players/{uuid}/card.png",
    "/data/{app}/partiql/ask",
    "/data/{app}/references/{kind}",
    "/data/{app}/tables/{table}/raw",
    "/data/{app}/tables/{table}/selected/preview",
}
"""Pages to which no link leads whoever has signed in, files, and what leads back from a form."""
FOLLOWED = 4
"""How many addresses of one route are followed, at the most."""

_TABLE = "/data/codex/tables/FMWebAppTable"
_BAD = "/data/leaderboards/tables/UsersLeaderboard/{verb}?pk=424242&sk=2014-05-09%2C2014-05-15"
STATES = {
    "sign-in": "/sign-in",
    "change": "/changes/{change}",
    "table-with-many-keys": f"{_TABLE}?limit=10",
    "table-as-entities": f"{_TABLE}?limit=10&as=entities",
    "table-of-a-kind": f"{_TABLE}?kind=Post&limit=10",
    "table-empty": f"{_TABLE}?partition=NOTHING",
    "undo": "/data/codex/undo?request=none",
    "item": f"{_TABLE}/item?{{item}}",
    "edit": f"{_TABLE}/edit?{{item}}",
    "question-with-a-fault": "/data/assets/patterns/Income.of_month?arg-month=",
    "unreadable": "/data/leaderboards/patterns/WeeklyBest.recent?arg-player_id=424242",
    "unreadable-item": _BAD.format(verb="item"),
    "repair": _BAD.format(verb="repair"),
    "clauses-found": "/spec?q=X3-1",
    "reference": "/api/docs",
    "missing": "/nothing-here",
}
"""States of pages that have a look of their own."""


def _routes() -> dict[str, Route]:
    with open_shell(ServerSettings(data=":memory:", jobs=False)) as shell:
        pages, _ = create_console(shell)
    found = [page for page in pages if isinstance(page, Route) and "GET" in (page.methods or ())]
    return {page.path: page for page in found if not page.path.startswith(NO_PAGES)}


ROUTES = _routes()


def route_of(path: str) -> str | None:
    """The page that a path leads to, if it is one."""
    scope = {"type": "http", "method": "GET", "path": path, "root_path": ""}
    return next((name for name, route in ROUTES.items() if route.matches(scope)[0] is Match.FULL), None)


_SHOWN = {route_of(urlsplit(path).path) for path in STATES.values()}
PAGES = [*sorted(ROUTES.keys() - UNLINKED - _SHOWN), *STATES]


class _Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag == "a" and own.get("href") and not own.keys() & {"download", "hreflang"}:
            self.found.append(own["href"] or "")


def addresses(site: Site, wanted: Collection[str] = PAGES) -> dict[str, str]:
    """An address of every page that is wanted, as whoever owns everything finds them."""
    found = {name: path.format(change=site.change, item=site.item) for name, path in STATES.items()}
    followed = dict.fromkeys(ROUTES, 0)
    with httpx2.Client(base_url=site.url, follow_redirects=True, timeout=60) as client:
        _sign_in(client)
        waiting = ["/"]
        seen, found["/"] = set(waiting), "/"
        while waiting and not set(wanted) <= found.keys():
            path = waiting.pop(0)
            answer = client.get(path)
            for each in _Links(answer.text).found:
                to = urlsplit(urljoin(str(answer.url), each))
                address = f"{to.path}?{to.query}" if to.query else to.path
                route = route_of(to.path) if f"{to.scheme}://{to.netloc}" == site.url else None
                if route is None or address in seen or followed[route] == FOLLOWED:
                    continue
                seen.add(address)
                followed[route] += 1
                found.setdefault(route, address)
                waiting.append(address)
    return found


def _sign_in(client: httpx2.Client) -> None:
    form = re.search(r'name="csrf" value="([^"]+)"', client.get("/sign-in").text)
    token = {"csrf": form[1]} if form else {}
    answer = client.post("/sign-in", data={"name": "seoyeon", "password": PASSWORD, **token})
    assert urlsplit(str(answer.url)).path == "/", answer.text
