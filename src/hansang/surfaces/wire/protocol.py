"""HTTP/1.1 for the endpoint: a small read that has come whole is answered where it is read, without a task for it."""

from __future__ import annotations

from http import HTTPStatus

from hansang.surfaces.server.protocol import BoundedHttp
from hansang.surfaces.wire.app import SMALL_BODY, WireApp
from hansang.surfaces.wire.messages import Response, WireRequest

_STATUS_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus}
_READS = (b".GetItem", b".Query")


class PromptHttp(BoundedHttp):
    """The bounded protocol, which keeps a request back until the piece of the network that it came in is read.

    If all of the request was in that piece, the application may answer it at once. Otherwise, and whenever anything
    is unusual, it goes on as if it had not been kept back; so every bound and deadline holds for it.
    """

    app: WireApp
    _held: bytes | None = None
    """What has come of the body of a request that is kept back."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._held is not None and not self.transport.is_closing():
            self._let_go()

    def on_headers_complete(self) -> None:
        # An answer to the request before it, in the same piece, may have set this.
        self._unset_keepalive_if_required()
        if self._may_hold():
            self._end_head()
            self._held = b""
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._held is None:
            super().on_body(body)
        else:
            self._held += body
            if len(self._held) > SMALL_BODY:
                self._let_go()

    def on_message_complete(self) -> None:
        if self._held is not None:
            answer = self.app.answer_at_once(self._request(self._held))
            if answer is not None:
                self._held = None
                self._send(*answer)
                return
            self._let_go()
        super().on_message_complete()

    def _may_hold(self) -> bool:
        """Whether it may be a small read, with nothing before it and nothing unusual about it."""
        if not any(name == b"x-amz-target" and value.endswith(_READS) for name, value in self.headers):
            return False
        if (
            self.parser.get_method() != b"POST"
            or self.url != b"/"
            or self.expect_100_continue
            or self._is_last
        ):
            return False
        if (
            self.parser.get_http_version() != "1.1"
            or not self.parser.should_keep_alive()
            or self.flow.write_paused
        ):
            return False
        return not self.parser.should_upgrade() and (self.cycle is None or self.cycle.response_complete)

    def _let_go(self) -> None:
        """Go on with a request that was kept back, and with what has come of its body."""
        body, self._held = self._held, None
        super().on_headers_complete()
        if body:
            super().on_body(body)

    def _request(self, body: bytes) -> WireRequest:
        self.scope["method"], self.scope["raw_path"], self.scope["query_string"] = "POST", b"/", b""
        return WireRequest.from_scope(dict(self.scope), body)

    def _send(self, response: Response, request_id: str) -> None:
        self._head_open = False
        lines = [*self.server_state.default_headers, *response.lines(request_id)]
        head = b"".join([b"%b: %b\r\n" % line for line in lines])
        self.transport.write(b"%b%b\r\n%b" % (_STATUS_LINES[response.status], head, response.body))
        self.on_response_complete()
