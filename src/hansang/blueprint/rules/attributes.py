"""Rules about attributes: their names, and how large they can get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_origin

from hansang.blueprint.codes import GROWING_ATTRIBUTE, MARKED_KEY, RESERVED_WORD, UNMARKED_SECRET
from hansang.blueprint.domains import is_bounded, kind_of
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.subject import Design
from hansang.design.shape import Shape
from hansang.design.visibility import looks_secret
from hansang.engine.expressions.reserved import is_reserved


def unbounded_attributes(design: Design) -> Iterator[Finding]:
    """Lists, sets and maps with no greatest length."""
    for table in design.tables:
        for shape in table.shapes:
            for slot in shape.slots.values():
                kind = kind_of(shape, slot.name)
                if (get_origin(kind) or kind) in (list, set, frozenset, dict) and not is_bounded(
                    shape, slot.name
                ):
                    yield Finding(
                        GROWING_ATTRIBUTE,
                        place_of(shape.cls),
                        f"{shape.cls.__name__}.{slot.name} has no maximum length.",
                    )


def reserved_words(design: Design) -> Iterator[Finding]:
    """Attributes whose names DynamoDB keeps for itself."""
    for table in design.tables:
        names = {name for shape in table.shapes for name in shape.attributes}
        for name in sorted(filter(is_reserved, names)):
            yield Finding(RESERVED_WORD, place_of(table), f"{name} is a reserved word.")


def unmarked_secrets(design: Design) -> Iterator[Finding]:
    """Texts that are called as secrets are, and are shown."""
    for table in design.tables:
        for shape in table.shapes:
            for slot in shape.slots.values():
                is_text = kind_of(shape, slot.name) in (str, bytes)
                is_named = looks_secret(slot.name) or looks_secret(slot.attribute or "")
                if is_text and is_named and slot.mark is None:
                    message = f"{slot!r} has the name of a secret and no mark."
                    yield Finding(UNMARKED_SECRET, place_of(shape.cls), message)


def marked_keys(design: Design) -> Iterator[Finding]:
    """Marked fields that stand in keys."""
    for table in design.tables:
        for shape in table.shapes:
            for slot in shape.slots.values():
                keys = [] if slot.mark is None else _keys_with(shape, slot.name)
                if keys:
                    message = f"{slot!r} is marked, and it stands in the key {' and '.join(keys)}."
                    yield Finding(MARKED_KEY, place_of(shape.cls), message)


def _keys_with(shape: Shape, field: str) -> list[str]:
    """The key attributes of the table and of its indexes that tell the value of a field."""
    names = (*shape.table.key_attributes(), *(key for index in shape.table.indexes for key in index.keys))
    derived = {each.attribute for each in shape.derived.values() if each.of == field}
    return [
        name
        for name in dict.fromkeys(names)
        if shape.slots[field].attribute == name
        or name in derived
        or ((template := shape.template(name)) is not None and field in template.fields)
    ]


RULES = (unbounded_attributes, unmarked_secrets, marked_keys, reserved_words)
