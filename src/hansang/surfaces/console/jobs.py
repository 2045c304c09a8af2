"""Jobs as pages show them: what each is, how its last run went, when the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from hansang.design import Unreadable
from hansang.errors import Busy
from hansang.parts.jobs import Job, JobState
from hansang.parts.journal import JobRun
from hansang.parts.moments import moment
from hansang.parts.permissions import PLATFORM
from hansang.surfaces.console.admin import record, tabs
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_ON_A_PAGE = 30
TONES = {"done": "good", "failed": "bad", "running": "c-blue", "lost": "warn", "never": "quiet"}


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job, ready to be shown."""

    job: Job
    title: str
    rhythm: str
    latest: JobRun | None
    standing: str
    next_at: datetime
    unreadable: list[Unreadable]

    @property
    def tone(self) -> str:
        return TONES[self.standing]


def job_rows(visit: Visit, area: str | None = None) -> list[JobRow]:
    """The jobs that whoever looks may know of, of one area or of all."""
    seen = (each for each in visit.shell.jobs.states() if area is None or each.job.area == area)
    return [_row(visit, each) for each in seen if _may_know(visit, each.job)]


def _may_know(visit: Visit, job: Job) -> bool:
    return visit.may(PLATFORM, "read") or visit.may(job.area, "read")


def standing_of(visit: Visit, run: JobRun | None) -> str:
    """How a run stands, in a word that has its own words and its own colour."""
    return "never" if run is None else run.standing(moment(visit.shell.clock()))


def _row(visit: Visit, state: JobState) -> JobRow:
    return JobRow(
        state.job,
        state.job.title.text(visit.language),
        state.job.schedule.words.text(visit.language),
        state.latest,
        standing_of(visit, state.latest),
        state.next_at,
        state.unreadable,
    )


def show(visit: Visit) -> Response:
    """All jobs and how they stand."""
    rows = job_rows(visit)
    bad = visit.named(each for row in rows for each in row.unreadable)
    return visit.page("admin/jobs.html", tabs=tabs(visit), jobs=rows, unreadable=bad)


def show_one(visit: Visit) -> Response:
    """One job and its last runs."""
    job = visit.shell.jobs.get(visit.param("name"))
    page = visit.shell.jobs.runs(job.name, _ON_A_PAGE, visit.query("cursor") or None)
    row = next(each for each in job_rows(visit) if each.job.name == job.name)
    runs = [(each, standing_of(visit, each)) for each in page]
    bad = visit.named(page.unreadable)
    return visit.page(
        "admin/job.html", tabs=tabs(visit), row=row, page=page, runs=runs, tones=TONES, unreadable=bad
    )


def run(visit: Visit) -> Response:
    """Begin a run out of turn; how it goes is on the job's page."""
    job = visit.shell.jobs.get(visit.param("name"))
    try:
        visit.shell.jobs.run_now(job.name, wait=False)
    except Busy:
        return visit.go(f"/admin/jobs/{job.name}", "jobs.busy")
    record(visit, "Job", job.name, "run")
    return visit.go(f"/admin/jobs/{job.name}", "jobs.begun")


PAGES = (
    PageRoute("/admin/jobs", show, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}", show_one, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}/run", run, allowed(PLATFORM, "write"), "POST"),
)
