"""Items as the plain JSON that documents show."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hansang.design.codec import Value, encoded, to_python, to_value
from hansang.design.shape import Item
from hansang.errors import SettingsError

_TAGS = {"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}


def plain_item(item: Item) -> dict[str, Any]:
    """An item without the tags of types."""
    return {name: plain_value(value) for name, value in item.items()}


def plain_value(value: Value) -> Any:
    return _jsonable(to_python(value))


def _jsonable(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return encoded(value)
    if isinstance(value, dict):
        return {name: _jsonable(each) for name, each in value.items()}
    if isinstance(value, list | set):
        return [_jsonable(each) for each in (sorted(value) if isinstance(value, set) else value)]
    return value


def tagged(item: Any) -> Item:
    """An item of a JSON file, whether its values carry the tags of their types or not."""
    if not isinstance(item, dict):
        raise SettingsError("An item is a JSON object.")
    if item and all(
        isinstance(each, dict) and len(each) == 1 and each.keys() <= _TAGS for each in item.values()
    ):
        return item
    return {name: to_value(_exact(value)) for name, value in item.items()}


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, dict):
        return {name: _exact(each) for name, each in value.items()}
    return [_exact(each) for each in value] if isinstance(value, list) else value
