"""What live pages ask for: a stream of what is published to their topics, or its newest state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hansang.errors import HansangError
from hansang.parts.permissions import Principal
from hansang.parts.topics import is_topic
from hansang.surfaces.console.rendering import Console
from hansang.surfaces.console.routing import SIGNED_IN, Rule
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.live import EventStream, Listener, shown, tag, versions_of
from hansang.surfaces.http.principals import Principals, find_principal
from hansang.surfaces.http.problems import PROBLEMS, problem_response
from hansang.surfaces.http.public import expect_unhurried
from hansang.surfaces.shell import Shell

MOST_TOPICS = 50
"""How many topics one page listens to."""
TRY_AGAIN = 30
"""After how many seconds whoever got no stream may ask for one again."""

Answering = Callable[[Console, Request, str, tuple[str, ...]], Response]
"""Answers whoever asks, by a name that streams are counted by."""


@dataclass(frozen=True, slots=True)
class LiveRoute:
    """A route for programs rather than eyes: whoever may not is told so in JSON, and not led to a form.

    Everyone who is known may ask; whether they may listen is for the area of each topic to say. A guest may listen
    to what an application that everyone may read calls public.
    """

    path: str
    answer: Answering
    rule: Rule = SIGNED_IN
    method: Literal["GET"] = "GET"

    def on(self, console: Console) -> BaseRoute:
        """The route of the server."""

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(self._answered, console, request)

        return Route(self.path, endpoint, methods=[self.method], name=f"console.live.{self.answer.__name__}")

    def _answered(self, console: Console, request: Request) -> Response:
        topics = tuple(dict.fromkeys(request.query_params.getlist("topic")))
        principal = find_principal(console.shell, request)
        is_public = bool(topics) and all(map(console.shell.is_public_topic, topics))
        if principal is None and not is_public:
            return _told(request, "not-signed-in", {"www-authenticate": "Bearer"})
        if not topics or len(topics) > MOST_TOPICS or not all(map(is_topic, topics)):
            return _told(request, "bad-request")
        if not is_public and not may_listen(console.shell, principal, topics):
            return _told(request, "not-allowed")
        if principal is None:
            expect_unhurried(request)
        return self.answer(console, request, _who(request, principal), topics)


def _who(request: Request, principal: Principal | None) -> str:
    """A name that streams are counted by: guests by their addresses."""
    if principal is None:
        return f"guest:{request.client.host if request.client else ''}"
    return f"{principal.kind}:{principal.name}"


def may_listen(shell: Shell, principal: Principal | None, topics: Sequence[str]) -> bool:
    """Whether somebody may hear of all these topics."""
    return principal is not None and all(shell.may_listen(principal, topic) for topic in topics)


def stream(console: Console, request: Request, who: str, topics: tuple[str, ...]) -> Response:
    """The messages of these topics as they come, the newest of each at first."""

    def is_allowed() -> bool:
        try:
            now = Principals(console.shell).find(request)
        except HansangError:
            return False
        return may_listen(console.shell, now, topics) or all(map(console.shell.is_public_topic, topics))

    return EventStream(
        console.streams,
        Listener(who, topics),
        last_id=request.headers.get("last-event-id", ""),
        is_allowed=is_allowed,
        refusal=_told(request, "too-many-streams", {"retry-after": str(TRY_AGAIN)}),
    )


def state(console: Console, request: Request, who: str, topics: tuple[str, ...]) -> Response:
    """The newest message of each of these topics, for whoever has no stream."""
    newest = console.shell.topics.newest(topics)
    found = f'"{tag(versions_of(newest, topics))}"'
    headers = {"etag": found, "cache-control": "private, no-cache", "content-type": "application/json"}
    if request.headers.get("if-none-match", "").removeprefix("W/") == found:
        return Response(status_code=304, headers=headers)
    told = [shown(newest[topic]) for topic in topics if topic in newest]
    return Response(orjson.dumps({"topics": told}), headers=headers)


def _told(request: Request, code: str, headers: Mapping[str, str] | None = None) -> Response:
    return problem_response(PROBLEMS[code], language(request), request.state.request_id, headers)


ROUTES = (LiveRoute("/live", stream), LiveRoute("/live/state", state))
