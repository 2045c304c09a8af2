"""A client that does next to nothing, so that the server is what is measured: prebuilt bytes over kept connections."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator, Sequence
from time import perf_counter

import orjson

from workload import Request

_SCOPE = "bench/20260101/us-east-1/dynamodb/aws4_request"


def request_bytes(operation: str, request: Request) -> bytes:
    """A request with the headers that boto3 sends."""
    body = orjson.dumps(request)
    head = (
        "POST / HTTP/1.1\r\n"
        "Host: 127.0.0.1\r\n"
        "Accept-Encoding: identity\r\n"
        f"X-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n"
        "User-Agent: Boto3/1.40 md/Botocore#1.40 ua/2.1 os/linux md/arch#x86_64 lang/python md/pyimpl#CPython\r\n"
        "X-Amz-Date: 20260101T000000Z\r\n"
        f"Authorization: AWS4-HMAC-SHA256 Credential={_SCOPE}, "
        f"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={'0' * 64}\r\n"
        "amz-sdk-invocation-id: 00000000-0000-0000-0000-000000000000\r\n"
        "amz-sdk-request: attempt=1\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class LeanConnection:
    """One kept connection with one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answer = bytearray()
        self._end = 0

    def send(self, request: bytes) -> None:
        self._answer.clear()
        self._end = 0
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Take what has come; an answer that is no success ends the measurement."""
        received = self.socket.recv(1 << 18)
        if not received:
            raise ConnectionError("The server closed the connection.")
        self._answer += received
        if not self._end:
            head = self._answer.find(b"\r\n\r\n")
            if head < 0:
                return False
            if not self._answer.startswith(b"HTTP/1.1 200"):
                raise ConnectionError(self._answer.decode(errors="replace"))
            length = self._answer[:head].lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self._end = head + 4 + int(length)
        return len(self._answer) >= self._end


def lean_answers(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> tuple[int, float]:
    """How many answers come over some connections until the requests or the seconds are used up, and in what time."""
    waiting: Iterator[bytes] = iter(requests)
    opened = [LeanConnection(port) for _ in range(connections)]
    done = 0
    try:
        with selectors.DefaultSelector() as selector:
            begun = perf_counter()
            stop = begun + seconds
            for connection in opened:
                selector.register(connection.socket, selectors.EVENT_READ, connection)
                connection.send(next(waiting))
            under_way = connections
            while under_way:
                for key, _ in selector.select():
                    if not key.data.is_answered():
                        continue
                    done += 1
                    request = next(waiting, None) if perf_counter() < stop else None
                    if request is None:
                        under_way -= 1
                    else:
                        key.data.send(request)
            return done, perf_counter() - begun
    finally:
        for connection in opened:
            connection.socket.close()
