"""One partition for all the kinds of a question: refused where one of them is never in it, or is asked for another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hansang.design.codec import Value
from hansang.design.fields import Field
from hansang.design.shape import Shape
from hansang.errors import DesignError


def expect_shared(asked: Mapping[Shape, Mapping[str, Any]], attribute: str, partition: Value) -> None:
    """Refuse kinds that are never in the partition that is asked."""
    for shape, equal in asked.items():
        template = shape.template(attribute)
        if template is None and shape.kind_of(attribute) is None and attribute != shape.table.type_attribute:
            raise DesignError(
                f"{shape.cls.__name__} has no attribute {attribute}, which is the key of the index."
            )
        if template is not None and template.bare is None and not template.matches(partition["S"]):
            raise DesignError(
                f"{shape.cls.__name__} is never in the partition {partition['S']}: its key is {template.text}."
            )
        _expect_agreed(shape, equal, attribute, partition)


def _expect_agreed(shape: Shape, equal: Mapping[str, Any], attribute: str, partition: Value) -> None:
    """Refuse conditions that name another partition for one of the kinds."""
    template = shape.template(attribute)
    if template is None or template.bare is not None:
        for name in partition_fields(shape, attribute):
            field_ = reference(shape, name)
            if name in equal and field_.encode(equal[name]) != partition:
                raise DesignError(
                    f"{field_!r} is asked to be {equal[name]!r}, and the partition that is asked is another. One "
                    "question asks one partition."
                )
        return
    for name, text in template.read(partition["S"]).items():
        if name in equal and template.place(template.places[name], equal[name]) != text:
            raise DesignError(
                f"{shape.cls.__name__}.{name} is asked to be {equal[name]!r}, and the partition that is asked is "
                f"{partition['S']}. One question asks one partition."
            )


def reference(shape: Shape, name: str) -> Field:
    """A field of a kind, or of the entity that a view is of."""
    own: dict[str, Field] = shape.cls.__references__
    return own[name] if name in own or shape.entity is None else reference(shape.entity, name)


def partition_fields(shape: Shape, attribute: str) -> tuple[str, ...]:
    """The fields that a partition key is made of, or is."""
    template = shape.template(attribute)
    if template is not None:
        return template.fields
    return tuple(slot.name for slot in shape.slots.values() if slot.attribute == attribute)


def served_hint(shape: Shape, equal: Collection[str]) -> str:
    """The index whose partition these fields name, for whoever asked the table for it."""
    for index in shape.table.indexes:
        named = {name for each in index.partition_keys for name in partition_fields(shape, each)}
        if index.is_global and named and named <= {*equal} and shape.is_whole_in(index):
            return f" The index {index.name} has {' and '.join(sorted(named))} there: index={index!r}."
    return ""
