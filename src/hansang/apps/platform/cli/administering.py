"""Administration on behalf of the operator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_bytes

from hansang.apps import catalog
from hansang.apps.catalog import NAMES, unfailing
from hansang.apps.platform.accounts import Accounts
from hansang.apps.platform.administration import Administration
from hansang.clock import system_clock
from hansang.parts.account_changes import telling
from hansang.parts.history import History
from hansang.settings import named_applications
from hansang.surfaces.cli.commands import warn
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import open_database


@contextmanager
def open_administration(place: str | None) -> Iterator[Administration]:
    """What the operator does to people and keys at a place; no cookie is read, so no secret has to last."""
    with open_database(place) as database:
        told = telling(
            lambda: {each.name: each.on_account for each in catalog.APPLICATIONS}, database, system_clock
        )
        accounts = Accounts(database, system_clock, token_bytes(32), told=told)
        names = [*NAMES, *(each.name for each in unfailing(named_applications(), warn))]
        yield Administration(accounts, History(database, system_clock), names, operator())
