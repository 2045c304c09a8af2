"""A Discord of our own: a key pair that signs interactions as Discord does, and a server that answers its API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY = Ed25519PrivateKey.generate()
PUBLIC_KEY = KEY.public_key().public_bytes_raw().hex()

_USER = {"id": "80351110224678912", "username": "nelly", "discriminator": "0", "avatar": None}


def interaction(kind: int, data: dict[str, Any] | None = None, locale: str = "ko") -> dict[str, Any]:
    """An interaction in the shape that Discord sends."""
    found: dict[str, Any] = {
        "app_permissions": "562949953601536",
        "application_id": "1180000000000000001",
        "attachment_size_limit": 26214400,
        "authorizing_integration_owners": {"0": "290926798626357999"},
        "channel_id": "645027906669510667",
        "context": 0,
        "entitlements": [],
        "guild_id": "290926798626357999",
        "guild_locale": "ko",
        "id": "1190000000000000002",
        "locale": locale,
        "member": {
            "user": _USER,
            "roles": [],
            "permissions": "2147483647",
            "joined_at": "2020-01-01T00:00:00+00:00",
        },
        "token": "aW50ZXJhY3Rpb246token",
        "type": kind,
        "version": 1,
    }
    return found if data is None else {**found, "data": data}


def command(name: str, options: dict[str, str] | None = None, locale: str = "ko") -> dict[str, Any]:
    """The use of a command."""
    given = [{"name": each, "type": 3, "value": value} for each, value in (options or {}).items()]
    data = {"id": "1180000000000000009", "name": name, "type": 1, "options": given}
    return interaction(2, data, locale)


def typing(name: str, option: str, value: str) -> dict[str, Any]:
    """A name that is being typed."""
    given = [{"name": option, "type": 3, "value": value, "focused": True}]
    return interaction(4, {"id": "1180000000000000009", "name": name, "type": 1, "options": given})


def signed(document: dict[str, Any], at: float, key: Ed25519PrivateKey = KEY) -> tuple[bytes, dict[str, str]]:
    """A body with the headers that prove it."""
    body, moment = json.dumps(document).encode(), str(int(at))
    signature = key.sign(moment.encode() + body).hex()
    return body, {
        "X-Signature-Ed25519": signature,
        "X-Signature-Timestamp": moment,
        "Content-Type": "application/json",
    }


@dataclass
class Discord:
    """What the API of Discord was asked for."""

    base: str
    asked: list[tuple[str, str, str, bytes, str]] = field(default_factory=list)
    """Method, path, type, body and authorization of every request."""
    status: int = 200
    finished: Event = field(default_factory=Event)
    """Set when a message was put in the place of one that was deferred."""

    @property
    def paths(self) -> list[str]:
        return [f"{method} {path}" for method, path, *_ in self.asked]


@contextmanager
def discord() -> Iterator[Discord]:
    """The API of Discord on a socket."""

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kind, who = self.headers.get("Content-Type", ""), self.headers.get("Authorization", "")
            found.asked.append((self.command, self.path, kind, body, who))
            answer = body if self.command == "PUT" and found.status < 400 else b'{"message": "told"}'
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            if self.command == "PATCH":
                found.finished.set()

        do_PUT = do_POST = do_PATCH = _take  # noqa: N815 - the names that http.server looks for

        def log_message(self, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Discord(f"http://127.0.0.1:{server.server_port}/api/v10")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
