"""Jobs as routes: how they stand, how they ran, and running one now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.history import Actor, with_line
from hansang.parts.jobs import JobState
from hansang.parts.journal import JobRun
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.receipts import Beside
from hansang.parts.words import Language
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer, page_of
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/jobs"

JobName = Annotated[str, InPath(max_length=100)]


class JobRunShown(BaseModel):
    """One run of a job."""

    slot: str
    state: str
    worker: str
    attempts: int
    claimed_at: datetime
    finished_at: datetime | None
    retry_at: datetime | None
    stop_asked_at: datetime | None
    took_ms: int | None
    result: str | None
    counts: dict[str, int]
    error: str | None


class JobShown(BaseModel):
    """A job, and how it stands."""

    name: str
    title: str
    area: str
    schedule: str
    every_seconds: int | None
    daily_at: str | None
    weekly_at: str | None
    monthly_at: str | None
    next_at: datetime
    latest: JobRunShown | None


class JobsPage(ListPage):
    """A page of jobs, by name."""

    items: list[JobShown]


class JobRunsPage(ListPage):
    """A page of runs, the newest first."""

    items: list[JobRunShown]


class JobRoutes:
    """Everything about jobs that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._writer = shell, gate.allow(PLATFORM, "write")
        self._group = RouteGroup(PATH, "platform.jobs", gate.allow(PLATFORM, "read"))

    def all(self) -> list[ApiRoute]:
        """Listing, the runs of one, running and stopping one."""
        return [
            self._group.route("GET", "", self.list, JobsPage),
            self._group.route("GET", "/{name}/runs", self.runs, JobRunsPage),
            self._group.route("POST", "/{name}/run", self.run, JobRunShown, 202, rule=self._writer),
            self._group.route("POST", "/{name}/stop", self.stop, JobRunShown, 202, rule=self._writer),
        ]

    def list(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """All jobs, and how each stands."""
        page = partial(page_of, "jobs", self._shell.jobs.states(), lambda each: (each.job.name,))
        show = partial(_job, spoken=language(request))
        return list_answer(request, asked, Naming(self._shell, principal), JobsPage, page, show, "jobs")

    def runs(self, request: Request, asked: Listed, name: JobName, principal: Principal) -> Response:
        """The runs of a job, the newest first."""
        page = partial(self._shell.jobs.runs, name)
        return list_answer(
            request, asked, Naming(self._shell, principal), JobRunsPage, page, _run, f"runs-{name}"
        )

    def run(self, name: JobName, key: IdempotencyKey, principal: Principal) -> Response:
        """Begin a run out of turn; it goes on behind the answer."""
        return self._once("run", name, key, principal, partial(self._shell.jobs.run_now, name, wait=False))

    def stop(self, name: JobName, key: IdempotencyKey, principal: Principal) -> Response:
        """Have the run that goes on end at its next step, in whichever process it is."""
        return self._once("stop", name, key, principal, partial(self._shell.jobs.stop_run, name))

    def _once(
        self, verb: str, name: str, key: str | None, principal: Principal, do: Callable[..., JobRun]
    ) -> Response:
        """Do it with a line of the history beside it."""

        def work(beside: Beside[JobRun]) -> JobRun:
            line = self._shell.history.line(
                Actor.of(principal), PLATFORM, "Job", name, verb, request_id=current.get()
            )

            run: JobRun = do(beside=with_line(line, beside))
            return run

        asked = f"POST {PATH}/{name}/{verb}".encode()
        return once(self._shell, principal, key, asked, work, lambda run: answered(_run(run), 202))


def _job(state: JobState, spoken: Language) -> JobShown:
    job = state.job
    return JobShown(
        name=job.name,
        title=job.title.text(spoken),
        area=job.area,
        schedule=job.schedule.words.text(spoken),
        next_at=state.next_at,
        latest=None if state.latest is None else _run(state.latest),
        **job.schedule.parts,
    )


def _run(run: JobRun) -> JobRunShown:
    return JobRunShown(**{name: getattr(run, name) for name in JobRunShown.model_fields})
