"""Values as JSON without losing a digit."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from typing import Any

import orjson

_SMALL = 2**53
"""JSON's own integers are exact as far as this in most readers; orjson writes 64 bits."""


def exact(value: Any) -> Any:
    """A value that orjson writes without losing a digit."""
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value))
    if isinstance(value, int) and not -_SMALL <= value <= _SMALL:
        return orjson.Fragment(str(value))
    if isinstance(value, dict):
        return {name: exact(member) for name, member in value.items()}
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, set | frozenset):
        return [exact(member) for member in sorted(value)]
    return [exact(member) for member in value] if isinstance(value, list | tuple) else value
