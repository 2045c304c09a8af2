"""Rules about attributes: their names, and how large they can get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_origin

from hansang.blueprint.codes import GROWING_ATTRIBUTE, RESERVED_WORD
from hansang.blueprint.domains import is_bounded, kind_of
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.subject import Design
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


RULES = (unbounded_attributes, reserved_words)
