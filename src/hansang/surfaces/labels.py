"""What the kinds, fields and choices of an application are called, and what to write into a field.

The words stand beside the design, in the `words.toml` of its application: `[kind]`, `[field]` and `[choice]`. A field of
one kind alone stands below its kind, `field.Income.name`; one that every kind has in common stands by itself,
`field.created_at`. The arguments of access patterns are looked up as fields. What has no words is called by what the kit
calls it (`field.named`), else by its name in the design, written for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from hansang.design.codec import plain
from hansang.parts.words import Language
from hansang.surfaces.wording import Wording

_ACRONYMS = frozenset({"id", "ip", "url", "uuid"})


@dataclass(frozen=True, slots=True)
class Labels:
    """The words of one application in one language."""

    wording: Wording
    area: str
    language: Language

    def kind(self, name: str) -> str:
        """What people call a kind of item."""
        return self._found(f"{self.area}.kind.{name}") or name

    def field(self, kind: str, name: str) -> str:
        """What people call a field of a kind, or an argument of its access patterns."""
        keys = (*self._keys("field", kind, f"{name}.name"), f"field.named.{name}")
        return self._found(*keys) or _spaced(name)

    def help(self, kind: str, name: str) -> str:
        """What to write into a field; empty if nobody has said."""
        return self._found(*self._keys("field", kind, f"{name}.help")) or ""

    def choice(self, kind: str, name: str, value: str) -> str:
        """What people call one of the values that can be chosen."""
        return self._found(*self._keys("choice", kind, f"{name}.{value}")) or value

    def row(self, number: int) -> str:
        """The number of a row, counted from 1."""
        return self.wording.text("field.row", self.language, number=number)

    def place(self, kind: str, model: Any, path: Sequence[str | int]) -> str:
        """A place inside of a value: `(0, "date")` of the payments is "Date, row 1", or "1번째 줄 일자"."""
        parts = [
            self.row(step + 1) if isinstance(step, int) else self.field(owner, step)
            for owner, step in _owners(kind, model, path)
        ]
        return " ".join(parts) if self.language == "ko" else ", ".join(reversed(parts))

    def _keys(self, sort: str, kind: str, name: str) -> Iterator[str]:
        yield f"{self.area}.{sort}.{kind}.{name}"
        yield f"{self.area}.{sort}.{name}"

    def _found(self, *keys: str) -> str | None:
        return next((text for key in keys if (text := self.wording.find(key, self.language))), None)


def _owners(kind: str, model: Any, path: Sequence[str | int]) -> Iterator[tuple[str, str | int]]:
    """Every step of a path with the name of the model whose field it is."""
    for step in path:
        yield kind, step
        inner = model_in(_annotation(model, step))
        if inner is not None:
            kind, model = inner.__name__, inner


def _annotation(model: Any, step: str | int) -> Any:
    fields = getattr(model, "model_fields", {})
    return fields[step].annotation if step in fields else None


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a value is, or that its members are."""
    found = plain(annotation)
    if isinstance(found, type) and issubclass(found, BaseModel):
        return found
    return next((each for each in map(model_in, get_args(found)) if each is not None), None)


def _spaced(name: str) -> str:
    """A name of the design as people would write it: `year_month` is "Year month", `author_id` is "Author ID"."""
    words = name.replace("_", " ").strip().capitalize().split()
    return " ".join(word.upper() if word.lower() in _ACRONYMS else word for word in words) or name
