"""One request and its answer, on their way through the frame."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansang.backends.limits import LIMITS, RequestLimits, limits
from hansang.errors import HansangError, RequestStopped
from hansang.parts.audit import AuditLog
from hansang.parts.rates import Rates
from hansang.parts.usage_periods import used_by
from hansang.settings import ServerSettings
from hansang.surfaces.error_kinds import kind_of
from hansang.surfaces.http.answers import HeldAnswer, value_of
from hansang.surfaces.http.bodies import BoundedBody, RefusedBody, announced, drain, has_body
from hansang.surfaces.http.counts import Counter
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.logs import AccessLog
from hansang.surfaces.http.origins import UNKNOWN, network_of
from hansang.surfaces.http.principals import Principals, credential
from hansang.surfaces.http.problems import PROBLEM_TYPE, PROBLEMS, problem_of, problem_response
from hansang.surfaces.http.proxies import AllowedHosts, TrustedProxies
from hansang.surfaces.http.public import GUEST_WAIT
from hansang.surfaces.http.request_ids import HEADER, current, sane
from hansang.surfaces.http.security import SecurityHeaders
from hansang.surfaces.http.templates import template
from hansang.surfaces.http.threads import RequestThreads, threads

ErrorPage = Callable[[Request, int, str], Response]
"""Makes the page that tells a person of an error, of the request, the status and the code of the problem."""

GONE = 499
"""Stands in logs for the status of a request whose client did not wait."""

_UNLIMITED = ("/static/", "/health/")
_READING = frozenset({"GET", "HEAD"})
"""What may be stopped in the middle; what changes something is finished."""
_KEPT = frozenset({b"allow", b"retry-after", b"www-authenticate", b"set-cookie"})

_log = logging.getLogger("hansang.http")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all exchanges of a frame share."""

    settings: ServerSettings
    proxies: TrustedProxies
    hosts: AllowedHosts
    principals: Principals
    rates: Rates
    guests: Rates
    security: SecurityHeaders
    counter: Counter
    access: AccessLog | None
    audit: AuditLog
    error_page: ErrorPage | None
    new_id: Callable[[], str]
    timer: Callable[[], float]
    threads: RequestThreads
    uploads: Mapping[str, int] = field(default_factory=dict)
    """Addresses that take larger bodies than others, with how many bytes."""

    def largest_body(self, scope: Scope) -> int:
        """How many bytes the body of a request may have."""
        usual = self.settings.largest_body
        return self.uploads.get(scope["path"], usual) if scope["method"] == "POST" else usual


