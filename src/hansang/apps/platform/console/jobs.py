"""The pages of jobs: how they stand, their runs, and a run out of turn; and the exports that go on."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.platform.console.admin import tabs
from hansang.errors import Busy
from hansang.parts.history import with_line
from hansang.parts.jobs import job_topic
from hansang.parts.permissions import PLATFORM
from hansang.parts.receipts import alone
from hansang.surfaces.console.job_rows import TONES, JobRow, job_rows, result_of, standing_of
from hansang.surfaces.console.live import MOST_TOPICS
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_ON_A_PAGE = 30


def show(visit: Visit) -> Response:
    """All jobs and how they stand."""
    rows = job_rows(visit)
    bad = visit.named(each for row in rows for each in row.unreadable)
    topics = [job_topic(row.job.name) for row in rows][:MOST_TOPICS]
    exports = visit.shell.exports.running()
    return visit.page(
        "platform/jobs.html", tabs=tabs(visit), jobs=rows, exports=exports, unreadable=bad, live=topics
    )


def show_one(visit: Visit) -> Response:
    """One job and its last runs."""
    job = visit.shell.jobs.get(visit.param("name"))
    page = visit.shell.jobs.runs(job.name, _ON_A_PAGE, visit.query("cursor") or None)
    row = next(each for each in job_rows(visit) if each.job.name == job.name)
    runs = [(each, standing_of(visit, each)) for each in page]
    context: dict[str, Any] = {
        "row": row,
        "page": page,
        "runs": runs,
        "tones": TONES,
        "result_of": lambda run: result_of(visit, job, run),
        "progress": _progress(visit, row),
        "unreadable": visit.named(page.unreadable),
        "live": [job_topic(job.name)],
    }
    return visit.page("platform/job.html", tabs=tabs(visit), **context)


def _progress(visit: Visit, row: JobRow) -> dict[str, str]:
    """How far the run has come that goes on, by its slot, if its job says so."""
    if row.standing != "running":
        return {}
    told = visit.shell.topics.find(job_topic(row.job.name)) or {}
    return {told["slot"]: told["progress"][visit.language]} if told.get("progress") else {}


def run(visit: Visit) -> Response:
    """Begin a run out of turn; how it goes is on the job's page."""
    job = visit.shell.jobs.get(visit.param("name"))
    try:
        visit.shell.jobs.run_now(job.name, wait=False)
    except Busy:
        return visit.go(f"/admin/jobs/{job.name}", "jobs.busy")
    visit.shell.history.record(visit.actor, PLATFORM, "Job", job.name, "run", request_id=visit.request_id)
    return visit.go(f"/admin/jobs/{job.name}", "jobs.begun")


def stop(visit: Visit) -> Response:
    """Have the run that goes on end at its next step."""
    job = visit.shell.jobs.get(visit.param("name"))
    visit.shell.jobs.stop_run(job.name)
    visit.shell.history.record(visit.actor, PLATFORM, "Job", job.name, "stop", request_id=visit.request_id)
    return visit.go(f"/admin/jobs/{job.name}", "jobs.stopping")


def stop_export(visit: Visit) -> Response:
    """Have an export end; its file is cut off."""
    line = visit.shell.history.line(
        visit.actor, PLATFORM, "Export", visit.param("id"), "stop", request_id=visit.request_id
    )
    visit.shell.exports.stop(visit.param("id"), with_line(line, alone))
    return visit.go("/admin/jobs", "exports.stopping")


PAGES = (
    PageRoute("/admin/jobs", show, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}", show_one, allowed(PLATFORM, "read")),
    PageRoute("/admin/jobs/{name}/run", run, allowed(PLATFORM, "write"), "POST"),
    PageRoute("/admin/jobs/{name}/stop", stop, allowed(PLATFORM, "write"), "POST"),
    PageRoute("/admin/exports/{id}/stop", stop_export, allowed(PLATFORM, "write"), "POST"),
)
