"""Requests without a server, for what only reads them."""

from __future__ import annotations

from starlette.requests import Request


def new_request(
    path: str = "/", query: str = "", *, peer: str | None = "127.0.0.1", method: str = "GET", **headers: str
) -> Request:
    """A request; `accept_language="…"` is the header Accept-Language."""
    lines = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Request(
        {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": lines,
            "client": None if peer is None else (peer, 1234),
            "state": {},
        }
    )
