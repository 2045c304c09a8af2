"""Cursors: a place in the answers to one question, encrypted and signed, so that nobody reads one or makes one up."""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

import orjson

from hansang.design.query import Query
from hansang.errors import InvalidCursor

_TAG = 16


@dataclass(frozen=True, slots=True)
class CursorPosition:
    """Behind which item to go on, and how many items came before."""

    start: dict[str, Any]
    offset: int


def foreign_cursor() -> InvalidCursor:
    """The refusal of a cursor that was not given for a question."""
    return InvalidCursor("This cursor does not belong to this question. Start again without one.")


def write(secret: bytes, query: Query[Any], table: str, place: CursorPosition) -> str:
    """A cursor into the answers that the table of this name gives to a question."""
    return seal(secret, _question(query, table), [place.start, place.offset])


def read(secret: bytes, query: Query[Any], table: str, cursor: str) -> CursorPosition:
    """Refuse a cursor that was not given for this question with these arguments, on this table."""
    start, offset = unseal(secret, _question(query, table), cursor)
    return CursorPosition(start, offset)


def seal(secret: bytes, subject: bytes, values: list[Any]) -> str:
    """A text that holds these values, signed for a subject. Whoever has it cannot read them.

    The place where a page ends may be the key of an item that whoever turns it is not shown.
    """
    body = orjson.dumps(values)
    signature = _signature(secret, subject, body)
    return urlsafe_b64encode(signature + _encrypted(secret, signature, body)).decode().rstrip("=")


def unseal(secret: bytes, subject: bytes, cursor: str) -> list[Any]:
    """The values in such a text; one that was not signed for this subject is refused."""
    if not isinstance(cursor, str):
        raise foreign_cursor()
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError) as reason:
        raise foreign_cursor() from reason
    signature = raw[:_TAG]
    body = _encrypted(secret, signature, raw[_TAG:])
    if not hmac.compare_digest(signature, _signature(secret, subject, body)):
        raise foreign_cursor()
    values: list[Any] = orjson.loads(body)
    return values


def _signature(secret: bytes, subject: bytes, body: bytes) -> bytes:
    return hmac.new(secret, subject + b"\0" + body, hashlib.sha256).digest()[:_TAG]


def _encrypted(secret: bytes, signature: bytes, text: bytes) -> bytes:
    """The text under a key stream that its signature begins, as in SIV (RFC 5297); the same again decrypts it."""
    stream = hashlib.shake_256(b"cursor\0" + secret + signature).digest(len(text))
    return (int.from_bytes(text) ^ int.from_bytes(stream)).to_bytes(len(text))


def _question(query: Query[Any], table: str) -> bytes:
    """What makes two questions the same one: the request that they are."""
    request = query.request(table)
    only = sorted((shape.cls.__name__, str(begun)) for shape, (begun, _) in query.only.items())
    kinds = [shape.cls.__name__ for shape in query.shapes]
    return orjson.dumps([query.name, request, kinds, only, *query.buckets], option=orjson.OPT_SORT_KEYS)
