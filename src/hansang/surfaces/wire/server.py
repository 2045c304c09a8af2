"""Sockets and the HTTP server under the endpoint."""

from __future__ import annotations

import socket

from hansang.errors import AddressError
from hansang.surfaces.http.origins import is_loopback
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.protocol import PromptHttp

GRACE = 10


def listen(host: str, port: int, *, loopback_only: bool) -> socket.socket:
    """A listening socket at the first address that the host name means, IPv4 before IPv6."""
    found = resolved(host, port)
    if loopback_only and not all(is_loopback(address[0]) for _, address in found):
        raise AddressError(
            f"Without keys only loopback addresses are served, and {host} is not one. "
            "Give --access-key and --secret-key to serve it, or use --host 127.0.0.1."
        )
    return bound(found[0])


class Server(HttpServer):
    """Serves until it is told to stop, then finishes what has begun."""

    def __init__(self, app: WireApp) -> None:
        super().__init__(app, grace=GRACE, http=PromptHttp)
