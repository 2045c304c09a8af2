"""Why a line was not stored, or what is unusual about a page: a code with its values, and the same in English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hansang.errors import HansangError

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Reason:
    """A text of the application; words in other languages are found by its code, if it has one."""

    text: str
    code: str | None = None
    values: Mapping[str, str] | None = None


def reason(text: str, *, code: str, values: Mapping[str, object] | None = None) -> Reason:
    """The reason of a code; the places of the text are filled with the values.

    Text and values are cut, so that a part of a report fits into an item.
    """
    if not values:
        return Reason(text, code)
    kept = {name: str(value)[:_LONGEST] for name, value in values.items()}
    return Reason(text.format_map(values)[:_LONGEST], code, kept)


def reason_of(error: HansangError) -> Reason:
    """What an error says."""
    kept = {name: str(value)[:_LONGEST] for name, value in error.values.items()}
    return Reason(str(error)[:_LONGEST], error.code, kept or None)
