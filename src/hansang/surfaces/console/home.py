"""The first page: what matters in every application today, what needs attention, what runs, what was changed last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from hansang.backends.urls import is_file
from hansang.parts.backups.job import BackupStatus, backup_status
from hansang.parts.permissions import PLATFORM
from hansang.parts.timestamps import to_datetime
from hansang.parts.today import Today
from hansang.parts.usage_periods import PeriodUsage, period_of
from hansang.surfaces.console.application_status import ApplicationStatus, application_status
from hansang.surfaces.console.changes import changes_seen
from hansang.surfaces.console.frame import hues, readable, short_name
from hansang.surfaces.console.job_rows import JobRow, job_rows
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute
from hansang.surfaces.console.today import TodayShown

_RECENT = 5
_JOBS_SHOWN = 3
_FIRST = ("running", "failed", "lost", "stopped")
"""How a job stands that is shown before the others."""


@dataclass(frozen=True, slots=True)
class AppCard:
    """One application on the home page."""

    status: ApplicationStatus
    shown: TodayShown


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that somebody should look at, and where."""

    text: str
    href: str
    tone: str = "bad"


def show(visit: Visit) -> Response:
    """The state of everything that whoever looks may read."""
    used = _last_day(visit)
    cards = [
        AppCard(application_status(visit.shell, each, ()), visit.console.today.of(each))
        for each in readable(visit)
    ]
    jobs = sorted(job_rows(visit), key=lambda each: each.standing not in _FIRST)
    sees_platform = visit.may(PLATFORM, "read")
    shows_backups = sees_platform and is_file(visit.shell.settings.data)
    backups = backup_status(visit.shell.jobs, to_datetime(visit.shell.clock())) if shows_backups else None
    chart = _chart(visit, [each.status for each in cards], used)
    context: dict[str, Any] = {
        "cards": cards,
        "hues": hues(visit),
        "attention": [*_of_applications(visit, cards), *_of_jobs(visit, jobs), *_of_backups(visit, backups)],
        "chart": chart,
        "jobs": jobs[:_JOBS_SHOWN],
        "shows_backups": shows_backups,
        "backups": backups,
        "changes": changes_seen(visit, _RECENT),
        "sees_platform": sees_platform,
        "since": visit.shell.started_at,
        "said": lambda today: visit.t(today.about, **_values(visit, today)),
        "figure": lambda each: _figure(visit, each.value, each.kind),
    }
    return visit.page("home.html", **context)


def _values(visit: Visit, today: Today) -> dict[str, object]:
    """What stands in the places of a text; days as their reader writes them."""
    return {
        name: visit.formats.short_day(each) if isinstance(each, date) else each
        for name, each in today.values.items()
    }


def _figure(visit: Visit, value: float, kind: str) -> tuple[str, str]:
    """A number as its reader writes it, and its unit; whole won are short enough for a card."""
    if kind == "number":
        return visit.formats.number(value), ""
    compact = visit.formats.compact(value)
    return (compact, "원") if visit.language == "ko" else (f"₩{compact}", "")


# ── what needs attention ──────────────────────────────────────────────────────────────────────────


def _of_applications(visit: Visit, cards: Iterable[AppCard]) -> Iterable[Attention]:
    for each in cards:
        application, health = each.status.application, each.status.health
        if health in ("missing", "unreachable"):
            name = application.title.text(visit.language)
            yield Attention(
                visit.t("home.attention_table", name=name, state=visit.t(f"health.{health}")),
                f"/apps/{application.name}",
            )


def _of_jobs(visit: Visit, jobs: Iterable[JobRow]) -> Iterable[Attention]:
    for each in jobs:
        if each.standing in ("failed", "lost"):
            tone = "bad" if each.standing == "failed" else "warn"
            yield Attention(
                visit.t(f"home.attention_{each.standing}", name=each.title),
                f"/admin/jobs/{each.job.name}" if visit.may(PLATFORM, "read") else f"/apps/{each.job.area}",
                tone,
            )


def _of_backups(visit: Visit, status: BackupStatus | None) -> Iterable[Attention]:
    if status is not None and status.health == "overdue":
        yield Attention(visit.t("home.attention_backup"), f"/admin/jobs/{status.state.job.name}", "warn")


# ── what was used ─────────────────────────────────────────────────────────────────────────────────


def _last_day(visit: Visit) -> list[PeriodUsage]:
    now = to_datetime(visit.shell.clock())
    return visit.shell.usage.periods.used("hour", period_of("hour", now - timedelta(days=1)))


def _chart(
    visit: Visit, statuses: Sequence[ApplicationStatus], used: Sequence[PeriodUsage]
) -> dict[str, Any] | None:
    """Units of the last day by application; None where nothing was used."""
    names = [each.application.name for each in statuses]
    read = [sum(each.read_units for each in used if each.app == name) for name in names]
    write = [sum(each.write_units for each in used if each.app == name) for name in names]
    if not any(read + write):
        return None
    return {
        "type": "bars",
        "format": "units",
        "labels": [short_name(visit, each.application) for each in statuses],
        "full": [each.application.title.text(visit.language) for each in statuses],
        "series": [_series(visit, "read", "blue", read), _series(visit, "write", "amber", write)],
    }


def _series(visit: Visit, key: str, colour: str, values: list[float]) -> dict[str, Any]:
    rounded = [round(value, 1) for value in values]
    return {"key": key, "name": visit.t(f"home.{key}"), "color": colour, "kind": "bar", "values": rounded}


PAGES = (PageRoute("/", show, SIGNED_IN),)
