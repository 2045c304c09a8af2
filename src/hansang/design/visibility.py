"""What somebody sees of an item: the one place that decides it, for every surface."""

from __future__ import annotations

import re
from functools import lru_cache

from hansang.design.kinds import recognised
from hansang.design.marks import Role, shows
from hansang.design.shape import Item, Shape
from hansang.design.table import Index, Table

_LOOKS_SECRET = re.compile(r"password|passwd|passphrase|secret|token|private_?key", re.IGNORECASE)
_CACHED = 4096


def looks_secret(name: str) -> bool:
    """Whether an attribute has the name of a secret."""
    return _LOOKS_SECRET.search(name) is not None


def has_secret(shape: Shape) -> bool:
    """Whether items of this kind keep something that nobody sees."""
    return bool(hidden_fields(shape, "owner"))


@lru_cache(_CACHED)
def hidden_fields(shape: Shape, role: Role | None) -> frozenset[str]:
    """The fields of a kind that somebody with this role does not see.

    What stands in the key of the table is seen: an item has no other address.
    """
    own = {name for name, slot in shape.slots.items() if not shows(slot.mark, role)}
    if shape.is_view:
        own |= _hidden_of_entity(shape, role)
    return frozenset(own - shape.key_fields)


def _hidden_of_entity(view: Shape, role: Role | None) -> set[str]:
    """The fields of a view that hold what its entity hides."""
    sources = view.table.shapes if view.entity is None else [view.entity]
    attributes = {name for each in sources for name in hidden_attributes(each, role)}
    fields = {name for each in sources for name in hidden_fields(each, role)}
    return {
        name
        for name, slot in view.slots.items()
        if slot.attribute in attributes or (slot.attribute is None and name in fields)
    }


@lru_cache(_CACHED)
def hidden_attributes(shape: Shape, role: Role | None) -> frozenset[str]:
    """The attributes that hold fields which are not seen, or are worked out from them."""
    fields = hidden_fields(shape, role)
    stored = {shape.slots[name].attribute for name in fields}
    derived = {each.attribute for each in shape.derived.values() if each.of in fields}
    composed = {name for name, template in shape.composed.items() if not fields.isdisjoint(template.fields)}
    keys = {None, *shape.table.key_attributes()}
    return frozenset(name for name in stored | derived | composed if name not in keys and name is not None)


def hidden_in(table: type[Table], item: Item, role: Role | None) -> frozenset[str]:
    """The attributes of an item, or of a part of one, that somebody with this role does not see.

    What the item's kind does not know is hidden if any kind of the table hides an attribute of that name, or if
    none knows it and it has the name of a secret.
    """
    kinds = _kinds(table, item)
    hidden = {name for each in kinds for name in hidden_attributes(each, role)}
    strange = item.keys() - {name for each in kinds for name in each.attributes}
    return frozenset(
        hidden & item.keys() | {name for name in strange if is_hidden_anywhere(table, name, role)}
    )


def _kinds(table: type[Table], item: Item) -> list[Shape]:
    """What an item is, or else all that it could be by its key or its type; a part without a key could be anything."""
    if not all(name in item for name in table.key_attributes()):
        return []
    found = recognised(table.shapes, item)
    if found is not None:
        return [found]
    said = item.get(table.type_attribute or "", {}).get("S")
    return [each for each in table.shapes if each.matches_key(item) or (said and each.type_name == said)]


def is_hidden_anywhere(table: type[Table], name: str, role: Role | None) -> bool:
    """Whether a kind of the table hides an attribute, or none knows it and it has the name of a secret."""
    knowing = [shape for shape in table.shapes if name in shape.attributes]
    return any(name in hidden_attributes(each, role) for each in knowing) or (
        not knowing and looks_secret(name)
    )


def is_hidden_everywhere(table: type[Table], name: str, role: Role | None) -> bool:
    """Whether every kind of the table that knows an attribute hides it, or none knows it and it looks like a secret."""
    knowing = [shape for shape in table.shapes if name in shape.attributes]
    return all(name in hidden_attributes(each, role) for each in knowing) if knowing else looks_secret(name)


def hidden_keys(index: Index, table: type[Table], role: Role | None) -> list[str]:
    """The attributes in the key of an index that some kind hides: the place of an item there tells them."""
    return [name for name in index.keys if is_hidden_anywhere(table, name, role)]


def sees_all(shape: Shape, role: Role | None) -> bool:
    """Whether somebody with this role sees all that anybody sees of this kind."""
    return hidden_fields(shape, role) == hidden_fields(shape, "owner")


def visible(table: type[Table], item: Item, role: Role | None) -> Item:
    """What somebody with this role sees of an item."""
    hidden = hidden_in(table, item, role)
    return {name: value for name, value in item.items() if name not in hidden} if hidden else item
