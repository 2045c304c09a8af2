"""Receipts: a request that comes twice under one Idempotency-Key is done once and answered twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from secrets import token_hex
from typing import Annotated, Literal, Protocol

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Timestamp, attr
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.platform import Platform
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_datetime, to_whole_second

LEASE = timedelta(seconds=60)
"""How long a request may take before another may take its place."""
KEPT = timedelta(hours=24)
LARGEST_BODY = 300_000
LONGEST_KEY = 255


class Sender(Protocol):
    """Whoever sends requests: a principal, or an actor."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a request was answered with."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ReceiptKey(Key["Receipt"], pk="RECEIPT#{digest}", sk="RECEIPT"):
    """The key of a receipt: a digest of the sender and the sender's key."""

    digest: str


class Receipt(ReceiptKey, Entity, table=Platform, type="Receipt"):
    """One request under one key: being worked on by whoever holds `claim`, or done with its answer."""

    fingerprint: str
    state: Literal["running", "done"]
    claim: str
    lease_until: Timestamp
    status: int | None = None
    headers: dict[str, str] | None = None
    body: bytes | None = None
    """Absent of a request that is done when it was too large to be kept."""
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @property
    def answer(self) -> KeptAnswer | None:
        """The answer to be given again; None when the request is still to be done."""
        if self.state != "done" or self.status is None or self.body is None:
            return None
        return KeptAnswer(self.status, self.headers or {}, self.body)


ACCEPTED = {
    "Receipt H205": "The headers of one answer of ours.",
}
"""What the review finds and the design accepts, with the reason."""


class Receipts:
    """The requests of the last day that came with a key."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        chance: Callable[[], str] = token_hex,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._chance, self._sleep = database, clock, chance, sleep

    def begin(self, sender: Sender, key: str, fingerprint: str) -> Receipt:
        """The receipt of a request: with its answer if it was done before, else it is the caller's to do.

        A request that is being worked on is Busy; another request under the same key is a Conflict.
        """
        drafted = self._draft(_digest(sender, key), fingerprint)
        return retry(lambda: self._claimed(drafted), self._sleep)

    def finish(self, receipt: Receipt, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Keep the answer for a day; of one that is too large only that it was given."""
        changes = (
            attr(Receipt.state).set("done"),
            attr(Receipt.status).set(status),
            attr(Receipt.headers).set(dict(headers)),
            attr(Receipt.body).set(body if len(body) <= LARGEST_BODY else None),
            attr(Receipt.expires_at).set(to_whole_second(self._clock()) + KEPT),
        )
        self._while_held(lambda: self._database.update(_key(receipt), *changes, when=_held(receipt)))

    def abandon(self, receipt: Receipt) -> None:
        """Forget a request that was not done, so that it can be sent again under its key."""
        self._while_held(lambda: self._database.delete(_key(receipt), when=_held(receipt)))

    def _while_held(self, write: Callable[[], object]) -> None:
        """Write, unless another has taken the request over; then it is that one's to answer."""
        try:
            retry(write, self._sleep)
        except (Conflict, NotFound):
            return

    # ── claiming ──────────────────────────────────────────────────────────────────────────────────

    def _draft(self, digest: str, fingerprint: str) -> Receipt:
        now = to_whole_second(self._clock())
        return Receipt(
            digest=digest,
            fingerprint=fingerprint,
            state="running",
            claim=self._chance(),
            lease_until=now + LEASE,
            expires_at=now + KEPT,
        )

    def _claimed(self, drafted: Receipt) -> Receipt:
        try:
            return self._database.create(drafted)
        except AlreadyExists as there:
            found: Receipt = there.item
        if found.claim == drafted.claim:
            return found
        if found.expires_at <= to_datetime(self._clock()):
            return self._taken_over(drafted, found)
        return self._found(drafted, found)

    def _found(self, drafted: Receipt, found: Receipt) -> Receipt:
        if found.fingerprint != drafted.fingerprint:
            raise Conflict(
                "This Idempotency-Key was used for another request. Send a new request under a new key.",
                found,
                code="parts.key-used",
            )
        if found.state == "running":
            return self._taken_over(drafted, found)
        if found.answer is None:
            raise Conflict(
                "This request is done, and its answer was too large to be kept. Read what it has made "
                "instead.",
                found,
                code="parts.answer-not-kept",
            )
        return found

    def _taken_over(self, drafted: Receipt, found: Receipt) -> Receipt:
        """The receipt of a request whose worker is gone, or that is out of date."""
        left = found.lease_until.timestamp() - self._clock()
        if found.state == "running" and left >= 0:
            raise Busy(
                "This request is still being worked on. Send it again in a moment.",
                max(1.0, left),
                code="parts.request-running",
            )
        try:
            return self._database.put(drafted, when=_held(found))
        except NotFound:
            return self._claimed(drafted)
        except Conflict as lost:
            if lost.item.claim == drafted.claim:
                return drafted
            raise Busy(
                "This request is being worked on by now. Send it again in a moment.",
                code="parts.request-begun",
            ) from lost


def _held(receipt: Receipt) -> bool:
    return Receipt.claim == receipt.claim


def _key(receipt: Receipt) -> ReceiptKey:
    return ReceiptKey(digest=receipt.digest)


def _digest(sender: Sender, key: str) -> str:
    if not 0 < len(key) <= LONGEST_KEY:
        raise InvalidInput(
            "An Idempotency-Key has 1 to {most} characters.",
            "Idempotency-Key",
            code="parts.idempotency-key",
            values={"most": LONGEST_KEY},
        )
    return sha256("\0".join((sender.kind, sender.name, key)).encode()).hexdigest()
