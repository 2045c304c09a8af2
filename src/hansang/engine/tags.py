"""What DynamoDB demands of tags, in words that no other parameter has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from hansang.engine.faults import invalid
from hansang.errors import WireError

MOST = 50

_LONGEST_KEY = 128
_LONGEST_VALUE = 256
_MARKS = "+-=._:/@"


def check(tags: Sequence[dict[str, str]]) -> None:
    """Refuse tags of which one is not as it must be."""
    for tag in tags:
        _check_key(tag.get("Key"))
        _check_value(tag.get("Value"))
    _check_once([tag["Key"] for tag in tags])
    if len(tags) > MOST:
        raise too_many()


def check_keys(keys: Sequence[str]) -> None:
    for key in keys:
        _check_key(key)
    if len(keys) > MOST:
        raise too_many()


def too_many() -> WireError:
    return invalid("Number of Tags exceed the current limit for the provided ResourceArn")


def _check_key(key: str | None) -> None:
    if not key or len(key) > _LONGEST_KEY or not _is_plain(key):
        raise invalid(f"The Tag Key provided is invalid, Key: {'null' if key is None else key}")
    if key.lower().startswith("aws:"):
        raise invalid(f"Tag Key cannot be prefixed with aws:, Key: {key}")


def _check_value(value: str | None) -> None:
    if value is None or len(value) > _LONGEST_VALUE or not _is_plain(value):
        raise invalid(f"The Tag Value provided is invalid, Value: {'null' if value is None else value}")


def _is_plain(text: Iterable[str]) -> bool:
    """Letters, digits and spaces of any script, and a few marks."""
    return all(letter in _MARKS or unicodedata.category(letter)[0] in "LNZ" for letter in text)


def _check_once(keys: list[str]) -> None:
    for key in keys:
        if keys.count(key) > 1:
            raise invalid(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
