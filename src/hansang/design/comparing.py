"""What can be asked of fields: compared with values, with other fields, and how large their values are."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hansang.design.codec import DECIMAL, EPOCH, MILLISECOND, MOMENT, WHOLE, Value
from hansang.design.expressions import Condition, ExpressionWriter
from hansang.errors import DesignError, InvalidInput

if TYPE_CHECKING:
    from hansang.design.fields import Field

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS = (WHOLE, DECIMAL)
_MOMENTS = (EPOCH, MILLISECOND, MOMENT)
_ORDERED = ("S", "N", "B")
_SIZED = ("S", "B", "SS", "NS", "BS", "L", "M")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Condition):
    field: Field
    sign: str
    value: Any

    def write(self, writer: ExpressionWriter) -> str:
        if self.sign == "<>" and self.field.is_nested:
            # A part that is not there is unequal to all but what its default has.
            return f"NOT ({Comparison(self.field, '=', self.value).write(writer)})"
        name = self.field.written(writer)
        written = f"{name} {self.sign} {writer.value(self.field.encode(self.value))}"
        value = self.field.normal(self.value)
        return self.field.or_absent(writer, written, lambda default: SIGNS[self.sign](default, value))

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
        name = self.field.written(writer)
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
        name = self.field.written(writer)
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
        key = self.field.key if self.field.attribute is None and self._is_presence() else None
        path = self.field.written(writer) if key is None else writer.name(key)
        operands = [path, *map(writer.value, self.values)]
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
class FieldComparison(Condition):
    """Two fields of one item; an absent attribute counts as its field's default, and None as equal to None alone."""

    left: Field
    sign: str
    right: Field

    def __post_init__(self) -> None:
        for each in self.fields():
            if each.is_nested:
                raise DesignError(f"{each!r} is a part of a field, and compared with values alone.")
            if each.slot is not None and each.slot.keeps_null:
                raise DesignError(
                    f"{each!r} has a default and may be None, which DynamoDB cannot compare. Compare it with a value."
                )
        if not _are_alike(self.left, self.right):
            raise DesignError(
                f"{self.left!r} and {self.right!r} are stored differently, so DynamoDB would not compare what they mean. "
                "Give them one type."
            )
        if self.sign not in ("=", "<>"):
            self.left.expect_order()
        if self.sign not in ("=", "<>") and self.left.codec.kind not in _ORDERED:
            raise DesignError(f"The values of {self.left!r} have no order. Compare by == or !=.")

    def write(self, writer: ExpressionWriter) -> str:
        return " OR ".join(f"({each})" for each in self._cases(writer))

    def _cases(self, writer: ExpressionWriter) -> Iterator[str]:
        """How it can be true: by what is stored, or by what the absence of one or of both means."""
        left, right = writer.name(self.left.stored), writer.name(self.right.stored)
        there = f"attribute_exists({left}) AND attribute_exists({right})"
        yield f"{there} AND {left} {self.sign} {right}"
        for field, name, other, is_left in (
            (self.left, left, right, True),
            (self.right, right, left, False),
        ):
            if not _may_be_absent(field):
                continue
            gone = f"attribute_not_exists({name}) AND attribute_exists({other})"
            value = field.slot.absent() if field.slot is not None else None
            if value is not None:
                written = writer.value(field.encode(value))
                operands = (written, other) if is_left else (other, written)
                yield f"{gone} AND {operands[0]} {self.sign} {operands[1]}"
            elif self.sign == "<>":
                yield gone
        if self._holds_of_absent():
            yield f"attribute_not_exists({left}) AND attribute_not_exists({right})"

    def _holds_of_absent(self) -> bool:
        if not (_may_be_absent(self.left) and _may_be_absent(self.right)):
            return False
        assert self.left.slot is not None
        assert self.right.slot is not None
        try:
            return SIGNS[self.sign](self.left.slot.absent(), self.right.slot.absent())
        except TypeError:
            return False  # None has no order.

    def fields(self) -> Iterable[Field]:
        return (self.left, self.right)

    def __str__(self) -> str:
        return f"{self.left!r} {self.sign} {self.right!r}"


def _may_be_absent(field: Field) -> bool:
    return field.slot is not None and not field.slot.is_required and not field.in_key


def _are_alike(left: Field, right: Field) -> bool:
    """Whether DynamoDB compares the stored values of two fields as Python compares their values."""
    if left.codec.serialized is not None or right.codec.serialized is not None:
        return left.codec.serialized is right.codec.serialized
    if left.codec is right.codec:
        return True
    if left.codec in _NUMBERS and right.codec in _NUMBERS:
        return True
    kinds = [None if each.slot is None else each.slot.annotation for each in (left, right)]
    is_marked = any(each.codec in _MOMENTS for each in (left, right))
    return kinds[0] is not None and kinds[0] == kinds[1] and not is_marked


# ── sizes ─────────────────────────────────────────────────────────────────────────────────────────


class Size:
    """How large the value of a field is, to be compared with a number: `attr(Post.tags).size() > 3`.

    Of a collection that is the number of its members, of bytes their number, of a text what DynamoDB counts: UTF-16
    code units, so that most characters count once and an emoji twice.
    """

    def __init__(self, field: Field) -> None:
        field.expect_as_stored("size")
        if field.codec.kind not in (*_SIZED, None):
            raise DesignError(f"{field!r} has no size: it is no text, no bytes and no collection.")
        if field.slot is not None and field.slot.keeps_null:
            raise DesignError(f"{field!r} has a default and may be None, which has no size. Compare it.")
        self._field = field

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, number: int) -> Condition:  # type: ignore[override]
        return self._compared("=", number)

    def __ne__(self, number: int) -> Condition:  # type: ignore[override]
        return self._compared("<>", number)

    def __lt__(self, number: int) -> Condition:
        return self._compared("<", number)

    def __le__(self, number: int) -> Condition:
        return self._compared("<=", number)

    def __gt__(self, number: int) -> Condition:
        return self._compared(">", number)

    def __ge__(self, number: int) -> Condition:
        return self._compared(">=", number)

    def _compared(self, sign: str, number: object) -> Condition:
        if type(number) is not int or number < 0:
            raise InvalidInput(
                f"The size of {self._field!r} is a whole number, not {number!r}.", self._field.name
            )
        return SizeComparison(self._field, sign, number)


@dataclass(frozen=True, slots=True, eq=False)
class SizeComparison(Condition):
    """How large a value is; one that is not there has the size of its field's default, or none."""

    field: Field
    sign: str
    number: int

    def write(self, writer: ExpressionWriter) -> str:
        number = writer.value({"N": str(self.number)})
        written = f"size({self.field.written(writer)}) {self.sign} {number}"
        return self.field.or_absent(
            writer, written, lambda default: SIGNS[self.sign](_size(default), self.number)
        )

    def fields(self) -> Iterable[Field]:
        return (self.field,)

    def __str__(self) -> str:
        return f"size of {self.field!r} {self.sign} {self.number}"


def _size(value: Any) -> int:
    return len(value.encode("utf-16-le")) // 2 if isinstance(value, str) else len(value)
