"""Bodies of requests: how large they may be, and how slowly they may come."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

PATIENCE = 30.0
"""How many seconds a client may send nothing in the middle of a body."""
PACE = 10_000
"""How many bytes a second a body has to bring on the average, once it has taken longer than PATIENCE."""
_DRAIN_SECONDS = 2.0
_DRAIN_BYTES = 64 * 1024 * 1024


class RefusedBody(HTTPException):
    """The body of the request is not read to its end."""


def has_body(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request says that a body follows."""
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def announced(headers: Mapping[bytes, bytes]) -> int:
    """The length that a request says its body has, or zero."""
    said = headers.get(b"content-length", b"0")
    return int(said) if said.isdigit() else 0


class BoundedBody:
    """Receives the body of a request, within bounds of size and time."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit = receive, limit
        self._length, self._begun, self._complete = 0, monotonic(), False
        self.refused: int | None = None
        """The status to answer with, when a bound was broken."""
        self.ended = False
        """Whether the body has come to its end."""
        self.left = False
        """Whether the client went away in the middle."""

    async def __call__(self) -> Message:
        """The next piece; RefusedBody when it is too much, or does not come."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout(PATIENCE):
                message = await self._receive()
        except TimeoutError:
            raise self._refusal(408) from None
        self.left = message["type"] == "http.disconnect"
        self._length += len(message.get("body", b""))
        self.ended = self._complete = not message.get("more_body", False)
        if self._length > self._limit:
            raise self._refusal(413)
        if not self._complete and self._is_slow():
            raise self._refusal(408)
        return message

    def _is_slow(self) -> bool:
        taken = monotonic() - self._begun
        return taken > PATIENCE and self._length < taken * PACE

    def _refusal(self, status: int) -> RefusedBody:
        self.refused, self._complete = status, True
        return RefusedBody(status)


async def drain(receive: Receive) -> None:
    """Read what a client is still sending, for a moment: one that cannot finish may not read its answer."""
    length = 0
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while length < _DRAIN_BYTES:
                message = await receive()
                length += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
