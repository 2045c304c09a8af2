"""Secrets on their way to the one page that shows them: sealed with a token that only its address has."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated

import orjson

from hansang.apps.platform.tokens import RandomBytes, digest, new_token
from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, SecretField, all_of
from hansang.errors import Conflict, NotFound
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second
from hansang.parts.vault import Vault

SECONDS = 10 * 60
"""How long a secret waits for its page."""
_PURPOSE = "shown once"


@dataclass(frozen=True, slots=True)
class OneTimeSecret:
    """What is shown once: the text itself, what it is of, and the page to go on to."""

    kind: str
    text: str
    of: str
    back: str


class ShownOnceKey(Key["ShownOnce"], pk="ONCE#{digest}", sk="ONCE"):
    """The key of a waiting secret, from its token alone."""

    digest: str


class ShownOnce(ShownOnceKey, Entity, table=Platform, type="ShownOnce"):
    """A secret that waits to be shown to whoever made it; without the token nobody opens it."""

    name: str
    sealed: Annotated[str, SecretField()]
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]


class OneTimeSecrets:
    """The secrets that were made and not shown yet, the same for every worker."""

    def __init__(
        self, database: Database, clock: Clock, random_bytes: RandomBytes = secrets.token_bytes
    ) -> None:
        self._database, self._clock, self._random_bytes = database, clock, random_bytes

    def keep(self, name: str, secret: OneTimeSecret, until: datetime | None = None) -> str:
        """The token under which the person of this name is shown a secret."""
        token = new_token(self._random_bytes)
        sealed = Vault(token).seal(_PURPOSE, orjson.dumps(asdict(secret)))
        until = until or to_whole_second(self._clock() + SECONDS)
        self._database.put(ShownOnce(digest=digest(token), name=name, sealed=sealed, expires_at=until))
        return token

    def take(self, name: str, token: str) -> tuple[OneTimeSecret, datetime] | None:
        """The secret and when its time is over, for the first look in time of whoever made it; else None."""
        is_theirs = all_of(ShownOnce.name == name, ShownOnce.expires_at > to_whole_second(self._clock()))
        try:
            found = self._database.delete(ShownOnceKey(digest=digest(token)), when=is_theirs)
        except (Conflict, NotFound):
            return None
        if found is None:
            return None
        return OneTimeSecret(**orjson.loads(Vault(token).open(_PURPOSE, found.sealed))), found.expires_at
