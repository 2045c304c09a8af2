"""HTTP/1.1 with limits: on the size of a request's head, on its time, and on clients that do not read or end."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from hansang.backends.limits import LIMITS

HEAD_LIMIT = 64 * 1024
"""How much of an unfinished head is kept, beyond the first piece that the network hands over."""

HEAD_SECONDS = 30.0

DEAF_SECONDS = 60.0
"""For how long a client may take nothing of its answer."""

UNREAD_SECONDS = 30.0
"""How long the rest of a body may take once the request has been answered without it."""

LINGER = 1.0
"""For how many seconds a server that stops still takes a request on a connection that is idle."""


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's protocol, which by itself reads a head of any size for as long as it takes."""

    _pending = 0
    _deadline: asyncio.TimerHandle | None = None
    _hearing: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _head_open = _body_open = False
    _running: RequestResponseCycle | None = None
    _is_last = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        self._end_hearing()
        self._end_unread()
        self.pipeline.clear()
        for cycle in (self._running, self.cycle):
            if cycle is not None and not cycle.response_complete:
                _tell_left(cycle)
        # uvicorn tells only the newest request that its client is gone, not the one that runs before it.
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        head = self._deadline
        super().data_received(data)
        if head is not None and head is self._deadline:
            self._pending += len(data)
            if self._pending > HEAD_LIMIT and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")
        elif self._is_untimed():
            # Empty lines have ended the time of an idle connection, and begin no head.
            self._expect_head()

    def _is_untimed(self) -> bool:
        """Whether a request is waited for, and nothing says for how long."""
        if self._deadline is not None or self.timeout_keep_alive_task is not None or self._body_open:
            return False
        return self._is_idle() and not self.transport.is_closing()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_open = True
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        self._head_open, self._body_open = False, True
        super().on_headers_complete()
        if self._is_last:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._body_open = False
        self._end_unread()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # uvicorn waits for as long as anything comes, however little of it.
        if self._body_open and self._running is self.cycle and self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.close)

    def shutdown(self) -> None:
        """Answer what has come, and close what is idle in a moment: a request may be on its way there."""
        self._is_last = True
        if self._is_idle():
            self.loop.call_later(LINGER, self._close_idle)
        elif self.cycle is not None:
            self.cycle.keep_alive = False

    def _is_idle(self) -> bool:
        return not self._head_open and (self.cycle is None or self.cycle.response_complete)

    def _close_idle(self) -> None:
        if self._is_idle():
            self.transport.close()

    def _end_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _expect_head(self) -> None:
        self._end_head()
        self._pending = 0
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _end_head(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_hearing(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._end_hearing()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._expect_hearing(self.transport.get_write_buffer_size())

    def _expect_hearing(self, unsent: int) -> None:
        self._end_hearing()
        self._hearing = self.loop.call_later(DEAF_SECONDS, self._check_hearing, unsent)

    def _check_hearing(self, unsent: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < unsent:
            self._expect_hearing(left)
        else:
            self.transport.abort()

    def _end_hearing(self) -> None:
        if self._hearing is not None:
            self._hearing.cancel()
            self._hearing = None


def _tell_left(cycle: RequestResponseCycle) -> None:
    """Let the work for a request end whose client has not waited for all of its answer."""
    found = cycle.scope["state"].get(LIMITS)
    if found is not None:
        found.leave()
