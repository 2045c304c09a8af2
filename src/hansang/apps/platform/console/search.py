"""What the search of the console finds in the platform: people for administrators, and jobs."""

from __future__ import annotations

from collections.abc import Iterator

from hansang.apps.platform.console.visitors import accounts
from hansang.parts.permissions import PLATFORM
from hansang.surfaces.console.frame import role_name
from hansang.surfaces.console.matching import rank
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

_MOST_READ = 500


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """People by either of their names, and jobs by their title."""
    if visit.may(PLATFORM, "admin"):
        yield from _people(visit, typed)
    for job in visit.shell.jobs.jobs.values():
        title = job.title.text(visit.language)
        if rank(typed, title, job.name) is not None:
            yield SearchResult("platform.search.jobs", f"/admin/jobs/{job.name}", title, job.name, "repeat")


def _people(visit: Visit, typed: str) -> Iterator[SearchResult]:
    for each in accounts(visit).people.page(_MOST_READ):
        about = f"@{each.name} · {role_name(visit, dict(each.roles))}"
        if rank(typed, each.shown_name, each.name) is not None:
            yield SearchResult(
                "platform.search.people", f"/admin/people/{each.name}", each.shown_name, about, "user-round"
            )
