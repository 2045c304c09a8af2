"""Who stands in front of the server, and by which names it may be asked for."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from hansang.errors import SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.http.origins import is_loopback

Headers = Iterable[tuple[bytes, bytes]]


class TrustedProxies:
    """The proxies whose word counts; of all others, the address that they connect from does."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = [_network(each) for each in networks]

    def origin(self, peer: str, headers: Headers) -> str:
        """Where a request comes from: X-Forwarded-For from its end, past the proxies that are trusted.

        What stands further in front was written by whoever sent the request, and may be anything.
        """
        origin = peer
        if not self._networks:
            return origin
        for hop in reversed(_hops(headers)):
            if not self._trusts(origin) or not _is_address(hop):
                break
            origin = hop
        return origin

    def _trusts(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        return any(found in network for network in self._networks)


def _hops(headers: Headers) -> list[str]:
    lines = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"]
    return [each.strip() for each in ",".join(lines).split(",")]


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise SettingsError(
            f"{text!r} is not an address or a network of a proxy. Give one such as 10.0.0.5 or 10.0.0.0/8."
        ) from None


class AllowedHosts:
    """The names that the server answers to: this machine, the address that was reached, and those in the settings."""

    def __init__(self, settings: ServerSettings, sites: tuple[str, ...] = ()) -> None:
        """`sites` are the hosts that sites of applications have for themselves."""
        public = urlsplit(settings.public_url or "").hostname
        every = (settings.host, public or "", *settings.allowed_hosts, *sites)
        self._names = {each.lower() for each in every}

    def admits(self, headers: Headers, server: tuple[str, int | None] | None) -> bool:
        """Whether every Host that a request names is one of ours; one without a name asks for whoever it reached."""
        reached = "" if server is None else server[0].lower()
        return all(self._is_ours(value, reached) for name, value in headers if name == b"host")

    def _is_ours(self, host: bytes, reached: str) -> bool:
        try:
            name = urlsplit(f"//{host.decode('latin-1')}").hostname or ""
        except ValueError:
            return False
        return bool(name) and (name == reached or name in self._names or is_loopback(name))
