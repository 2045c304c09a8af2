"""Who is asking: the key or the session that a request carries."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from starlette.requests import Request

from hansang.parts.permissions import Principal
from hansang.surfaces.http.cookies import SESSION
from hansang.surfaces.shell import Shell

FRESH = 5.0
"""For how many seconds a key is not looked up again; so long a revoked one may still work."""
REMEMBERED = 4096

_BEARER = "bearer "


class Credential:
    """What a request shows to be let in, and the digest by which it is remembered."""

    __slots__ = ("digest", "kind", "text")

    def __init__(self, kind: Literal["key", "session"], text: str) -> None:
        self.kind, self.text = kind, text
        self.digest = hashlib.sha256(f"{kind} {text}".encode("utf-8", "surrogatepass")).digest()


def credential_of(request: Request) -> Credential | None:
    """The credential of a request, which the frame may have read already."""
    state = request.scope.setdefault("state", {})
    if "credential" not in state:
        state["credential"] = credential(dict(request.scope["headers"]))
    found: Credential | None = state["credential"]
    return found


def credential(headers: Mapping[bytes, bytes]) -> Credential | None:
    """The key of the Authorization header; without that header the session of the cookie."""
    said = headers.get(b"authorization")
    if said is not None:
        text = said.decode("latin-1")
        return Credential("key", text[len(_BEARER) :].strip()) if text.lower().startswith(_BEARER) else None
    cookie = headers.get(b"cookie")
    value = None if cookie is None else _cookie(cookie.decode("latin-1"))
    return Credential("session", value) if value else None


def _cookie(header: str) -> str | None:
    if SESSION.name not in header:
        return None
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == SESSION.name:
            return value.strip('"')
    return None


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    principal: Principal | None
    at: float
    rate: int | None = None


class Principals:
    """Looks up who is asking, and remembers keys for a few seconds.

    Sessions are looked up every time, so that whoever signs out is out. What is remembered is bounded, and
    of credentials only their digests.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._seen: OrderedDict[bytes, _Seen] = OrderedDict()
        self._lock = Lock()

    def find(self, request: Request) -> Principal | None:
        """The principal, or None; for a session, `request.state` has the person and the session afterwards."""
        shown = credential_of(request)
        if shown is None:
            return None
        return self._of_key(shown) if shown.kind == "key" else self._of_session(shown, request)

    def remembered(self, request: Request) -> Principal | None:
        """The principal of a key that was looked up a moment ago; it reads nothing, so any thread may ask."""
        shown = credential_of(request)
        return None if shown is None or shown.kind != "key" else self._fresh(shown.digest)

    def sender(self, shown: Credential) -> tuple[str, int | None] | None:
        """Whoever had this credential when it was last looked up, by name, and a rate of its own if it has one."""
        with self._lock:
            seen = self._seen.get(shown.digest)
        return None if seen is None else (seen.name, seen.rate)

    def _of_key(self, shown: Credential) -> Principal | None:
        mark = shown.digest
        fresh = self._fresh(mark)
        if fresh is not None:
            return fresh
        now, key = self._shell.clock(), self._shell.identity.by_key(shown.text)
        if key is None:
            self._forget(mark)
            return None
        principal = Principal("key", key.id, key.label, frozenset(key.scopes))
        self._remember(mark, _Seen(f"key:{key.id}", principal, now, key.rate))
        return principal

    def _fresh(self, mark: bytes) -> Principal | None:
        with self._lock:
            seen = self._seen.get(mark)
        return seen.principal if seen is not None and 0 <= self._shell.clock() - seen.at < FRESH else None

    def _of_session(self, shown: Credential, request: Request) -> Principal | None:
        found = self._shell.identity.by_cookie(shown.text)
        if found is None:
            self._forget(shown.digest)
            return None
        session, person = found
        request.state.session, request.state.person = session, person
        self._remember(shown.digest, _Seen(f"person:{person.name}", None, 0.0))
        return Principal("person", person.name, person.shown_name, person.scopes, session.digest)

    def _remember(self, mark: bytes, seen: _Seen) -> None:
        with self._lock:
            self._seen[mark] = seen
            self._seen.move_to_end(mark)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)

    def _forget(self, mark: bytes) -> None:
        with self._lock:
            self._seen.pop(mark, None)


def find_principal(shell: Shell, request: Request) -> Principal | None:
    """Who is asking, looked up at most once a request; it reads tables, so it is called in a thread."""
    state = request.scope.setdefault("state", {})
    if "principal" not in state:
        principals = state.get("principals") or Principals(shell)
        state["principal"] = principals.find(request)
    found: Principal | None = state["principal"]
    return found
