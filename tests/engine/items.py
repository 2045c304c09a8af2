"""Items in DynamoDB's wire form, written briefly, or made to weigh an exact number of bytes."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

Value = dict[str, Any]
Item = dict[str, Value]

KB = 1024
LARGEST = 400 * KB


def value(thing: Any) -> Value:
    """A Python value as an attribute value; whatever is nothing else is a number."""
    if isinstance(thing, bool):
        return {"BOOL": thing}
    if thing is None:
        return {"NULL": True}
    if isinstance(thing, set):
        return {"SS" if isinstance(next(iter(thing)), str) else "NS": sorted(map(str, thing))}
    if isinstance(thing, bytes):
        return {"B": b64encode(thing).decode()}
    if isinstance(thing, list):
        return {"L": [value(each) for each in thing]}
    if isinstance(thing, dict):
        return {"M": item(**thing)}
    return {"S": thing} if isinstance(thing, str) else {"N": str(thing)}


def item(**attributes: Any) -> Item:
    return {name: value(thing) for name, thing in attributes.items()}


def filled(size: int, **texts: str) -> Item:
    """An item of texts that its attribute `fill` brings to exactly `size` bytes."""
    known = sum(len(name.encode()) + len(text.encode()) for name, text in texts.items())
    return item(**texts, fill="x" * (size - known - len("fill")))
