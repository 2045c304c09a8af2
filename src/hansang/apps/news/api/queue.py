"""The queue as routes: what waits, and taking, keeping and ending it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from functools import partial
from typing import Annotated, Literal

from fastapi import Body as InBody
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.news.design import Work, WorkState
from hansang.apps.news.rules import LEASE_SECONDS
from hansang.apps.news.service import News
from hansang.apps.news.waiting import Waiting
from hansang.errors import InvalidInput
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Exported, Limit
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

AREA = "news"
PATH = "/api/news/queue"

ArticlePk = Annotated[str, InPath(min_length=1, max_length=100)]
Worker = Annotated[str, Field(min_length=1, max_length=100, examples=["crawler-1"])]
Lease = Annotated[int, Field(ge=1, le=86_400)]
Claim = Annotated[str, Field(min_length=1, max_length=100, examples=["5f0c2a9e"])]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class QueueAsked(Exported):
    """Which of the waiting articles are asked for."""

    limit: Limit = 50


class Taken(_Given):
    """Who takes how many articles for how long."""

    worker: Worker
    limit: Annotated[int, Field(ge=1, le=100)] = 1
    lease_seconds: Lease = LEASE_SECONDS


class Claimed(_Given):
    """Who takes an article for how long."""

    worker: Worker
    lease_seconds: Lease = LEASE_SECONDS


class Extended(_Given):
    """How much longer an article is kept."""

    claim: Claim
    lease_seconds: Lease = LEASE_SECONDS


class Done(_Given):
    """That an article is crawled, with its text."""

    claim: Claim
    body: str | None = Field(None, examples=["<p>Chips rally</p>"])
    body_base64: str | None = None
    content_type: Annotated[str, Field(max_length=200)] = "text/html"

    def body_bytes(self) -> bytes | None:
        """The text as bytes."""
        if self.body_base64 is None:
            return None if self.body is None else self.body.encode()
        try:
            return b64decode(self.body_base64, validate=True)
        except ValueError as reason:
            raise InvalidInput(
                "The body is not valid base64: {reason}.",
                "body_base64",
                code="news.not-base64",
                values={"reason": reason},
            ) from reason


class Failed(_Given):
    """That a crawl did not work."""

    claim: Claim
    error: Annotated[str, Field(min_length=1, max_length=1000, examples=["HTTP 503"])]


class WaitingShown(BaseModel):
    """An article that may be taken."""

    pk: str
    url: str
    title: str
    source: str
    tickers: list[str]
    dt_utc: date
    uploaded_at_utc_ms: int
    attempts: int


class QueuePage(ListPage):
    """A page of what waits, the oldest first; when few may be taken, it may have none and still a cursor."""

    items: list[WaitingShown]


class CountsShown(BaseModel):
    """How many articles are in which state."""

    waiting: int
    claimed: int
    failed: int
    done: int
    dead: int


class TakenShown(BaseModel):
    """What was taken."""

    items: list[Work]


class QueueStatePage(ListPage):
    """A page of articles in a state, those longest in it first."""

    items: list[Work]


class Retried(_Given):
    """Which articles are tried again."""

    state: Literal["failed", "dead"]


class RetriedShown(BaseModel):
    """How many articles may be taken again."""

    retried: int


class QueueRoutes:
    """The queue of the crawl."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._queue = shell, News(shell.database, shell.clock, sandbox=shell.sandbox).queue
        self._reads = RouteGroup(PATH, "news.queue", gate.allow(AREA, "read"))
        self._writes = RouteGroup(PATH, "news.queue", gate.allow(AREA, "write"))

    def all(self) -> list[ApiRoute]:
        """Every route of it."""
        verbs = (self.claim, self.extend, self.done, self.fail, self.retry, self.release)
        return [
            self._reads.route("GET", "", self.waiting, QueuePage),
            self._reads.route("GET", "/counts", self.counts, CountsShown),
            self._reads.route("GET", "/states/{state}", self.in_state, QueueStatePage),
            self._writes.route("POST", "/take", self.take, TakenShown),
            self._writes.route("POST", "/retry", self.retry_all, RetriedShown),
            *(self._writes.route("POST", f"/{{pk}}/{each.__name__}", each, Work) for each in verbs),
        ]

    def waiting(
        self, request: Request, asked: Annotated[QueueAsked, InAddress()], principal: Principal
    ) -> Response:
        """The articles that may be taken now, the oldest first."""
        page = self._queue.waiting_page
        return list_answer(
            request, asked, Naming(self._shell, principal), QueuePage, page, _waiting, "news-queue"
        )

    def counts(self, principal: Principal) -> Response:
        """How many articles are in which state."""
        return answered(CountsShown(**asdict(self._queue.counts())))

    def in_state(
        self,
        state: WorkState,
        request: Request,
        asked: Annotated[QueueAsked, InAddress()],
        principal: Principal,
    ) -> Response:
        """The articles in a state, those longest in it first."""
        page, naming = partial(self._queue.page, state), Naming(self._shell, principal)
        return list_answer(request, asked, naming, QueueStatePage, page, _itself, f"news-queue-{state}")

    def take(self, given: Annotated[Taken, InBody()], key: IdempotencyKey, principal: Principal) -> Response:
        """Take the oldest articles; no two workers get the same one."""

        def told(taken: list[Work]) -> Response:
            return answered(TakenShown(items=taken))

        work = partial(self._queue.take, given.worker, given.limit, given.lease_seconds)
        asked = f"POST {PATH}/take\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)

    def claim(
        self,
        pk: ArticlePk,
        given: Annotated[Claimed, InBody()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Take one article for a while."""
        work = partial(self._queue.claim, pk, given.worker, given.lease_seconds)
        return self._once(f"{pk}/claim", given, key, principal, work)

    def extend(
        self,
        pk: ArticlePk,
        given: Annotated[Extended, InBody()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Keep an article for longer."""
        work = partial(self._queue.extend, pk, given.claim, given.lease_seconds)
        return self._once(f"{pk}/extend", given, key, principal, work)

    def done(
        self, pk: ArticlePk, given: Annotated[Done, InBody()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Note that an article is crawled, with its text; the same again changes nothing."""
        work = partial(self._queue.done, pk, given.claim, given.body_bytes(), given.content_type)
        return self._once(f"{pk}/done", given, key, principal, work)

    def fail(
        self, pk: ArticlePk, given: Annotated[Failed, InBody()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Note that a crawl did not work; the article rests and comes back."""
        work = partial(self._queue.fail, pk, given.claim, given.error)
        return self._once(f"{pk}/fail", given, key, principal, work)

    def retry(self, pk: ArticlePk, key: IdempotencyKey, principal: Principal) -> Response:
        """Let an article that failed or was given up be taken at once."""
        return self._once(f"{pk}/retry", None, key, principal, partial(self._queue.retry, pk))

    def release(self, pk: ArticlePk, key: IdempotencyKey, principal: Principal) -> Response:
        """Take an article back from its worker, who is refused from now on."""
        return self._once(f"{pk}/release", None, key, principal, partial(self._queue.release, pk))

    def retry_all(
        self, given: Annotated[Retried, InBody()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Let all articles that failed or were given up be taken at once, up to 1,000 at a time; safe to repeat."""

        def work(attempt: Attempt[RetriedShown] | None) -> RetriedShown:
            progress = (lambda: None) if attempt is None else attempt.renew
            return RetriedShown(retried=self._queue.retry_all(given.state, progress=progress))

        asked = f"POST {PATH}/retry\n{given.model_dump_json()}".encode()
        return once_by_steps(self._shell, principal, key, asked, work, answered)

    def _once(
        self,
        path: str,
        given: BaseModel | None,
        key: str | None,
        principal: Principal,
        work: Callable[[Beside[Work]], Work],
    ) -> Response:
        body = "" if given is None else given.model_dump_json()
        return once(self._shell, principal, key, f"POST {PATH}/{path}\n{body}".encode(), work, answered)


def _itself(work: Work) -> Work:
    return work


def _waiting(article: Waiting) -> WaitingShown:
    return WaitingShown(**asdict(article))
