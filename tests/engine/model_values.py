"""What the model knows of attribute values: their normal form, their order and their size."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from decimal import Context, Decimal, Inexact, InvalidOperation
from functools import cache
from typing import Any

import orjson

Value = dict[str, Any]
Item = dict[str, Value]

SETS = ("SS", "NS", "BS")
ORDERED = ("S", "N", "B")

_WIDE = Context(prec=600, Emax=2000, Emin=-2000, traps=[InvalidOperation])
_EXACT = Context(prec=38, Emax=2000, Emin=-2000, traps=[Inexact, InvalidOperation])


class Refused(Exception):
    """The model refuses the step, with the code that DynamoDB would answer."""

    def __init__(self, code: str = "ValidationException", **fields: Any) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields


class Unspecified(Exception):
    """DynamoDB's documents leave open what happens; the step is not taken."""


def kind(value: Value) -> str:
    return next(iter(value))


@cache
def number(text: str) -> Decimal:
    """A number within DynamoDB's 38 digits and its range of exponents, or Refused."""
    try:
        found = _WIDE.create_decimal(text)
    except InvalidOperation as fault:
        raise Refused from fault
    if not found.is_finite():
        raise Refused
    if found == 0:
        return Decimal(0)
    shortest = found.normalize(_WIDE)
    if len(shortest.as_tuple().digits) > 38 or not -130 <= shortest.adjusted() <= 125:
        raise Refused
    return shortest


def plain(value: Decimal) -> str:
    """DynamoDB's own spelling of a number: no exponent, no idle zeros."""
    return format(value, "f")


def total(left: Value, right: Value, sign: int = 1) -> Value:
    """A sum or a difference; one that needs more than 38 digits is refused."""
    try:
        found = _EXACT.add(number(left["N"]), number(right["N"]) * sign)
    except Inexact as fault:
        raise Refused from fault
    return {"N": plain(number(str(found)))}


def normal(value: Value) -> Value:
    """The value as it will be read back, or Refused."""
    if len(value) != 1:
        raise Refused
    sort, content = next(iter(value.items()))
    match sort:
        case "N":
            return {"N": plain(number(content))}
        case "NS":
            return {"NS": _distinct([plain(number(text)) for text in content])}
        case "SS" | "BS":
            return {sort: _distinct(content)}
        case "L":
            return {"L": [normal(element) for element in content]}
        case "M":
            return {"M": normal_item(content)}
    return value


def normal_item(item: Item) -> Item:
    return {name: normal(value) for name, value in item.items()}


def _distinct(members: list[str]) -> list[str]:
    if not members or len(set(members)) != len(members):
        raise Refused
    return members


def comparable(thing: Any) -> Any:
    """Any part of a request or a response, with the members of sets in one order."""
    if type(thing) is list:
        return [comparable(element) for element in thing]
    if type(thing) is not dict:
        return thing
    if len(thing) == 1:
        [(name, content)] = thing.items()
        if type(content) is str:
            return thing
        if name in SETS and type(content) is list:
            return {name: sorted(content)}
    return {name: comparable(value) for name, value in thing.items()}


def spelled(items: Iterable[Item]) -> list[str]:
    """Items in an order of their own, for comparing what has none."""
    return sorted(orjson.dumps(comparable(item), option=orjson.OPT_SORT_KEYS).decode() for item in items)


def same(left: Value, right: Value) -> bool:
    return bool(comparable(left) == comparable(right))


def order(value: Value) -> Any:
    """What keys and comparisons are sorted by: UTF-8 bytes, numbers, bytes."""
    sort, content = next(iter(value.items()))
    if sort == "S":
        return content.encode()
    return number(content) if sort == "N" else base64.b64decode(content)


def size(value: Value) -> int:
    """Bytes by DynamoDB's rule for item sizes."""
    sort, content = next(iter(value.items()))
    match sort:
        case "S":
            return len(content.encode())
        case "B":
            return len(base64.b64decode(content))
        case "N":
            return _number_size(content)
        case "SS" | "NS" | "BS":
            return sum(size({sort[0]: member}) for member in content)
        case "L":
            return 3 + sum(1 + size(element) for element in content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + size(part) for name, part in content.items())
    return 1


def _number_size(text: str) -> int:
    """A byte, one for two digits before the point, one for two behind it, one for a minus."""
    value = Decimal(text)
    if value == 0:
        return 1
    _, digits, exponent = value.normalize(Context(prec=200)).as_tuple()
    assert isinstance(exponent, int)
    behind = min(max(-exponent, 0), len(digits))
    return 1 + (len(digits) - behind + 1) // 2 + (behind + 1) // 2 + (value < 0)


def item_size(item: Item) -> int:
    return sum(len(name.encode()) + size(value) for name, value in item.items())
