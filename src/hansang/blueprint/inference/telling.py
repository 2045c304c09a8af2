"""Whether the kinds of a drafted table can be told apart, by the rules of the design language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from hansang.blueprint.inference.drafts import EntityDraft, TemplateDraft
from hansang.design.codec import codec_for
from hansang.design.kinds import meet, within
from hansang.design.notations import Notation, notation_for
from hansang.design.shape import Item
from hansang.design.templates import Template
from hansang.design.timestamps import Milliseconds, Seconds

_TYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "str": (str, ()),
    "int": (int, ()),
    "date": (date, ()),
    "Timestamp": (datetime, (Seconds(),)),
    "TimestampMs": (datetime, (Milliseconds(),)),
    "Decimal": (Decimal, ()),
    "bytes": (bytes, ()),
}


def conflicts(
    others: Sequence[EntityDraft], new: EntityDraft, type_attribute: str | None
) -> EntityDraft | None:
    """The kind whose keys could be the new one's as well, with neither being the narrower."""
    for other in others:
        if type_attribute is not None and new.type_name != other.type_name:
            continue
        pairs = list(zip(_templates(new), _templates(other), strict=True))
        if not all(meet(one, two) for one, two in pairs):
            continue
        is_narrow = all(within(one, two) for one, two in pairs)
        is_wide = all(within(two, one) for one, two in pairs)
        if is_narrow == is_wide:
            return other
    return None


def _templates(entity: EntityDraft) -> list[Template]:
    return [bound(entity, key) for key in (entity.pk, entity.sk) if key is not None]


def bound(entity: EntityDraft, key: TemplateDraft) -> Template:
    """The template of a key with the notations of its fields."""
    template = Template.parse(key.text)

    def notation(name: str, format_: str) -> Notation:
        annotation, marks = _TYPES[entity.field(name).type.form]
        codec = codec_for(annotation, marks)
        if template.bare is not None and codec.kind in ("N", "B"):
            return Notation(str, None, None, sorts=True)
        return notation_for(annotation, format_, codec)

    return template.bound(lambda place: notation(place.name, place.format))


def unreadable(entity: EntityDraft, keys: Sequence[str]) -> list[Item]:
    """The items whose keys the drafted templates do not take."""
    templates = dict(zip(keys, _templates(entity), strict=True))
    texts = {key: each for key, each in templates.items() if not _is_other(entity, each)}
    return [
        item
        for item in entity.items
        if not all("S" in item[key] and each.matches(item[key]["S"]) for key, each in texts.items())
    ]


def _is_other(entity: EntityDraft, template: Template) -> bool:
    """Whether a key is a number or bytes."""
    return template.bare is not None and entity.field(template.bare).type.form in ("int", "Decimal", "bytes")
