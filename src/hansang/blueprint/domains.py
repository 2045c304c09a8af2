"""What values a field of a key can have: free text, something of fixed width, few values, or times."""

from __future__ import annotations

import enum
import re
from datetime import date
from typing import Any, Literal, get_origin

from annotated_types import MaxLen, MinLen
from pydantic.types import StringConstraints

from hansang.blueprint.samples import bare
from hansang.design.shape import Shape

_TIME = re.compile(r"(^|_)(day|date|dt|week|month|year|ym|hour)(_|$)")
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
    kind = kind_of(shape, name)
    if isinstance(kind, type) and issubclass(kind, date):
        return True
    attribute = shape.slots[name].attribute or ""
    return any(_TIME.search(_HUMP.sub("_", each).lower()) for each in (name, attribute))
