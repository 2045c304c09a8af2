"""Key templates: `CATEGORY#{category_id}`, written once, filled and read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cached_property
from typing import Any

from hansang.design.composing import composed
from hansang.errors import DesignError, InvalidInput, InvalidKey

_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)(?::([^{}]*))?\}")
_WIDTH = re.compile(r"0(\d+)d?")
_SEPARATORS = re.compile(r"[^0-9A-Za-z_\s.-]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field stands in a template, and in which format: `{day}`, `{number:06d}`."""

    name: str
    format: str

    @property
    def width(self) -> int | None:
        """How many digits a number has at the most, where the format fixes it."""
        match = _WIDTH.fullmatch(self.format) if self.format else None
        return int(match[1]) if match else None


@dataclass(frozen=True)
class Template:
    """The text of a key, with places for fields."""

    text: str
    parts: tuple[str | Place, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        parts: list[str | Place] = []
        at = 0
        for match in _PLACE.finditer(text):
            if match.start() > at:
                parts.append(text[at : match.start()])
            elif parts:
                raise DesignError(
                    f"In the key {text!r} two fields stand side by side. Put a separator between them."
                )
            parts.append(Place(match[1], match[2] or ""))
            at = match.end()
        if at < len(text):
            parts.append(text[at:])
        if "{" in text[at:] or not text:
            raise DesignError(f"The key {text!r} cannot be read. Write fields as {{name}}.")
        return cls(text, tuple(parts))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Place))

    @cached_property
    def bare(self) -> str | None:
        """The one field that the key consists of, if it is nothing else."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Place) and not self.parts[0].format:
            return self.parts[0].name
        return None

    @cached_property
    def separators(self) -> frozenset[str]:
        """Characters that may not be in a field, because the template has them between fields."""
        literals = "".join(part for part in self.parts if isinstance(part, str))
        return frozenset(_SEPARATORS.findall(literals))

    @cached_property
    def prefix(self) -> str:
        """The text before the first field."""
        return self.parts[0] if isinstance(self.parts[0], str) else ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = [
            re.escape(part) if isinstance(part, str) else f"(?P<{part.name}>.+?)" for part in self.parts
        ]
        return re.compile("".join(pieces), re.DOTALL)

    def fill(self, values: Mapping[str, Any]) -> str:
        """The key of these values."""
        return "".join(
            part if isinstance(part, str) else self.place(part, values[part.name]) for part in self.parts
        )

    def begin(self, values: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """The key as far as the values reach, and the fields that are still to come."""
        text, rest = "", list(self.parts)
        while rest and (isinstance(rest[0], str) or rest[0].name in values):
            part = rest.pop(0)
            text += part if isinstance(part, str) else self.place(part, values[part.name])
        return text, tuple(part.name for part in rest if isinstance(part, Place))

    def place(self, place: Place, value: Any) -> str:
        """One value as it stands in the key; refused when it would make another key of it."""
        text = _written(place, value)
        if not text:
            raise InvalidKey(f"{place.name} is empty, and the key {self.text} needs it.")
        strange = next((character for character in self.separators if character in text), None)
        if strange is not None:
            raise InvalidKey(
                f"{place.name} has a {strange!r} in it, which separates the parts of the key {self.text}."
            )
        width = place.width if place.format else None
        if width is not None and len(text) > width:
            raise InvalidKey(
                f"{place.name} is {text}, which is wider than the {width} digits of the key {self.text}."
            )
        return text

    @cached_property
    def simple(self) -> tuple[str, str] | None:
        """The prefix and the field of a template that has no more than these."""
        if len(self.parts) == 2 and isinstance(self.parts[0], str) and isinstance(self.parts[1], Place):
            return self.parts[0], self.parts[1].name
        return None

    def read(self, key: str) -> dict[str, str]:
        """The parts of a key, as text."""
        if self.simple is not None:
            prefix, name = self.simple
            if key.startswith(prefix) and len(key) > len(prefix):
                return {name: key[len(prefix) :]}
        match = self._pattern.fullmatch(key)
        if match is None:
            raise InvalidKey(f"{key!r} is not a key of the form {self.text}.")
        return match.groupdict()

    def matches(self, key: str) -> bool:
        return self._pattern.fullmatch(key) is not None


def _written(place: Place, value: Any) -> str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return value if value.isascii() else _composed(place, value)
    if isinstance(value, bool) or not isinstance(value, int | date | datetime):
        raise InvalidKey(f"{place.name} is {value!r}; a key is made of strings, whole numbers and dates.")
    if isinstance(value, int):
        return _whole(place, value)
    return value.strftime(place.format) if place.format else _iso(value)


def _composed(place: Place, value: str) -> str:
    """The text as one key, however its letters were put together."""
    try:
        return composed(value)
    except InvalidInput as fault:
        raise InvalidKey(f"{place.name} cannot stand in a key. {fault}") from None


def _whole(place: Place, value: int) -> str:
    if place.format and value < 0:
        raise InvalidKey(f"{place.name} is {value}; a number of fixed width in a key cannot be negative.")
    return format(value, place.format)


def _iso(moment: date | datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(moment, datetime) else moment.isoformat()
