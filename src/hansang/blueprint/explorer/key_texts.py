"""Parts of keys as people write them, one text for each."""

from __future__ import annotations

import binascii
from decimal import Decimal, InvalidOperation

from hansang.design.codec import Value
from hansang.errors import InvalidInput


def key_value(attribute: str, kind: str, text: str) -> Value:
    """A part of a key from its text, by the type that the table gives to it."""
    if not text:
        raise InvalidInput(
            "{attribute} is part of the key and cannot be empty.",
            attribute,
            code="surfaces.empty-key",
            values={"attribute": attribute},
        )
    if kind == "N":
        return {"N": _number(attribute, text)}
    if kind == "B":
        return {"B": _base64(attribute, text)}
    return {"S": text}


def _number(attribute: str, text: str) -> str:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InvalidInput(
            "{attribute} is a number, and {text!r} is not a valid one.",
            attribute,
            code="surfaces.not-a-number",
            values={"attribute": attribute, "text": text},
        )
    return text.strip()


def _base64(attribute: str, text: str) -> str:
    try:
        binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError) as reason:
        raise InvalidInput(
            "{attribute} is binary; write it as base64.",
            attribute,
            code="surfaces.key-base64",
            values={"attribute": attribute},
        ) from reason
    return text


def key_text(value: Value) -> str:
    """A part of a key as text."""
    return str(next(iter(value.values())))
