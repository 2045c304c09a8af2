"""HTTP/1.1 for the endpoint: a small request that has come whole is answered where it is read, without a task for it."""

from __future__ import annotations

from http import HTTPStatus

from hansang.surfaces.server.protocol import BoundedHttp
from hansang.surfaces.wire.app import HEAD_LIMIT, SMALL_BODY, WireApp
from hansang.surfaces.wire.messages import Response, WireRequest

_STATUS_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus}
_SMALL = HEAD_LIMIT + SMALL_BODY


class PromptHttp(BoundedHttp):
    """The bounded protocol, which first looks whether a piece of the network is one whole request and nothing else.

    If it is, and nothing is unusual about it, the application may answer at once. Otherwise the piece goes on as if
    nobody had looked at it; so every bound and deadline holds for it.
    """

    app: WireApp
    _answered_at = 0.0
    """When an answer was last given at once."""

    def data_received(self, data: bytes) -> None:
        if len(data) <= _SMALL and self._is_free() and self.app.may_answer_at_once(data, self.client):
            request = WireRequest.whole(data)
            answer = request and self.app.answer_at_once(request, self.client)
            if answer:
                self._send(*answer)
                return
        super().data_received(data)

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
