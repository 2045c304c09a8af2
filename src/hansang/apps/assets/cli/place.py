"""What the commands of the ledger share: where they find it, and who runs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated

import typer

from hansang.apps.assets.application import APPLICATION
from hansang.apps.assets.households import FIRST, Households
from hansang.apps.assets.recording import Who
from hansang.apps.assets.service import Assets
from hansang.clock import system_clock
from hansang.parts.history import Actor, Change
from hansang.parts.topics import Topics
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import data_option, open_application

Month = Annotated[
    str | None, typer.Option("--month", metavar="YYYY.MM", help="The month. [default: this month in Seoul]")
]
MonthNamed = Annotated[str, typer.Argument(metavar="YYYY.MM", help="The month, such as 2025.01.")]

chosen: ContextVar[str] = ContextVar("chosen_household", default=FIRST)
"""The household that a command is about."""


@contextmanager
def open_assets(place: str | None) -> Iterator[Assets]:
    """The application at a place; its tables are made in a data file that has none."""
    with open_application(place, APPLICATION) as database:
        topics = Topics(database, system_clock)
        settings = settings_of(APPLICATION)
        yield Households(database, system_clock, settings, publish=topics.publish).open(chosen.get())


@contextmanager
def open_households(place: str | None) -> Iterator[Households]:
    """Every household at a place."""
    with open_application(place, APPLICATION) as database:
        yield Households(database, system_clock, settings_of(APPLICATION))


def choose(
    household: Annotated[
        str, typer.Option(metavar="ID", help="The household; see hansang assets households.")
    ] = FIRST,
) -> None:
    """The household ledger: enter months, read them, check them."""
    chosen.set(household or FIRST)


def undo_command(change: str, place: str | None) -> str:
    """The command that takes a change of the chosen household back."""
    household = f"--household {chosen.get()} " if chosen.get() != FIRST else ""
    return f"hansang assets {household}undo {change}{data_option(place)}"


def tell_undo(change: Change | None, place: str | None) -> None:
    """Say how a change is taken back, if there was one."""
    if change is not None:
        typer.echo(f"Undo: {undo_command(change.id, place)}")


def who() -> Who:
    """The operator at the machine."""
    return Who(Actor.of(operator()))
