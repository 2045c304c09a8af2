"""Which addresses of the network a page may be fetched from: public ones, and those that a setting names."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from hansang.errors import InvalidInput

Address = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_BITS = 0xFFFFFFFF


def resolved(host: str, port: int, private: Iterable[str] = ()) -> list[str]:
    """The addresses of a host, looked up once; InvalidInput when one of them is not public and not named."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for each in addresses:
        if not is_allowed(each, private):
            raise InvalidInput(
                "{host} is at {address}, which is not a public address. To fetch from it, name it in "
                "HANSANG_NEWS_FETCH_PRIVATE.",
                code="news.private-address",
                values={"host": host, "address": each},
            )
    return addresses


def is_allowed(address: str, private: Iterable[str] = ()) -> bool:
    """Whether an address is public, or in one of these networks."""
    meant = _meant(ip_address(address.partition("%")[0]))
    if any(meant in ip_network(each, strict=False) for each in private):
        return True
    is_elsewhere = meant.is_multicast or meant.is_reserved or meant.is_link_local
    return meant.is_global and not is_elsewhere and not getattr(meant, "is_site_local", False)


def _meant(address: Address) -> Address:
    """The address that is reached in the end: that of IPv4 which one of IPv6 stands for."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & _IPV4_BITS)
    return address.ipv4_mapped or address.sixtofour or address
