"""Small requests are answered where they are read: in their order, whatever pieces they come in, as all others are."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.engine import Engine
from hansang.engine.store import Store
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.guard import OriginGuard
from hansang.surfaces.wire.lone_client import ENOUGH, PAUSE, LoneClient
from hansang.surfaces.wire.messages import WireRequest
from hansang.surfaces.wire.protocol import PromptHttp
from tests.engine.control import create, definition
from tests.engine.holding import eventually, waiting, writer_held
from tests.surfaces.support import Address, Stub, serving
from tests.surfaces.timers import Timers

GET, PUT, QUERY, SCAN = (f"DynamoDB_20120810.{each}" for each in ("GetItem", "PutItem", "Query", "Scan"))


def threads(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"Operation": operation, "Thread": threading.current_thread().name}


@pytest.fixture(scope="module")
def prompt() -> Iterator[Address]:
    """An endpoint that tells which thread has answered."""
    with serving(Stub(threads), prompt=True) as address:
        yield address


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """An endpoint over a file with one item."""
    path: Path = tmp_path_factory.mktemp("wire") / "data.db"
    with Embedded.open(path, sweeps=False) as backend, serving(backend, prompt=True) as address:
        backend.call("CreateTable", definition("rice"))
        backend.call("PutItem", {"TableName": "rice", "Item": {"pk": {"S": "a"}, "x": {"S": "쌀"}}})
        yield address


@pytest.fixture
def told(tmp_path: Path) -> Iterator[tuple[Address, Engine, list[str]]]:
    """An endpoint over a file with a table, its engine, and the threads that have written."""
    writers: list[str] = []

    def clock() -> float:
        writers.append(threading.current_thread().name)
        return 1_000_000.0

    engine = Engine.open(tmp_path / "data.db", clock=clock, sweep_seconds=None)
    with Embedded(engine) as backend, serving(backend, prompt=True) as address:
        backend.call("CreateTable", definition("rice"))
        writers.clear()
        yield address, engine, writers


def raw(target: str, body: str, *more: str) -> bytes:
    encoded = body.encode()
    lines = ["POST / HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/x-amz-json-1.0", *more]
    head = [*lines, f"X-Amz-Target: {target}", f"Content-Length: {len(encoded)}", "", ""]
    return "\r\n".join(head).encode() + encoded


def answered(address: Address, *pieces: bytes, count: int) -> list[tuple[dict[str, str], Any]]:
    """The headers and the documents of so many answers to what is sent in these pieces over one connection."""
    found: list[tuple[dict[str, str], Any]] = []
    with closing(address.connect()) as connection, connection.makefile("rb") as stream:
        for piece in pieces:
            connection.sendall(piece)
        for _ in range(count):
            assert stream.readline() == b"HTTP/1.1 200 OK\r\n"
            headers = dict[str, str]()
            while line := stream.readline().decode().strip():
                name, _, value = line.partition(": ")
                headers[name.lower()] = value
            found.append((headers, json.loads(stream.read(int(headers["content-length"])))))
    return found


@pytest.mark.parametrize(
    ("target", "body", "is_prompt"),
    [
        (GET, "{}", True),
        (QUERY, '{"Limit": 100}', True),
        (QUERY, "{}", False),
        (QUERY, '{"Limit": 129}', False),
        (QUERY, '{"Limit": 5, "FilterExpression": "a = b"}', False),
        (GET, json.dumps({"pad": "x" * 5000}), False),
        (SCAN, '{"Limit": 1}', False),
        (PUT, "{}", False),
    ],
)
def test_a_small_read_needs_no_thread(prompt: Address, target: str, body: str, is_prompt: bool) -> None:
    thread = prompt.post(target, body).document["Thread"]
    assert thread.startswith("hansang-wire") is not is_prompt


def test_answers_come_in_the_order_of_the_requests(prompt: Address) -> None:
    targets = [GET, PUT, GET, QUERY, SCAN, GET, GET, PUT, QUERY]
    sent = b"".join(raw(each, '{"Limit": 1}') for each in targets)
    found = answered(prompt, sent, count=len(targets))
    assert [f"DynamoDB_20120810.{document['Operation']}" for _, document in found] == targets


def test_a_request_may_come_in_any_pieces(filled: Address) -> None:
    request = raw(GET, json.dumps({"TableName": "rice", "Key": {"pk": {"S": "a"}}}))
    item = {"Item": {"pk": {"S": "a"}, "x": {"S": "쌀"}}}
    end = request.index(b"\r\n\r\n") + 4
    whole = answered(filled, request, count=1)
    parts = answered(filled, request[:end], request[end:-3], request[-3:], count=1)
    single = answered(filled, *(request[place : place + 1] for place in range(len(request))), count=1)
    assert [document for _, document in (*whole, *parts, *single)] == [item] * 3
    assert {tuple(headers) for headers, _ in (*whole, *parts, *single)} == {tuple(whole[0][0])}
    assert {headers["x-amz-crc32"] for headers, _ in (*whole, *parts)} == {whole[0][0]["x-amz-crc32"]}


def test_a_connection_is_closed_behind_an_answer_if_the_client_says_so(filled: Address) -> None:
    request = raw(GET, json.dumps({"TableName": "rice", "Key": {"pk": {"S": "b"}}}), "Connection: close")
    with closing(filled.connect()) as connection, connection.makefile("rb") as stream:
        connection.sendall(request)
        head, _, body = stream.read().partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert body == b"{}"


def test_a_page_of_another_site_is_refused_a_small_read_too(filled: Address) -> None:
    reply = filled.post(GET, '{"TableName": "rice"}', origin="https://elsewhere.example")
    assert reply.status == 403


def test_a_refusal_of_a_small_read_is_that_of_dynamodb(filled: Address) -> None:
    reply = filled.post(GET, '{"TableName": "nowhere", "Key": {"pk": {"S": "a"}}}')
    assert (reply.status, reply.code) == (400, "ResourceNotFoundException")


# ── what is plain enough ──────────────────────────────────────────────────────────────────────────


def test_a_whole_request_is_read_as_the_parser_reads_it() -> None:
    found = WireRequest.plain(raw(GET, "{}", "X-Padded:   a b ", "Connection: Keep-Alive"))
    assert found is not None
    assert found.is_whole
    assert (found.method, found.path, found.query, found.body) == ("POST", "/", "", b"{}")
    assert (found.headers["x-padded"], found.headers["x-amz-target"]) == ("a b", GET)


@pytest.mark.parametrize(
    "unusual",
    [
        "Connection: close",
        "Connection: keep-alive, upgrade",
        "Proxy-Connection: close",
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Upgrade: h2c",
        "Content-Length: 2",
        "X-Amz-Target: twice",
        "X-Folded: a\r\n b",
        "X-Spaced : a",
        "X-Bare: a\nX-Amz-Target: other",
        "X-Bell: \a",
        "X-Wide: 쌀",
        "No colon",
    ],
)
def test_a_request_with_anything_unusual_is_left_to_the_parser(unusual: str) -> None:
    assert WireRequest.plain(raw(GET, "{}", unusual)) is None


@pytest.mark.parametrize("spoilt", [b"", b"\r\n", b"GET", b"POST / HTTP/1.0"])
def test_a_request_that_does_not_begin_plainly_is_left_to_the_parser(spoilt: bytes) -> None:
    _, _, rest = raw(GET, "{}").partition(b"\r\n")
    assert WireRequest.plain(spoilt + b"\r\n" + rest) is None


def test_a_request_that_has_no_whole_head_or_more_than_its_body_is_left_to_the_parser() -> None:
    request = raw(GET, "{}")
    end = request.index(b"{}")
    assert all(WireRequest.plain(request[:each]) is None for each in range(end))
    found = [WireRequest.plain(request[:each]) for each in range(end, len(request) + 1)]
    assert [(each.body, each.is_whole) for each in found if each] == [
        (b"", False),
        (b"{", False),
        (b"{}", True),
    ]
    assert WireRequest.plain(request + request[:1]) is None


@pytest.mark.parametrize("length", ["", "-1", "+2", "02", "2, 2", "0x2", "1e1", "9" * 5000])
def test_a_length_that_is_not_plain_is_left_to_the_parser(length: str) -> None:
    assert (
        WireRequest.plain(raw(GET, "{}").replace(b"Content-Length: 2", f"Content-Length: {length}".encode()))
        is None
    )


# ── a head and then its body ──────────────────────────────────────────────────────────────────────


class Kept(asyncio.Transport):
    """A way to a client that keeps what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent, self.is_shut = b"", False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += bytes(data)

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.is_shut

    def close(self) -> None:
        self.is_shut = True

    def pause_reading(self) -> None:
        """Nothing comes by itself here."""

    def resume_reading(self) -> None:
        """Nor does it then."""


