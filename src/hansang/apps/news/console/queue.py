"""The queue of the crawl: what waits, what is being worked on, what failed and can be tried again."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.news.console.links import AREA, news_of, page
from hansang.apps.news.design import WorkState
from hansang.design import Page
from hansang.errors import Conflict
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

STATE_TONES = {"waiting": "quiet", "claimed": "c-blue", "failed": "warn", "done": "good", "dead": "bad"}
STATES: tuple[WorkState, ...] = ("claimed", "failed", "dead")
"""The states whose articles want to be looked at."""
_ON_A_PAGE = 15
_WAITING = 10


def show(visit: Visit) -> Response:
    """How many articles are in which state, and those that want to be looked at."""
    queue = news_of(visit).queue
    claimed, failed, dead = (_page(visit, state) for state in STATES)
    unreadable = [*claimed.unreadable, *failed.unreadable, *dead.unreadable]
    context: dict[str, Any] = {
        "counts": queue.counts(),
        "claimed": claimed,
        "failed": failed,
        "dead": dead,
        "waiting": queue.waiting(_WAITING, unreadable=unreadable.append),
        "now_ms": int(visit.shell.clock() * 1000),
        "unreadable": visit.named(unreadable),
    }
    return page(visit, "queue.html", **context)


def _page(visit: Visit, state: WorkState) -> Page[Any]:
    """A page of one state; each state has a cursor of its own."""
    return news_of(visit).queue.page(state, _ON_A_PAGE, visit.query(state) or None)


def retry(visit: Visit) -> Response:
    """Let an article that failed, or was given up, be taken at once."""
    back = visit.given("next") or "/news/queue"
    try:
        news_of(visit).queue.retry(visit.param("pk"))
    except Conflict:
        return visit.go(back, "news.queue.not_failed")
    return visit.go(back, "news.queue.again")


PAGES = (
    PageRoute("/news/queue", show, allowed(AREA, "read")),
    PageRoute("/news/queue/{pk}/retry", retry, allowed(AREA, "write"), "POST"),
)
