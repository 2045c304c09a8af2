"""What an update of an entity writes: the changes asked for, and the attributes that follow them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hansang.design.codec import TEXT, to_value
from hansang.design.expressions import Field, Update, Writer, write_updates
from hansang.design.shape import Shape
from hansang.errors import DesignError

_RAW = TEXT.__class__(None, lambda value: value, lambda value: value)


def update_expression(
    writer: Writer,
    shape: Shape,
    key: Mapping[str, Any],
    updates: tuple[Update[Any], ...],
    *,
    upsert: bool = False,
) -> str:
    """The expression of the changes and of what follows from them; refused when something cannot follow."""
    if not updates:
        raise DesignError(
            "There is nothing to update. Give at least one change, such as attr(Post.title).set('…')."
        )
    for update in updates:
        _expect_own(shape, update)
    written = [*updates, *_following(shape, key, updates)]
    return write_updates(writer, [*written, *(_founding(shape, key, written) if upsert else ())])


def _expect_own(shape: Shape, update: Update[Any]) -> None:
    field = update.field
    if not issubclass(shape.cls, field.owner):
        raise DesignError(f"{field!r} is no attribute of {shape.cls.__name__}.")
    if field.in_key or field.attribute in shape.table.key_attributes():
        raise DesignError(
            f"{field!r} is part of the key and cannot change. Delete the item and create another."
        )
    if field.name in shape.derived:
        raise DesignError(
            f"{field!r} is worked out from {shape.derived[field.name].of}; change that instead."
        )


def _following(
    shape: Shape, key: Mapping[str, Any], updates: tuple[Update[Any], ...]
) -> Iterator[Update[Any]]:
    """Derived attributes and composed index keys whose fields change."""
    changed = {update.field.name: update for update in updates}
    for name, each in shape.derived.items():
        update = changed.get(each.of)
        if update is not None:
            value = _new_value(shape, update, each.attribute)
            yield _assigned(shape, name, each.attribute, None if value is None else to_value(each.by(value)))
    for attribute, template in shape.composed.items():
        if changed.keys().isdisjoint(template.fields):
            continue
        values = dict(key)
        for name in template.fields:
            if name in changed:
                values[name] = _new_value(shape, changed[name], attribute)
        missing = [name for name in template.fields if name not in values]
        if missing:
            raise DesignError(
                f"The index key {attribute} is {template.text}, so it needs {', '.join(missing)} too, which these changes "
                "do not give. Give all its fields together, or replace the item."
            )
        whole = all(values[name] is not None for name in template.fields)
        yield _assigned(shape, attribute, attribute, {"S": template.fill(values)} if whole else None)


def _founding(shape: Shape, key: Mapping[str, Any], written: list[Update[Any]]) -> Iterator[Update[Any]]:
    """What an item has by its type and its key alone, and what one that an update makes would lack."""
    found: dict[str, Any] = {}
    if shape.table.type_attribute is not None and shape.type_name is not None:
        found[shape.table.type_attribute] = {"S": shape.type_name}
    for name in (*shape.pk.fields, *(shape.sk.fields if shape.sk else ())):
        slot = shape.slots[name]
        if slot.attribute is not None:
            found[slot.attribute] = slot.codec.encode(key[name])
    apart = {*shape.table.key_attributes(), *(update.field.attribute for update in written)}
    for attribute, value in found.items():
        if attribute not in apart:
            yield Update(Field(shape.cls, attribute, attribute, _RAW), "SET", "if_missing", value)


def _new_value(shape: Shape, update: Update[Any], attribute: str) -> Any:
    if update.clause == "REMOVE":
        return None
    if update.verb != "set":
        raise DesignError(
            f"{attribute} follows {update.field!r}, whose new value is not known here. "
            "Set it to a value, or replace the item."
        )
    return update.value


def _assigned(shape: Shape, name: str, attribute: str, value: Any) -> Update[Any]:
    field = Field(shape.cls, name, attribute, _RAW)
    return Update(field, "REMOVE" if value is None else "SET", "set", value)