class Heard(PromptHttp):
    """The protocol, which notes what goes the usual way."""

    usual = b""

    def on_url(self, url: bytes) -> None:
        self.usual += b"head"
        super().on_url(url)

    def on_body(self, body: bytes) -> None:
        self.usual += body
        super().on_body(body)


ASKED = raw(GET, '{"TableName": "rice", "Key": {"pk": {"S": "a"}}}')
END = ASKED.index(b"{")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[tuple[Heard, Kept, Timers]]:
    """A connection to an endpoint over a file, and the loop by whose time it goes."""
    kept = Kept()
    with Embedded.open(tmp_path / "data.db", sweeps=False) as backend, closing(Timers()) as loop:
        backend.call("CreateTable", definition("rice"))
        guard = OriginGuard("127.0.0.1", any_host=False)
        with closing(WireApp(backend, region="ap-northeast-2", guard=guard, prompt=True)) as app:
            server = HttpServer(app, grace=1)
            server.config.load()
            found = Heard(server.config, server.server_state, {}, loop)
            found.connection_made(kept)
            yield found, kept, loop
            found.connection_lost(None)
            loop.pass_by(0)


def test_a_head_and_its_body_are_answered_at_once(connection: tuple[Heard, Kept, Timers]) -> None:
    heard, kept, _ = connection
    for _ in range(3):
        heard.data_received(ASKED[:END])
        assert kept.sent == b""
        heard.data_received(ASKED[END:])
        assert kept.sent.startswith(b"HTTP/1.1 200 OK\r\n")
        kept.sent = b""
    assert heard.usual == b""


