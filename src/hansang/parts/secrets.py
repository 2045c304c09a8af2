"""Secrets of the server: made once, kept in the platform's table, the same for every worker."""

from __future__ import annotations

from secrets import token_bytes
from typing import Annotated

from hansang.design import Attr, Database, Entity, Key, SecretField
from hansang.errors import AlreadyExists
from hansang.parts.platform import Platform
from hansang.parts.retry import retry

_LENGTH = 32


class SecretKey(Key["Secret"], pk="SECRETS", sk="SECRET#{name}"):
    """The key of a secret: what it is for."""

    name: str


class Secret(SecretKey, Entity, table=Platform, type="Secret"):
    """Random bytes that nobody chose and nobody changes."""

    value: Annotated[bytes, Attr("octets"), SecretField()]


ACCEPTED = {
    "Secret H201": "A handful of secrets, written once.",
}
"""What the review finds and the design accepts, with the reason."""


def secret(database: Database, name: str) -> bytes:
    """The secret of this name; whoever asks first makes it, all others get the same."""
    return retry(lambda: _found_or_made(database, name))


def _found_or_made(database: Database, name: str) -> bytes:
    found = database.find(SecretKey(name=name), consistent=True)
    if found is not None:
        return found.value
    try:
        return database.create(Secret(name=name, value=token_bytes(_LENGTH))).value
    except AlreadyExists:
        return database.get(SecretKey(name=name), consistent=True).value
