"""Whoever looks, as the platform knows them."""

from __future__ import annotations

from hansang.apps.platform.accounts import Accounts, accounts_of
from hansang.apps.platform.administration import Administration
from hansang.apps.platform.person import Person
from hansang.apps.platform.sessions import SessionKey
from hansang.surfaces.console.pages import Visit


def accounts(visit: Visit) -> Accounts:
    """People, sessions and keys."""
    return accounts_of(visit.shell.identity)


def administration(visit: Visit) -> Administration:
    """What whoever looks may do to people and keys."""
    return Administration(
        accounts(visit), visit.shell.history, visit.shell.names, visit.asking, visit.request_id
    )


def me(visit: Visit) -> Person:
    """The person who looks."""
    assert isinstance(visit.me, Person)
    return visit.me


def my_session(visit: Visit) -> SessionKey | None:
    """The session of this browser, if somebody has signed in."""
    found = visit.session
    return None if found is None else SessionKey(name=found.name, digest=found.digest)
