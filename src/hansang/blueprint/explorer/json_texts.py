"""JSON that people read and write: numbers keep every digit that they have."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from pydantic_core import to_jsonable_python

_MARK = "\ufffc"
"""Stands around the digits of a number until they are written without quotes."""
_LONGEST_WHOLE = 125
"""The largest exponent of DynamoDB."""
_MARKED = re.compile(f'"{_MARK}([-+0-9.eE]+){_MARK}"')


def written(value: Any, indent: int | None = None) -> str:
    """Any value of an entity or an item as JSON."""
    text = json.dumps(_jsonable(value), ensure_ascii=False, indent=indent)
    return _MARKED.sub(r"\1", text)


def read(text: str) -> Any:
    """The value of a JSON text; ValueError if it is none. Fractions are exact."""
    return json.loads(text, parse_float=Decimal, parse_constant=_refuse)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if _is_short_whole(value) else f"{_MARK}{value}{_MARK}"
    if isinstance(value, dict):
        return {str(name): _jsonable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((_jsonable(each) for each in value), key=str)
    if value is None or isinstance(value, str | int):
        return value
    return _jsonable(to_jsonable_python(value, bytes_mode="base64"))


def _is_short_whole(value: Decimal) -> bool:
    """Whether a number has no fraction, and a length that can be written out: 1E+999999999 has a billion digits."""
    return value.is_finite() and value.adjusted() <= _LONGEST_WHOLE and value == value.to_integral_value()


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")
