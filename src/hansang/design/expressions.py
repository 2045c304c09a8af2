"""Conditions and updates on typed fields, and how they are written for DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from hansang.design.codec import Codec, Value, to_value
from hansang.errors import DesignError

T = TypeVar("T")


class Writer:
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

    def write(self, writer: Writer) -> str:
        raise NotImplementedError

    def __and__(self, other: Condition) -> Condition:
        return Junction("AND", (self, other))

    def __or__(self, other: Condition) -> Condition:
        return Junction("OR", (self, other))

    def __invert__(self) -> Condition:
        return Negation(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "A condition is true or false of an item, not by itself. Join conditions with all_of or any_of."
        )

    def fields(self) -> Iterable[Field]:
        return ()


class Field:
    """An attribute of an entity, as a class attribute gives it: `Post.title`."""

    def __init__(
        self, owner: type[Any], name: str, attribute: str, codec: Codec, *, in_key: bool = False
    ) -> None:
        self.owner, self.name, self.attribute, self.codec, self.in_key = owner, name, attribute, codec, in_key

    def __repr__(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    def __hash__(self) -> int:
        return hash((self.owner, self.name))

    def encode(self, value: Any) -> Value:
        try:
            return self.codec.encode(value)
        except (TypeError, ValueError, KeyError, AttributeError) as reason:
            raise TypeError(f"{self!r} cannot be {value!r}: {reason}") from reason

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return Comparison(self, "=", value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return Comparison(self, "<>", value)

    def __lt__(self, value: Any) -> Condition:
        return Comparison(self, "<", value)

    def __le__(self, value: Any) -> Condition:
        return Comparison(self, "<=", value)

    def __gt__(self, value: Any) -> Condition:
        return Comparison(self, ">", value)

    def __ge__(self, value: Any) -> Condition:
        return Comparison(self, ">=", value)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Condition):
    field: Field
    sign: str
    value: Any

    def write(self, writer: Writer) -> str:
        return (
            f"{writer.name(self.field.attribute)} {self.sign} {writer.value(self.field.encode(self.value))}"
        )

    def fields(self) -> Iterable[Field]:
        return (self.field,)


@dataclass(frozen=True, slots=True, eq=False)
class Range(Condition):
    """Between two values, both included."""

    field: Field
    low: Any
    high: Any

    def write(self, writer: Writer) -> str:
        low, high = (writer.value(self.field.encode(each)) for each in (self.low, self.high))
        return f"{writer.name(self.field.attribute)} BETWEEN {low} AND {high}"

    def fields(self) -> Iterable[Field]:
        return (self.field,)


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Condition):
    """One of several values."""

    field: Field
    values: tuple[Any, ...]

    def write(self, writer: Writer) -> str:
        choices = ", ".join(writer.value(self.field.encode(each)) for each in self.values)
        return f"{writer.name(self.field.attribute)} IN ({choices})"

    def fields(self) -> Iterable[Field]:
        return (self.field,)


@dataclass(frozen=True, slots=True, eq=False)
class Function(Condition):
    """`begins_with`, `contains`, `attribute_exists`, `attribute_not_exists`."""

    name: str
    field: Field
    values: tuple[Value, ...] = ()
    plain: Any = None

    def write(self, writer: Writer) -> str:
        operands = [writer.name(self.field.attribute), *map(writer.value, self.values)]
        return f"{self.name}({', '.join(operands)})"

    def fields(self) -> Iterable[Field]:
        return (self.field,)


@dataclass(frozen=True, slots=True, eq=False)
class Presence(Condition):
    """Whether the item is there at all, told by its partition key."""

    attribute: str
    there: bool

    def write(self, writer: Writer) -> str:
        return f"attribute_{'' if self.there else 'not_'}exists({writer.name(self.attribute)})"


@dataclass(frozen=True, slots=True, eq=False)
class Junction(Condition):
    word: str
    parts: tuple[Condition, ...]

    def write(self, writer: Writer) -> str:
        return f" {self.word} ".join(f"({part.write(writer)})" for part in self.parts)

    def fields(self) -> Iterable[Field]:
        return (field for part in self.parts for field in part.fields())


@dataclass(frozen=True, slots=True, eq=False)
class Negation(Condition):
    part: Condition

    def write(self, writer: Writer) -> str:
        return f"NOT ({self.part.write(writer)})"

    def fields(self) -> Iterable[Field]:
        return self.part.fields()


def condition(given: Condition | bool) -> Condition:
    """What `Post.title == "…"` really is: type checkers take it for a bool, and it is a condition."""
    if isinstance(given, Condition):
        return given
    raise DesignError(
        f"{given!r} is no condition. Compare a field of the class with a value: Post.title == '…'."
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
        raise DesignError("There is no condition to join.")
    return parts[0] if len(parts) == 1 else Junction(word, parts)


# ── what can be said of a field beside comparing it ───────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Update(Generic[T]):
    """One change of one attribute."""

    field: Field
    clause: str
    verb: str
    value: Any = None

    def write(self, writer: Writer) -> str:
        name = writer.name(self.field.attribute)
        if self.clause == "REMOVE":
            return name
        if self.clause in ("ADD", "DELETE"):
            return f"{name} {writer.value(self.field.encode(self.value))}"
        value = writer.value(self.field.encode(self.value))
        return f"{name} = {_SETTINGS[self.verb].format(name=name, value=value)}"


_SETTINGS = {
    "set": "{value}",
    "if_missing": "if_not_exists({name}, {value})",
    "append": "list_append({name}, {value})",
    "plus": "{name} + {value}",
}


class Attribute(Generic[T]):
    """A field with what can be asked and changed of it: `attr(Post.title).set("…")`."""

    def __init__(self, field: Field) -> None:
        self._field = field

    # conditions

    def exists(self) -> Condition:
        return Function("attribute_exists", self._field)

    def missing(self) -> Condition:
        return Function("attribute_not_exists", self._field)

    def between(self, low: T, high: T) -> Condition:
        return Range(self._field, low, high)

    def one_of(self, *values: T) -> Condition:
        return Choice(self._field, values)

    def begins_with(self, prefix: T) -> Condition:
        return Function("begins_with", self._field, (to_value(prefix),), prefix)

    def contains(self, member: Any) -> Condition:
        return Function("contains", self._field, (to_value(member),), member)

    # changes

    def set(self, value: T) -> Update[T]:
        """Give it this value."""
        return Update(self._field, "REMOVE" if value is None else "SET", "set", value)

    def set_if_missing(self, value: T) -> Update[T]:
        """Give it this value if it has none."""
        return Update(self._field, "SET", "if_missing", value)

    def append(self, members: T) -> Update[T]:
        """Put these behind the list that there is."""
        return Update(self._field, "SET", "append", members)

    def add(self, amount: T) -> Update[T]:
        """Add to the number, or these to the set; what is missing counts as nothing."""
        return Update(self._field, "ADD", "add", amount)

    def discard(self, members: T) -> Update[T]:
        """Take these out of the set."""
        return Update(self._field, "DELETE", "discard", members)

    def remove(self) -> Update[T]:
        """Take the attribute away."""
        return Update(self._field, "REMOVE", "remove")


def attr(field: T) -> Attribute[T]:
    """More of a field than comparing it."""
    if not isinstance(field, Field):
        raise DesignError(
            f"{field!r} is no field. Write attr(Post.title), with the class and not an instance."
        )
    return Attribute(cast(Field, field))


def write_updates(writer: Writer, updates: Iterable[Update[Any]]) -> str:
    """The update expression of these changes."""
    clauses: dict[str, list[str]] = {}
    for update in updates:
        clauses.setdefault(update.clause, []).append(update.write(writer))
    return " ".join(f"{clause} {', '.join(actions)}" for clause, actions in clauses.items())
