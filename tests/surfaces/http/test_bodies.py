"""Bodies that are too large or too slow."""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import httpx2
import pytest
from fastapi import FastAPI

from hansang.surfaces.http import bodies
from hansang.surfaces.http.bodies import BoundedBody, announced, has_body
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.http.metrics import Metrics
from hansang.surfaces.shell import Shell
from tests.surfaces.http.framing import framing, serving
from tests.surfaces.http.listening import eventually

LIMIT = 100_000


@pytest.fixture
def metrics(shell: Shell) -> Metrics:
    return Metrics(shell)


@pytest.fixture
def client(shell: Shell, metrics: Metrics, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx2.Client]:
    """A client of a server that takes bodies up to LIMIT, and reads those that it refuses to their end."""
    monkeypatch.setattr(bodies, "_DRAIN_SECONDS", 60.0)
    settings = replace(shell.settings, largest_body=LIMIT)
    with framing(replace(shell, settings=settings), metrics=metrics) as found:
        yield found


def connect(client: httpx2.Client) -> socket.socket:
    url = client.base_url
    assert url.port is not None
    return socket.create_connection((url.host, url.port), timeout=60)


def received(connection: socket.socket) -> bytes:
    """All that comes until the server closes."""
    got = b""
    while piece := connection.recv(65536):
        got += piece
    return got


def pieces(length: int) -> Iterator[bytes]:
    yield from (b"x" * 1000 for _ in range(length // 1000))


def test_a_body_up_to_the_limit_is_taken(client: httpx2.Client) -> None:
    assert len(client.post("/echo", content=b"x" * LIMIT).content) == LIMIT
    assert len(client.post("/echo", content=pieces(LIMIT)).content) == LIMIT


@pytest.mark.parametrize("length", [LIMIT + 1, 30_000_000])
def test_a_body_that_says_it_is_larger_is_refused(client: httpx2.Client, length: int) -> None:
    answer = client.post("/echo", content=b"x" * length)
    assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("length", [LIMIT + 1000, 30_000_000])
def test_a_body_that_does_not_say_so_is_refused_too(client: httpx2.Client, length: int) -> None:
    answer = client.post("/echo", content=pieces(length))
    assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")


def test_a_client_that_asks_first_is_refused_before_it_sends(client: httpx2.Client) -> None:
    head = (
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n"
    )
    with connect(client) as connection:
        connection.sendall(head)
        assert received(connection).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_stops_coming_is_not_waited_for(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.2)
    with connect(client) as connection:
        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        got = received(connection)
    assert got.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"too-slow"' in got


def test_a_body_that_only_trickles_is_not_waited_for(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_000_000))  # A second goes by whenever somebody looks.
    monkeypatch.setattr(bodies, "monotonic", lambda: next(clock))
    with connect(client) as connection:
        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
        while not select.select([connection], [], [], 0.01)[0]:
            connection.sendall(b"a")
        assert connection.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_leaves_in_the_middle_is_noted_as_gone(client: httpx2.Client, metrics: Metrics) -> None:
    with connect(client) as connection:
        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
    eventually(lambda: ("POST", "/echo", 499) in metrics.counter.snapshot()[0].answers)


def test_two_hundred_slow_clients_do_not_hold_up_a_fast_one(client: httpx2.Client) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
    with ExitStack() as opened:
        slow = [opened.enter_context(connect(client)) for _ in range(200)]
        for number, connection in enumerate(slow):
            connection.sendall(head + b"{" if number % 2 else head[:20])
        assert client.get("/who").status_code == 200
        assert client.post("/echo", content=b"abc").content == b"abc"
        assert not any(select.select(slow, [], [], 0)), "the slow ones still wait for what they have not sent"


def test_a_framework_that_takes_every_fault_of_a_body_for_its_own_is_overruled(shell: Shell) -> None:
    api = FastAPI()

    @api.post("/things")
    def things(thing: dict[str, str]) -> int:
        return len(thing)

    settings = replace(shell.settings, largest_body=LIMIT)
    with serving(Frame(api, replace(shell, settings=settings))) as url:
        answer = httpx2.post(f"{url}/things", content=pieces(LIMIT * 2), timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")
        assert httpx2.post(f"{url}/things", json={"a": "b"}, timeout=60).json() == 1


@pytest.mark.parametrize(
    ("headers", "follows", "length"),
    [
        ({}, False, 0),
        ({b"content-length": b"0"}, False, 0),
        ({b"content-length": b"12"}, True, 12),
        ({b"transfer-encoding": b"chunked"}, True, 0),
        ({b"content-length": b"many"}, True, 0),
    ],
)
def test_the_head_of_a_request_says_whether_a_body_follows(
    headers: dict[bytes, bytes], follows: bool, length: int
) -> None:
    assert has_body(headers) is follows
    assert announced(headers) == length


def test_after_the_body_the_end_of_the_connection_is_waited_for_without_haste(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.01)

    async def receive() -> dict[str, object]:
        if body.ended:
            await asyncio.sleep(0.05)
        return {"type": "http.disconnect" if body.ended else "http.request", "body": b"abc"}

    body = BoundedBody(receive, 3)
    asyncio.run(_twice(body))
    assert (body.refused, body.left) == (None, False)


async def _twice(body: BoundedBody) -> None:
    assert (await body())["type"] == "http.request"
    assert (await body())["type"] == "http.disconnect"
