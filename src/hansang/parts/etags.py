"""Entity tags: a short text that is the same exactly when an item is."""

from __future__ import annotations

import hashlib
from decimal import Context, Decimal
from typing import Any

import orjson

from hansang.design.codec import Value
from hansang.design.shape import Item

_LENGTH = 20
_EXACT = Context(prec=40)  # DynamoDB's numbers have up to 38 digits.


def etag(item: Item) -> str:
    """The tag of an item: the beginning of its digest."""
    return digest(item)[:_LENGTH]


def digest(item: Item) -> str:
    """The SHA-256 of an item's normal form."""
    return hashlib.sha256(orjson.dumps(_members(item), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _members(members: dict[str, Value]) -> dict[str, Any]:
    return {name: _normal(value) for name, value in members.items()}


def _normal(value: Value) -> Value:
    """A value in the one form that all equal values share: 1.0 is 1, and a set has no order."""
    [(kind, content)] = value.items()
    if kind == "N":
        return {kind: _number(content)}
    if kind == "NS":
        return {kind: sorted(map(_number, content))}
    if kind in ("SS", "BS"):
        return {kind: sorted(content)}
    if kind == "M":
        return {kind: _members(content)}
    return {kind: [_normal(member) for member in content] if kind == "L" else content}


def _number(text: str) -> str:
    number = Decimal(text)
    return str(number.normalize(_EXACT)) if number else "0"
