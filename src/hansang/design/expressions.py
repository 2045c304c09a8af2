"""Conditions and updates on typed fields, and how they are written for DynamoDB."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hansang.design.codec import Codec, Value, to_python, to_value
from hansang.design.normalize import normalize_nfc
from hansang.design.slots import UNTOLD, Slot
from hansang.design.templates import shown
from hansang.errors import DesignError, InvalidInput


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
            "A condition is true or false of an item, not by itself: `and`, `or`, `not`, `if` and chained comparisons "
            "cannot be used with it. Join conditions with all_of, any_of and none_of."
        )

    def fields(self) -> Iterable[Field]:
        return ()

    def compared(self) -> Iterable[Field]:
        """The fields whose values matter, and not only whether they are there."""
        return self.fields()


class Field:
    """An attribute of an entity, as a class attribute gives it: `Post.title`."""

    def __init__(
        self,
        owner: type[Any],
        name: str,
        attribute: str | None,
        codec: Codec,
        slot: Slot | None = None,
        *,
        key: str | None = None,
        normalizes: bool = False,
        source: Slot | None = None,
    ) -> None:
        """`key` is the partition key's attribute, given where the field is part of the key of its item.

        `normalizes` says that its text is the key of an index, and so is normalized to NFC. `source` is the field
        that a derived attribute is worked out from.
        """
        self.owner, self.name, self.attribute, self.codec, self.slot = owner, name, attribute, codec, slot
        self.key, self.normalizes = key, normalizes or (slot is not None and slot.normalizes)
        self.is_told = all(each is None or each.mark is None for each in (slot, source))
        """Whether its values may stand in messages."""

    def __repr__(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    def __hash__(self) -> int:
        return hash((self.owner, self.name))

    @property
    def in_key(self) -> bool:
        return self.key is not None

    @property
    def stored(self) -> str:
        """The attribute that holds it, or a DesignError."""
        if self.attribute is None:
            raise DesignError(
                f"{self!r} is in the key alone, and DynamoDB tests and filters by attributes only. Store it as well, "
                "with Attr, or look at what comes back."
            )
        return self.attribute

    def told(self, value: Any) -> str:
        """A value of the field, for a message."""
        return repr(value) if self.is_told else UNTOLD

    def check(self, value: Any) -> Any:
        """The value as the field's own validators have it."""
        if isinstance(value, Field):
            raise DesignError(f"{self!r} is given {value!r}, another field. Give a value.")
        if value is None and self.in_key:
            raise DesignError(f"{self!r} is part of a key, which is never None.")
        if value is None:
            raise DesignError(
                f"{self!r} is compared with None. Write attr({self!r}).missing() or attr({self!r}).exists()."
            )
        return value if self.slot is None else self.slot.check(value)

    def encode(self, value: Any) -> Value:
        """A value of the field as it is stored."""
        checked = self.check(value)
        if self.slot is None:
            normal = normalize_nfc(checked) if self.normalizes and isinstance(checked, str) else checked
            return self._encoded(self.codec, normal)
        found = self.slot.encode(checked)
        if found is None:
            raise InvalidInput(
                f"{self!r} is empty, and nothing is stored of that. Write attr({self!r}).missing()."
            )
        return found

    def normal(self, value: Any) -> Any:
        """A value as it is compared: the texts of keys are normalized to NFC."""
        return normalize_nfc(value) if self.normalizes and isinstance(value, str) else value

    def member(self, member: Any) -> Any:
        """One of the members that the field's value has, as its type has it."""
        if self.slot is None or self.codec.kind in ("S", "B"):
            return member
        return self.slot.check_member(member)

    def encode_part(self, value: Any) -> Value:
        """What is added to the field's value, or taken from it."""
        return self._encoded(self.codec, value if self.slot is None else self.slot.check_part(value))

    def encode_member(self, member: Any) -> Value:
        """One of the members that the field's value has, or a piece of its text."""
        if self.codec.kind in ("S", "B"):
            return self.encode_beginning(member, "contains")
        if self.codec.kind not in ("L", "SS", "NS", "BS", None):
            raise DesignError(f"{self!r} has no members, so it cannot contain any.")
        checked = member if self.slot is None else self.slot.check_member(member)
        return self._encoded(self.codec.member or Codec(None, to_value, to_python), checked)

    def encode_beginning(self, text: Any, verb: str = "begins_with") -> Value:
        """A piece of the field's text."""
        if isinstance(text, str) and self.is_text:
            if not text:
                raise InvalidInput(f"{verb} of {self!r} needs a text that is not empty.")
            return {"S": normalize_nfc(text) if self.normalizes else text}
        if isinstance(text, bytes) and self.codec.kind == "B":
            return self.codec.encode(text)
        raise DesignError(
            f"{self!r} is not text, so {verb} does not apply to it. Compare it, or use between."
        )

    def or_absent(self, writer: ExpressionWriter, written: str, holds: Callable[[Any], bool]) -> str:
        """A condition that also knows what it means that the attribute is not there, where that is a default."""
        default = None if self.slot is None or self.slot.is_required else self.slot.absent()
        if default is None or self.in_key:
            return written
        name = writer.name(self.stored)
        try:
            is_met = holds(
                normalize_nfc(default) if self.normalizes and isinstance(default, str) else default
            )
        except TypeError:
            is_met = False  # Values without an order.
        if not is_met:
            # An attribute that is not there is unequal to everything.
            return f"{written} AND attribute_exists({name})" if " <> " in written else written
        return f"{written} OR attribute_not_exists({name})"

    @property
    def is_text(self) -> bool:
        if self.codec.kind not in ("S", None):
            return False
        kind = str if self.slot is None else self.slot.annotation
        return not (isinstance(kind, type) and not issubclass(kind, str))

    def _encoded(self, codec: Codec, value: Any) -> Value:
        try:
            return codec.encode(value)
        except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as reason:
            why = f"{shown(value)}: {reason}" if self.is_told else UNTOLD
            raise InvalidInput(f"{self!r} cannot be {why}.", self.name) from reason

    def _compared(self, sign: str, value: Any) -> Condition:
        if not isinstance(value, Field):
            return Comparison(self, sign, self.check(value))
        from hansang.design.comparing import FieldComparison  # which is made of what is here

        return FieldComparison(self, sign, value)

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("=", value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("<>", value)

    def __lt__(self, value: Any) -> Condition:
        return self._compared("<", value)

    def __le__(self, value: Any) -> Condition:
        return self._compared("<=", value)

    def __gt__(self, value: Any) -> Condition:
        return self._compared(">", value)

    def __ge__(self, value: Any) -> Condition:
        return self._compared(">=", value)


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Condition):
    field: Field
    sign: str
    value: Any

    def write(self, writer: ExpressionWriter) -> str:
        name = writer.name(self.field.stored)
        written = f"{name} {self.sign} {writer.value(self.field.encode(self.value))}"
        value = self.field.normal(self.value)
        return self.field.or_absent(writer, written, lambda default: _SIGNS[self.sign](default, value))

    def fields(self) -> Iterable[Field]:
        return (self.field,)

    def __str__(self) -> str:
        return f"{self.field!r} {self.sign} {self.field.told(self.value)}"


