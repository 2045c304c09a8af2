"""What can be asked and changed of a field beside comparing it: `attr(Post.title).set("…")`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_args, overload

from hansang.design.codec import Value
from hansang.design.comparing import Function, Membership, Range, Size
from hansang.design.expressions import Condition, ExpressionWriter
from hansang.design.fields import Field
from hansang.design.paths import field_of
from hansang.errors import DesignError, InvalidInput

T = TypeVar("T")
Stored = Literal["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"]


@dataclass(frozen=True, slots=True)
class Update(Generic[T]):
    """One change of one attribute."""

    field: Field
    clause: str
    verb: str
    value: Any = None
    encoded: Value | None = None
    base: Value | None = None
    """What is changed where the attribute is not there."""

    def __repr__(self) -> str:
        return f"A change of {self.field!r}"

    def write(self, writer: ExpressionWriter) -> str:
        name = self.field.written(writer)
        if self.clause == "REMOVE":
            return name
        assert self.encoded is not None
        value = writer.value(self.encoded)
        if self.clause in ("ADD", "DELETE"):
            return f"{name} {value}"
        there = name if self.base is None else f"if_not_exists({name}, {writer.value(self.base)})"
        return f"{name} = {_SETTINGS[self.verb].format(name=name, there=there, value=value)}"


_SETTINGS = {
    "set": "{value}",
    "if_missing": "if_not_exists({name}, {value})",
    "append": "list_append({there}, {value})",
    "add": "{there} + {value}",
}


class Attribute(Generic[T]):
    """A field with what can be asked and changed of it: `attr(Post.title).set("…")`."""

    def __init__(self, field: Field) -> None:
        self._field = field

    # conditions

    def exists(self) -> Condition:
        if self._field.is_nested or self._is_null_kept():
            return ~self.missing()
        return Function("attribute_exists", self._field)

    def missing(self) -> Condition:
        if self._field.is_nested:
            gone = Function("attribute_not_exists", self._field)
            return gone | Function("attribute_type", self._field, ({"S": "NULL"},))
        if self._is_null_kept():
            return Function("attribute_type", self._field, ({"S": "NULL"},))
        return Function("attribute_not_exists", self._field)

    def _is_null_kept(self) -> bool:
        return self._field.slot is not None and self._field.slot.keeps_null

    def below(self, value: T) -> Condition:
        """Less than a value; for fields that may be None, which `<` cannot be checked with."""
        return self._field < value

    def at_most(self, value: T) -> Condition:
        return self._field <= value

    def above(self, value: T) -> Condition:
        return self._field > value

    def at_least(self, value: T) -> Condition:
        return self._field >= value

    def between(self, low: T, high: T) -> Condition:
        self._field.expect_order()
        first, last = self._field.check(low), self._field.check(high)
        try:
            is_backward = first > last
        except TypeError:
            raise DesignError(
                f"The values of {self._field!r} have no order, so nothing lies between two."
            ) from None
        if is_backward:
            raise InvalidInput(
                "{field} cannot be between {low} and {high}: the first is the larger. Give the smaller first.",
                self._field.name,
                code="design.range-reversed",
                values={
                    "field": repr(self._field),
                    "low": self._field.told(low),
                    "high": self._field.told(high),
                },
            )
        return Range(self._field, first, last)

    def one_of(self, *values: T) -> Condition:
        if not 1 <= len(values) <= 100:
            raise InvalidInput(f"one_of takes 1 to 100 values, not {len(values)}.", self._field.name)
        return Membership(self._field, tuple(self._field.check(each) for each in values))

    @overload
    def begins_with(self: Attribute[str], prefix: str) -> Condition: ...
    @overload
    def begins_with(self: Attribute[str | None], prefix: str) -> Condition: ...
    @overload
    def begins_with(self: Attribute[bytes], prefix: bytes) -> Condition: ...
    @overload
    def begins_with(self: Attribute[bytes | None], prefix: bytes) -> Condition: ...
    def begins_with(self, prefix: Any) -> Condition:
        self._field.expect_as_stored("begins_with")
        encoded = self._field.encode_beginning(prefix)
        return Function("begins_with", self._field, (encoded,), encoded.get("S", prefix))

    def contains(self, member: Any) -> Condition:
        self._field.expect_as_stored("contains")
        encoded = self._field.encode_member(member)
        return Function("contains", self._field, (encoded,), self._field.member(member))

    def size(self) -> Size:
        """How large the value is, to be compared: the members of a collection, the length of a text or of bytes."""
        return Size(self._field)

    def is_type(self, kind: Stored) -> Condition:
        """Whether it is stored as this type of DynamoDB, for fields whose values are of several."""
        if kind not in get_args(Stored):
            raise DesignError(f"{kind!r} is no type of DynamoDB. They are {', '.join(get_args(Stored))}.")
        own = self._field.codec.kind
        if own is not None and kind not in (own, "NULL"):
            raise DesignError(f"{self._field!r} is always stored as {own}, and never as {kind}.")
        return Function("attribute_type", self._field, ({"S": kind},), kind)

    # changes

    def set(self, value: T) -> Update[T]:
        """Give it this value."""
        field = self._field
        if value is None and field.slot is not None and field.slot.optional:
            encoded = field.slot.encode(None)
            return Update(field, "REMOVE" if encoded is None else "SET", "set", None, encoded)
        checked = self._new(value)
        encoded = field.codec.encode(checked) if field.slot is None else field.slot.encode(checked)
        return Update(field, "REMOVE" if encoded is None else "SET", "set", checked, encoded)

    def set_if_missing(self, value: T) -> Update[T]:
        """Give it this value if it has none."""
        return Update(self._field, "SET", "if_missing", value, self._field.encode(self._new(value)))

    def _new(self, value: T) -> Any:
        if value is None:
            raise InvalidInput(
                "{field} cannot be None.",
                self._field.name,
                code="design.no-value",
                values={"field": repr(self._field)},
            )
        return self._field.check(value)

    def append(self, members: T) -> Update[T]:
        """Put these behind the list that there is."""
        self._expect("L", "append", "a list")
        return Update(self._field, "SET", "append", members, self._field.encode_part(members))

    def add(self, amount: T) -> Update[T]:
        """Add to the number, or these to the set; what is missing counts as nothing."""
        slot = self._field.slot
        if slot is not None and self._field.codec.kind == "N" and not slot.is_counted:
            raise DesignError(
                f"{self._field!r} is not a plain number, so the sum cannot be checked before it is written. Set it."
            )
        self._expect("N SS NS BS", "add", "a number or a set")
        return Update(self._field, "ADD", "add", amount, self._field.encode_part(amount))

    def discard(self, members: T) -> Update[T]:
        """Take these out of the set."""
        self._expect("SS NS BS", "discard", "a set")
        return Update(self._field, "DELETE", "discard", members, self._field.encode_part(members))

    def remove(self) -> Update[T]:
        """Take the attribute away, or give the field its default."""
        return Update(self._field, "REMOVE", "remove")

    def _expect(self, kinds: str, verb: str, wanted: str) -> None:
        slot = self._field.slot
        self._field.expect_as_stored(verb)
        if self._field.is_nested and self._field.codec.kind in ("SS", "NS", "BS"):
            raise DesignError(
                f"{self._field!r} is a set inside of a field, which DynamoDB cannot {verb}. Set it whole."
            )
        if slot is not None and not slot.is_plain:
            raise DesignError(
                f"{self._field!r} has a validator of its own, which would not see what {verb} makes of it. Set it."
            )
        if self._field.codec.kind not in (*kinds.split(), None):
            raise DesignError(f"{self._field!r} is not {wanted}, and {verb} needs one.")


def attr(field: T) -> Attribute[T]:
    """More of a field than comparing it."""
    found = field_of(field)
    if not isinstance(found, Field):
        raise DesignError(
            f"{field!r} is not a field. Write attr(Post.title), with the class and not an instance."
        )
    return Attribute(found)


def write_updates(writer: ExpressionWriter, updates: Iterable[Update[Any]]) -> str:
    """The update expression of these changes."""
    clauses: dict[str, list[str]] = {}
    for update in updates:
        clauses.setdefault(update.clause, []).append(update.write(writer))
    return " ".join(f"{clause} {', '.join(actions)}" for clause, actions in clauses.items())
