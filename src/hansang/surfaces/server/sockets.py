"""Listening sockets."""

from __future__ import annotations

import errno
import socket

from hansang.errors import AddressError

BACKLOG = 2048
_REACHED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where whatever listens everywhere is reached from here

Address = tuple[socket.AddressFamily, tuple[str, int]]


def resolved(host: str, port: int) -> list[Address]:
    """The addresses that a host name means, IPv4 before IPv6."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as fault:
        raise AddressError(f"No address is known for the host {host}: {fault.strerror}.") from None
    both = [(family, (str(address[0]), port)) for family, _, _, _, address in found]
    return sorted(both, key=lambda one: one[0] != socket.AF_INET)


def bound(address: Address) -> socket.socket:
    """A socket that listens at an address."""
    family, place = address
    # asyncio turns Nagle's delay (40 ms an answer) off only on sockets that name their protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(BACKLOG)
    except OSError as fault:
        listener.close()
        raise _unavailable(place, fault) from None
    return listener


def _unavailable(place: tuple[str, int], fault: OSError) -> AddressError:
    elsewhere = "Give an address of this machine with --host."
    way_out = (
        elsewhere
        if fault.errno == errno.EADDRNOTAVAIL
        else "Choose another port with --port; 0 is a free one."
    )
    return AddressError(f"Cannot listen on {place[0]} port {place[1]}: {fault.strerror}. {way_out}")


def url_of(listener: socket.socket) -> str:
    """The address of a listening socket, as a browser on this machine takes it."""
    host, port = listener.getsockname()[:2]
    host = _REACHED.get(host, host)
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"
