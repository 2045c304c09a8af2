"""Between our form, which is pure JSON, and boto3's, which has bytes and datetimes in it."""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hansang.errors import WireError


def from_json(value: Any) -> Any:
    """A request with bytes in place of base64 text; the same object when there is none in it.

    A value is binary when its only member is `B` with a text, or `BS` with a list of texts. Nothing else
    in a request looks so: an attribute called B has a value, which is a mapping, and a table's name is
    longer.
    """
    if isinstance(value, Mapping):
        if len(value) == 1 and (binary := _binary(value)) is not None:
            return binary
        return _mapped(value)
    if isinstance(value, list):
        found = [from_json(each) for each in value]
        return value if all(new is old for new, old in zip(found, value, strict=True)) else found
    return value


def _mapped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    changed = {
        name: new
        for name, old in value.items()
        if not isinstance(old, str | int) and (new := from_json(old)) is not old
    }
    return {**value, **changed} if changed else value


def _binary(value: Mapping[str, Any]) -> dict[str, Any] | None:
    text = value.get("B")
    if isinstance(text, str):
        return {"B": _from_base64(text)}
    texts = value.get("BS")
    if isinstance(texts, list) and texts and all(isinstance(each, str) for each in texts):
        return {"BS": [_from_base64(each) for each in texts]}
    return None


def _from_base64(text: str) -> bytes:
    try:
        return a2b_base64(text, strict_mode=True)
    except (NotBase64, ValueError) as reason:
        raise WireError(
            "SerializationException", f"'{text}' can not be converted to a Blob: {reason}"
        ) from reason


def to_json(value: Any) -> Any:
    """A response with base64 text in place of bytes, and seconds since 1970 in place of datetimes."""
    if isinstance(value, dict):
        return {name: old if isinstance(old, str) else to_json(old) for name, old in value.items()}
    if isinstance(value, list):
        return [to_json(each) for each in value]
    if isinstance(value, bytes | bytearray):
        return b2a_base64(value, newline=False).decode()
    if isinstance(value, datetime):
        seconds = value.timestamp()
        return int(seconds) if seconds.is_integer() else seconds
    return value
