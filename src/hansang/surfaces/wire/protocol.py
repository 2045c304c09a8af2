"""HTTP/1.1 for the endpoint: a small request that has come whole is answered where it is read, without a task for it."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from hansang.surfaces.server.protocol import BoundedHttp
from hansang.surfaces.wire.app import HEAD_LIMIT, SMALL_BODY, WireApp
from hansang.surfaces.wire.messages import Response, WireRequest

_STATUS_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus}
_SMALL = HEAD_LIMIT + SMALL_BODY
_A_MOMENT = 0.05
"""For how many seconds a head waits here for its body, which most clients send right behind it."""


class PromptHttp(BoundedHttp):
    """The bounded protocol, which first looks whether a piece of the network is one whole request and nothing else.

    If it is, and nothing is unusual about it, the application may answer at once. So it may if the piece is a head
    and the next one its body. Otherwise they go on as if nobody had looked at them, a head after a moment at the
    latest; so every bound and deadline holds for them.
    """

    app: WireApp
    _answered_at = 0.0
    """When an answer was last given at once."""

    _begun: tuple[WireRequest, bytes, asyncio.TimerHandle] | None = None
    """A head that has come, as it was read and as it came, and when it goes on without its body."""

    def data_received(self, data: bytes) -> None:
        request = self._looked_at(data)
        if request is not None and request.is_whole:
            answer = self.app.answer_at_once(request, self.client)
            if answer:
                self._begun = None
                self._send(*answer)
                return
        elif request is not None and not request.body and request.length <= SMALL_BODY:
            self._begin(request, data)
            return
        self._go_on()
        super().data_received(data)

    def _looked_at(self, data: bytes) -> WireRequest | None:
        """The request that this piece begins, is or completes."""
        if self._begun is not None:
            head, _, until = self._begun
            until.cancel()
            return head.with_body(data) if len(data) == head.length else None
        if len(data) <= _SMALL and self._is_free() and self.app.may_answer_at_once(data, self.client):
            return WireRequest.plain(data)
        return None

    def _begin(self, request: WireRequest, head: bytes) -> None:
        self._answered_at = self.loop.time()
        self._begun = request, head, self.loop.call_later(_A_MOMENT, self._go_on)

    def _go_on(self) -> None:
        """Let a head that waits go the usual way."""
        if self._begun is not None:
            _, head, until = self._begun
            until.cancel()
            self._begun = None
            super().data_received(head)

    def shutdown(self) -> None:
        self._go_on()
        super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._begun is not None:
            self._begun[2].cancel()
            self._begun = None
        super().connection_lost(exc)

    def _is_free(self) -> bool:
        """Whether nothing is under way on this connection, in any direction, and it is to stay."""
        if self._head_open or self._body_open or self._is_last or self.flow.write_paused:
            return False
        return (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing()

    def _send(self, response: Response, request_id: str) -> None:
        head = b"".join([b"%b: %b\r\n" % line for line in self.server_state.default_headers])
        status, lines = _STATUS_LINES[response.status], response.head(request_id)
        self.transport.write(b"%b%b%b\r\n%b" % (status, head, lines, response.body))
        self._end_head()
        self.server_state.total_requests += 1
        self._expect_next()

    def _expect_next(self) -> None:
        """Close the connection when nothing comes for long; a timer that runs already looks again when it ends."""
        self._answered_at = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._keep_for(self.timeout_keep_alive)

    def _keep_for(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        left = self._answered_at + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._keep_for(left)
        else:
            super().timeout_keep_alive_handler()
