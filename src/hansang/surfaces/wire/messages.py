"""What the endpoint reads and what it sends, apart from how it travels."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
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

    def with_body(self, body: bytes) -> WireRequest:
        return replace(self, body=body)

    @property
    def length(self) -> int:
        """The length that the client announces, or zero."""
        announced = self.headers.get("content-length", "")
        return int(announced) if announced.isdecimal() else 0

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


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
        headers = {
            "server": "Server",
            "content-length": str(len(self.body)),
            "x-amzn-requestid": request_id,
            # AWS computes it over the bytes as sent, after gzip; the Go SDK checks it so.
            "x-amz-crc32": str(zlib.crc32(self.body)),
            **self.headers,
        }
        return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def json_response(request: WireRequest, document: Mapping[str, Any], status: int = 200) -> Response:
    """The answer in the JSON that the client speaks, compressed when it is large and that is welcome."""
    # AWS answers a request that names no type as application/json.
    spoken = request.content_type if request.content_type in JSON_TYPES else "application/json"
    body, headers = orjson.dumps(document), {"content-type": spoken}
    if len(body) > COMPRESSED_ABOVE:
        coding = compression.preferred(request.headers.get("accept-encoding", ""))
        if coding is not None:
            body, headers = compression.ENCODERS[coding](body), headers | {"content-encoding": coding}
    return Response(status, body, headers)


def error_response(request: WireRequest, error: WireError) -> Response:
    return json_response(request, error.body(), error.status)
