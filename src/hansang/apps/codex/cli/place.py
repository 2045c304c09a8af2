"""Where the commands of the site find it, and as whom they write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.entities import EditedBy
from hansang.apps.codex.service import Codex
from hansang.clock import system_clock
from hansang.parts.history import Actor
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import open_application


@contextmanager
def open_codex(place: str | None) -> Iterator[Codex]:
    """The application at a place; its table is made in a data file that has none."""
    with open_application(place, APPLICATION) as database:
        yield Codex(database, system_clock, settings_of(APPLICATION))


def by_operator() -> EditedBy:
    """Whoever runs the command."""
    return EditedBy(Actor.of(operator()))
