"""People, their sessions and the keys of programs together: what the kit asks who somebody is."""

from __future__ import annotations

from typing import Any

from hansang.apps.platform.api_keys import ApiKey, ApiKeys
from hansang.apps.platform.people import People
from hansang.apps.platform.person import Person
from hansang.apps.platform.sessions import Session, SessionKey, Sessions
from hansang.apps.platform.shown_once import OneTimeSecrets
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.account_changes import Told, nobody
from hansang.parts.aside import Aside, at_once


class Accounts:
    """Everyone and everything that may be let in."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        secret: bytes,
        people: People | None = None,
        *,
        aside: Aside = at_once,
        told: Told = nobody,
    ) -> None:
        """`aside` notes when a session was last seen and a key last used; `told` hears of changes of rights."""
        self.database = database
        self.people = people or People(database, clock, told=told)
        self.sessions = Sessions(database, clock, secret, aside=aside)
        self.keys = ApiKeys(database, clock, aside=aside)
        self.once = OneTimeSecrets(database, clock)

    def by_cookie(self, cookie: str) -> tuple[Session, Person] | None:
        """The session of a cookie and whose it is, or None."""
        return self.sessions.find(cookie)

    def by_key(self, text: str) -> ApiKey | None:
        """The key with this text, or None."""
        return self.keys.find(text)

    def rights(self, name: str) -> frozenset[str] | None:
        """What an account may do now, None if there is none of this name."""
        return self.people.rights(name)

    def csrf(self, bound_to: Any) -> str:
        """What the forms of a session carry; before anyone has signed in, of a text in a cookie."""
        return self.sessions.csrf(_session(bound_to))

    def check_csrf(self, bound_to: Any, token: str) -> bool:
        """Whether a form carries that."""
        return self.sessions.check_csrf(_session(bound_to), token)


def accounts_of(identity: object) -> Accounts:
    """The accounts by which a shell knows who somebody is."""
    assert isinstance(identity, Accounts)
    return identity


def _session(bound_to: Any) -> SessionKey | str:
    return bound_to if isinstance(bound_to, str) else SessionKey(name=bound_to.name, digest=bound_to.digest)