class Exchange:
    """Takes a request in, lets an application answer it, and answers itself where that does not."""

    __slots__ = (
        "_answer",
        "_around",
        "_begun",
        "_body",
        "_code",
        "_headers",
        "_id",
        "_limits",
        "_receive",
        "_scope",
        "_send",
        "_time",
    )

    def __init__(self, around: Surroundings, scope: Scope, receive: Receive, send: Send) -> None:
        self._around, self._scope, self._receive, self._send = around, scope, receive, send
        headers: dict[bytes, bytes] = dict(scope["headers"])
        self._headers = headers
        self._id = sane(headers.get(HEADER)) or around.new_id()
        self._body = BoundedBody(receive, around.largest_body(scope)) if has_body(headers) else None
        self._answer = self._new_answer(self._replaces)
        self._code: str | None = None
        self._limits = RequestLimits(around.settings.time_limit) if scope["method"] in _READING else None
        state = scope.setdefault("state", {})
        state["request_id"], state["origin"] = self._id, self._origin()
        state["principals"], state["credential"] = around.principals, credential(headers)
        state[LIMITS] = self._limits
        state[GUEST_WAIT] = self._guest_wait

    async def run(self, app: ASGIApp) -> None:
        """Answer the request, count it and log it."""
        self._begun = self._around.timer()
        self._around.counter.begin()
        mark, limited, threaded, routed = (
            current.set(self._id),
            limits.set(self._limits),
            threads.set(self._around.threads),
            used_by.set(self._route),
        )
        try:
            if not await self._refused(self._begun):
                await self._pass_on(app)
        finally:
            self._note(self._around.timer() - self._begun)
            used_by.reset(routed)
            threads.reset(threaded)
            limits.reset(limited)
            current.reset(mark)
        await self._audit()

    def _route(self) -> str:
        return f"{self._scope['method']} {template(self._scope)}"

    # ── before ────────────────────────────────────────────────────────────────────────────────────

    async def _refused(self, now: float) -> bool:
        """Answer what is refused before anybody looks at it."""
        wait = 0.0 if self._scope["path"].startswith(_UNLIMITED) else self._wait(now)
        if wait:
            await self._refuse("too-many-requests", headers={"retry-after": str(ceil(wait))})
            return True
        is_health = self._scope["path"].startswith("/health/")
        if not is_health and not self._around.hosts.admits(self._scope["headers"], self._scope.get("server")):
            await self._refuse("wrong-host")
            return True
        if announced(self._headers) > self._around.largest_body(self._scope):
            await self._refuse_body(413, is_coming=b"expect" not in self._headers)
            return True
        return False

    def _origin(self) -> str:
        client = self._scope.get("client")
        return self._around.proxies.origin(client[0] if client else UNKNOWN, self._scope["headers"])

    def _wait(self, now: float) -> float:
        """How long this sender has to wait: the key or person, if it was looked up before; else the address."""
        state = self._scope["state"]
        shown = state["credential"]
        known = None if shown is None else self._around.principals.sender(shown)
        name, rate = known or (network_of(state["origin"]), None)
        return self._around.rates.take(name, now, rate)

    def _guest_wait(self) -> float:
        origin = self._scope["state"]["origin"]
        return self._around.guests.take(network_of(origin), self._around.timer())

    # ── the application ───────────────────────────────────────────────────────────────────────────

    async def _pass_on(self, app: ASGIApp) -> None:
        failed: Exception | None = None
        try:
            async with asyncio.timeout(self._seconds()) as self._time:
                await app(self._scope, self._body or self._receive, self._answered)
        except (ClientDisconnect, RefusedBody):
            pass
        except asyncio.CancelledError:  # The server ends, and its grace is over.
            failed = RequestStopped("The server has stopped.")
        except Exception as fault:
            failed = fault
            self._log_failure(fault)
        if not self._answer.started:
            await self._make_up(failed)

    async def _answered(self, message: Message) -> None:
        """Pass on a piece of the answer; the time that its client takes is not the request's."""
        if self._limits is None or self._time.expired():
            await self._answer.send(message)
            return
        self._time.reschedule(None)
        await self._answer.send(message)
        if self._answer.is_stream:
            self._limits.lift()
        else:
            self._limits.renew()
            self._time.reschedule(asyncio.get_running_loop().time() + self._limits.seconds)

    def _seconds(self) -> float | None:
        return None if self._limits is None else self._limits.seconds

    def _log_failure(self, fault: Exception) -> None:
        method, route = self._scope["method"], template(self._scope)
        if self._time.expired():
            _log.warning("%s %s was stopped after %s s", method, route, self._seconds())
        elif isinstance(fault, RequestStopped):
            _log.info("%s %s was stopped: %s", method, route, fault)
        else:
            _log.error("%s %s failed", method, route, exc_info=fault)

    async def _make_up(self, failed: Exception | None) -> None:
        """Answer what the application has not, or not in a way that its client can read."""
        replaced = self._answer.replaced
        if self._body is not None and self._body.refused is not None:
            is_coming = self._body.refused == 413 and not self._body.ended
            await self._refuse_body(self._body.refused, is_coming=is_coming)
        elif failed is not None:
            code, wait = ("request-stopped", None) if self._time.expired() else _unavailable(failed)
            await self._refuse(code, headers={} if wait is None else {"retry-after": str(ceil(wait))})
        elif replaced is not None:
            problem, status = problem_of(replaced["status"]), replaced["status"]
            kept = [line for line in replaced.get("headers", ()) if line[0] in _KEPT]
            await self._refuse(problem.code, status, said=self._code, kept=kept)

    def _replaces(self, start: Message, body: bytes) -> bool:
        """Whether an answer is not for its client: half read, plain text to a program, JSON to a person."""
        if self._body is not None and self._body.refused is not None:
            return True
        if start["status"] < 400:
            return False
        kind = value_of(start.get("headers", []), b"content-type")
        if kind.startswith(PROBLEM_TYPE.encode()) and self._wants_page():
            self._code = _code(body)
            return True
        return not kind or kind.startswith(b"text/plain")

    # ── refusals ──────────────────────────────────────────────────────────────────────────────────

    async def _refuse_body(self, status: int, *, is_coming: bool) -> None:
        if is_coming:
            await drain(self._receive)
        await self._refuse(problem_of(status).code, headers={"connection": "close"})

    async def _refuse(
        self,
        code: str,
        status: int | None = None,
        *,
        said: str | None = None,
        headers: Mapping[str, str] | None = None,
        kept: list[tuple[bytes, bytes]] | None = None,
    ) -> None:
        """Answer with a page or with a problem; `said` is the code that the application gave it."""
        status = status or PROBLEMS[code].status
        request = Request(self._scope)
        response = await self._page(request, status, said or code) if self._wants_page() else None
        if response is None:
            response = problem_response(PROBLEMS[code], language(request), self._id, status=status)
        response.headers.update(headers or {})
        response.raw_headers.extend(kept or [])
        self._answer = self._new_answer(lambda *_: False)
        await response(self._scope, self._receive, self._answer.send)

    def _wants_page(self) -> bool:
        path = self._scope["path"]
        is_api = path == "/api" or path.startswith("/api/")
        accepts = b"text/html" in self._headers.get(b"accept", b"")
        return self._around.error_page is not None and accepts and not is_api

    async def _page(self, request: Request, status: int, code: str) -> Response | None:
        assert self._around.error_page is not None
        try:
            return await run_in_threadpool(self._around.error_page, request, status, code)
        except Exception:
            _log.exception("the page for the error %s failed", code)
            return None

    # ── after ─────────────────────────────────────────────────────────────────────────────────────

    def _new_answer(self, replaces: Callable[[Message, bytes], bool]) -> HeldAnswer:
        accepts = b"" if self._scope["method"] == "HEAD" else self._headers.get(b"accept-encoding", b"")
        return HeldAnswer(
            self._send, self._around.security, self._id.encode(), accepts, replaces, self._begin_stream
        )

    def _begin_stream(self) -> None:
        """Count a stream as answered when it begins: how long somebody listens is no time that a request took."""
        seconds = self._around.timer() - self._begun
        self._around.counter.begin_stream(
            self._scope["method"], template(self._scope), self._answer.status, seconds
        )

    def _note(self, seconds: float) -> None:
        left = self._body is not None and self._body.left
        status = GONE if left else self._answer.status or GONE
        method, route = self._scope["method"], template(self._scope)
        if self._answer.is_stream:
            self._around.counter.end_stream()
        else:
            self._around.counter.end(method, route, status, seconds)
        # What comes every few seconds and tells nothing is not logged.
        is_quiet = status < 400 and self._scope["path"].startswith(_UNLIMITED)
        if self._around.access is not None and not is_quiet:
            principal = self._scope["state"].get("principal")
            name = None if principal is None else f"{principal.kind}:{principal.name}"
            self._around.access.write(self._id, method, route, status, seconds, name)

    async def _audit(self) -> None:
        """Count what was refused: for want of a right, or because a key opens nothing."""
        status, state = self._answer.status, self._scope["state"]
        shown, principal = state["credential"], state.get("principal")
        is_key = status == 401 and shown is not None and shown.kind == "key"
        if status != 403 and not is_key:
            return
        await run_in_threadpool(
            self._around.audit.count,
            "key-refused" if is_key else "request-refused",
            network_of(state["origin"]),
            f"{self._scope['method']} {template(self._scope)}",
            None if principal is None else f"{principal.kind}:{principal.name}",
            self._id,
        )


def _unavailable(fault: Exception) -> tuple[str, float | None]:
    """The code of a problem that passes, and after how many seconds; any other is a fault of ours."""
    code = kind_of(fault).code if isinstance(fault, HansangError) else "internal"
    return (code, getattr(fault, "retry_after", None)) if code in PROBLEMS else ("internal", None)


def _code(body: bytes) -> str | None:
    try:
        document = orjson.loads(body)
    except ValueError:
        return None
    code = document.get("code") if isinstance(document, dict) else None
    return code if isinstance(code, str) else None
