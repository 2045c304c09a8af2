"""Who may read, and how answers about finished days are tagged."""

from __future__ import annotations

from hashlib import sha256

from pydantic import BaseModel
from starlette.responses import Response

from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.service import Rankings
from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.api.endpoints import answered
from hansang.surfaces.api.tags import TAGGED, is_known, quoted
from hansang.surfaces.shell import Shell

AREA = "rankings"
PATH = "/api/rankings"
SAME = {"responses": {"200": {"headers": TAGGED}, "304": {"description": "", "headers": TAGGED}}}
"""What the OpenAPI document says of an answer with a tag; its words come with the document."""


def rankings_of(shell: Shell) -> Rankings:
    """The application of a shell."""
    return shell.once(
        AREA, lambda: Rankings(shell.database, shell.clock, pace=settings_of_rankings(shell).pace or None)
    )


def settings_of_rankings(shell: Shell) -> RankingsSettings:
    """What was chosen for the rankings."""
    found: RankingsSettings = shell.chosen.get(AREA) or RankingsSettings()
    return found


def tagged(shown: BaseModel, seen: str | None, rankings: Rankings, *days: SnapshotDay | None) -> Response:
    """An answer about finished days; 304 for whoever has it already, since such a day does not change."""
    versions = [f"{day.day}.{day.revision}" for day in days if day is not None]
    told = repr((versions, sorted(rankings.privacy.hidden())))
    tag = f"{versions[0]}-{sha256(told.encode()).hexdigest()[:12]}"
    headers = {"ETag": quoted(tag), "Cache-Control": "private, no-cache"}
    if seen is not None and is_known(seen, tag):
        return Response(status_code=304, headers=headers)
    response = answered(shown)
    response.headers.update(headers)
    return response
