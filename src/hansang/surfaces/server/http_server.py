"""The HTTP server: uvicorn, with bounds on heads and on silent clients, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import select
import signal
import socket
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import uvicorn

from hansang.surfaces.http.live import STOPPING as IS_STOPPING
from hansang.surfaces.server.ending import Told
from hansang.surfaces.server.protocol import BoundedHttp
from hansang.surfaces.server.signals import STOPPING
from hansang.surfaces.server.sockets import BACKLOG

KEEP_ALIVE = 75
"""For how many seconds a connection without a request is kept."""
_ROUNDS, _MOST_ROUNDS = 10, 1000
"""In how many rounds of its loop a server that stops takes what has arrived, and how many there are at most."""


class HttpServer(uvicorn.Server):
    """Serves until it is told to stop, then finishes what has begun, for `grace` seconds at most."""

    def __init__(self, app: Any, *, grace: int, http: type[BoundedHttp] = BoundedHttp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=http,
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
        self.told = Told()
        """Set when it is to stop."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, because a signal says so."""
        self.told.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; every request can see in its state that the server is about to stop."""
        self._stopping = asyncio.Event()
        self.lifespan.state[IS_STOPPING] = self._stopping
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let streams end, which would go on for ever, take what has arrived, and finish what has begun."""
        self.told.set()
        self._stopping.set()
        await self._take_arrived(sockets or [])
        await super().shutdown(sockets)

    async def _take_arrived(self, sockets: list[socket.socket]) -> None:
        """Accept the connections that wait and read what they have sent: to close them now would reset them."""
        for done in range(_MOST_ROUNDS):
            await asyncio.sleep(0)
            if done >= _ROUNDS and not select.select(sockets, [], [], 0)[0]:
                return

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
