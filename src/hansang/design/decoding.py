"""From an item to its entity, field by field; and what is wrong with an item that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hansang.design.codec import Value
from hansang.design.compiled import UNREADABLE
from hansang.design.slots import UNTOLD, Slot
from hansang.design.templates import Template
from hansang.errors import InvalidKey, UnexpectedItem

if TYPE_CHECKING:
    from hansang.design.shape import Item, Shape


def decode(shape: Shape, item: Item) -> Any:
    """The entity of an item, field by field. Attributes that nobody knows are kept for writing back."""
    _expect_type(shape, item)
    try:
        shape.expect_own_key(item)
    except InvalidKey as fault:
        raise unexpected(shape, item, str(fault)) from fault
    values = {
        slot.name: _read(shape, slot, item) for slot in shape.slots.values() if slot.attribute is not None
    }
    _read_keys(shape, item, values)
    unknown = {} if shape.is_view else {name: item[name] for name in item.keys() - shape.attributes}
    return construct(shape.cls, {name: values[name] for name in shape.slots}, unknown, set(shape.slots))


def unexpected(shape: Shape, item: Item, message: str, attribute: str | None = None) -> UnexpectedItem:
    """The error of an item that should be of this kind."""
    kind = shape.cls if shape.entity is None else shape.entity.cls
    return UnexpectedItem(message, item, kind, attribute or "")


def _expect_type(shape: Shape, item: Item) -> None:
    kind = shape.table.type_attribute
    if kind is None or (shape.index is not None and not shape.index.projects(kind)):
        return
    found = item.get(kind)
    if shape.type_name is None:
        if found is not None and any(found == {"S": each.type_name} for each in shape.table.shapes):
            message = f"The item {shape.shown(item)} is a {found.get('S')}, so it is not of kind {shape.cls.__name__}."
            raise unexpected(shape, item, message, kind)
        return
    if found != {"S": shape.type_name}:
        said = f"has no {kind}" if found is None else f"has the {kind} {next(iter(found.values()))}"
        message = f"The item {shape.shown(item)} {said}, so it is not of kind {shape.cls.__name__}."
        raise unexpected(shape, item, message, kind)


def _read(shape: Shape, slot: Slot, item: Item) -> Any:
    value = item.get(slot.attribute or "")
    if value is None:
        if slot.is_required:
            message = (
                f"The item {shape.shown(item)} has no attribute {slot.attribute}, which every "
                f"{shape.cls.__name__} has."
            )
            raise unexpected(shape, item, message, slot.attribute)
        return slot.absent()
    try:
        return slot.codec.decode(value)
    except UNREADABLE as reason:
        message = (
            f"The attribute {slot.attribute} of the item {shape.shown(item)} is {value if slot.mark is None else UNTOLD}, "
            f"which is not a valid {shape.cls.__name__}.{slot.name}."
        )
        raise unexpected(shape, item, message, slot.attribute) from reason


def _read_keys(shape: Shape, item: Item, values: dict[str, Any]) -> None:
    """Read what stands in keys alone, and check that the keys say what the attributes say."""
    try:
        for attribute, template in shape.key_templates():
            if template.bare is None:
                _read_key(shape, template, item[attribute]["S"], values)
            elif template.bare in values:
                _expect_same(shape.slots[template.bare], item[attribute], values[template.bare])
    except UNREADABLE as reason:
        is_told = isinstance(reason, InvalidKey) and all(each.mark is None for each in shape.slots.values())
        why = f": {reason}" if is_told else "."
        message = f"The item {shape.shown(item)} has no key of a {shape.cls.__name__}{why}"
        raise unexpected(shape, item, message) from reason


def _read_key(shape: Shape, template: Template, text: str, values: dict[str, Any]) -> None:
    for name, part in template.read(text).items():
        notation = template.places[name].notation
        if name in shape.slots and name not in values and notation is not None and notation.read:
            values[name] = notation.read(part)
    known = all(values.get(name) is not None for name in template.fields)
    if known and template.fill(values) != text:
        raise InvalidKey(f"it is {text}, and by its attributes it would be {template.fill(values)}.")


def _expect_same(slot: Slot, stored: Value, value: Any) -> None:
    if slot.encode(value) != stored:
        raise InvalidKey(f"it is {stored}, and by its attributes it would be {slot.encode(value)}.")


def decode_key(shape: Shape, item: Item) -> Any | None:
    """An entity with the fields of its key alone, of an item that cannot be read; None if its key cannot either."""
    values: dict[str, Any] = {}
    try:
        for attribute, template in shape.key_templates():
            if template.bare is None:
                _read_key(shape, template, item[attribute]["S"], values)
            else:
                values[template.bare] = shape.slots[template.bare].codec.decode(item[attribute])
    except UNREADABLE:
        return None
    return construct(shape.cls, values, {}, set(values))


def construct(cls: Any, values: dict[str, Any], unknown: Item, names: set[str]) -> Any:
    """An instance of what the store has kept, made without asking pydantic again."""
    entity = cls.__new__(cls)
    _set(entity, "__dict__", values)
    _set(entity, "__pydantic_fields_set__", names)
    _set(entity, "__pydantic_extra__", None)
    _set(entity, "__pydantic_private__", {"_unknown": unknown} if unknown else None)
    return entity


_set = object.__setattr__
