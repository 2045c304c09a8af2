"""Entities in forms: from an entity to the texts of its fields, and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.cells import field_text, fields_in_order
from hansang.blueprint.explorer.forms import Fault, FormField, Texts, error_fault, faults_of, fill, form_field
from hansang.design import Entity
from hansang.design.shape import Shape
from hansang.errors import InvalidKey


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody has filled in: the entity, or what is wrong. A fault of the whole is under ""."""

    entity: Any
    faults: dict[str, Fault]


def fields_of(shape: Shape) -> list[FormField]:
    """The fields of an entity, those of its key first."""
    keys = (*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))
    return [_field(shape, name, in_key=name in keys) for name in fields_in_order(shape)]


def _field(shape: Shape, name: str, *, in_key: bool) -> FormField:
    info = shape.cls.model_fields[name]
    default = info.default if info.default is not PydanticUndefined else None if info.default_factory else ...
    return form_field(name, info.annotation, default, in_key=in_key)


def texts_of(shape: Shape, entity: Entity) -> dict[str, str]:
    """What the form of an entity has in it."""
    texts: dict[str, str] = {}
    for each in fields_of(shape):
        value = getattr(entity, each.name)
        is_json = each.kind == "json" or (each.kind == "either" and not isinstance(value, str))
        texts[each.name] = (
            json_texts.written(value, 2) if is_json and value is not None else _plain(each, value)
        )
        if each.kind == "either":
            texts[each.form_name] = "json" if is_json and value is not None else "text"
    return texts


def _plain(each: FormField, value: Any) -> str:
    if each.kind == "choice":
        return next((text for text, known in each.choices.items() if known == value), "")
    return field_text(value)


def blank(shape: Shape, now: datetime) -> dict[str, str]:
    """What the form of a new entity has in it: its defaults, and the present for moments that it needs."""
    present = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        each.name: present if each.kind == "moment" and each.is_needed else each.default
        for each in fields_of(shape)
    }


def draft(shape: Shape, texts: Texts) -> Draft:
    """The entity that the texts make, checked as if a program had made it."""
    filled = fill(fields_of(shape), texts)
    absent = {name: None for name, slot in shape.slots.items() if slot.optional and name not in filled.values}
    try:
        entity = shape.cls(**absent, **filled.values)
        shape.encode(entity)
    except ValidationError as error:
        return Draft(None, faults_of(error) | filled.faults)
    except InvalidKey as error:
        return Draft(None, filled.faults or {"": error_fault("key", error)})
    return Draft(None if filled.faults else entity, filled.faults)
