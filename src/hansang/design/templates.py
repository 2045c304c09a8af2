"""Key templates: `CATEGORY#{category_id}`, written once, filled and read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hansang.design.notations import LAST, Notation, width_of
from hansang.errors import DesignError, InvalidKey

_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)(?::([^{}]*))?\}")
_SEPARATORS = re.compile(r"[^0-9A-Za-z_\s.-]")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Where a field stands in a template, and in which format: `{day}`, `{number:06d}`."""

    name: str
    format: str
    notation: Notation | None = field(default=None, compare=False, repr=False)
    """How its values are written; known once the template belongs to an entity."""

    @property
    def width(self) -> int | None:
        """How many digits a number has at the most, where the format fixes it."""
        return width_of(self.format)


@dataclass(frozen=True)
class Template:
    """The text of a key, with places for fields."""

    text: str
    parts: tuple[str | Placeholder, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        parts: list[str | Placeholder] = []
        at = 0
        for match in _PLACE.finditer(text):
            if match.start() > at:
                parts.append(text[at : match.start()])
            elif parts:
                raise DesignError(
                    f"In the key {text!r} two fields stand side by side. Put a separator between them."
                )
            parts.append(Placeholder(match[1], match[2] or ""))
            at = match.end()
        if at < len(text):
            parts.append(text[at:])
        found = cls(text, tuple(parts))
        if "{" in found.literals or "}" in found.literals or not text:
            raise DesignError(f"The key {text!r} cannot be read. Write fields as {{name}}.")
        if len({*found.fields}) != len(found.fields):
            raise DesignError(f"The key {text!r} has a field twice.")
        return found

    def bound(self, notation: Callable[[Placeholder], Notation]) -> Template:
        """The same template with the notation of each of its fields."""
        parts = [
            part if isinstance(part, str) else replace(part, notation=notation(part)) for part in self.parts
        ]
        return Template(self.text, tuple(parts))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Placeholder))

    @cached_property
    def places(self) -> dict[str, Placeholder]:
        return {part.name: part for part in self.parts if isinstance(part, Placeholder)}

    @cached_property
    def partial(self) -> tuple[str, ...]:
        """The fields of which the key keeps only a part, such as the month of a moment."""
        return tuple(
            name
            for name, place in self.places.items()
            if self.bare is None and place.notation is not None and place.notation.read is None
        )

    @cached_property
    def bare(self) -> str | None:
        """The one field that the key consists of, if it is nothing else."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Placeholder) and not self.parts[0].format:
            return self.parts[0].name
        return None

    @cached_property
    def literals(self) -> str:
        return "".join(part for part in self.parts if isinstance(part, str))

    @cached_property
    def separators(self) -> frozenset[str]:
        """Characters that may not be in a field, because the template has them between fields."""
        return frozenset(_SEPARATORS.findall(self.literals))

    @cached_property
    def refused(self) -> dict[str, frozenset[str]]:
        """The characters that each field may not have: the separators, and what comes right behind it."""
        following = [*self.parts[1:], ""]
        return {
            part.name: self.separators | frozenset(str(after)[:1])
            for part, after in zip(self.parts, following, strict=True)
            if isinstance(part, Placeholder)
        }

    @cached_property
    def prefix(self) -> str:
        """The text before the first field."""
        return self.parts[0] if isinstance(self.parts[0], str) else ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        pieces = [re.escape(part) if isinstance(part, str) else self._group(part) for part in self.parts]
        return re.compile("".join(pieces), re.DOTALL | re.ASCII)

    def _group(self, place: Placeholder) -> str:
        forms = None if place.notation is None else place.notation.forms
        refused = "".join(map(re.escape, sorted(self.refused[place.name])))
        return f"(?P<{place.name}>{forms or (f'[^{refused}]+' if refused else '.+')})"

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
        return text, tuple(part.name for part in rest if isinstance(part, Placeholder))

    def place(self, place: Placeholder, value: Any) -> str:
        """One value as it stands in the key; refused when it would make another key of it."""
        assert place.notation is not None, "a template writes values once it belongs to an entity"
        try:
            text = place.notation.write(value)
        except (ValueError, TypeError, AttributeError) as reason:
            raise InvalidKey(
                "{field} is {value}, which cannot be in the key {key}: {reason}.",
                code="design.key-value",
                values={"field": place.name, "value": shown(value), "key": self.text, "reason": reason},
            ) from None
        if not text:
            raise InvalidKey(
                "{field} is empty, and the key {key} needs it.",
                code="design.empty-key",
                values={"field": place.name, "key": self.text},
            )
        strange = next((each for each in self.refused[place.name] if each in text), None)
        if not place.notation.varies:
            strange = None  # Its width alone says where it ends.
        if strange is not None:
            raise InvalidKey(
                "{field} has a {mark!r} in it, which separates the parts of the key {key}.",
                code="design.separator",
                values={"field": place.name, "mark": strange, "key": self.text},
            )
        if place.notation.is_text and LAST in text:
            raise InvalidKey(
                "{field} has U+10FFFF in it, which no key may have: it marks the end of a range.",
                code="design.last-character",
                values={"field": place.name},
            )
        return text

    def read(self, key: str) -> dict[str, str]:
        """The parts of a key, as text."""
        match = self.pattern.fullmatch(key)
        if match is None:
            raise InvalidKey(
                "{key!r} is not a key of the form {template}.",
                code="design.not-a-key",
                values={"key": key, "template": self.text},
            )
        return match.groupdict()

    def matches(self, key: str) -> bool:
        return self.pattern.fullmatch(key) is not None


def shown(value: Any) -> str:
    """A value for people, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of too many digits"
    return text if len(text) <= 200 else f"{text[:200]}…"
