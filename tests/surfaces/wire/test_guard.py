"""Pages of other sites are kept out, and what runs on this machine is let in."""

from __future__ import annotations

import pytest

from hansang.surfaces.wire.guard import OriginGuard
from tests.surfaces.support import Address

OURS = [
    "localhost",
    "localhost:8000",
    "dynamodb.localhost:8000",
    "127.0.0.1:8000",
    "127.1.2.3",
    "[::1]:8000",
    "LOCALHOST",
]
THEIRS = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "0.0.0.0",
    "",
    "[::",
]


@pytest.mark.parametrize("host", OURS)
def test_a_request_for_this_machine_is_served(endpoint: Address, host: str) -> None:
    assert endpoint.post("DynamoDB_20120810.ListTables", host=host).status == 200


@pytest.mark.parametrize("host", THEIRS)
def test_a_request_for_another_name_is_refused(endpoint: Address, host: str) -> None:
    reply = endpoint.post("DynamoDB_20120810.ListTables", host=host)
    assert (reply.status, reply.code) == (403, "AccessDeniedException")


def test_a_health_check_for_another_name_is_refused_too(endpoint: Address) -> None:
    assert endpoint.request("GET", headers={"Host": "evil.example"}).status == 403


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"])
def test_a_page_of_this_machine_is_served(endpoint: Address, origin: str) -> None:
    assert endpoint.post("DynamoDB_20120810.ListTables", origin=origin).status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[::", ""]
)
def test_a_page_of_another_site_is_refused(endpoint: Address, origin: str) -> None:
    assert endpoint.post("DynamoDB_20120810.ListTables", origin=origin).status == 403


def test_a_preflight_of_another_site_is_given_no_leave(endpoint: Address) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    reply = endpoint.request("OPTIONS", headers=headers)
    assert reply.status == 403
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_the_configured_name_is_ours() -> None:
    guard = OriginGuard("Tables.Example", any_host=False)
    assert guard.admits({"host": "tables.example:8000"})
    assert not guard.admits({"host": "other.example:8000"})


def test_with_keys_any_host_is_served_but_no_page_of_another_site() -> None:
    guard = OriginGuard("0.0.0.0", any_host=True)
    assert guard.admits({"host": "tables.example"})
    assert not guard.admits({"host": "tables.example", "origin": "https://evil.example"})


def test_two_host_headers_are_no_way_around() -> None:
    assert not OriginGuard("127.0.0.1", any_host=False).admits({"host": "localhost,evil.example"})
