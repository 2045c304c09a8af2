"""Listening, and stopping without losing what has begun."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hansang.errors import AddressError
from hansang.surfaces.wire.server import listen
from tests.surfaces.support import Stub, serving

LIST = "DynamoDB_20120810.ListTables"


def test_port_zero_is_a_free_port() -> None:
    with listen("127.0.0.1", 0, loopback_only=True) as listener:
        assert listener.getsockname()[1] > 0


def test_the_socket_names_its_protocol_so_that_answers_are_not_delayed() -> None:
    with listen("127.0.0.1", 0, loopback_only=True) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_localhost_is_ipv4_first() -> None:
    with listen("localhost", 0, loopback_only=True) as listener:
        assert listener.family == socket.AF_INET


def test_a_port_in_use_is_named_with_the_way_out() -> None:
    with listen("127.0.0.1", 0, loopback_only=True) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(AddressError, match=f"port {port}: Address already in use. Choose another port"):
            listen("127.0.0.1", port, loopback_only=True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_keys_only_loopback_is_served(host: str) -> None:
    with pytest.raises(AddressError, match="Give --access-key and --secret-key"):
        listen(host, 0, loopback_only=True)


def test_with_keys_any_address_is_served() -> None:
    with listen("0.0.0.0", 0, loopback_only=False) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"


def test_an_address_of_another_machine_is_named_with_the_way_out() -> None:
    with pytest.raises(AddressError, match="Give an address of this machine with --host"):
        listen("192.0.2.1", 0, loopback_only=False)


def test_an_unknown_host_is_named() -> None:
    with pytest.raises(AddressError, match="No address is known for the host no-such-host"):
        listen("no-such-host.invalid", 0, loopback_only=True)


def test_what_has_begun_is_finished_before_the_server_stops() -> None:
    begun = threading.Event()

    def slow(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        begun.set()
        time.sleep(0.5)
        return {"Done": True}

    with ThreadPoolExecutor(1) as clients:
        with serving(Stub(slow)) as address:
            pending = clients.submit(address.post, LIST)
            assert begun.wait(60)
        assert pending.result().document == {"Done": True}


def test_calls_run_beside_each_other() -> None:
    together = threading.Barrier(8, timeout=60)

    def meet(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        together.wait()
        return {}

    with serving(Stub(meet)) as address, ThreadPoolExecutor(8) as clients:
        replies = [clients.submit(address.post, LIST) for _ in range(8)]
        assert {reply.result().status for reply in replies} == {200}


def test_no_more_calls_run_at_once_than_there_are_threads() -> None:
    lock, running, most = threading.Lock(), 0, 0

    def count(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return {}

    with serving(Stub(count)) as address, ThreadPoolExecutor(64) as clients:
        replies = [clients.submit(address.post, LIST) for _ in range(128)]
        assert {reply.result().status for reply in replies} == {200}
    assert most <= 16
