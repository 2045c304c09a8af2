"""Where a request comes from."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:  # the DynamoDB endpoint starts without them
    from starlette.requests import Request

    from hansang.settings import ServerSettings

UNKNOWN = "unknown"

_PORTS = {"http": 80, "https": 443}

_FORWARDED = (b"x-forwarded-for", b"forwarded", b"x-real-ip", b"via")


def is_loopback(name: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def origin_of(request: Request) -> str:
    """The address of whoever sent a request, as the frame has found it; without a frame, the peer."""
    found: str | None = getattr(request.state, "origin", None)
    return found or (request.client.host if request.client else UNKNOWN)


def base_of(request: Request, settings: ServerSettings) -> str:
    """Where links lead: the public URL, or the address that the request has reached; never what its Host says."""
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    host, port = request.scope.get("server") or (settings.host, settings.port)
    scheme = request.scope.get("scheme", "http")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" + ("" if port in (None, _PORTS.get(scheme)) else f":{port}")


@lru_cache(4096)
def network_of(address: str) -> str:
    """What is counted as one sender: an IPv4 address, or the /64 that one IPv6 subscriber has."""
    found = _address(address)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return address


def is_local(request: Request, settings: ServerSettings) -> bool:
    """Whether a request was sent on this machine, by itself and not by a proxy or by a stranger's page.

    With a public address there is a proxy, and then everybody seems to be on this machine.
    """
    if settings.public_url is not None or request.client is None:
        return False
    names = {name for name, _ in request.scope["headers"]}
    direct = names.isdisjoint(_FORWARDED)
    return direct and is_loopback(request.client.host) and _asks_for_loopback(request)


def _asks_for_loopback(request: Request) -> bool:
    try:
        return is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or "")
    except ValueError:
        return False


def _address(text: str) -> object:
    try:
        return ip_address(text)
    except ValueError:
        return None
