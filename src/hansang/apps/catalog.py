"""Which applications there are."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.application import Application
from hansang.apps.assets.application import APPLICATION as ASSETS
from hansang.apps.codex.application import APPLICATION as CODEX
from hansang.apps.leaderboards.application import APPLICATION as LEADERBOARDS
from hansang.apps.news.application import APPLICATION as NEWS
from hansang.apps.rankings.application import APPLICATION as RANKINGS
from hansang.design import Table
from hansang.errors import NotFound
from hansang.parts.design import Platform

APPLICATIONS: tuple[Application, ...] = (ASSETS, LEADERBOARDS, RANKINGS, NEWS, CODEX)

TABLES: tuple[type[Table], ...] = (Platform, *(table for each in APPLICATIONS for table in each.tables))
"""Every table that Hansang has, the platform's own first."""


def table_names(suffix: str | None, tables: Iterable[type[Table]] = TABLES) -> dict[type[Table], str]:
    """The names of tables with a suffix behind each."""
    return {table: f"{table.name}{suffix or ''}" for table in tables}


def application(name: str) -> Application:
    """The application of this name, or NotFound."""
    for each in APPLICATIONS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in APPLICATIONS)
    raise NotFound(f"There is no application {name}. There are {known}.")
