"""Loads as routes: sending a list, and what became of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, BinaryIO

from fastapi import Header
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.news.background import start
from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import YAHOO_LATEST, Collision, LineOutcome, Outcome, Run
from hansang.apps.news.inputs import Form, form_of, read_links
from hansang.apps.news.rehearsing import DryRun
from hansang.apps.news.runs import Origin, as_told, run_topic
from hansang.apps.news.sent_lists import AT_ONCE
from hansang.apps.news.service import News
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.exports import attached, chosen, model_lines
from hansang.surfaces.api.lists import everything, list_answer
from hansang.surfaces.api.parameters import PAGE, Exported, Limit, Listed, Spoken
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage, unreadable_shown, walked_with
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.http.threads import in_thread
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

AREA = "news"
PATH = "/api/news/loads"
_IN_MEMORY = 1024 * 1024

Prefer = Annotated[str | None, Header(alias="Prefer", max_length=200)]
RunId = Annotated[str, InPath(max_length=60)]
_LISTS = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                # What is no link among others is counted as invalid, and does no harm to the rest.
                "schema": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "title": {"type": "string"},
                            "url": {"type": "string"},
                            "tickers": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["title", "url"],
                    },
                },
                "example": [
                    {
                        "title": "Chips rally",
                        "url": "https://news.example/chips-rally",
                        "tickers": ["NVDA", "AMD"],
                    }
                ],
            },
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "example": '{"title": "Chips rally", "url": "https://news.example/chips-rally"}\n',
            },
            "text/csv": {
                "schema": {"type": "string"},
                "example": "title,url,tickers\nChips rally,https://news.example/chips-rally,NVDA AMD\n",
            },
        },
    },
    "responses": {"202": {"description": "Loaded in the background; Location is the address of the run."}},
}
_BODY = {"requestBody": _LISTS["requestBody"]}


class LoadAsked(Spoken):
    """Where a list comes from."""

    source: Annotated[str, Field(min_length=1, max_length=100)] = YAHOO_LATEST
    name: Annotated[str, Field(max_length=200)] = ""
    form: Form | None = None
    run: Annotated[str | None, Field(max_length=60)] = None


class RehearsalAsked(Spoken):
    """How a list is to be read."""

    name: Annotated[str, Field(max_length=200)] = ""
    form: Form | None = None


class RunsAsked(Exported):
    """Which runs are asked for."""

    month: Annotated[str | None, Field(pattern=r"^\d{4}-\d{2}$")] = None


class RunsPage(ListPage):
    """A page of runs, the newest first."""

    items: list[Run]


class LinesAsked(Exported):
    """Which lines of a report are asked for."""

    outcome: Outcome | None = None
    limit: Limit = 500


class LinesPage(ListPage):
    """A page of a report; when few lines fit, it may have none and still a cursor."""

    items: list[LineOutcome]


class CollisionsPage(ListPage):
    """A page of links that were kept aside, the newest first."""

    items: list[Collision]


class LoadRoutes:
    """Loads, their reports, and what was kept aside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._news = shell, News(shell.database, shell.clock, publish=shell.topics.publish)
        self._writer = gate.allow(AREA, "write")
        self._group = RouteGroup(PATH, "news.loads", gate.allow(AREA, "read"))
        self._beside = RouteGroup("/api/news", AREA, gate.allow(AREA, "read"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("POST", "", self.load, Run, 201, rule=self._writer, extra=_LISTS),
            self._group.route("POST", "/dry-run", self.dry_run, DryRun, rule=self._writer, extra=_BODY),
            self._group.route("GET", "", self.runs, RunsPage),
            self._group.route("GET", "/{run}", self.run, Run),
            self._group.route("POST", "/{run}/stop", self.stop, Run, 202, rule=self._writer),
            self._group.route("POST", "/{run}/resume", self.resume, Run, 202, rule=self._writer),
            self._group.route("GET", "/{run}/lines", self.lines, LinesPage),
            self._beside.route("GET", "/collisions", self.collisions, CollisionsPage),
        ]

    async def load(
        self,
        request: Request,
        asked: Annotated[LoadAsked, InAddress()],
        principal: Principal,
        key: IdempotencyKey,
        prefer: Prefer,
    ) -> Response:
        """Load a list: every link that is not there yet is stored, and nothing that is there changes."""
        async with _spooled(request) as (file, digest):
            in_background = file.tell() > AT_ONCE or _prefers_async(prefer)
            file.seek(0)
            work = self._accepted if in_background else self._loaded
            form = asked.form or form_of(asked.name, request.headers.get("content-type", ""))
            return await in_thread(self._answer, "POST", asked, key, principal, digest, work, file, form)

    def _answer(
        self,
        asked: LoadAsked,
        key: str | None,
        principal: Principal,
        digest: str,
        work: Callable[[LoadAsked, BinaryIO, Form | None, Attempt[Run] | None], Run],
        file: BinaryIO,
        form: Form | None,
    ) -> Response:
        question = f"POST {PATH}\n{asked.model_dump_json()}\n{digest}".encode()

        def told(run: Run) -> Response:
            status = 202 if run.run_state == "waiting" else 201
            return answered(run, status, Location=f"{PATH}/{run.id}")

        answer = once_by_steps(
            self._shell, principal, key, question, lambda attempt: work(asked, file, form, attempt), told
        )
        if answer.status_code == 202:
            start(self._shell.jobs)
        return answer

    def _loaded(
        self, asked: LoadAsked, file: BinaryIO, form: Form | None, attempt: Attempt[Run] | None
    ) -> Run:
        return self._news.awaited.load(
            read_links(ListText(file), form),
            source=asked.source,
            name=asked.name,
            run=asked.run,
            origin=None if attempt is None else Origin(*attempt.origin),
            progress=None if attempt is None else lambda _: attempt.renew(),
            beside=alone if attempt is None else attempt.beside,
        )

    def _accepted(
        self, asked: LoadAsked, file: BinaryIO, form: Form | None, attempt: Attempt[Run] | None
    ) -> Run:
        return self._news.lists.accept(
            file,
            source=asked.source,
            name=asked.name,
            form=form,
            run=asked.run,
            origin=None if attempt is None else Origin(*attempt.origin),
            progress=lambda: None if attempt is None else attempt.renew(),
            beside=alone if attempt is None else attempt.beside,
        )

    async def dry_run(
        self, request: Request, asked: Annotated[RehearsalAsked, InAddress()], principal: Principal
    ) -> Response:
        """What a load of a list would come to, by its first 20,000 lines; nothing is written."""
        async with _spooled(request) as (file, _):
            file.seek(0)
            form = asked.form or form_of(asked.name, request.headers.get("content-type", ""))
            found = await in_thread(lambda: self._news.rehearse(read_links(ListText(file), form)), "POST")
            return answered(found)

    def runs(
        self, request: Request, asked: Annotated[RunsAsked, InAddress()], principal: Principal
    ) -> Response:
        """The runs of a month, the newest first."""
        month = asked.month or f"{self._news.today:%Y-%m}"
        page = partial(self._news.reading.runs, month)
        return list_answer(
            request, asked, Naming(self._shell, principal), RunsPage, page, _itself, f"news-runs-{month}"
        )

    def run(self, run: RunId, principal: Principal) -> Response:
        """One run and its counts, also while it goes on."""
        return answered(as_told(self._news.reading.run(run), self._shell.topics.find(run_topic(run))))

    def resume(self, run: RunId, key: IdempotencyKey, principal: Principal) -> Response:
        """Go on with a run that was left, in the background, with the list that is kept for it."""

        def work(beside: Beside[Run]) -> Run:
            line = self._shell.history.line(
                Actor.of(principal), AREA, "Run", run, "resume", request_id=current.get()
            )
            return self._news.lists.resume(run, with_line(line, beside))

        asked = f"POST {PATH}/{run}/resume".encode()
        answer = once(self._shell, principal, key, asked, work, lambda waiting: answered(waiting, 202))
        start(self._shell.jobs)
        return answer

    def stop(self, run: RunId, key: IdempotencyKey, principal: Principal) -> Response:
        """Have a run end before its next part, in whichever process it goes on; it can be continued."""

        def work(beside: Beside[Run]) -> Run:
            line = self._shell.history.line(
                Actor.of(principal), AREA, "Run", run, "stop", request_id=current.get()
            )
            return self._news.awaited.stop(run, with_line(line, beside))

        asked = f"POST {PATH}/{run}/stop".encode()
        return once(self._shell, principal, key, asked, work, lambda marked: answered(marked, 202))

    def lines(
        self, run: RunId, request: Request, asked: Annotated[LinesAsked, InAddress()], principal: Principal
    ) -> Response:
        """What became of each line of a run; jsonl and csv have all of them."""
        found = self._news.reading.run(run)
        naming = Naming(self._shell, principal)
        wanted = chosen(asked.format, request.headers.get("accept", ""))
        if wanted == PAGE:
            page = self._news.lines.page(found, asked.outcome, asked.limit, asked.cursor)
            bad = unreadable_shown(naming, page.unreadable)
            return answered(LinesPage(items=page.items, unreadable=bad, cursor=page.cursor))
        lines = walked_with(lambda tell: self._news.lines.each(run, asked.outcome, unreadable=tell))
        answers = everything(asked, lines)
        shown = model_lines(answers, _itself, LineOutcome, wanted, naming)
        return attached(shown, wanted, f"news-{run}", naming)

    def collisions(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """Links that were kept aside because another link has their key."""
        page = self._news.reading.collisions
        return list_answer(
            request, asked, Naming(self._shell, principal), CollisionsPage, page, _itself, "news-collisions"
        )


def _itself(row: BaseModel) -> BaseModel:
    return row


@asynccontextmanager
async def _spooled(request: Request) -> AsyncIterator[tuple[Any, str]]:
    """The body in a file, at its end, which is on disk when it is long; and its digest."""
    digest = sha256()
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        async for chunk in request.stream():
            digest.update(chunk)
            await run_in_threadpool(file.write, chunk)
        yield file, digest.hexdigest()


def _prefers_async(prefer: str | None) -> bool:
    return "respond-async" in (each.strip().lower() for each in (prefer or "").split(","))
