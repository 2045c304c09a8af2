"""The HTTP server: uvicorn, with bounds on heads and on silent clients, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn

from hansang.surfaces.http.live import STOPPING as IS_STOPPING
from hansang.surfaces.server.protocol import BoundedHttp
from hansang.surfaces.server.signals import STOPPING
from hansang.surfaces.server.sockets import BACKLOG

KEEP_ALIVE = 75
"""For how many seconds a connection without a request is kept."""


class HttpServer(uvicorn.Server):
    """Serves until it is told to stop, then finishes what has begun, for `grace` seconds at most."""

    def __init__(self, app: Any, *, grace: int) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=BoundedHttp,
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                workers=1,
                proxy_headers=False,
                server_header=False,
                backlog=BACKLOG,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=grace,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; every request can see in its state that the server is about to stop."""
        self._stopping = asyncio.Event()
        self.lifespan.state[IS_STOPPING] = self._stopping
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let streams end, which would go on for ever, then finish what has begun."""
        self._stopping.set()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals as the wish to stop."""
        # uvicorn raises the signal once more at the end, before the data file could be closed.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in STOPPING}
        try:
            yield
        finally:
            for number, action in before.items():
                signal.signal(number, action)
