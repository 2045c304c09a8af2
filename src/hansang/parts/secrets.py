"""Secrets of the server: made once, kept sealed in the platform's table, the same for every worker."""

from __future__ import annotations

from secrets import token_bytes
from typing import TYPE_CHECKING, Annotated

from hansang.design import Attr, Database, Entity, Key, Query, SecretField, pattern
from hansang.errors import AlreadyExists, Conflict, NotFound
from hansang.parts.platform import Platform
from hansang.parts.retry import retry

if TYPE_CHECKING:  # Encryption takes a while to import, and most commands do without it.
    from hansang.parts.vault import Vault

_LENGTH = 32


class SecretKey(Key["Secret"], pk="SECRETS", sk="SECRET#{name}"):
    """The key of a secret: what it is for."""

    name: str


class Secret(SecretKey, Entity, table=Platform, type="Secret"):
    """Random bytes that nobody chose and nobody changes."""

    sealed: Annotated[str | None, SecretField()] = None
    """What the vault has made of them."""
    plain: Annotated[bytes | None, Attr("octets"), SecretField()] = None
    """The bytes themselves, as they were kept before there was a vault."""

    @pattern
    def everything(cls) -> Query[Secret]:
        """All secrets."""
        return cls.query().consistent()


ACCEPTED = {
    "Secret H201": "A handful of secrets, written once.",
}
"""What the review finds and the design accepts, with the reason."""


def secret(database: Database, vault: Vault, name: str) -> bytes:
    """The secret of this name; whoever asks first makes it, all others get the same.

    One that lay open is made anew: whoever has a copy of the file may know it.
    """
    return retry(lambda: _found_or_made(database, vault, name))


def renew(database: Database, vault: Vault) -> None:
    """Make every secret anew, whatever key it was sealed with."""
    for each in list(database.each(Secret.everything())):
        database.put(_made(vault, each.name))


def are_sealed(database: Database) -> bool:
    """Whether there are secrets that only a key opens."""
    return any(each.sealed is not None for each in database.each(Secret.everything()))


def _found_or_made(database: Database, vault: Vault, name: str) -> bytes:
    found = database.find(SecretKey(name=name), consistent=True)
    if found is None or found.sealed is None:
        found = _written(database, found, _made(vault, name))
    assert found.sealed is not None
    return vault.open(name, found.sealed)


def _made(vault: Vault, name: str) -> Secret:
    return Secret(name=name, sealed=vault.seal(name, token_bytes(_LENGTH)))


def _written(database: Database, seen: Secret | None, made: Secret) -> Secret:
    """The secret as it was made, or the one that another has written meanwhile."""
    try:
        if seen is None:
            return database.create(made)
        return database.put(made, when=Secret.plain == seen.plain)
    except (AlreadyExists, Conflict, NotFound):
        return database.get(SecretKey(name=made.name), consistent=True)
