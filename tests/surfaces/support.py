"""A real server in a thread, and the plainest of clients."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hansang.backends.base import Backend
from hansang.clock import Clock, system_clock
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.wire.app import WireApp
from hansang.surfaces.wire.guard import OriginGuard
from hansang.surfaces.wire.server import Server, listen
from hansang.surfaces.wire.signature import Keys, SignatureVerifier

KEYS = Keys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

Answer = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class Stub:
    """A backend that answers with whatever a function says."""

    def __init__(self, answer: Answer) -> None:
        self.call = answer


def echo(operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"Operation": operation, "Request": dict(request)}


@dataclass(frozen=True)
class Reply:
    """One HTTP answer, as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        document = json.loads(self.body)
        assert isinstance(document, dict)
        return document

    @property
    def code(self) -> str:
        return str(self.document["__type"]).rpartition("#")[2]


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=60)

    def post(self, target: str | None, body: bytes | str = b"{}", **headers: str) -> Reply:
        """Send one request; `content_type="…"` is the header Content-Type."""
        named = {"content-type": "application/x-amz-json-1.0"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        if target is not None:
            named["x-amz-target"] = target
        return self.request("POST", "/", body, named)

    def request(
        self, method: str, path: str = "/", body: bytes | str = b"", headers: Mapping[str, str] | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers or {}))
            return read_reply(connection.getresponse())
        finally:
            connection.close()


def read_reply(response: http.client.HTTPResponse) -> Reply:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, headers, response.read())


@contextmanager
def serving(
    backend: Backend, *, keys: Keys | None = None, clock: Clock = system_clock, **bounds: Any
) -> Iterator[Address]:
    """The endpoint over a backend, in a thread, until the block ends."""
    listener = listen("127.0.0.1", 0, loopback_only=True)
    signatures = None if keys is None else SignatureVerifier(keys, clock)
    guard = OriginGuard("127.0.0.1", any_host=keys is not None)
    app = WireApp(backend, region="us-east-1", guard=guard, signatures=signatures, **bounds)
    try:
        with running(Server(app), listener) as address:
            yield address
    finally:
        app.close()


@contextmanager
def running(server: HttpServer, listener: socket.socket) -> Iterator[Address]:
    """Any server, in a thread, until the block ends."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Address("127.0.0.1", listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
