"""Accounts that change, as applications are told of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import HansangError, NoSuchTable
from hansang.parts.permissions import Role, role_in

_log = logging.getLogger("hansang.accounts")


@dataclass(frozen=True, slots=True)
class AccountChange:
    """An account whose rights are others now."""

    name: str
    """The name to sign in with."""
    scopes: frozenset[str]
    """What it may do now: nothing, when it is disabled or deleted."""

    def role(self, area: str) -> Role | None:
        """What the account is to an application now."""
        return role_in(self.scopes, area)


OnAccount = Callable[[Database, Clock, AccountChange], None]
Told = Callable[[AccountChange], None]


def nobody(change: AccountChange) -> None:
    """Tells no application."""


def telling(hooks: Callable[[], Mapping[str, OnAccount | None]], database: Database, clock: Clock) -> Told:
    """Tells applications, by name, of changes that are made; what one cannot follow is logged, and undoes nothing."""

    def told(change: AccountChange) -> None:
        for name, hook in hooks().items():
            try:
                if hook is not None:
                    hook(database, clock, change)
            except NoSuchTable:
                continue
            except HansangError as fault:
                _log.warning("%s could not follow the account %s: %s", name, change.name, fault)

    return told
