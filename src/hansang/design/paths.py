"""Paths into a field: members of models, elements of lists and entries of maps, as `Post.lines[0].quantity`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from hansang.design.annotations import Attr, marks, unmarked
from hansang.design.expressions import Condition, ExpressionWriter
from hansang.design.fields import Field
from hansang.design.plain_codecs import Value
from hansang.design.slots import Slot, guard_of
from hansang.errors import DesignError

T = TypeVar("T")
Step = str | int


class MemberSlot(Slot):
    """A field of a model inside an attribute."""

    @cached_property
    def is_required(self) -> bool:
        return self.default is PydanticUndefined and self.default_factory is None

    @cached_property
    def keeps_null(self) -> bool:
        return self.optional and (self.is_required or self.absent() is not None)


class ElementSlot(Slot):
    """An element of a list, or an entry of a map: it may not be there, and then is nothing."""

    @cached_property
    def is_required(self) -> bool:
        return False

    @cached_property
    def keeps_null(self) -> bool:
        return self.optional

    def absent(self) -> Any:
        return None

    @cached_property
    def _validator(self) -> Any:
        guard = guard_of(self.info)
        return TypeAdapter(self.info.annotation if guard is None else Annotated[self.info.annotation, guard])


class PathField(Field):
    """A part of a field's value."""

    def __init__(self, parent: Field, step: Step, slot: Slot, name: str) -> None:
        super().__init__(parent.owner, name, parent.attribute, slot.codec, slot)
        self.parent, self.step = parent, step
        self.is_told = parent.is_told

    @property
    def is_nested(self) -> bool:
        return True

    @property
    def is_element(self) -> bool:
        """Whether it is an element of a list, which is there or not and moves when others go."""
        return isinstance(self.step, int)

    @property
    def is_entry(self) -> bool:
        """Whether it is an element of a list or an entry of a map, and no field of a model."""
        return isinstance(self.slot, ElementSlot)

    @cached_property
    def line(self) -> tuple[Field, ...]:
        """The field that it is a part of, and all parts down to it."""
        above = self.parent.line if isinstance(self.parent, PathField) else (self.parent,)
        return (*above, self)

    def written(self, writer: ExpressionWriter) -> str:
        above = self.parent.written(writer)
        return f"{above}[{self.step}]" if isinstance(self.step, int) else f"{above}.{writer.name(self.step)}"

    def stored_in(self, item: dict[str, Value]) -> Value | None:
        above = self.parent.stored_in(item)
        if isinstance(self.step, int):
            found = (above or {}).get("L", ())
            return found[self.step] if self.step < len(found) else None
        member: Value | None = (above or {}).get("M", {}).get(self.step)
        return member

    def or_absent(self, writer: ExpressionWriter, written: str, holds: Callable[[Any], bool]) -> str:
        """The condition, or that a part on the way is not there and its default has what is asked."""
        gone = [_gone(part, writer) for part, value in self._defaults() if _is_met(holds, value)]
        return " OR ".join([written, *gone])

    def _defaults(self) -> Iterator[tuple[Field, Any]]:
        """Where the path may end, and what the value is by the default that stands for the rest."""
        for at, part in enumerate(self.line):
            default = None if part.slot is None or part.slot.is_required else part.slot.absent()
            value = _walked(default, self.line[at + 1 :])
            if value is not None:
                yield part, value


def _gone(part: Field, writer: ExpressionWriter) -> str:
    """That a part is not there, though what it is a part of is."""
    gone = f"attribute_not_exists({part.written(writer)})"
    if not isinstance(part, PathField):
        return gone
    kind = writer.value({"S": "M"})
    return f"(attribute_type({part.parent.written(writer)}, {kind}) AND {gone})"


def _is_met(holds: Callable[[Any], bool], value: Any) -> bool:
    try:
        return holds(value)
    except TypeError:
        return False  # Values without an order.


def _walked(value: Any, parts: tuple[Field, ...]) -> Any:
    for part in parts:
        assert isinstance(part, PathField)
        try:
            value = value[part.step] if part.is_entry else getattr(value, part.slot.name if part.slot else "")
        except (IndexError, KeyError, AttributeError, TypeError):
            return None
    return value


# ── from a field to its parts ─────────────────────────────────────────────────────────────────────


class Reach:
    """A field that has parts, as its class gives it: what is asked of it by name or place is a part."""

    __slots__ = ("_field",)
    __iter__ = None
    __contains__ = None
    _field: Field

    def __init__(self, field: Field) -> None:
        self._field = field

    def __repr__(self) -> str:
        return repr(self._field)

    def __hash__(self) -> int:
        return hash(self._field)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return reachable(_member(self._field, name))

    def __getitem__(self, key: Any) -> Any:
        return reachable(_element(self._field, key))

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self._field.__eq__(value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self._field.__ne__(value)

    def __lt__(self, value: Any) -> Condition:
        return self._field.__lt__(value)

    def __le__(self, value: Any) -> Condition:
        return self._field.__le__(value)

    def __gt__(self, value: Any) -> Condition:
        return self._field.__gt__(value)

    def __ge__(self, value: Any) -> Condition:
        return self._field.__ge__(value)


def reachable(field: Field) -> Any:
    """A field, or one that can be gone into where its values have parts."""
    if field.slot is None or field.codec.serialized is not None:
        return field
    annotation = field.slot.annotation
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return Reach(field) if is_model or get_origin(annotation) in (list, tuple, dict) else field


def field_of(given: Any) -> Any:
    """The field itself of one that can be gone into; whatever else as it is."""
    return given._field if isinstance(given, Reach) else given


def inside(field: T | None) -> T:
    """A field that may be None, to be gone into: `inside(Post.address).city`."""
    if not isinstance(field, Reach):
        raise DesignError(f"{field!r} has no parts. Give a field whose values are models, lists or maps.")
    return field


def _member(parent: Field, name: str) -> PathField:
    assert parent.slot is not None
    model = parent.slot.annotation
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise AttributeError(f"{parent!r} has places and no names. Write {parent!r}[…].")  # noqa: TRY004
    if name not in model.model_fields:
        raise AttributeError(f"{parent!r} has no field {name}. It has {', '.join(model.model_fields)}.")
    info = model.model_fields[name]
    attribute = next((each.name for each in marks(info) if isinstance(each, Attr)), name)
    slot = MemberSlot.of(model, name, info, attribute, normalizes=False, is_key=False)
    return PathField(parent, attribute, slot, f"{parent.name}.{name}")


def _element(parent: Field, key: Any) -> PathField:
    assert parent.slot is not None
    kind, arguments = get_origin(parent.slot.annotation), get_args(parent.slot.annotation)
    if kind is dict:
        if not isinstance(key, str) or not key:
            raise DesignError(f"{parent!r} is a map, and {key!r} is no name of an entry.")
        annotation = arguments[1]
    elif kind in (list, tuple):
        if type(key) is not int or key < 0:
            raise DesignError(f"{parent!r} is a list, whose places are 0, 1, 2 …, and not {key!r}.")
        annotation = arguments[0]
    else:
        raise DesignError(f"{parent!r} has no places. Name a field of its model.")
    info = FieldInfo.from_annotation(annotation)
    name = f"{parent.name}[{key!r}]"
    slot = ElementSlot.of(parent.owner, name, info, None, normalizes=False, is_key=False)
    return PathField(parent, key, slot, name)


def unmarked_model(slot: Slot | None) -> type[BaseModel] | None:
    """The model that the values of a field are, if they are one."""
    kind = None if slot is None else unmarked(slot.info.annotation)
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
