"""The first page: how every application stands, what it costs, which jobs run, what was changed last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from hansang.backends.urls import is_file
from hansang.parts.backups.job import backup_status
from hansang.parts.permissions import PLATFORM
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.console.application_status import ApplicationStatus, application_status, usage_total
from hansang.surfaces.console.changes import changes_seen
from hansang.surfaces.console.frame import hues, readable, short_name
from hansang.surfaces.console.job_rows import job_rows
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute

_RECENT = 6


def show(visit: Visit) -> Response:
    """The state of everything that whoever looks may read."""
    used = visit.shell.usage.snapshot()
    statuses = [application_status(visit.shell, each, used) for each in readable(visit)]
    names = {each.application.name for each in statuses}
    total = usage_total(each for each in used if each.app in names)
    context: dict[str, Any] = {
        "statuses": statuses,
        "hues": hues(visit),
        "items": sum(each.items for each in statuses),
        "size_bytes": sum(each.size_bytes for each in statuses),
        "total": total,
        "chart": _chart(visit, statuses) if total.units else None,
        "jobs": job_rows(visit),
        "shows_backups": visit.may(PLATFORM, "read") and is_file(visit.shell.settings.data),
        "backups": backup_status(visit.shell.jobs, to_datetime(visit.shell.clock())),
        "changes": changes_seen(visit, _RECENT),
        "sees_platform": visit.may(PLATFORM, "read"),
        "since": visit.shell.started_at,
    }
    return visit.page("home.html", **context)


def _chart(visit: Visit, statuses: Sequence[ApplicationStatus]) -> dict[str, Any]:
    return {
        "type": "bars",
        "format": "units",
        "labels": [short_name(visit, each.application) for each in statuses],
        "full": [each.application.title.text(visit.language) for each in statuses],
        "series": [
            _series(visit, "read", "blue", [each.spent.read for each in statuses]),
            _series(visit, "write", "amber", [each.spent.write for each in statuses]),
        ],
    }


def _series(visit: Visit, key: str, colour: str, values: list[float]) -> dict[str, Any]:
    rounded = [round(value, 1) for value in values]
    return {"key": key, "name": visit.t(f"home.{key}"), "color": colour, "kind": "bar", "values": rounded}


PAGES = (PageRoute("/", show, SIGNED_IN),)
