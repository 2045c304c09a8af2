"""Receipts: a request that comes twice under one Idempotency-Key is done once and answered twice.

A receipt is written in the same transaction as the work, so that there is never one without the other, whatever
stops the process. The lease only keeps two workers from doing the same work at once; what decides is the
transaction, which goes through only while the receipt is still the worker's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from secrets import token_hex
from typing import Annotated, Any, Literal, Protocol, TypeVar

from hansang.clock import Clock
from hansang.design import Attr, Condition, Database, Entity, Expiry, Key, Timestamp, all_of, attr
from hansang.design.transaction import Transaction
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.platform import Platform
from hansang.parts.processes import has_ended
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_datetime, to_whole_second

R = TypeVar("R")

Beside = Callable[[Transaction, R], object]
"""Adds what is written in one transaction with some work, whose result is known and not written yet.

It comes before the steps of the work, so that its error is the one that is told.
"""


def alone(transaction: Transaction, result: object) -> None:
    """Nothing is written beside the work."""


class RequestSteps(Protocol):
    """The steps of a request whose work is several transactions: each is done once, however often it is sent."""

    @property
    def done(self) -> Mapping[str, str]:
        """The steps that are behind it, and what each has made, in their order."""
        ...

    def beside(self, step: str, made: Callable[[Any], str]) -> Beside[Any]:
        """Writes a step down together with its work; `made` says what its result is known by."""
        ...


class NoSteps:
    """The steps of what nobody sends again."""

    done: Mapping[str, str] = {}

    def beside(self, step: str, made: Callable[[Any], str]) -> Beside[Any]:
        return alone


LEASE = timedelta(seconds=30)
"""How long the worker of a request may be silent before another may take its place."""
KEPT = timedelta(hours=24)
LARGEST_BODY = 300_000
LONGEST_KEY = 255
_MARK = 16


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
    began_at: Timestamp | None = None
    mark: str | None = None
    """Random; with the time it stays the same when another takes the request over, for ids of what it makes."""
    lease_until: Timestamp
    process: str | None = None
    """Where it is worked on: once that has ended, nobody waits for the lease."""
    steps: dict[str, str] | None = None
    """Of work of several transactions: the steps that are done, and what each has made."""
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
        process: str | None = None,
        chance: Callable[[], str] = token_hex,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._chance, self._sleep = database, clock, chance, sleep
        self._process = process

    def begin(self, sender: Sender, key: str, fingerprint: str) -> Receipt:
        """The receipt of a request: with its answer if it was done before, else it is the caller's to do.

        A request that is being worked on is Busy; another request under the same key is a Conflict.
        """
        drafted = self._draft(_digest(sender, key), fingerprint)
        return retry(lambda: self._claimed(drafted), self._sleep)

    def keep(self, transaction: Transaction, receipt: Receipt, answer: KeptAnswer) -> None:
        """Write the answer together with the work, which does not happen if the request is another's by now."""
        transaction.put(_done(receipt, answer), when=_held(receipt), otherwise=_lost())

    def note_step(self, transaction: Transaction, receipt: Receipt, step: str, made: str) -> Receipt:
        """Write down a step together with its work, which does not happen if the request is another's by now."""
        steps = {**(receipt.steps or {}), step: made}
        lease = to_whole_second(self._clock()) + LEASE
        noted = receipt.model_copy(update={"steps": steps, "lease_until": lease})
        transaction.put(noted, when=_held(receipt), otherwise=_lost())
        return noted

    def finish(self, receipt: Receipt, answer: KeptAnswer) -> Receipt | None:
        """Keep the answer of a request that had nothing to write; if another attempt has ended it, that one's."""
        return self._while_held(
            receipt, lambda: self._database.put(_done(receipt, answer), when=_held(receipt))
        )

    def abandon(self, receipt: Receipt) -> Receipt | None:
        """Forget a request that was refused, so that it can be mended and sent again under its key.

        If it is done after all, because an answer was lost, it stays, and is returned.
        """
        return self._while_held(receipt, lambda: self._database.delete(_key(receipt), when=_held(receipt)))

    def release(self, receipt: Receipt) -> Receipt | None:
        """Let anyone go on at once with a request that was broken off; if it is done after all, it is returned."""
        return self._while_held(receipt, lambda: self._set_lease(receipt, -timedelta(seconds=1)))

    def renew(self, receipt: Receipt) -> None:
        """Say that the request is still being worked on."""
        self._while_held(receipt, lambda: self._set_lease(receipt, LEASE))

    def _set_lease(self, receipt: Receipt, length: timedelta) -> None:
        now = to_whole_second(self._clock())
        self._database.update(_key(receipt), attr(Receipt.lease_until).set(now + length), when=_held(receipt))

    def _while_held(self, receipt: Receipt, write: Callable[[], object]) -> Receipt | None:
        """Write, unless the request is done or another's to do; as it is then, if it is done."""
        try:
            retry(write, self._sleep)
        except NotFound:
            return None
        except Conflict as held:
            found: Receipt = held.item
            is_done = found.state == "done" and found.fingerprint == receipt.fingerprint
            return found if is_done else None
        return None

    # ── claiming ──────────────────────────────────────────────────────────────────────────────────

    def _draft(self, digest: str, fingerprint: str) -> Receipt:
        now = to_whole_second(self._clock())
        return Receipt(
            digest=digest,
            fingerprint=fingerprint,
            state="running",
            claim=self._chance(),
            began_at=now,
            mark=self._chance()[:_MARK],
            lease_until=now + LEASE,
            process=self._process,
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
            same = {
                "began_at": found.began_at or drafted.began_at,
                "mark": found.mark or drafted.mark,
                "steps": found.steps,
            }
            return self._taken_over(drafted.model_copy(update=same), found)
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
        if found.state == "running" and left >= 0 and not (found.process and has_ended(found.process)):
            raise Busy(
                "This request is still being worked on. Send it again in a moment.",
                max(1.0, left),
                code="parts.request-running",
            )
        try:
            return self._database.put(drafted, when=_is_as(found))
        except NotFound:
            return self._claimed(drafted)
        except Conflict as lost:
            if lost.item.claim == drafted.claim:
                return drafted
            raise Busy(
                "This request is being worked on by now. Send it again in a moment.",
                code="parts.request-begun",
            ) from lost


def _lost() -> Busy:
    return Busy(
        "This request is being worked on by now. Send it again in a moment.", code="parts.request-begun"
    )


def _held(receipt: Receipt) -> Condition:
    """Whether the request is still to be done by whoever has this receipt."""
    return all_of(Receipt.claim == receipt.claim, Receipt.state == "running")


def _is_as(found: Receipt) -> Condition:
    """Whether nothing has happened to a receipt since: neither a renewal nor the end of the work."""
    return all_of(
        Receipt.claim == found.claim, Receipt.state == found.state, Receipt.lease_until == found.lease_until
    )


def _done(receipt: Receipt, answer: KeptAnswer) -> Receipt:
    """The receipt with its answer; of one that is too large only that it was given.

    It is the same however often it is made: a transaction that is sent again under its token must not differ.
    """
    body = answer.body if len(answer.body) <= LARGEST_BODY else None
    answered = {"status": answer.status, "headers": dict(answer.headers), "body": body}
    return receipt.model_copy(update={"state": "done", **answered})


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
