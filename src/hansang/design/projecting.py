"""Projections: some of the fields of an entity, typed, of which DynamoDB sends nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hansang.design.expressions import ExpressionWriter
from hansang.design.slots import Slot
from hansang.errors import DesignError

if TYPE_CHECKING:
    from hansang.design.shape import Shape
    from hansang.design.table import Index


def projected_slots(cls: type[Any], entity: Shape | None) -> dict[str, Slot]:
    """Where the fields of a projection are stored: where those of its entity are."""
    assert entity is not None
    for name, info in cls.model_fields.items():
        if name not in entity.slots:
            raise DesignError(f"{cls.__name__}.{name} is not a field of {entity.cls.__name__}.")
        if info.annotation != entity.slots[name].info.annotation:
            raise DesignError(
                f"{cls.__name__}.{name} is of another type than {entity.slots[name]!r}. Give both the same."
            )
    return {name: entity.slots[name] for name in cls.model_fields}


def expect_projection(kind: Any) -> Shape:
    """The shape of a view of some of the fields of an entity, or a DesignError."""
    shape: Shape | None = getattr(kind, "__shape__", None) if isinstance(kind, type) else None
    if shape is None or not shape.is_projection or shape.cls is not kind:
        raise DesignError(
            f"{kind!r} is not some of the fields of an entity. Write one: class Headline(PostKey, View, of=Post)."
        )
    return shape


def expect_selectable(shapes: tuple[Shape, ...], index: Index | None, kind: Any) -> Shape:
    """The shape of a projection that a question can be answered with, or a DesignError."""
    shape = expect_projection(kind)
    if len(shapes) != 1 or (shapes[0].entity or shapes[0]) is not shape.entity:
        asked = " and ".join(each.cls.__name__ for each in shapes)
        raise DesignError(f"{kind.__name__} is not of the kind that is asked for, {asked}.")
    type_attribute = shape.table.type_attribute
    if index is not None and type_attribute is not None and not index.projects(type_attribute):
        raise DesignError(
            f"The index {index.name} does not hold {type_attribute}, by which a {kind.__name__} is known. Write a View of "
            "the index with the fields that you want."
        )
    for slot in shape.slots.values():
        if index is not None and slot.attribute is not None and not index.projects(slot.attribute):
            raise DesignError(
                f"{kind.__name__}.{slot.name} is the attribute {slot.attribute}, which the index {index.name} does not "
                "project. Leave the field out, or project the attribute."
            )
    return shape


def selection(shape: Shape) -> dict[str, Any]:
    """What a request for keys says so that the attributes of a projection alone are sent."""
    writer = ExpressionWriter()
    return {"ProjectionExpression": ", ".join(map(writer.name, columns(shape, None))), **writer.parameters()}


def columns(shape: Shape, index: Index | None) -> tuple[str, ...]:
    """The attributes that a projection needs: its fields, its keys and the type."""
    kind = shape.table.type_attribute
    stored = (slot.attribute for slot in shape.slots.values() if slot.attribute is not None)
    keys = (*shape.table.key_attributes(), *(() if index is None else index.keys))
    return tuple(dict.fromkeys((*keys, *(() if kind is None else (kind,)), *stored)))
