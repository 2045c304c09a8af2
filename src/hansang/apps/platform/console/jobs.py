"""The pages of jobs: how they stand, their runs, and a run out of turn."""

from __future__ import annotations

from starlette.responses import Response

from hansang.apps.platform.console.admin import tabs
from hansang.errors import Busy
from hansang.parts.permissions import PLATFORM
from hansang.surfaces.console.job_rows import TONES, job_rows, standing_of
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_ON_A_PAGE = 30


def show(visit: Visit) -> Response:
    """All jobs and how they stand."""
    rows = job_rows(visit)
    bad = visit.named(each for row in rows for each in row.unreadable)
    return visit.page("platform/jobs.html", tabs=tabs(visit), jobs=rows, unreadable=bad)


def show_one(visit: Visit) -> Response:
    """One job and its last runs."""
    job = visit.shell.jobs.get(visit.param("name"))
    page = visit.shell.jobs.runs(job.name, _ON_A_PAGE, visit.query("cursor") or None)
    row = next(each for each in job_rows(visit) if each.job.name == job.name)
    runs = [(each, standing_of(visit, each)) for each in page]
    bad = visit.named(page.unreadable)
    return visit.page(
        "platform/job.html", tabs=tabs(visit), row=row, page=page, runs=runs, tones=TONES, unreadable=bad
    )


def run(visit: Visit) -> Response:
    """Begin a run out of turn; how it goes is on the job's page."""
    job = visit.shell.jobs.get(visit.param("name"))
    try:
        visit.shell.jobs.run_now(job.name, wait=False)
    except Busy:
        return visit.go(f"/admin/jobs/{job.name}", "jobs.busy")
    visit.shell.history.record(visit.actor, PLATFORM, "Job", job.name, "run", request_id=visit.request_id)
    return visit.go(f"/admin/jobs/{job.name}", "jobs.begun")


PAGES = (
    PageRoute("/admin/jobs", show, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}", show_one, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}/run", run, allowed(PLATFORM, "write"), "POST"),
)
