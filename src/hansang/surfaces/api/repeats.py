"""Requests that come twice: under one Idempotency-Key a thing is done once and answered as often as asked."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Annotated

import orjson
from fastapi import Header
from starlette.responses import Response

from hansang.errors import Conflict
from hansang.parts.permissions import Principal
from hansang.parts.receipts import LONGEST_KEY, Receipt
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.shell import Shell

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
    work: Callable[[], Response],
    *,
    hidden: str | None = None,
) -> Response:
    """The answer of the work, or the one that it had the first time; `asked` is what makes requests the same.

    A field of the answer that is `hidden` is not kept, and null when the answer comes again.
    """
    if key is None:
        return work()
    receipt = _begun(shell, principal, key, sha256(asked).hexdigest())
    if (first := receipt.answer) is not None:
        return Response(first.body, first.status, {**first.headers, REPLAYED: "true"})
    try:
        response = work()
    except BaseException:
        shell.receipts.abandon(receipt)
        raise
    body = bytes(response.body) if hidden is None else _without(hidden, bytes(response.body))
    shell.receipts.finish(receipt, response.status_code, _kept(response), body)
    return response


def _begun(shell: Shell, principal: Principal, key: str, fingerprint: str) -> Receipt:
    try:
        return shell.receipts.begin(principal, key, fingerprint)
    except Conflict as used:
        if used.item.fingerprint == fingerprint:
            raise
        raise Problem("idempotency-key-used", str(used)) from used


def _kept(response: Response) -> dict[str, str]:
    return {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}


def _without(hidden: str, body: bytes) -> bytes:
    return orjson.dumps({**orjson.loads(body), hidden: None})
