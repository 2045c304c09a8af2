"""What values a field of a key can have: free text, something of fixed width, few values, or times."""

from __future__ import annotations

import enum
import re
from datetime import UTC, date, datetime
from typing import Any, Literal, get_args, get_origin

from annotated_types import MaxLen, MinLen
from pydantic.types import StringConstraints

from hansang.blueprint.samples import bare
from hansang.design.shape import Shape
from hansang.design.templates import Placeholder, Template

_TIME = re.compile(r"(^|_)(day|date|dt|week|month|year|ym|hour)(_|$)")
_MOMENT = re.compile(r"(^|_)(at|time|timestamp|ms)(_|$)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def kind_of(shape: Shape, name: str) -> Any:
    """The plain type of a field."""
    return bare(shape.cls.model_fields[name].annotation)


def is_free_text(shape: Shape, name: str) -> bool:
    """Whether the field is a text of any length and any characters."""
    kind = kind_of(shape, name)
    if not isinstance(kind, type) or not issubclass(kind, str) or issubclass(kind, enum.Enum):
        return False
    low, high = _lengths(shape, name)
    return high is None or low != high


def _lengths(shape: Shape, name: str) -> tuple[int | None, int | None]:
    low = high = None
    for each in shape.cls.model_fields[name].metadata:
        if isinstance(each, StringConstraints):
            low, high = each.min_length, each.max_length
        low = each.min_length if isinstance(each, MinLen) else low
        high = each.max_length if isinstance(each, MaxLen) else high
    return low, high


def is_bounded(shape: Shape, name: str) -> bool:
    """Whether the field says how long it can get."""
    return _lengths(shape, name)[1] is not None


def is_number(shape: Shape, name: str) -> bool:
    kind = kind_of(shape, name)
    return isinstance(kind, type) and issubclass(kind, int) and not issubclass(kind, bool | enum.Enum)


def has_few_values(shape: Shape, name: str) -> bool:
    """Whether the type itself names all values."""
    kind = kind_of(shape, name)
    return get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, bool | enum.Enum))


def is_time(shape: Shape, name: str) -> bool:
    """Whether the field is a day, a week, a month or the like, by its type or by its name."""
    return is_date(shape, name) or _is_called(shape, name, _TIME)


def is_moment(shape: Shape, name: str) -> bool:
    """Whether the field is a point in time, by its type or by its name."""
    return is_date(shape, name) or _is_called(shape, name, _MOMENT)


def is_date(shape: Shape, name: str) -> bool:
    """Whether the type of the field is a day or a moment."""
    kind = kind_of(shape, name)
    return isinstance(kind, type) and issubclass(kind, date)


def _is_called(shape: Shape, name: str, words: re.Pattern[str]) -> bool:
    attribute = shape.slots[name].attribute or ""
    return any(words.search(_HUMP.sub("_", each).lower()) for each in (name, attribute))


# ── in a key ──────────────────────────────────────────────────────────────────────────────────────

_TRIED = tuple(
    datetime(*parts, tzinfo=UTC)
    for parts in (
        (2025, 2, 28, 23, 59, 59),
        (2025, 3, 1, 0, 0, 0),
        (2025, 9, 30, 9, 8, 7),
        (2025, 10, 2, 1, 2, 3),
        (2025, 10, 11, 12, 13, 14),
        (2025, 10, 11, 13, 1, 2),
        (2026, 1, 1, 0, 0, 0),
    )
)
"""Moments one after the other, of which every part of a date goes down at least once."""


def choices(shape: Shape, name: str) -> tuple[str, ...]:
    """All texts that a field can be, where its type names them."""
    kind = kind_of(shape, name)
    found: tuple[Any, ...] = get_args(kind) if get_origin(kind) is Literal else ()
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        found = tuple(each.value for each in kind)
    return found if all(isinstance(each, str) for each in found) else ()


def form_of(shape: Shape, template: Template, place: Placeholder) -> str:
    """The regular expression of what can stand at a place of a key."""
    named = choices(shape, place.name)
    if named:
        return f"(?:{'|'.join(map(re.escape, named))})"
    if is_number(shape, place.name):
        return r"(?:0|-?[1-9]\d*)" if place.width is None else rf"\d{{{place.width}}}"
    if is_date(shape, place.name) and not place.format:
        return r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?"
    barred = "".join(map(re.escape, sorted(template.separators)))
    return f"[^{barred}]+?" if barred else ".+?"


def sorts_by_time(shape: Shape, place: Placeholder) -> bool:
    """Whether the format of a day or a moment puts earlier ones before later ones."""
    texts = [each.strftime(place.format) for each in _TRIED]
    return not is_date(shape, place.name) or texts == sorted(texts)
