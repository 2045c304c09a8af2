"""Jobs as routes: how they stand, how they ran, and running one now."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.jobs import JobState
from hansang.parts.journal import JobRun
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.words import Language
from hansang.surfaces.api.endpoints import Group, actor_of, answered, asking
from hansang.surfaces.api.lists import list_answer, page_of
from hansang.surfaces.api.parameters import Exported
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.explorer.unreadable import Naming
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PATH = "/api/platform/jobs"


class JobRunShown(BaseModel):
    """One run of a job."""

    slot: str
    state: str
    worker: str
    attempts: int
    claimed_at: datetime
    finished_at: datetime | None
    retry_at: datetime | None
    took_ms: int | None
    result: str | None
    error: str | None


class JobShown(BaseModel):
    """A job, and how it stands."""

    name: str
    title: str
    area: str
    every_seconds: float | None
    daily_at: str | None
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
        self._shell, self._gate, self._group = shell, gate, Group(PATH, "platform.jobs")

    def all(self) -> list[ApiRoute]:
        """Listing, the runs of one, running one."""
        reader, writer = (asking(self._gate.allow(PLATFORM, action)) for action in ("read", "write"))
        name: Any = Annotated[str, InPath(max_length=100)]
        asked: Any = Annotated[Exported, InAddress()]
        every: dict[str, Any] = {"request": Request, "asked": asked, "principal": reader}
        one: dict[str, Any] = {"name": name, "key": IdempotencyKey, "principal": writer}
        return [
            self._group.route("GET", "", self.list, JobsPage, every),
            self._group.route("GET", "/{name}/runs", self.runs, JobRunsPage, every | {"name": name}),
            self._group.route("POST", "/{name}/run", self.run, JobRunShown, one, 202),
        ]

    def list(self, request: Request, asked: Exported, principal: Principal) -> Response:
        """All jobs, and how each stands."""
        page = partial(page_of, "jobs", self._shell.jobs.states(), lambda each: (each.job.name,))
        show = partial(_job, spoken=language(request))
        return list_answer(request, asked, Naming(self._shell, principal), JobsPage, page, show, "jobs")

    def runs(self, request: Request, asked: Exported, name: str, principal: Principal) -> Response:
        """The runs of a job, the newest first."""
        page = partial(self._shell.jobs.runs, name)
        return list_answer(
            request, asked, Naming(self._shell, principal), JobRunsPage, page, _run, f"runs-{name}"
        )

    def run(self, name: str, key: str | None, principal: Principal) -> Response:
        """Begin a run out of turn; it goes on behind the answer."""

        def work() -> Response:
            begun = self._shell.jobs.run_now(name, wait=False)
            self._shell.history.record(
                actor_of(principal), PLATFORM, "Job", name, "run", request_id=current.get()
            )
            return answered(_run(begun), 202)

        return once(self._shell, principal, key, f"POST {PATH}/{name}/run".encode(), work)


def _job(state: JobState, spoken: Language) -> JobShown:
    job = state.job
    return JobShown(
        name=job.name,
        title=job.title.text(spoken),
        area=job.area,
        every_seconds=job.every,
        daily_at=None if job.daily_at is None else f"{job.daily_at:%H:%M} {job.daily_at.tzinfo}",
        next_at=state.next_at,
        latest=None if state.latest is None else _run(state.latest),
    )


def _run(run: JobRun) -> JobRunShown:
    return JobRunShown(**{name: getattr(run, name) for name in JobRunShown.model_fields})
