"""Sample values: made from annotations, or taken from the examples that a design gives."""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hansang.design import Entity
from hansang.design.codec import plain
from hansang.design.inputs import example_of
from hansang.design.query import Pattern
from hansang.design.serialized import Serialized
from hansang.design.shape import Shape
from hansang.errors import DesignError

_MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_PLAIN: dict[type, Any] = {
    bool: True,
    int: 1,
    Decimal: Decimal("1.5"),
    bytes: b"sample",
    datetime: _MOMENT,
    date: _MOMENT.date(),
    UUID: UUID("01234567-89ab-4cde-8f01-23456789abcd"),
}


class Samples:
    """Values to try a design with."""

    def __init__(self, examples: Iterable[Entity] = ()) -> None:
        self.examples: dict[type[Any], Entity] = {}
        for each in examples:
            self.examples.setdefault(type(each), each)

    def entity(self, shape: Shape) -> Any:
        """An entity of this kind: the design's own example, or one made from the annotations."""
        if shape.cls in self.examples:
            return self.examples[shape.cls]
        return shape.cls.model_construct(**{name: self.field(shape, name) for name in shape.slots})

    def field(self, shape: Shape, name: str) -> Any:
        """A value of one field."""
        example = self._example(shape)
        if example is not None and getattr(example, name, None) is not None:
            return getattr(example, name)
        info = shape.cls.model_fields[name]
        if info.examples:
            return info.examples[0]
        return example_of(info) or _fitting(shape, name, field_sample(info, name))

    def _example(self, shape: Shape) -> Entity | None:
        """The example of this kind, or of the entity behind a view."""
        found = self.examples.get(shape.cls)
        if found is not None:
            return found
        of_key = (each for each in self.examples.values() if type(each).__templates__ == (shape.pk, shape.sk))
        return next(of_key, None)

    def arguments(self, owner: Shape, pattern: Pattern[Any, Any, Any]) -> dict[str, Any]:
        """A value for every parameter of a pattern."""
        parameters = list(inspect.signature(pattern.function).parameters.values())[1:]
        return {each.name: self._argument(owner, pattern, each.name) for each in parameters}

    def _argument(self, owner: Shape, pattern: Pattern[Any, Any, Any], name: str) -> Any:
        annotation, field = _annotation(pattern, name), field_for(owner, name)
        known = None if field is None else self.field(owner, field)
        if known is not None and (annotation is None or _fits(known, annotation)):
            return known
        return sample(str if annotation is None else annotation, name)


def field_for(owner: Shape, parameter: str) -> str | None:
    """The field that a parameter is for: of its name, or of a longer or shorter one, as `month` is of `year_month`."""
    akin = (
        name for name in owner.slots if f"_{name}".endswith(f"_{parameter}") or parameter.endswith(f"_{name}")
    )
    return parameter if parameter in owner.slots else next(akin, None)


def _fitting(shape: Shape, name: str, value: Any) -> Any:
    """The value without what the keys of its kind refuse in it."""
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        for template in (shape.pk, shape.sk, *shape.composed.values()):
            for refused in () if template is None else template.refused.get(name, ()):
                value = value.replace(refused, "")
    return value


def _annotation(pattern: Pattern[Any, Any, Any], name: str) -> Any:
    """The annotation of one parameter; None when it names something out of reach."""
    function = pattern.function
    text = getattr(function, "__annotations__", {}).get(name)
    if text is None:
        return None
    alone = types.FunctionType(function.__code__, getattr(function, "__globals__", {}))
    alone.__annotations__ = {name: text}
    try:
        return get_type_hints(alone, include_extras=True)[name]
    except NameError:
        return None


def _fits(value: Any, annotation: Any) -> bool:
    wanted = bare(annotation)
    return not isinstance(wanted, type) or isinstance(value, wanted)


def bare(annotation: Any) -> Any:
    """The type itself, without None, Annotated or NewType."""
    found = plain(annotation)
    while get_origin(found) is Annotated or isinstance(found, NewType):
        found = found.__supertype__ if isinstance(found, NewType) else plain(get_args(found)[0])
    return found


def field_sample(info: FieldInfo, name: str) -> Any:
    """A value of a field, by its type and how that is stored."""
    return _marked(info.annotation, info.metadata, name)


def sample(annotation: Any, name: str) -> Any:
    """A value of a type; texts are called after what they are for."""
    kind = plain(annotation)
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        return _marked(inner, marks, name)
    kind = bare(kind)
    if get_origin(kind) is not None:
        return _generic(kind, name)
    if not isinstance(kind, type):
        return name
    if issubclass(kind, enum.Enum):
        return next(iter(kind))
    if issubclass(kind, BaseModel):
        return _model(kind)
    found = next((value for each, value in _PLAIN.items() if issubclass(kind, each)), None)
    return f"{name}-1" if found is None else found


def _marked(annotation: Any, marks: Iterable[Any], name: str) -> Any:
    own = next((each for each in marks if isinstance(each, Serialized)), None)
    if own is None:
        return sample(annotation, name)
    stored = sample(own.stored, name)
    try:
        return own.deserialize(stored)
    except Exception as reason:  # whatever a deserializer of somebody else raises
        raise DesignError(
            f"{name} has no sample value: {stored!r} is not read as one ({reason}). Give one: Field(examples=[…])."
        ) from reason


def _generic(kind: Any, name: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return sample(arguments[0], name)
    if origin is dict:
        return {sample(arguments[0], name): sample(arguments[1], name)}
    if origin in (list, set, frozenset, tuple):
        return origin([sample(arguments[0], name)])
    return name


def _model(kind: type[BaseModel]) -> BaseModel:
    values: Mapping[str, Any] = {
        name: info.examples[0] if info.examples else field_sample(info, name)
        for name, info in kind.model_fields.items()
    }
    return kind.model_construct(**values)
