"""Sockets, signals and the HTTP server under the endpoint."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket
import threading
from collections.abc import Iterator

import uvicorn

from hansang.errors import AddressError
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.guard import is_loopback
from hansang.surfaces.wire.protocol import BoundedHttp

KEEP_ALIVE = 75
GRACE = 10
BACKLOG = 2048


def listen(host: str, port: int, *, loopback_only: bool) -> socket.socket:
    """A listening socket at the first address that the host name means, IPv4 before IPv6."""
    found = _resolved(host, port)
    if loopback_only and not all(is_loopback(address[0]) for _, address in found):
        raise AddressError(
            f"Without keys only loopback addresses are served, and {host} is not one. "
            "Give --access-key and --secret-key to serve it, or use --host 127.0.0.1."
        )
    family, address = found[0]
    return _bound(family, address)


def _resolved(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as fault:
        raise AddressError(f"No address is known for the host {host}: {fault.strerror}.") from None
    both = [(family, (str(address[0]), port)) for family, _, _, _, address in found]
    return sorted(both, key=lambda one: one[0] != socket.AF_INET)


def _bound(family: socket.AddressFamily, address: tuple[str, int]) -> socket.socket:
    # asyncio turns Nagle's delay (40 ms an answer) off only on sockets that name their protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as fault:
        listener.close()
        elsewhere = "Give an address of this machine with --host."
        way_out = (
            elsewhere
            if fault.errno == errno.EADDRNOTAVAIL
            else "Choose another port with --port; 0 is a free one."
        )
        place = f"{address[0]} port {address[1]}"
        raise AddressError(f"Cannot listen on {place}: {fault.strerror}. {way_out}") from None
    return listener


class Server(uvicorn.Server):
    """Serves until it is told to stop, then finishes what has begun."""

    def __init__(self, app: WireApp) -> None:
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
                timeout_graceful_shutdown=GRACE,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn raises the signal once more at the end, before the data file could be closed.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, action in before.items():
                signal.signal(number, action)
