"""An answer on its way out: with our headers, and compressed when that pays."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Send

from hansang.surfaces.http.compression import FASTEST, FOR_PAGES, Compressor, accepts_gzip, gzip
from hansang.surfaces.http.export_formats import FORMATS
from hansang.surfaces.http.live import EVENT_STREAM
from hansang.surfaces.http.security import Header, SecurityHeaders

COMPRESSED_ABOVE = 1024
"""A smaller answer fits a packet or two as it is."""
_COMPRESSED_APART = 256 * 1024
"""A larger one is compressed in a thread, so that other requests go on."""

_TEXT_TYPES = (
    b"text/",
    b"application/json",
    b"application/problem+json",
    *(kind.encode() for each in FORMATS.values() for kind in each.accepted),
    b"application/javascript",
    b"application/manifest+json",
    b"image/svg",
)
_PAGE = b"text/html"
_EVENTS = EVENT_STREAM.encode()
_BODILESS = frozenset({204, 206, 304})


def value_of(headers: list[Header], name: bytes) -> bytes:
    """The first value of a header, or nothing."""
    return next((value for each, value in headers if each == name), b"")


class HeldAnswer:
    """What an application sends, held back until its first piece shows what to do with it."""

    __slots__ = (
        "_accepts",
        "_compressor",
        "_id",
        "_on_stream",
        "_replaces",
        "_security",
        "_send",
        "held",
        "is_stream",
        "replaced",
        "started",
        "status",
    )

    def __init__(
        self,
        send: Send,
        security: SecurityHeaders,
        request_id: bytes,
        accepts: bytes,
        replaces: Callable[[Message, bytes], bool],
        on_stream: Callable[[], object] = lambda: None,
    ) -> None:
        """`accepts` is the header Accept-Encoding; `replaces` says that something else is sent instead.

        `on_stream` is called when an answer begins that goes on until its client leaves.
        """
        self._send, self._security, self._id = send, security, (b"x-request-id", request_id)
        self._accepts, self._replaces, self._on_stream = accepts, replaces, on_stream
        self._compressor: Compressor | None = None
        self.held: Message | None = None
        self.status = 0
        self.started = self.is_stream = False
        self.replaced: Message | None = None
        """The start of the answer that is not sent."""

    async def send(self, message: Message) -> None:
        """Take the next message of the application."""
        if message["type"] == "http.response.start":
            self.held, self.status = message, message["status"]
        elif message["type"] != "http.response.body":
            await self._send(message)
        elif self.held is not None:
            await self._begin(self.held, message)
        elif self.replaced is None:
            await self._go_on(message)

    async def _begin(self, start: Message, first: Message) -> None:
        self.held = None
        if self._replaces(start, first.get("body", b"")):
            self.replaced = start
            return
        headers = self._security.added(start.get("headers", ()))
        headers.append(self._id)
        self.is_stream = value_of(headers, b"content-type").startswith(_EVENTS)
        if self.is_stream:
            self._on_stream()
        elif self._accepts and self._is_worth_it(start["status"], headers, first):
            headers, first = await self._compressed(headers, first)
        self.started = True
        await self._send({"type": "http.response.start", "status": start["status"], "headers": headers})
        await self._send(first)

    async def _go_on(self, message: Message) -> None:
        if self._compressor is None:
            await self._send(message)
            return
        more = message.get("more_body", False)
        body = self._compressor.compress(message.get("body", b""), is_last=not more)
        if body or not more:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})

    def _is_worth_it(self, status: int, headers: list[Header], first: Message) -> bool:
        if not first.get("more_body") and len(first.get("body", b"")) <= COMPRESSED_ABOVE:
            return False
        return (
            status not in _BODILESS
            and value_of(headers, b"content-type").startswith(_TEXT_TYPES)
            and not value_of(headers, b"content-encoding")
            and accepts_gzip(self._accepts.decode("latin-1"))
        )

    async def _compressed(self, headers: list[Header], first: Message) -> tuple[list[Header], Message]:
        body, more = first.get("body", b""), first.get("more_body", False)
        kept = [line for line in headers if line[0] != b"content-length"]
        kept += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        level = FOR_PAGES if value_of(headers, b"content-type").startswith(_PAGE) else FASTEST
        if more:
            self._compressor = Compressor(level)
            packed = self._compressor.compress(body, is_last=False)
        else:
            is_short = len(body) < _COMPRESSED_APART
            packed = gzip(body, level) if is_short else await run_in_threadpool(gzip, body, level)
            kept.append((b"content-length", b"%d" % len(packed)))
        return kept, {"type": "http.response.body", "body": packed, "more_body": more}
