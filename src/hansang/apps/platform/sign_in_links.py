"""One-time links to sign in with: only their digest is kept, and not for long."""

from __future__ import annotations

from typing import Annotated

from hansang.apps.platform.tokens import RandomBytes, digest, new_token
from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, SecretField
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, NotFound
from hansang.parts.history import Change, write_with
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second


class SignInLinkKey(Key["SignInLink"], pk="LINK#{digest}", sk="LINK"):
    """The key of a link, from its token alone."""

    digest: str


class SignInLink(SignInLinkKey, Entity, table=Platform, type="SignInLink"):
    """A link that lets one person in, once."""

    name: str
    stamp: Annotated[str, SecretField()]
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]


class SignInLinks:
    """The links that were given out and not used yet."""

    def __init__(self, database: Database, clock: Clock, random_bytes: RandomBytes) -> None:
        self._database, self._clock, self._random_bytes = database, clock, random_bytes

    def create(
        self,
        name: str,
        stamp: str,
        ttl_seconds: float,
        change: Change | None = None,
        beside: Beside[str] = alone,
    ) -> str:
        """The token of a new link; it is nowhere else."""
        token = new_token(self._random_bytes)
        expires_at = to_whole_second(self._clock() + ttl_seconds)
        link = SignInLink(digest=digest(token), name=name, stamp=stamp, expires_at=expires_at)

        def steps(transaction: Transaction) -> None:
            beside(transaction, token)
            transaction.put(link)

        write_with(self._database, change, steps)
        return token

    def use_up(self, token: str) -> SignInLink | None:
        """The link of this token, for the first who asks in time; None for everyone else."""
        now = to_whole_second(self._clock())
        try:
            return self._database.delete(
                SignInLinkKey(digest=digest(token)), when=SignInLink.expires_at > now
            )
        except (Conflict, NotFound):
            return None
