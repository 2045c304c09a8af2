"""The page of one application: its tables, its access patterns, its jobs and its last changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.questions import PatternQuestion, questions
from hansang.surfaces.console.application_status import application_status
from hansang.surfaces.console.changes import change_row
from hansang.surfaces.console.data_paths import guard_of, meaning, question_path
from hansang.surfaces.console.job_rows import job_rows
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs
from hansang.surfaces.console.routing import PageRoute, allowed

_RECENT = 6


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One access pattern and what it has cost."""

    question: PatternQuestion
    href: str
    meaning: str
    requests: int
    units: float
    is_open: bool
    """Whether the units are told: those of one pattern tell whoever asks it how long hidden values are."""

    @property
    def index(self) -> str:
        return self.question.index.name if self.question.index is not None else ""


def show(visit: Visit) -> Response:
    """Everything about one application in one place."""
    application = visit.shell.application(visit.param("app"))
    now = application_status(visit.shell, application, visit.shell.usage.snapshot())
    recent = visit.shell.history.page(application.name, _RECENT)
    context: dict[str, Any] = {
        "app": application,
        "tabs": tabs(visit, application.name),
        "app_status": now,
        "patterns": _patterns(visit, application),
        "changes": [change_row(visit, each) for each in recent],
        "unreadable": visit.named(recent.unreadable),
        "jobs": job_rows(visit, application.name),
        "since": visit.shell.started_at,
    }
    return visit.page("application.html", **context)


def _patterns(visit: Visit, application: Application) -> list[PatternRow]:
    guard, used = guard_of(visit, application), dict[str, tuple[int, float]]()
    for each in visit.shell.usage.snapshot():
        requests, units = used.get(each.pattern, (0, 0.0))
        used[each.pattern] = requests + each.requests, units + each.read_units + each.write_units
    return [
        PatternRow(
            each,
            question_path(application, each.label),
            meaning(visit, application, each.label, each.pattern.function),
            *used.get(each.label, (0, 0.0)),
            guard.sees_all_of(each.shape.table),
        )
        for each in questions(application.tables)
    ]


PAGES = (PageRoute("/apps/{app}", show, allowed("{app}", "read")),)