def test_a_head_goes_on_without_its_body_after_a_moment(connection: tuple[Heard, Kept, Timers]) -> None:
    heard, kept, loop = connection
    heard.data_received(ASKED[:END])
    assert heard.usual == b""
    loop.pass_by(0.06)
    assert heard.usual == b"head"
    heard.data_received(ASKED[END:])
    loop.pass_by(0)
    assert heard.usual == b"head" + ASKED[END:]
    assert kept.sent.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("piece", [ASKED[END:-1], ASKED[END:] + ASKED], ids=["less", "more"])
def test_a_head_goes_on_with_anything_but_its_body(
    connection: tuple[Heard, Kept, Timers], piece: bytes
) -> None:
    heard, kept, loop = connection
    heard.data_received(ASKED[:END])
    heard.data_received(piece)
    assert heard.usual.startswith(b"head" + ASKED[END:-1])
    heard.data_received((ASKED[END:] + ASKED)[len(piece) :])
    for _ in range(5):
        loop.pass_by(0)
    assert kept.sent.count(b"HTTP/1.1 200 OK\r\n") == 2


def test_a_head_goes_on_when_the_server_stops(connection: tuple[Heard, Kept, Timers]) -> None:
    heard, kept, loop = connection
    heard.data_received(ASKED[:END])
    heard.shutdown()
    assert heard.usual == b"head"
    heard.data_received(ASKED[END:])
    loop.pass_by(0)
    assert kept.sent.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"connection: close" in kept.sent.lower()


