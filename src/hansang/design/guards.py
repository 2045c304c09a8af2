"""Values that pydantic would turn into others without a word, refused before it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, slots=True)
class InputGuard:
    """Looks at a Python value before pydantic does; JSON is read as pydantic reads it."""

    check: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = handler(source)
        guarded = core_schema.no_info_before_validator_function(self.check, inner)
        return core_schema.json_or_python_schema(json_schema=inner, python_schema=guarded)


def _no_number(given: object) -> object:
    if isinstance(given, int | float | Decimal) or (
        isinstance(given, str) and given.strip("+-.").isdecimal()
    ):
        raise ValueError(
            f"{given!r} is a number. Give a moment with its time zone, such as 2026-01-01T00:00:00Z"
        )
    return given


def _no_moment(given: object) -> object:
    if isinstance(given, int | float | Decimal):
        raise ValueError(f"{given!r} is a number. Give a day, such as 2026-01-01")  # noqa: TRY004
    if isinstance(given, datetime):
        raise ValueError("it is a day, and this is a moment; take its .date() in the zone you mean")  # noqa: TRY004
    return given


def _no_float(given: object) -> object:
    if isinstance(given, float):
        raise ValueError("a float is not exact; give a Decimal, or its text")  # noqa: TRY004
    return given


MOMENT, DAY, DECIMAL = InputGuard(_no_number), InputGuard(_no_moment), InputGuard(_no_float)
