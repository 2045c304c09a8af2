"""What cannot be right of an entity, seen when its class is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansang.design.marks import expect_marks_outside
from hansang.design.templates import Template
from hansang.errors import DesignError

if TYPE_CHECKING:
    from hansang.design.shape import Shape


def _expect_kept_up(shape: Shape) -> None:
    """Refuse what follows a Version, whose next value is not known before it is written."""
    version = next((slot for slot in shape.slots.values() if slot.is_version), None)
    if version is None:
        return
    keys = [each for each in (shape.pk, shape.sk, *shape.composed.values()) if each is not None]
    if any(version.name in each.fields for each in keys) or any(
        each.of == version.name for each in shape.derived.values()
    ):
        raise DesignError(f"{version!r} is a Version, which no key and no derived attribute can follow.")


def expect_sound(shape: Shape) -> None:
    """Refuse a kind whose items could not be written, found and read back as they were."""
    _expect_one_attribute_each(shape)
    for name in shape.key_fields:
        slot = shape.slots[name]
        if slot.is_touched:
            raise DesignError(f"{slot!r} changes with every write, so it cannot be part of the key.")
        if slot.optional:
            raise DesignError(f"{slot!r} may be None, and a key needs it.")
    index_keys = {key for index in shape.table.indexes for key in index.keys}
    for slot in shape.slots.values():
        expect_marks_outside(slot.owner, slot.name, slot.info.annotation)
        if slot.keeps_null and slot.attribute in index_keys:
            raise DesignError(
                f"{slot!r} is the key of an index and may be None, which is stored there by its absence. "
                "Give it the default None, or none at all."
            )
    _expect_kept_up(shape)
    for _, template in shape.key_templates():
        _expect_readable(shape, template)
    for each in shape.derived.values():
        if each.of not in shape.slots:
            raise DesignError(
                f"{shape.cls.__name__}.{each.attribute} is derived from {each.of}, which is not a field."
            )


def _expect_one_attribute_each(shape: Shape) -> None:
    taken: dict[str, str] = {}
    for attribute, template in ((shape.table.pk, shape.pk), (shape.table.sk, shape.sk)):
        if attribute is not None and template is not None:
            taken[attribute] = template.bare or f"the key {template.text}"
    if shape.table.type_attribute is not None:
        taken[shape.table.type_attribute] = "the type"
    claims = [
        *((slot.name, slot.attribute) for slot in shape.slots.values() if slot.attribute is not None),
        *((name, each.attribute) for name, each in shape.derived.items() if name not in shape.slots),
        *(
            (f"the index key {each.text}", name)
            for name, each in shape.composed.items()
            if shape.index is None
        ),
    ]
    for claim, attribute in claims:
        if taken.setdefault(attribute, claim) not in (claim, _bare_field(shape, attribute) or claim):
            raise DesignError(
                f"{shape.cls.__name__} stores {claim} in the attribute {attribute}, and {taken[attribute]} too. "
                "Give one of them another name, with Attr."
            )


def _bare_field(shape: Shape, attribute: str) -> str | None:
    """The field that an index key is by its template, which may be the field's own attribute."""
    template = shape.composed.get(attribute)
    slot = None if template is None or template.bare is None else shape.slots.get(template.bare)
    return None if slot is None or slot.attribute != attribute else slot.name


def _expect_readable(shape: Shape, template: Template) -> None:
    """Every field that stands in a key alone can be read back from it."""
    for name, place in template.places.items():
        slot, notation = shape.slots.get(name), place.notation
        if slot is None or notation is None or template.bare is not None:
            continue
        strange = next(
            (each for each in notation.choices if {*each} & template.refused[name] or not each), None
        )
        if strange is not None:
            raise DesignError(f"{slot!r} can be {strange!r}, which cannot be in the key {template.text}.")
        if notation.read is None and slot.attribute is None and not _is_whole_elsewhere(shape, name):
            raise DesignError(
                f"The key {template.text} keeps only a part of {slot!r}, so it cannot be read back. Make what "
                f"the key has a field of its own, or store {slot.name} as well, with Attr."
            )


def _is_whole_elsewhere(shape: Shape, name: str) -> bool:
    """Whether another half of the key has all of a field, as `{at}` has beside `{at:%Y-%m}`."""
    places = (template.places.get(name) for _, template in shape.key_templates())
    return any(
        each is not None and each.notation is not None and each.notation.read is not None for each in places
    )
