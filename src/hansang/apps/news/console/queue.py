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
EVERY_STATE: tuple[WorkState, ...] = ("waiting", "claimed", "failed", "done", "dead")
_ON_A_PAGE, _IN_A_STATE = 15, 50
_WAITING = 10
_LEASE = 3600
"""For how many seconds a person has an article."""


def show(visit: Visit) -> Response:
    """How many articles are in which state, and those that want to be looked at; or those of one state."""
    chosen = next((each for each in EVERY_STATE if each == visit.query("state")), None)
    if chosen is not None:
        return _show_state(visit, chosen)
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
        "chosen": None,
        "every_state": EVERY_STATE,
        "unreadable": visit.named(unreadable),
    }
    return page(visit, "queue.html", **context)


def _show_state(visit: Visit, state: WorkState) -> Response:
    """All pages of one state."""
    queue, cursor = news_of(visit).queue, visit.query("cursor") or None
    found: Page[Any] = (
        queue.waiting_page(_IN_A_STATE, cursor)
        if state == "waiting"
        else queue.page(state, _IN_A_STATE, cursor)
    )
    context: dict[str, Any] = {
        "counts": queue.counts(),
        "chosen": state,
        "every_state": EVERY_STATE,
        "found": found,
        "tones": STATE_TONES,
        "now_ms": int(visit.shell.clock() * 1000),
        "unreadable": visit.named(found.unreadable),
    }
    return page(visit, "queue_state.html", **context)


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


def retry_all(visit: Visit) -> Response:
    """Let all articles that failed, or were given up, be taken at once."""
    count = news_of(visit).queue.retry_all("dead" if visit.given("state") == "dead" else "failed")
    return visit.go(visit.given("next") or "/news/queue", "news.queue.all_again", count=count)


def claim(visit: Visit) -> Response:
    """Take an article for a while, in one's own name."""
    back = visit.given("next") or "/news/queue"
    try:
        news_of(visit).queue.claim(visit.param("pk"), visit.me.name, _LEASE)
    except Conflict:
        return visit.go(back, "news.queue.not_failed")
    return visit.go(back, "news.queue.taken")


def release(visit: Visit) -> Response:
    """Take an article back from its worker."""
    back = visit.given("next") or "/news/queue"
    try:
        news_of(visit).queue.release(visit.param("pk"))
    except Conflict:
        return visit.go(back, "news.queue.not_failed")
    return visit.go(back, "news.queue.released")


PAGES = (
    PageRoute("/news/queue", show, allowed(AREA, "read")),
    PageRoute("/news/queue/retry", retry_all, allowed(AREA, "write"), "POST"),
    PageRoute("/news/queue/{pk}/claim", claim, allowed(AREA, "write"), "POST"),
    PageRoute("/news/queue/{pk}/release", release, allowed(AREA, "write"), "POST"),
    PageRoute("/news/queue/{pk}/retry", retry, allowed(AREA, "write"), "POST"),
)