@dataclass(frozen=True, slots=True, eq=False)
class Range(Condition):
    """Between two values, both included."""

    field: Field
    low: Any
    high: Any

    def write(self, writer: ExpressionWriter) -> str:
        low, high = (writer.value(self.field.encode(each)) for each in (self.low, self.high))
        name = writer.name(self.field.stored)
        written = f"{name} BETWEEN {low} AND {high}"
        return self.field.or_absent(writer, written, lambda default: self.low <= default <= self.high)

    def fields(self) -> Iterable[Field]:
        return (self.field,)

    def __str__(self) -> str:
        return f"{self.field!r} between {self.field.told(self.low)} and {self.field.told(self.high)}"


@dataclass(frozen=True, slots=True, eq=False)
class Membership(Condition):
    """One of several values."""

    field: Field
    values: tuple[Any, ...]

    def write(self, writer: ExpressionWriter) -> str:
        choices = ", ".join(writer.value(self.field.encode(each)) for each in self.values)
        name = writer.name(self.field.stored)
        return self.field.or_absent(writer, f"{name} IN ({choices})", lambda default: default in self.values)

    def fields(self) -> Iterable[Field]:
        return (self.field,)

    def __str__(self) -> str:
        return f"{self.field!r} one of {', '.join(map(self.field.told, self.values))}"


@dataclass(frozen=True, slots=True, eq=False)
class Function(Condition):
    """`begins_with`, `contains`, `attribute_exists`, `attribute_not_exists`."""

    name: str
    field: Field
    values: tuple[Value, ...] = ()
    plain: Any = None

    def write(self, writer: ExpressionWriter) -> str:
        # A field that is in the key alone is there when the item is.
        attribute = self.field.attribute or (self.field.key if self._is_presence() else None)
        operands = [writer.name(attribute or self.field.stored), *map(writer.value, self.values)]
        written = f"{self.name}({', '.join(operands)})"
        if self.name not in ("begins_with", "contains"):
            return written
        return self.field.or_absent(writer, written, self._holds)

    def _holds(self, default: Any) -> bool:
        if self.name == "contains":
            return self.plain in default
        return bool(default.startswith(self.plain))

    def _is_presence(self) -> bool:
        return self.name in ("attribute_exists", "attribute_not_exists")

    def fields(self) -> Iterable[Field]:
        return (self.field,)

    def compared(self) -> Iterable[Field]:
        return () if self._is_presence() else (self.field,)

    def __str__(self) -> str:
        if self.name in _PRESENCES and self.plain is None:
            return f"{self.field!r} {_PRESENCES[self.name]}"
        return f"{self.field!r} {self.name} {self.field.told(self.plain)}"


_PRESENCES = {"attribute_exists": "exists", "attribute_not_exists": "is missing", "attribute_type": "is None"}


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
