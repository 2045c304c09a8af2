"""Entities in forms: from an entity to the texts of its fields, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from pydantic import ValidationError

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.cells import field_text, fields_in_order
from hansang.blueprint.explorer.filling import Filled, Texts, fill, moment_text
from hansang.blueprint.explorer.forms import (
    KEY,
    VALUE,
    Fault,
    FormField,
    error_fault,
    faults_of,
    model_field,
    part_name,
)
from hansang.design import Entity
from hansang.design.shape import Shape
from hansang.errors import InvalidInput, InvalidKey


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody has filled in: the entity, or what is wrong. A fault of the whole is under ""."""

    entity: Any
    faults: dict[str, Fault]


def fields_of(shape: Shape) -> list[FormField]:
    """The fields of an entity, those of its key first."""
    keys = (*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))
    return [model_field(shape.cls, name, in_key=name in keys) for name in fields_in_order(shape)]


def open_fields(shape: Shape, hidden: Collection[str] = ()) -> list[FormField]:
    """The fields that people fill in: not what is hidden from them, and nothing that writes itself."""
    kept = kept_up(shape)
    return [
        each
        for each in fields_of(shape)
        if each.name not in hidden
        and each.name not in kept
        and each.stamped is None
        and not (each.is_fixed and not each.in_key)
    ]


def kept_up(shape: Shape) -> set[str]:
    """The fields that the database keeps up by itself."""
    return {each.name for each in (*shape.touched, *([shape.version] if shape.version is not None else ()))}


# ── texts ─────────────────────────────────────────────────────────────────────────────────────────


def texts_of(shape: Shape, entity: Entity, zone: tzinfo = UTC) -> dict[str, str]:
    """What the form of an entity has in it."""
    texts: dict[str, str] = {}
    for each in fields_of(shape):
        texts |= _texts(each, getattr(entity, each.name), zone)
    return texts


def _texts(each: FormField, value: Any, zone: tzinfo) -> dict[str, str]:
    if each.kind in ("rows", "map"):
        return _row_texts(each, value, zone)
    is_json = value is not None and (
        each.kind == "json" or (each.kind == "either" and not isinstance(value, str))
    )
    texts = {each.name: json_texts.written(value, 2) if is_json else _plain(each, value, zone)}
    if each.kind == "either":
        texts[each.form_name] = "json" if is_json else "text"
    return texts


def _row_texts(each: FormField, value: Any, zone: tzinfo) -> dict[str, str]:
    pairs = each.kind == "map" and [{KEY: key, VALUE: one} for key, one in (value or {}).items()]
    texts: dict[str, str] = {}
    for number, row in enumerate(pairs if pairs is not False else value or ()):
        for part in each.parts:
            inner = row[part.name] if isinstance(row, dict) else getattr(row, part.name)
            texts[part_name(each.name, number, part.name)] = _plain(part, inner, zone)
    return texts


def _plain(each: FormField, value: Any, zone: tzinfo) -> str:
    if value is None:
        return ""
    if each.kind == "choice":
        return next((text for text, known in each.choices.items() if known == value), "")
    if each.kind == "moment":
        return moment_text(value, zone)
    if each.kind == "lines":
        return "\n".join(sorted(value) if isinstance(value, set | frozenset) else value)
    return field_text(value)


def blank(shape: Shape) -> dict[str, str]:
    """What the form of a new entity has in it: its defaults."""
    return {each.name: each.default for each in fields_of(shape) if each.kind not in ("rows", "map")}


# ── drafts ────────────────────────────────────────────────────────────────────────────────────────


def draft(
    shape: Shape,
    texts: Texts,
    now: datetime,
    *,
    zone: tzinfo = UTC,
    before: Entity | None = None,
    hidden: Collection[str] = (),
) -> Draft:
    """The entity that the texts make, checked as if a program had made it.

    Of an entity that was there `before`, the key stays, and so does what is hidden from whoever fills in the form.
    """
    now, fields = now.replace(microsecond=0), open_fields(shape, hidden)
    asked = [each for each in fields if before is None or not each.in_key]
    filled = fill(asked, texts, zone)
    kept = _kept(shape, {each.name for each in asked}, before, now)
    absent = {
        name: None
        for name, slot in shape.slots.items()
        if slot.optional and name not in filled.values and name not in kept
    }
    try:
        entity = shape.cls(**absent, **kept, **filled.values)
        shape.encode(entity)
    except ValidationError as error:
        found = faults_of(error, {each.name: each.example for each in fields})
        return Draft(None, _in_rows(asked, found, filled) | filled.faults)
    except (InvalidKey, InvalidInput) as error:
        return Draft(None, filled.faults or {"": error_fault("key", error)})
    if filled.faults:
        return Draft(None, filled.faults)
    return Draft(_stamped(shape, entity, before, now), {})


def _kept(shape: Shape, asked: Collection[str], before: Entity | None, now: datetime) -> dict[str, Any]:
    """The fields that nobody fills in: as they were, or as a new entity has them."""
    if before is not None:
        return {name: getattr(before, name) for name in shape.slots if name not in asked}
    return {each.name: now for each in fields_of(shape) if each.stamped is not None}


def _stamped(shape: Shape, entity: Entity, before: Entity | None, now: datetime) -> Entity:
    """The entity with the time at which it is saved, if it is different from what was there."""
    if before is None or entity == before:
        return entity
    saved = {each.name: now for each in fields_of(shape) if each.stamped == "saved"}
    return entity.model_copy(update=saved) if saved else entity


def _in_rows(fields: Collection[FormField], found: Mapping[str, Fault], filled: Filled) -> dict[str, Fault]:
    """Faults inside of rows, at the fields of the rows in which they are."""
    rows = {each.name: filled.rows.get(each.name, []) for each in fields if each.kind in ("rows", "map")}
    return {_place(name, fault, rows): fault for name, fault in found.items()}


def _place(name: str, fault: Fault, rows: Mapping[str, list[str]]) -> str:
    number, *rest = fault.inside or (None,)
    known = rows.get(name, [])
    if not isinstance(number, int) or number >= len(known) or not rest:
        return name
    return part_name(name, known[number], str(rest[0]))
