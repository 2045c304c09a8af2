"""Hosts of their own for the sites of applications: there is the site alone, and nothing of console and API."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import Scope

from hansang.apps.application import SiteHost

_HEALTH = "/health"
"""Whoever watches the server may ask at any of its hosts."""


class SiteHosts:
    """Leads what is asked at the host of a site to the site, whatever the address."""

    def __init__(self, hosts: Iterable[SiteHost]) -> None:
        self._hosts = {each.name: each for each in hosts}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._hosts)

    def led(self, scope: Scope) -> Scope:
        """A request as it is answered: at a site's host, `/posts` is the same as `/site/posts`."""
        host = self._asked(scope) if self._hosts else None
        if host is None or _is_below(scope["path"], (host.home, *host.beside, _HEALTH)):
            return scope
        path = f"{host.home}{scope['path']}".rstrip("/")
        return {
            **scope,
            "path": path,
            "raw_path": host.home.encode() + scope.get("raw_path", b"").rstrip(b"/"),
        }

    def _asked(self, scope: Scope) -> SiteHost | None:
        given = next((value for name, value in scope["headers"] if name == b"host"), b"")
        try:
            name = urlsplit(f"//{given.decode('latin-1')}").hostname
        except ValueError:
            return None
        return self._hosts.get(name or "")


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in places)
