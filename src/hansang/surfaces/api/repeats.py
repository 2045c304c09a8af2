"""Requests that come twice: under one Idempotency-Key a thing is done once and answered as often as asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import Header
from starlette.responses import Response

from hansang.design.transaction import Transaction
from hansang.errors import Busy, Conflict, DataError, HansangError, Throttled, Unavailable
from hansang.parts.permissions import Principal
from hansang.parts.receipts import LEASE, LONGEST_KEY, Beside, KeptAnswer, Receipt, alone
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.shell import Shell

R = TypeVar("R")

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_KEY,
    ),
]
REPLAYED = "Idempotency-Replayed"

_KEPT_HEADERS = ("content-type", "etag", "location", "x-change-id")


def once(
    shell: Shell,
    principal: Principal,
    key: str | None,
    asked: bytes,
    work: Callable[[Beside[R]], R],
    told: Callable[[R], Response],
    *,
    hidden: str | None = None,
) -> Response:
    """The answer to what the work has led to, or the one of the first time; `asked` makes requests the same.

    The work writes what it is given beside its own items, in one transaction, so `told` is asked for the answer
    before anything is written, and must give the same one for the same result. A field of the answer that is
    `hidden` is not kept, and null when the answer comes again.
    """

    def attempt(attempt: Attempt[R] | None) -> R:
        return work(alone if attempt is None else attempt.beside)

    return once_by_steps(shell, principal, key, asked, attempt, told, hidden=hidden)


def once_by_steps(
    shell: Shell,
    principal: Principal,
    key: str | None,
    asked: bytes,
    work: Callable[[Attempt[R] | None], R],
    told: Callable[[R], Response],
    *,
    hidden: str | None = None,
) -> Response:
    """The same for work of several transactions, which is safe to go on with when it was broken off.

    Its attempt says since when the request is worked on, and is renewed on the way; without a key there is none.
    """
    if key is None:
        return told(work(None))
    receipt = _begun(shell, principal, key, sha256(asked).hexdigest())
    if receipt.answer is not None:
        return _replayed(receipt.answer)
    attempt = Attempt(shell, receipt, told, hidden)
    try:
        result = work(attempt)
    except BaseException as fault:
        answer = attempt.broken_off(fault)
        if answer is None:
            raise
        return answer
    return attempt.finished(result)


class Attempt(Generic[R]):
    """One try at a request that came with a key."""

    def __init__(
        self, shell: Shell, receipt: Receipt, told: Callable[[R], Response], hidden: str | None
    ) -> None:
        self._receipts, self._clock, self._receipt = shell.receipts, shell.clock, receipt
        self._told, self._hidden = told, hidden
        self._renewed_at, self._is_kept = shell.clock(), False
        self._latest: Response | None = None

    @property
    def origin(self) -> tuple[datetime, str]:
        """When the request was first begun, and a mark that no other has: the same in every attempt at it."""
        began_at, mark = self._receipt.began_at, self._receipt.mark
        assert began_at is not None
        assert mark is not None
        return began_at, mark

    @property
    def steps(self) -> AttemptedSteps:
        """What is done of work of several transactions, by this attempt and by those before."""
        return AttemptedSteps(self)

    def note_step(self, transaction: Transaction, step: str, made: str) -> None:
        """Write a step down together with its work."""
        noted = self._receipts.note_step(transaction, self._receipt, step, made)
        transaction.when_written(lambda: setattr(self, "_receipt", noted))

    @property
    def steps_done(self) -> Mapping[str, str]:
        return self._receipt.steps or {}

    def beside(self, transaction: Transaction, result: R) -> None:
        """Add the receipt to the transaction that does the work."""
        self._latest = self._told(result)
        self._receipts.keep(transaction, self._receipt, self._kept(self._latest))
        transaction.when_written(self._note_kept)

    def _note_kept(self) -> None:
        self._is_kept = True

    def renew(self) -> None:
        """Say, between two steps, that the work goes on; what cannot be said does no harm."""
        now = self._clock()
        if now - self._renewed_at >= LEASE.total_seconds() / 3:
            self._renewed_at = now
            with suppress(DataError):
                self._receipts.renew(self._receipt)

    def finished(self, result: R) -> Response:
        """The answer, which is kept if the work had nothing to write."""
        response = self._told(result)
        done = None if self._is_kept else self._receipts.finish(self._receipt, self._kept(response))
        return response if done is None or done.answer is None else _replayed(done.answer)

    def broken_off(self, fault: BaseException) -> Response | None:
        """The answer of work that failed, if it is done after all and only its answer was lost."""
        end = self._receipts.abandon if _is_refusal(fault) else self._receipts.release
        try:
            done = end(self._receipt)
        except DataError:  # What went wrong first is told, and the lease ends by itself.
            return None
        if done is None or done.answer is None or not isinstance(fault, Exception):
            return None
        own = self._latest if done.claim == self._receipt.claim else None
        if own is not None and self._kept(own) == done.answer:
            return own  # With its secret, which is told here for the first time.
        return _replayed(done.answer)

    def _kept(self, response: Response) -> KeptAnswer:
        body = bytes(response.body)
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        shown = body if self._hidden is None else orjson.dumps({**orjson.loads(body), self._hidden: None})
        return KeptAnswer(response.status_code, headers, shown)


class AttemptedSteps:
    """The steps of an attempt, as the work of an application knows them."""

    def __init__(self, attempt: Attempt[Any]) -> None:
        self._attempt = attempt

    @property
    def done(self) -> Mapping[str, str]:
        return self._attempt.steps_done

    def beside(self, step: str, made: Callable[[Any], str]) -> Beside[Any]:
        return lambda transaction, result: self._attempt.note_step(transaction, step, made(result))


def _is_refusal(fault: BaseException) -> bool:
    """Whether whoever asks has to ask otherwise, and not just again."""
    if isinstance(fault, Throttled | Unavailable | Busy):
        return False
    return isinstance(fault, HansangError | Problem)


def _replayed(answer: KeptAnswer) -> Response:
    return Response(answer.body, answer.status, {**answer.headers, REPLAYED: "true"})


def _begun(shell: Shell, principal: Principal, key: str, fingerprint: str) -> Receipt:
    try:
        return shell.receipts.begin(principal, key, fingerprint)
    except Conflict as used:
        if used.item.fingerprint == fingerprint:
            raise
        raise Problem("idempotency-key-used", str(used)) from used
