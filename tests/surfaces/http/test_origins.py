"""Where a request comes from."""

from __future__ import annotations

import pytest

from hansang.settings import ServerSettings
from hansang.surfaces.http.origins import base_of, is_local, is_loopback, network_of, origin_of
from tests.surfaces.http.requests import new_request

ALONE = ServerSettings()
PROXIED = ServerSettings(public_url="https://hansang.example")


@pytest.mark.parametrize("name", ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_a_name_of_this_machine_is_loopback(name: str) -> None:
    assert is_loopback(name)


@pytest.mark.parametrize(
    "name", ["", "notlocalhost", "0.0.0.0", "::", "10.0.0.1", "localhost.example", "2130706433"]
)
def test_any_other_name_is_not(name: str) -> None:
    assert not is_loopback(name)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.9"),
        ("unknown", "unknown"),
    ],
)
def test_the_addresses_of_one_ipv6_subscriber_are_one_sender(address: str, network: str) -> None:
    assert network_of(address) == network


def test_without_a_frame_the_origin_is_the_peer() -> None:
    assert origin_of(new_request(peer="198.51.100.7")) == "198.51.100.7"
    assert origin_of(new_request(peer=None)) == "unknown"


def test_a_request_of_this_machine_is_local() -> None:
    assert is_local(new_request(host="127.0.0.1:8750"), ALONE)
    assert is_local(new_request(peer="::1", host="localhost"), ALONE)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "[::"},
        {},
        {"host": "localhost", "x_forwarded_for": "203.0.113.9"},
        {"host": "localhost", "forwarded": "for=203.0.113.9"},
        {"host": "localhost", "via": "1.1 proxy"},
    ],
)
def test_a_proxy_or_a_strangers_page_on_this_machine_is_not(headers: dict[str, str]) -> None:
    assert not is_local(new_request(**headers), ALONE)


def test_nobody_else_is_local() -> None:
    assert not is_local(new_request(peer="198.51.100.7", host="localhost"), ALONE)
    assert not is_local(new_request(peer=None, host="localhost"), ALONE)


def test_with_a_public_address_nobody_is_local() -> None:
    assert not is_local(new_request(host="127.0.0.1:8750"), PROXIED)


def test_links_lead_to_the_public_url_or_to_the_address_reached_whatever_the_host_says() -> None:
    request = new_request(host="evil.example")
    request.scope["server"] = ("192.0.2.7", 8750)
    assert base_of(request, ALONE) == "http://192.0.2.7:8750"
    assert base_of(request, PROXIED) == "https://hansang.example"


@pytest.mark.parametrize(
    ("server", "base"),
    [
        (("::1", 8750), "http://[::1]:8750"),
        (("testserver", 80), "http://testserver"),
        (None, "http://127.0.0.1:8750"),
    ],
)
def test_an_address_is_written_as_browsers_take_it(server: tuple[str, int] | None, base: str) -> None:
    request = new_request()
    request.scope["server"] = server
    assert base_of(request, ALONE) == base
