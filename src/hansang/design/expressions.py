"""Conditions on items: how they are joined, and written for DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hansang.design.codec import Value
from hansang.errors import DesignError

if TYPE_CHECKING:
    from hansang.design.fields import Field


class ExpressionWriter:
    """Writes one request's expressions. Every name and every value stands behind an alias."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def name(self, attribute: str) -> str:
        alias = self.names.get(attribute)
        if alias is None:
            alias = self.names[attribute] = f"#n{len(self.names)}"
        return alias

    def value(self, value: Value) -> str:
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias

    def parameters(self) -> dict[str, Any]:
        """What a request needs beside its expressions."""
        found: dict[str, Any] = {}
        if self.names:
            found["ExpressionAttributeNames"] = {alias: name for name, alias in self.names.items()}
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found


class Condition:
    """Something that is true or false of an item."""

    def write(self, writer: ExpressionWriter) -> str:
        raise NotImplementedError

    def __and__(self, other: Condition | bool) -> Condition:
        return Junction("AND", (self, condition(other)))

    def __or__(self, other: Condition | bool) -> Condition:
        return Junction("OR", (self, condition(other)))

    def __invert__(self) -> Condition:
        return Negation(self)

    def __bool__(self) -> bool:
        raise DesignError(
            "A condition is true or false of an item, not by itself: `and`, `or`, `not`, `if`, `in` and chained "
            "comparisons cannot be used with it. Join conditions with all_of, any_of and none_of; "
            "instead of `field in [a, b]` write attr(field).one_of(a, b)."
        )

    def fields(self) -> Iterable[Field]:
        return ()

    def compared(self) -> Iterable[Field]:
        """The fields whose values matter, and not only whether they are there."""
        return self.fields()


@dataclass(frozen=True, slots=True, eq=False)
class Presence(Condition):
    """Whether the item is there at all, told by its partition key."""

    attribute: str
    there: bool

    def write(self, writer: ExpressionWriter) -> str:
        return f"attribute_{'' if self.there else 'not_'}exists({writer.name(self.attribute)})"

    def __str__(self) -> str:
        return "it is there" if self.there else "it is not there"


@dataclass(frozen=True, slots=True, eq=False)
class StoredAs(Condition):
    """Whether an attribute is stored as one of these values; None is that it is not stored at all."""

    attribute: str
    values: tuple[Value | None, ...]

    def write(self, writer: ExpressionWriter) -> str:
        name = writer.name(self.attribute)
        return " OR ".join(
            f"attribute_not_exists({name})" if value is None else f"{name} = {writer.value(value)}"
            for value in self.values
        )

    def __str__(self) -> str:
        return f"{self.attribute} is as it was read"


@dataclass(frozen=True, slots=True, eq=False)
class Junction(Condition):
    word: str
    parts: tuple[Condition, ...]

    def write(self, writer: ExpressionWriter) -> str:
        return f" {self.word} ".join(f"({part.write(writer)})" for part in self.parts)

    def fields(self) -> Iterable[Field]:
        return (field for part in self.parts for field in part.fields())

    def compared(self) -> Iterable[Field]:
        return (field for part in self.parts for field in part.compared())

    def __str__(self) -> str:
        word = self.word.lower()
        return f" {word} ".join(
            f"({part})" if isinstance(part, Junction) else str(part) for part in self.parts
        )


@dataclass(frozen=True, slots=True, eq=False)
class Negation(Condition):
    part: Condition

    def write(self, writer: ExpressionWriter) -> str:
        return f"NOT ({self.part.write(writer)})"

    def fields(self) -> Iterable[Field]:
        return self.part.fields()

    def compared(self) -> Iterable[Field]:
        return self.part.compared()

    def __str__(self) -> str:
        return f"not ({self.part})"


def condition(given: object) -> Condition:
    """What `Post.title == "…"` really is: type checkers take it for a bool, and it is a condition."""
    if isinstance(given, Condition):
        return given
    raise DesignError(
        f"{given!r} is not a condition. Compare a field of the class with a value: Post.title == '…'."
    )


def all_of(*conditions: Condition | bool) -> Condition:
    """True when every one is."""
    return _joined("AND", conditions)


def any_of(*conditions: Condition | bool) -> Condition:
    """True when at least one is."""
    return _joined("OR", conditions)


def none_of(*conditions: Condition | bool) -> Condition:
    """True when not one is."""
    return Negation(_joined("OR", conditions))


def _joined(word: str, given: tuple[Condition | bool, ...]) -> Condition:
    parts = tuple(condition(each) for each in given)
    if not parts:
        raise DesignError("No condition to join. Give at least one.")
    return parts[0] if len(parts) == 1 else Junction(word, parts)
