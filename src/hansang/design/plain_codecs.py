"""Codecs of plain values, and of values of any type: between Python and DynamoDB."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import itemgetter
from typing import Any
from uuid import UUID

from hansang.design.timestamps import (
    from_epoch,
    milliseconds_text,
    parse_day,
    parse_milliseconds,
    parse_seconds,
    seconds_text,
    to_epoch,
)

Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Codec:
    """How one type is stored: DynamoDB's type, and the way there and back.

    `kind` is None when the type of the attribute depends on the value; `member` is the codec of what a
    collection holds.
    """

    kind: str | None
    encode: Callable[[Any], Value]
    decode: Callable[[Value], Any]
    member: Codec | None = None
    serialized: Any = None
    """The mark of a codec of one's own, whose stored values are not what they mean."""


_GREATEST_EXPONENT = 130


def _number(value: int | Decimal) -> Value:
    """A number as DynamoDB writes it: without an exponent, and without zeros that say nothing."""
    if isinstance(value, int):
        return {"N": str(value)}
    if not value.is_finite() or abs(value.adjusted()) > _GREATEST_EXPONENT:
        raise ValueError("DynamoDB keeps numbers from 1E-130 to 9.99E+125")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return {"N": "0" if text in ("-0", "") else text}


def encoded(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).decode()


def decoded(text: str) -> bytes:
    return binascii.a2b_base64(text)


def parse_uuid(text: str) -> UUID:
    """The UUID of a text, in the one form in which it is stored."""
    found = UUID(text)
    if str(found) != text:
        raise ValueError(f"{text} is not of the form {found}")
    return found


TEXT = Codec("S", lambda text: {"S": text}, itemgetter("S"))
WHOLE = Codec("N", _number, lambda value: int(value["N"]))
DECIMAL = Codec("N", _number, lambda value: Decimal(value["N"]))
FLAG = Codec("BOOL", lambda flag: {"BOOL": flag}, itemgetter("BOOL"))
BINARY = Codec("B", lambda raw: {"B": encoded(raw)}, lambda value: decoded(value["B"]))
MOMENT = Codec("S", lambda moment: {"S": seconds_text(moment)}, lambda value: parse_seconds(value["S"]))
MILLISECOND = Codec(
    "S", lambda moment: {"S": milliseconds_text(moment)}, lambda value: parse_milliseconds(value["S"])
)
EPOCH = Codec("N", lambda moment: {"N": str(to_epoch(moment))}, lambda value: from_epoch(value["N"]))
IDENTIFIER = Codec("S", lambda found: {"S": str(found)}, lambda value: parse_uuid(value["S"]))
DAY = Codec("S", lambda day: {"S": day.isoformat()}, lambda value: parse_day(value["S"]))

# ── values of any type ────────────────────────────────────────────────────────────────────────────


def to_value(value: Any) -> Value:
    """Any Python value as an attribute value."""
    if value is None:
        return {"NULL": True}
    for kind, codec in ((bool, FLAG), (str, TEXT), (int, WHOLE), (Decimal, DECIMAL), (bytes, BINARY)):
        if isinstance(value, kind):
            return codec.encode(value)
    if isinstance(value, Mapping):
        return {"M": {str(name): to_value(member) for name, member in value.items()}}
    if isinstance(value, list | tuple):
        return {"L": [to_value(member) for member in value]}
    if isinstance(value, set | frozenset):
        return _to_set(value)
    if isinstance(value, datetime):
        return MOMENT.encode(value)
    if isinstance(value, date):
        return DAY.encode(value)
    if isinstance(value, UUID):
        return IDENTIFIER.encode(value)
    raise TypeError(unstorable(type(value)))


def unstorable(kind: Any) -> str:
    if kind is float:
        return "A float is not exact and is not stored. Use int or Decimal."
    name = getattr(kind, "__name__", kind)
    return f"A {name} cannot be stored in DynamoDB. Use str, int, Decimal, bool, bytes, list, dict or set."


def _to_set(members: set[Any] | frozenset[Any]) -> Value:
    values = [to_value(member) for member in sorted(members)]
    kinds = {next(iter(value)) for value in values}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise TypeError("A set holds strings, numbers or bytes, all of one kind, and at least one of them.")
    [kind] = kinds
    return {f"{kind}S": [value[kind] for value in values]}


def to_python(value: Value) -> Any:
    """An attribute value as the Python value that it stands for."""
    [(tag, content)] = value.items()
    return _FROM[tag](content)


def _exact(text: str) -> int | Decimal:
    return int(text) if "." not in text else Decimal(text)


_FROM: dict[str, Callable[[Any], Any]] = {
    "S": lambda text: text,
    "N": _exact,
    "B": decoded,
    "BOOL": lambda flag: flag,
    "NULL": lambda _: None,
    "L": lambda members: [to_python(member) for member in members],
    "M": lambda members: {name: to_python(member) for name, member in members.items()},
    "SS": set,
    "NS": lambda texts: {_exact(text) for text in texts},
    "BS": lambda texts: {decoded(text) for text in texts},
}


def nullable(codec: Codec) -> Codec:
    """The same codec with None as DynamoDB's NULL."""
    return Codec(
        codec.kind,
        lambda value: {"NULL": True} if value is None else codec.encode(value),
        lambda value: None if "NULL" in value else codec.decode(value),
        codec.member,
        codec.serialized,
    )