def test_a_head_is_forgotten_when_its_client_leaves(connection: tuple[Heard, Kept, Timers]) -> None:
    heard, kept, loop = connection
    heard.data_received(ASKED[:END])
    heard.connection_lost(None)
    loop.pass_by(1)
    assert (heard.usual, kept.sent) == (b"", b"")


# ── a client that is alone ────────────────────────────────────────────────────────────────────────


def written(number: int) -> bytes:
    return raw(PUT, json.dumps({"TableName": "rice", "Item": {"pk": {"S": f"{number}"}}}))


def test_the_writes_of_a_client_that_is_alone_need_no_thread(
    told: tuple[Address, Engine, list[str]],
) -> None:
    address, _, writers = told
    one_by_one(address, [written(number) for number in range(ENOUGH + 4)])
    assert [name.startswith("hansang-wire") for name in writers] == [True] * ENOUGH + [False] * 4


def one_by_one(address: Address, requests: list[bytes]) -> None:
    """Send requests over one connection, each when the one before it was answered."""
    with closing(address.connect()) as connection:
        for each in requests:
            ask(connection, each)


def ask(connection: socket.socket, request: bytes) -> None:
    connection.sendall(request)
    hear(connection)


def hear(connection: socket.socket) -> None:
    """Take one whole answer, a good one."""
    with closing(HTTPResponse(connection)) as answer:
        answer.begin()
        answer.read()
        assert answer.status == 200


def test_nobody_is_alone_while_others_ask(told: tuple[Address, Engine, list[str]]) -> None:
    address, _, writers = told
    with closing(address.connect()) as one, closing(address.connect()) as other:
        for number in range(2 * ENOUGH):
            ask(one, written(number))
            ask(other, raw(GET, json.dumps({"TableName": "rice", "Key": {"pk": {"S": "0"}}})))
    assert all(name.startswith("hansang-wire") for name in writers)


def test_a_write_that_would_wait_for_others_waits_in_a_thread(
    told: tuple[Address, Engine, list[str]],
) -> None:
    address, engine, writers = told
    with closing(address.connect()) as alone:
        for number in range(ENOUGH + 1):
            ask(alone, written(number))
        with writer_held(engine.store):
            alone.sendall(written(99))
            eventually(lambda: waiting(engine.store) == 1)
            one_by_one(address, [raw(GET, json.dumps({"TableName": "rice", "Key": {"pk": {"S": "0"}}}))])
        hear(alone)
    assert writers[-1].startswith("hansang-wire")
    assert engine.call("GetItem", {"TableName": "rice", "Key": {"pk": {"S": "99"}}})["Item"]


def test_a_pause_lasts_whoever_asks_meanwhile() -> None:
    lone = LoneClient()
    lone.pause()
    for number in range(PAUSE):
        lone.heard(number // (2 * ENOUGH))
        assert not lone.is_(number // (2 * ENOUGH))
    for _ in range(ENOUGH):
        lone.heard("one")
    assert lone.is_("one")


# ── clients that write at the same time ───────────────────────────────────────────────────────────


def post_all(address: Address, store: Store, requests: list[bytes]) -> list[int]:
    """The states of the answers to requests of a connection each, which come while another write is under way."""
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(address.connect())) for _ in requests]
        with writer_held(store):
            connections[0].sendall(requests[0])
            eventually(lambda: waiting(store) == 1)
            for connection, request in zip(connections[1:], requests[1:], strict=True):
                connection.sendall(request)
            # One that is answered where it is read, behind all of these.
            one_by_one(address, [raw(GET, json.dumps({"TableName": "rice", "Key": {"pk": {"S": "0"}}}))])
        return [status(connection) for connection in connections]


