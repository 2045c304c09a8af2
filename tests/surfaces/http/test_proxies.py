"""Trusted proxies and allowed hosts."""

from __future__ import annotations

import pytest

from hansang.errors import SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.http.proxies import AllowedHosts, TrustedProxies


def forwarded(*lines: str) -> list[tuple[bytes, bytes]]:
    return [(b"x-forwarded-for", line.encode()) for line in lines]


PROXIES = TrustedProxies(["10.0.0.0/8", "2001:db8::5"])


@pytest.mark.parametrize(
    ("peer", "lines", "found"),
    [
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("2001:db8::5", ["203.0.113.9"], "203.0.113.9"),
        ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.9, 10.9.9.9"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1", "203.0.113.9", "10.9.9.9"], "203.0.113.9"),
        ("10.0.0.1", ["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        ("10.0.0.1", ["203.0.113.9, <script>"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9,"], "10.0.0.1"),
        ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
        ("unknown", ["203.0.113.9"], "unknown"),
    ],
)
def test_the_origin_is_the_last_address_that_no_trusted_proxy_has(
    peer: str, lines: list[str], found: str
) -> None:
    assert PROXIES.origin(peer, forwarded(*lines)) == found


def test_nobody_is_trusted_unasked() -> None:
    assert TrustedProxies([]).origin("127.0.0.1", forwarded("203.0.113.9")) == "127.0.0.1"


def test_what_is_no_network_is_refused_with_an_example() -> None:
    with pytest.raises(SettingsError, match=r"10\.0\.0\.0/8"):
        TrustedProxies(["proxy.example"])


HOSTS = AllowedHosts(
    ServerSettings(host="192.0.2.1", public_url="https://Hansang.example:8443/", allowed_hosts=("intra",))
)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1:8750",
        "[::1]:8750",
        "192.0.2.1",
        "hansang.example",
        "HANSANG.example",
        "intra:80",
    ],
)
def test_names_of_the_server_are_admitted(host: str) -> None:
    assert HOSTS.admits([(b"host", host.encode())], None)


@pytest.mark.parametrize(
    "host", ["evil.example", "hansang.example.evil", "hansang.example@evil.example", "", "[", "192.0.2.2"]
)
def test_other_names_are_not(host: str) -> None:
    assert not HOSTS.admits([(b"host", host.encode())], ("192.0.2.9", 8750))


def test_the_address_that_was_reached_is_one_of_ours() -> None:
    assert HOSTS.admits([(b"host", b"192.0.2.9:8750")], ("192.0.2.9", 8750))


def test_of_two_hosts_both_have_to_be_ours() -> None:
    assert not HOSTS.admits([(b"host", b"localhost"), (b"host", b"evil.example")], None)
    assert HOSTS.admits([], None)
