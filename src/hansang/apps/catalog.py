"""Which applications there are."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.assets.application import APPLICATION as ASSETS
from hansang.apps.codex.application import APPLICATION as CODEX
from hansang.apps.leaderboards.application import APPLICATION as LEADERBOARDS
from hansang.apps.news.application import APPLICATION as NEWS
from hansang.apps.rankings.application import APPLICATION as RANKINGS
from hansang.errors import NotFound

APPLICATIONS: tuple[Application, ...] = (ASSETS, LEADERBOARDS, RANKINGS, NEWS, CODEX)


def application(name: str) -> Application:
    """The application of this name, or NotFound."""
    for each in APPLICATIONS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in APPLICATIONS)
    raise NotFound(f"There is no application {name}. There are {known}.")
