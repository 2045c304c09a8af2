"""What Discord sends when somebody uses a command, and the proof that Discord has sent it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hansang.errors import InvalidInput
from hansang.parts.words import Language

PING, COMMAND, AUTOCOMPLETE = 1, 2, 4
OLDEST_SECONDS = 300
"""An older request may be one that somebody has recorded."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One use of a command, or a name that is being typed."""

    kind: int
    ident: str
    token: str
    application: str
    command: str
    options: dict[str, str]
    focused: str
    """What is typed into the option that is being completed."""
    language: Language


def is_genuine(key: str, signature: str, timestamp: str, body: bytes, now: float) -> bool:
    """Whether the holder of the private key has signed this, not long ago."""
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 16):
        return False
    if abs(now - int(timestamp)) > OLDEST_SECONDS:
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), timestamp.encode() + body)
    except (ValueError, InvalidSignature):
        return False
    return True


def read_interaction(body: bytes) -> Interaction:
    """The interaction in a body that is genuine; InvalidInput for what has no such shape."""
    try:
        found = orjson.loads(body)
        named: dict[str, Any] = found.get("data") or {}
        options: list[dict[str, Any]] = named.get("options") or []
        given = {str(each["name"]): str(each["value"]) for each in options if "value" in each}
        return Interaction(
            kind=int(found["type"]),
            ident=str(found["id"]),
            token=str(found["token"]),
            application=str(found["application_id"]),
            command=str(named.get("name", "")),
            options=given,
            focused=next((str(each.get("value", "")) for each in options if each.get("focused")), ""),
            language="ko" if str(found.get("locale", "ko")).startswith("ko") else "en",
        )
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise InvalidInput(
            "The body is not an interaction of Discord.", code="rankings.no-interaction"
        ) from fault
