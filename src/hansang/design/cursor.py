"""Cursors: a place in the answers to one question, signed so that nobody can make one up."""

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


def write(secret: bytes, query: Query[Any], place: CursorPosition) -> str:
    body = orjson.dumps([place.start, place.offset])
    return urlsafe_b64encode(_signature(secret, query, body) + body).decode().rstrip("=")


def read(secret: bytes, query: Query[Any], cursor: str) -> CursorPosition:
    """Refuse a cursor that was not given for this question with these arguments."""
    if not isinstance(cursor, str):
        raise InvalidCursor(_MESSAGE)
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError) as reason:
        raise InvalidCursor(_MESSAGE) from reason
    signature, body = raw[:_TAG], raw[_TAG:]
    if not hmac.compare_digest(signature, _signature(secret, query, body)):
        raise InvalidCursor(_MESSAGE)
    start, offset = orjson.loads(body)
    return CursorPosition(start, offset)


_MESSAGE = "This cursor does not belong to this question. Start again without one."


def _signature(secret: bytes, query: Query[Any], body: bytes) -> bytes:
    return hmac.new(secret, _question(query) + b"\0" + body, hashlib.sha256).digest()[:_TAG]


def _question(query: Query[Any]) -> bytes:
    """What makes two questions the same one: the request that they are."""
    request = query.request(query.table.name)
    only = sorted((shape.cls.__name__, str(begun)) for shape, (begun, _) in query.only.items())
    kinds = [shape.cls.__name__ for shape in query.shapes]
    return orjson.dumps([query.name, request, kinds, only], option=orjson.OPT_SORT_KEYS)
