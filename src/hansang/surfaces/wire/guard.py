"""Keeps web pages out: a loopback server must resist a browser that a stranger's page drives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from hansang.surfaces.http.origins import is_loopback


class OriginGuard:
    """Refuses a request that comes from another site's page, or asks for a name that is not ours.

    A page whose own name was pointed at 127.0.0.1 once it was loaded (DNS rebinding) sends that name as Host.
    """

    def __init__(self, host: str, *, any_host: bool) -> None:
        self._host = host.lower()
        self._any_host = any_host

    def admits(self, headers: Mapping[str, str]) -> bool:
        origin, host = headers.get("origin"), headers.get("host")
        if origin is not None and not self._ours(origin):
            return False
        return self._any_host or host is None or self._ours(f"//{host}")

    def _ours(self, address: str) -> bool:
        name, is_here = _host_name(address)
        return name is not None and (is_here or name == self._host)


@lru_cache(maxsize=64)
def _host_name(address: str) -> tuple[str | None, bool]:
    """The host of an address, and whether it can only mean this machine; None if it cannot be read."""
    try:
        name = urlsplit(address).hostname or ""
    except ValueError:
        return None, False
    return name, is_loopback(name)
