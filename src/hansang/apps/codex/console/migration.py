"""Migrating as a guided page: six steps, one after the other, each done by the server while the page looks on."""

from __future__ import annotations

from functools import partial
from typing import Any, cast, get_args

from starlette.responses import Response

from hansang.apps.codex.console.forms import refused_words
from hansang.apps.codex.console.links import page, settings_of
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.migration.guided import JOB, GuidedMigration, MigrationView, step_shown
from hansang.apps.codex.migration.state import MigrationStep
from hansang.errors import Busy, Conflict, InvalidInput, NotAllowed
from hansang.parts.jobs import job_topic
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

PLACE = "/codex/migration"
STEPS = ("plan", "copy", "delta", "verify", "switch", "drop")
_QUICK = ("switch", "undo", "drop")


def guided(visit: Visit) -> GuidedMigration:
    """The migration of this server."""
    return GuidedMigration(visit.shell.database, visit.shell.clock, settings_of(visit))


def show(visit: Visit) -> Response:
    """How the migration stands."""
    return _shown(visit)


def _shown(visit: Visit, status: int = 200, error: str = "") -> Response:
    found = guided(visit)
    view = found.view() if found.sources else MigrationView(None, None, [])
    task = view.task
    context: dict[str, Any] = {
        "sources": found.sources,
        "source": task.source if task is not None and task.source in found.sources else "",
        "view": view,
        "steps": STEPS,
        "is_done": {step: bool(view.tables) and view.is_done(step) for step in STEPS},
        "running": step_shown(task.step) if task is not None and task.is_waiting else "",
        "why": partial(_why, visit),
        "progress": _progress(visit),
        "names": " ".join(mapping.source for mapping, _, _ in view.tables),
        "error": error,
        "live": [job_topic(JOB)],
    }
    return page(visit, "migration.html", status, **context)


def _why(visit: Visit, said: dict[str, Any]) -> str:
    """Why a step has failed, in the language of whoever looks."""
    return visit.worded(said["error"], said["code"], said["values"])


def _progress(visit: Visit) -> str:
    """How far the step is that goes on, as far as it has said so."""
    told = (visit.shell.topics.find(job_topic(JOB)) or {}).get("progress") or {}
    said: str = told.get(visit.language, "")
    return said


def ask(visit: Visit) -> Response:
    """Begin a step; it goes on when the page is closed."""
    step, jobs = visit.param("step"), visit.shell.jobs
    if step not in get_args(MigrationStep):
        return visit.go(PLACE)
    try:
        guided(visit).ask(
            cast(MigrationStep, step), visit.given("source"), visit.actor, typed=visit.given("typed")
        )
        jobs.run_now(JOB, wait=step in _QUICK)
    except (Busy, InvalidInput, NotAllowed) as refused:
        return _shown(visit, 409, refused_words(visit, refused))
    visit.shell.history.record(visit.actor, AREA, "Migration", step, "run", request_id=visit.request_id)
    return visit.go(PLACE)


def stop(visit: Visit) -> Response:
    """Have the step end after the page that it is at; it goes on from there when it is begun again."""
    try:
        visit.shell.jobs.stop_run(JOB)
    except Conflict as refused:
        return _shown(visit, 409, refused_words(visit, refused))
    return visit.go(PLACE, "codex.migration.stopping")


_ADMIN = allowed(AREA, "admin")
PAGES = (
    PageRoute(PLACE, show, _ADMIN),
    PageRoute(f"{PLACE}/stop", stop, _ADMIN, "POST"),
    PageRoute(f"{PLACE}/{{step}}", ask, _ADMIN, "POST"),
)
