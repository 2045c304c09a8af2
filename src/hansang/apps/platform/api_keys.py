"""Keys for programs: shown once, kept as digests, revoked for good."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from hansang.apps.platform.tokens import RandomBytes, digest, new_token
from hansang.clock import Clock
from hansang.design import (
    Database,
    Entity,
    Key,
    Page,
    Query,
    SecretField,
    Timestamp,
    Unreadable,
    any_of,
    attr,
    pattern,
)
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, InvalidInput, NotFound
from hansang.parts.aside import Aside, at_once
from hansang.parts.history import Trace, write_with
from hansang.parts.permissions import check_scope_forms
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone
from hansang.parts.timestamps import to_whole_second

TOUCHED_EVERY = timedelta(minutes=1)
_ID = re.compile(r"[0-9a-f]{12}")
_TEXT = re.compile(rf"hsk_({_ID.pattern})_([0-9A-Za-z_-]{{43}})")
_LONGEST_LABEL = 80
HIGHEST_RATE = 1_000_000
_NOBODY = digest("the digest that no key has")


class ApiKeyKey(Key["ApiKey"], pk="KEYS", sk="KEY#{id}"):
    """The key of a key."""

    id: str


class ApiKey(ApiKeyKey, Entity, table=Platform, type="ApiKey"):
    """What a program may do with one key, and what became of it."""

    label: str
    scopes: frozenset[str]
    created_at: Timestamp
    created_by: str
    last_used_at: Timestamp | None = None
    expires_at: Timestamp | None = None
    revoked_at: Timestamp | None = None
    rate: Annotated[int | None, Field(ge=1, le=HIGHEST_RATE)] = None
    """Requests a minute for each worker; None for as many as a person has."""
    digest: Annotated[str, SecretField()]

    def is_valid(self, now: datetime) -> bool:
        """Whether it opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)

    @pattern
    def everything(cls) -> Query[ApiKey]:
        """All keys."""
        return cls.query().consistent()


ACCEPTED = {
    "ApiKey H201": "A server has some dozens of keys, and each is written when it is made and once an hour.",
    "ApiKey H205": "A scope is an application and a right; there are fewer than a hundred.",
}
"""What the review finds and the design accepts, with the reason."""


class ApiKeys:
    """The keys of the platform."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        random_bytes: RandomBytes = secrets.token_bytes,
        aside: Aside = at_once,
    ) -> None:
        self._database, self._clock, self._random_bytes = database, clock, random_bytes
        self._aside = aside

    def create(
        self,
        label: str,
        scopes: Collection[str],
        created_by: str,
        expires_at: datetime | None = None,
        trace: Trace | None = None,
        beside: Beside[tuple[ApiKey, str]] = alone,
        *,
        rate: int | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key, and its text `hsk_<id>_<secret>`, which is nowhere else."""
        check_scope_forms(scopes)
        now = self._now()
        secret = new_token(self._random_bytes)
        key = ApiKey(
            id=self._random_bytes(6).hex(),
            label=_checked_label(label),
            scopes=frozenset(scopes),
            created_at=now,
            created_by=created_by,
            expires_at=None if expires_at is None else _checked_end(expires_at, now),
            rate=_checked_rate(rate),
            digest=digest(secret),
        )
        # A write that is sent again after its response was lost meets its own item.
        unused = any_of(attr(ApiKey.digest).missing(), ApiKey.digest == key.digest)
        made = key, f"hsk_{key.id}_{secret}"

        def steps(transaction: Transaction) -> None:
            beside(transaction, made)
            transaction.put(key, when=unused)

        write_with(self._database, None if trace is None else trace(None, key), steps)
        return made

    def get(self, id: str) -> ApiKey:  # noqa: A002 - the field's own name
        """The key of this id, or NotFound."""
        found = self._database.find(ApiKeyKey(id=id), consistent=True) if _ID.fullmatch(id) else None
        if found is None:
            raise NotFound("Key {id} not found.", code="platform.no-key", values={"id": id})
        return found

    def find(self, text: str) -> ApiKey | None:
        """The key that a program shows; None when it is forged, revoked or expired."""
        match = _TEXT.fullmatch(text)
        if match is None:
            return None
        key = self._database.find(ApiKeyKey(id=match[1]), consistent=True)
        fits = hmac.compare_digest(_NOBODY if key is None else key.digest, digest(match[2]))
        if key is None or not fits or not key.is_valid(self._now()):
            return None
        return self._touched(key)

    def page(self, limit: int = 50, cursor: str | None = None) -> Page[ApiKey]:
        """Keys, a page at a time, revoked ones too."""
        return self._database.page(ApiKey.everything(), limit, cursor)

    def each(self, *, unreadable: Callable[[Unreadable], object] | None = None) -> Iterator[ApiKey]:
        """All keys, read as they are used; one that cannot be read is an error, or goes to `unreadable`."""
        return self._database.each(ApiKey.everything(), unreadable=unreadable)

    def revoke(self, id: str, trace: Trace | None = None, beside: Beside[ApiKey] = alone) -> ApiKey:  # noqa: A002
        """Let a key open nothing more; one that is revoked stays as it is, and one that is not there is NotFound."""
        key, now = self.get(id), self._now()
        revoked, is_open = key.model_copy(update={"revoked_at": now}), attr(ApiKey.revoked_at).missing()

        def steps(transaction: Transaction) -> None:
            beside(transaction, revoked)
            transaction.update(ApiKeyKey(id=key.id), attr(ApiKey.revoked_at).set(now), when=is_open)

        try:
            write_with(self._database, None if trace is None else trace(key, revoked), steps)
        except Conflict:
            return self.get(id)
        return revoked

    def _touched(self, key: ApiKey) -> ApiKey:
        """The key, noted as used now if that was not done lately; nobody waits for the note."""
        now = self._now()
        if key.last_used_at is not None and now - key.last_used_at < TOUCHED_EVERY:
            return key
        before = key.last_used_at
        same = attr(ApiKey.last_used_at).missing() if before is None else ApiKey.last_used_at == before
        change = attr(ApiKey.last_used_at).set(now)
        noted = self._aside(lambda: self._database.update(ApiKeyKey(id=key.id), change, when=same))
        return noted or key

    def _now(self) -> datetime:
        return to_whole_second(self._clock())


def _checked_label(label: str) -> str:
    plain = " ".join(label.split())
    if not 1 <= len(plain) <= _LONGEST_LABEL or not plain.isprintable():
        raise InvalidInput(
            "A label has 1 to {most} characters.",
            "label",
            code="platform.key-label",
            values={"most": _LONGEST_LABEL},
        )
    return plain


def _checked_rate(rate: int | None) -> int | None:
    if rate is not None and not 1 <= rate <= HIGHEST_RATE:
        raise InvalidInput(
            "A key has a rate of 1 to {most} requests a minute.",
            "rate",
            code="platform.key-rate",
            values={"most": f"{HIGHEST_RATE:,}"},
        )
    return rate


def _checked_end(end: datetime, now: datetime) -> datetime:
    """A time to come, to the second as it is kept."""
    if end.tzinfo is None:
        raise InvalidInput(
            "The time has no time zone. Write it as 2027-01-31T00:00:00Z.",
            "expires_at",
            code="platform.no-time-zone",
        )
    try:
        whole = end.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        whole = datetime.max.replace(tzinfo=UTC, microsecond=0)
    if whole <= now:
        raise InvalidInput(
            "The key would have expired already. Give a time in the future.",
            "expires_at",
            code="platform.key-expired",
        )
    return whole
