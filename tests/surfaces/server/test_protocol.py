"""Connections: kept, pipelined, slow, hostile, and many."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import re
import socket
import time
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import chain, repeat
from pathlib import Path

import pytest

from hansang.surfaces.server import protocol
from hansang.surfaces.server.http_server import HttpServer
from tests.surfaces.http.listening import eventually
from tests.surfaces.support import Address, read_reply
from tests.surfaces.timers import Timers

LIST = "DynamoDB_20120810.ListTables"
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def head(operation: str, length: int) -> bytes:
    return HEAD + f"X-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Length: {length}\r\n\r\n".encode()


def received(client: socket.socket, until: bytes) -> bytes:
    """All that the server sends up to a mark, or until it closes."""
    got = b""
    while until not in got and (piece := client.recv(65536)):
        got += piece
    return got


def send_all(client: socket.socket, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        client.sendall(piece)


def test_a_connection_is_kept_for_the_next_request(echoing: Address) -> None:
    connection = http.client.HTTPConnection(echoing.host, echoing.port, timeout=60)
    connection.connect()
    first = connection.sock.getsockname()
    for _ in range(50):
        connection.request("POST", "/", b"{}", {"X-Amz-Target": LIST, "Content-Type": "application/json"})
        assert read_reply(connection.getresponse()).status == 200
        assert connection.sock.getsockname() == first
    connection.close()


def test_pipelined_requests_are_answered_in_order(echoing: Address) -> None:
    with echoing.connect() as client:
        client.sendall(b"".join(head(f"Op{number}", 2) + b"{}" for number in range(50)))
        got = received(client, b'"Op49"')
    places = [got.index(f'"Operation":"Op{number}"'.encode()) for number in range(50)]
    assert places == sorted(places)


def test_a_request_may_arrive_byte_by_byte(echoing: Address) -> None:
    with echoing.connect() as client:
        for byte in head("ListTables", 2) + b"{}":
            client.sendall(bytes([byte]))
        assert received(client, b"ListTables").startswith(b"HTTP/1.1 200 ")


def test_http_1_0_is_answered_and_closed(echoing: Address) -> None:
    with echoing.connect() as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert received(client, b"never").endswith(b"healthy: dynamodb.us-east-1.amazonaws.com ")


GARBAGE = {
    "nothing like HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "NULs": b"\x00" * 1000,
    "no version": b"POST /\r\n\r\n",
    "a bad version": b"GET / HTTP/9.9\r\n\r\n",
    "a bad path": b"GET \xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no path": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "an absolute path of another site": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a NUL in a header": HEAD + b"X-Amz-Target: a\x00b\r\n\r\n",
    "a negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "a length that is no number": HEAD + b"Content-Length: many\r\n\r\n",
    "a length beyond 64 bits": HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk of no size": HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n",
    "a header without a name": HEAD + b": value\r\n\r\n",
    "a header folded": HEAD + b"X-Amz-Target: a\r\n b\r\n\r\n",
    "a header of Latin letters": HEAD + b"X-Amz-Target: \xe9\xff\r\nContent-Length: 2\r\n\r\n{}",
    "an upgrade": HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("sent", GARBAGE.values(), ids=GARBAGE)
def test_hostile_bytes_are_refused_and_harm_nobody(echoing: Address, sent: bytes) -> None:
    with echoing.connect() as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        got = received(client, b"\r\n\r\n")
    assert got == b"" or got.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 403 ", b"HTTP/1.1 404 "))
    assert echoing.post(LIST).status == 200


def test_a_head_without_end_is_cut_off(echoing: Address) -> None:
    with echoing.connect() as client, pytest.raises(OSError):
        send_all(client, chain([HEAD, b"X-Long: "], repeat(b"x" * 65536, 1000)))


def test_many_headers_without_end_are_cut_off(echoing: Address) -> None:
    headers = (f"X-{number}: {'x' * 1000}\r\n".encode() for number in range(1_000_000))
    with echoing.connect() as client, pytest.raises(OSError):
        send_all(client, chain([HEAD], headers))


def test_a_pipelined_head_after_a_large_body_is_not_too_large(echoing: Address) -> None:
    body = b'{"a":"' + b"x" * 1_000_000 + b'"}'
    with echoing.connect() as client:
        client.sendall(head("First", len(body)) + body + head("Second", 2)[:-10])
        received(client, b'"First"')
        client.sendall(head("Second", 2)[-10:] + b"{}")
        assert b'"Second"' in received(client, b'"Second"')


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.2)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("sent", [b"", b"POST / HT"])
def test_a_head_that_does_not_come_is_not_waited_for(echoing: Address, sent: bytes) -> None:
    with echoing.connect() as client, contextlib.suppress(ConnectionResetError):
        client.sendall(sent)
        assert received(client, b"never") == b""


@pytest.mark.usefixtures("hasty")
def test_empty_lines_behind_an_answer_keep_no_connection(echoing: Address) -> None:
    with echoing.connect() as client, contextlib.suppress(ConnectionResetError):
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert received(client, b"amazonaws.com ").startswith(b"HTTP/1.1 200 ")
        client.sendall(b"\r\n")
        assert received(client, b"never") == b""


def test_the_rest_of_a_body_is_not_waited_for_without_end(
    echoing: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "UNREAD_SECONDS", 0.3)
    with echoing.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx")
        assert received(client, b"healthy").startswith(b"HTTP/1.1 200 ")
        with pytest.raises(OSError):
            for _ in range(1000):
                client.sendall(b"x")
                time.sleep(0.02)


def test_two_hundred_slow_clients_do_not_hold_up_a_fast_one(echoing: Address) -> None:
    with ExitStack() as slow:
        for number in range(200):
            client = slow.enter_context(echoing.connect())
            client.sendall(head("Slow", 100) + b"{" if number % 2 else head("Slow", 100)[:40])
        assert echoing.post(LIST).status == 200  # While the slow ones are still sending.


def test_clients_that_do_not_read_their_answers_do_not_hold_up_a_fast_one(echoing: Address) -> None:
    body = b'{"a":"' + b"x" * 2_000_000 + b'"}'
    with ExitStack() as deaf:
        for _ in range(40):
            client = deaf.enter_context(echoing.connect())
            client.sendall(head("Deaf", len(body)) + body)
        assert echoing.post(LIST).status == 200  # While nobody reads the other answers.


def asked_for_much(echoing: Address) -> socket.socket:
    """A client that has asked for more than the network holds."""
    body = b'{"a":"' + b"x" * 12_000_000 + b'"}'
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client.settimeout(60)
    client.connect((echoing.host, echoing.port))
    client.sendall(head("Much", len(body)) + body)
    return client


def is_closed_there(client: socket.socket) -> bool:
    """Whether the server has closed its end of a connection, however much of what it sent is still to be read."""
    theirs, ours = client.getpeername()[1], client.getsockname()[1]
    ends = re.compile(f":{theirs:04X} [0-9A-F]+:{ours:04X} 01 ")  # 01 is established.
    return ends.search(Path("/proc/self/net/tcp").read_text()) is None


def test_a_client_that_does_not_read_its_answer_is_cut_off(
    echoing: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "DEAF_SECONDS", 0.2)
    with asked_for_much(echoing) as client:
        eventually(lambda: is_closed_there(client))
        length = 0
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65536):
                length += len(piece)
    assert length < 12_000_000


class Slow(asyncio.Transport):
    """A way to a client that has taken all but so many bytes."""

    unsent, is_aborted = 1000, False

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.is_aborted = True


def test_a_client_that_reads_slowly_is_given_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 1e9)
    server, slow = HttpServer(None, grace=1), Slow()
    server.config.load()
    with contextlib.closing(Timers()) as loop:
        connection = protocol.BoundedHttp(server.config, server.server_state, {}, loop)
        connection.connection_made(slow)
        connection.pause_writing()
        for slow.unsent in range(999, 990, -1):
            loop.pass_by(protocol.DEAF_SECONDS + 1)
            assert not slow.is_aborted
        loop.pass_by(protocol.DEAF_SECONDS + 1)
        assert slow.is_aborted


@pytest.mark.parametrize(
    "sent",
    [head("Gone", 100) + b"{", (head("Gone", 2) + b"{}") * 100],
    ids=["half a body", "a hundred requests"],
)
def test_a_client_that_leaves_in_the_middle_is_forgotten(
    echoing: Address, caplog: pytest.LogCaptureFixture, sent: bytes
) -> None:
    for _ in range(20):
        with echoing.connect() as client:
            client.sendall(sent)
    time.sleep(0.1)
    assert echoing.post(LIST).status == 200
    assert caplog.records == []