def status(connection: socket.socket) -> int:
    with closing(HTTPResponse(connection)) as answer:
        answer.begin()
        answer.read()
        return answer.status


def test_writes_of_several_clients_share_a_commit(told: tuple[Address, Engine, list[str]]) -> None:
    address, engine, writers = told
    statements: list[str] = []
    engine.store.write(lambda writer: writer.connection.set_trace_callback(statements.append))
    requests = [written(number) for number in range(8)]
    item = {"TableName": "rice", "Item": {"pk": {"S": "3"}, "x": {"S": "lost"}}}
    requests[5] = raw(PUT, json.dumps({**item, "ConditionExpression": "attribute_not_exists(pk)"}))
    assert post_all(address, engine.store, requests) == [200] * 5 + [400] + [200] * 2
    assert statements.count("COMMIT") <= 4  # tracing, the write they waited for, the first, all others
    assert len(set(writers)) == 1
    assert engine.call("Scan", {"TableName": "rice"})["Count"] == 7
    assert engine.call("DescribeTable", {"TableName": "rice"})["Table"]["ItemCount"] == 7


def test_a_write_that_the_file_refuses_fails_alone(told: tuple[Address, Engine, list[str]]) -> None:
    address, engine, _ = told
    rows = engine.catalog().table("rice").rows
    engine.store.write(
        lambda writer: writer.execute(
            f"CREATE TRIGGER refuse BEFORE INSERT ON rows_{rows} WHEN instr(new.value, 'bad') "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    )
    requests = [written(number) for number in range(4)]
    requests[2] = raw(PUT, json.dumps({"TableName": "rice", "Item": {"pk": {"S": "bad"}}}))
    assert post_all(address, engine.store, requests) == [200, 200, 500, 200]
    assert engine.call("Scan", {"TableName": "rice"})["Count"] == 3


def test_a_write_to_a_table_whose_rows_are_gone_fails_alone(told: tuple[Address, Engine, list[str]]) -> None:
    address, engine, _ = told
    create(engine, definition("gone"))
    rows = engine.catalog().table("gone").rows
    engine.store.write(lambda writer: writer.execute(f"DROP TABLE rows_{rows}"))
    requests = [written(number) for number in range(4)]
    requests[2] = raw(PUT, json.dumps({"TableName": "gone", "Item": {"pk": {"S": "bad"}}}))
    assert post_all(address, engine.store, requests) == [200, 200, 500, 200]
    assert engine.call("Scan", {"TableName": "rice"})["Count"] == 3


@pytest.mark.parametrize(("size", "is_gathered"), [(8, True), (9, False)])
def test_a_transaction_of_many_items_takes_turns_with_those_that_share_a_commit(
    told: tuple[Address, Engine, list[str]], size: int, is_gathered: bool
) -> None:
    address, _, writers = told
    puts = [{"Put": {"TableName": "rice", "Item": {"pk": {"S": f"{number}"}}}} for number in range(size)]
    target = "DynamoDB_20120810.TransactWriteItems"
    assert address.post(target, json.dumps({"TransactItems": puts})).status == 200
    assert {name.startswith("hansang-wire-write-together") for name in writers} == {is_gathered}


def test_writes_of_several_clients_are_refused_together_when_their_turn_does_not_come(tmp_path: Path) -> None:
    with (
        Embedded.open(tmp_path / "data.db", sweeps=False, wait_seconds=0.2) as backend,
        serving(backend, prompt=True) as address,
        ExitStack() as stack,
    ):
        backend.call("CreateTable", definition("rice"))
        connections = [stack.enter_context(closing(address.connect())) for _ in range(6)]
        with writer_held(backend.engine.store):
            for number, connection in enumerate(connections):
                connection.sendall(written(number))
            assert [status(connection) for connection in connections] == [503] * 6
        assert backend.call("Scan", {"TableName": "rice"})["Count"] == 0
