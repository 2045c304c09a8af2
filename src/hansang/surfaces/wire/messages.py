"""What the endpoint reads and what it sends, apart from how it travels."""

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import orjson

from hansang.errors import WireError
from hansang.surfaces.http import compression

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COMPRESSED_ABOVE = 4096
"""DynamoDB compresses no answer up to this size."""

JSON_TYPES = frozenset({"application/json", "application/x-amz-json-1.0", "application/x-amz-json-1.1"})

# What everybody who reads HTTP reads in the same way: one space, and nothing that is not printed.
_PLAIN_HEAD = re.compile(rb"POST / HTTP/1\.1\r\n((?:[A-Za-z0-9-]+: [ -~]*\r\n)+)\r\n")
_PLAIN_LENGTH = re.compile("0|[1-9][0-9]{0,8}")
# The parser takes the fourth for another name of Connection.
_UNUSUAL = frozenset({"transfer-encoding", "expect", "upgrade", "proxy-connection"})


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One HTTP request; a header that came more than once is joined with commas."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""
    head_size: int = 0

    @classmethod
    def from_scope(cls, scope: Scope, body: bytes = b"") -> WireRequest:
        return cls(
            method=scope["method"],
            path=scope["raw_path"].decode("latin-1"),
            query=scope["query_string"].decode("latin-1"),
            headers=_joined(scope["headers"]),
            body=body,
            head_size=sum(len(name) + len(value) + 4 for name, value in scope["headers"]),
        )

    @classmethod
    def plain(cls, data: bytes) -> WireRequest | None:
        """The request that these bytes begin or are, if nothing about it is unusual and nothing follows it."""
        head = _PLAIN_HEAD.match(data)
        if head is None:
            return None
        lines, body = head[1].decode("ascii").split("\r\n"), data[head.end() :]
        headers = {}
        for line in lines[:-1]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value.strip()
        if len(headers) + 1 != len(lines) or not _UNUSUAL.isdisjoint(headers):
            return None
        if headers.get("connection", "keep-alive").lower() != "keep-alive":
            return None
        announced = headers.get("content-length", "")
        if _PLAIN_LENGTH.fullmatch(announced) is None or len(body) > int(announced):
            return None
        return cls("POST", "/", "", headers, body, len(head[1]))

    def with_body(self, body: bytes) -> WireRequest:
        return replace(self, body=body)

    @property
    def length(self) -> int:
        """The length that the client announces, or zero."""
        announced = self.headers.get("content-length", "")
        return int(announced) if announced.isdecimal() else 0

    @property
    def is_whole(self) -> bool:
        return len(self.body) == self.length

    @property
    def content_type(self) -> str:
        return _media_type(self.headers.get("content-type", ""))


@lru_cache(maxsize=64)
def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1").strip()
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP answer, its body as it goes over the wire."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def lines(self, request_id: str) -> list[tuple[bytes, bytes]]:
        """The headers, with those that every answer of DynamoDB carries."""
        return [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in self._named(request_id).items()
        ]

    def head(self, request_id: str) -> bytes:
        """The same as they go over the wire."""
        named = self._named(request_id)
        return "".join([f"{name}: {value}\r\n" for name, value in named.items()]).encode("latin-1")

    def _named(self, request_id: str) -> dict[str, str]:
        return {
            "server": "Server",
            "content-length": str(len(self.body)),
            "x-amzn-requestid": request_id,
            # AWS computes it over the bytes as sent, after gzip; the Go SDK checks it so.
            "x-amz-crc32": str(zlib.crc32(self.body)),
            **self.headers,
        }


def json_response(request: WireRequest, document: Mapping[str, Any], status: int = 200) -> Response:
    """The answer in the JSON that the client speaks, compressed when it is large and that is welcome."""
    # AWS answers a request that names no type as application/json.
    asked = request.content_type
    spoken = asked if asked in JSON_TYPES else "application/json"
    body, headers = orjson.dumps(document), {"content-type": spoken}
    if len(body) > COMPRESSED_ABOVE:
        coding = compression.preferred(request.headers.get("accept-encoding", ""))
        if coding is not None:
            body, headers = compression.ENCODERS[coding](body), headers | {"content-encoding": coding}
    return Response(status, body, headers)


def error_response(request: WireRequest, error: WireError) -> Response:
    return json_response(request, error.body(), error.status)
