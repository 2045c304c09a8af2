"""What the commands of the ledger share: where they find it, and who runs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hansang.apps.assets.application import APPLICATION
from hansang.apps.assets.recording import Who
from hansang.apps.assets.service import Assets
from hansang.clock import system_clock
from hansang.parts.history import Actor
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import open_application

Month = Annotated[
    str | None, typer.Option("--month", metavar="YYYY.MM", help="The month. [default: this month in Seoul]")
]
MonthNamed = Annotated[str, typer.Argument(metavar="YYYY.MM", help="The month, such as 2025.01.")]


@contextmanager
def open_assets(place: str | None) -> Iterator[Assets]:
    """The application at a place; its tables are made in a data file that has none."""
    with open_application(place, APPLICATION) as database:
        yield Assets(database, system_clock, settings_of(APPLICATION))


def who() -> Who:
    """The operator at the machine."""
    return Who(Actor.of(operator()))
