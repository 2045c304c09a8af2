"""What the commands of the rankings share: where they find them, and how a day is typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.service import Rankings
from hansang.apps.rankings.settings import RankingsSettings
from hansang.clock import system_clock
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.support import open_application

DAY: dict[str, Any] = {"formats": ["%Y-%m-%d"], "metavar": "YYYY-MM-DD"}
"""The form of a day among the arguments and options."""


@contextmanager
def open_rankings(place: str | None, pace: int | None = None) -> Iterator[Rankings]:
    """The application at a place; its tables are made in a data file that has none."""
    settings: RankingsSettings = settings_of(APPLICATION)
    with open_application(place, APPLICATION) as database:
        yield Rankings(database, system_clock, pace=pace or settings.pace or None)
