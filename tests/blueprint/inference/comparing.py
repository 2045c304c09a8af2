"""Two designs of one table, compared by everything but the names of classes and fields."""

from __future__ import annotations

import types
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hansang.design import Table
from hansang.design.codec import EPOCH, MILLISECOND, MOMENT, codec_for, marks, optional, plain
from hansang.design.shape import Shape
from hansang.design.slots import Slot, attribute_name
from hansang.design.templates import Template

MOMENTS = {id(MOMENT): "Timestamp", id(MILLISECOND): "TimestampMs", id(EPOCH): "Expiry"}


def differences(ours: type[Table], inferred: type[Table]) -> set[str]:
    """What one design says and the other does not: `-` is ours alone, `+` is inferred alone.

    Of an attribute or an entity that the other one lacks, nothing is said but that.
    """
    first, second = dict(statements(ours)), dict(statements(inferred))
    found = set()
    for sign, one, other in (("-", first, second), ("+", second, first)):
        for subject, said in one.items():
            above = [subject[:length] for length in range(1, len(subject))]
            if any(each in one and each not in other for each in above):
                continue
            if other.get(subject) != said:
                found.add(f"{sign} {': '.join(subject)} {said}".strip())
    return found


Subject = tuple[str, ...]


def statements(table: type[Table]) -> Iterator[tuple[Subject, str]]:
    """Everything that a design says of a table: of what, and what."""
    definition = table.definition()
    keys = {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}
    yield ("keys",), f"{table.pk} {table.sk} {sorted(keys.items())}"
    yield ("type attribute",), str(table.type_attribute)
    yield ("stream",), str(table.stream)
    yield ("time to live",), str(table.time_to_live())
    for index in table.indexes:
        projection = index.definition()["Projection"]
        held = sorted(projection.get("NonKeyAttributes", ()))
        kind = "global" if index.is_global else "local"
        yield (f"index {index.name}",), f"{kind} {index.pk} {index.sk} {projection['ProjectionType']} {held}"
    for shape in table.shapes:
        yield from _entity(shape)


def _entity(shape: Shape) -> Iterator[tuple[Subject, str]]:
    name = spelled(shape)
    yield (name,), "" if shape.type_name is None else f"type {shape.type_name}"
    for slot in shape.slots.values():
        if slot.attribute is not None:
            subject = (name, slot.attribute)
            yield subject, type_of(slot)
            yield from _details(subject, slot.info.annotation, may_lack=not slot.is_required)
    for attribute, template in shape.composed.items():
        yield (name, attribute), f"= {anonymous(shape, template)}"
    for derived in shape.derived.values():
        yield (name, derived.attribute), f"follows {shape.slots[derived.of].attribute}"


def spelled(shape: Shape) -> str:
    keys = [template for template in (shape.pk, shape.sk) if template is not None]
    return " / ".join(anonymous(shape, each) for each in keys)


def anonymous(shape: Shape, template: Template) -> str:
    """A template with the types of its fields in place of their names."""
    return "".join(
        part
        if isinstance(part, str)
        else f"{{{type_of(shape.slots[part.name])}{':' if part.format else ''}{part.format}}}"
        for part in template.parts
    )


def type_of(slot: Slot) -> str:
    return _spelled(slot.info.annotation, marks(slot.info))


def _spelled(annotation: Any, metadata: tuple[Any, ...] = ()) -> str:
    """A type without None, bounds and lists of values."""
    inner = plain(annotation)
    if isinstance(inner, NewType):
        return _spelled(inner.__supertype__, metadata)
    if get_origin(inner) is Annotated:
        return _spelled(get_args(inner)[0], (*metadata, *get_args(inner)[1:]))
    codec = None if get_origin(inner) or inner is Any else codec_for(inner, metadata)
    if id(codec) in MOMENTS:
        return MOMENTS[id(codec)]
    if get_origin(inner) in (Union, types.UnionType):
        return " | ".join(sorted(_spelled(each) for each in get_args(inner)))
    if get_origin(inner) is Literal:
        return type(get_args(inner)[0]).__name__
    if get_origin(inner) is not None:
        name = str(get_origin(inner).__name__)
        members = [_spelled(each) for each in get_args(inner) if each is not ...]
        return f"{ {'set': 'frozenset', 'tuple': 'list'}.get(name, name) }[{', '.join(members)}]"
    if isinstance(inner, type) and issubclass(inner, Enum):
        return type(next(iter(inner)).value).__name__
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        return f"{{{', '.join(sorted(_member(*each) for each in inner.model_fields.items()))}}}"
    return str(inner.__name__)


def _member(name: str, info: FieldInfo) -> str:
    return f"{attribute_name(info) or name}: {_spelled(info.annotation, marks(info))}"


def _details(subject: Subject, annotation: Any, *, may_lack: bool) -> Iterator[tuple[Subject, str]]:
    """Whether something may be absent, and whether its values are listed; inside of lists and models too."""
    if may_lack:
        yield (*subject, "may be absent"), ""
    inner = plain(annotation)
    while get_origin(inner) is Annotated:
        inner = plain(get_args(inner)[0])
    if get_origin(inner) is Literal or (isinstance(inner, type) and issubclass(inner, Enum)):
        yield (*subject, "has listed values"), ""
    if get_origin(inner) is list:
        yield from _details(subject, get_args(inner)[0], may_lack=False)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        for name, info in inner.model_fields.items():
            lacks = optional(info.annotation) or not info.is_required()
            yield from _details((*subject, attribute_name(info) or name), info.annotation, may_lack=lacks)
