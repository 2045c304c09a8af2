"""Items that their entities cannot read: what they should be, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hansang.blueprint.explorer.cells import HIDDEN
from hansang.blueprint.explorer.forms import form_field
from hansang.blueprint.explorer.json_texts import written
from hansang.design import Table
from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.design.slots import Slot
from hansang.errors import UnexpectedItem


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that keeps an item from being read: an attribute is missing, or its value, the type or the key is wrong."""

    code: Literal["missing", "value", "type", "key"]
    attribute: str
    kind: str
    """What the item should be."""
    value: str = ""
    """The value that cannot be read, in DynamoDB's JSON; of a type or a key, what it has to be."""
    expects: str = ""
    """How the value of an attribute is filled in, see `FieldKind`."""


def likeliest(table: type[Table], item: Item) -> Shape | None:
    """What an item should be: what it is recognised as, else the first kind with such keys, or the only one."""
    alike = [shape for shape in table.shapes if shape.matches_key(item)]
    if not alike and len(table.shapes) == 1:
        alike = table.shapes
    return recognised(table.shapes, item) or next(iter(alike), None)


def flaws(shape: Shape, item: Item) -> list[Flaw]:
    """What is wrong with an item of this kind; its key is looked at where nothing else is wrong."""
    found = [*_of_type(shape, item), *_of_attributes(shape, item)]
    return found or [*_of_key(shape, item)]


def _of_type(shape: Shape, item: Item) -> Iterator[Flaw]:
    attribute, name = shape.table.type_attribute, shape.type_name
    if attribute is not None and name is not None and item.get(attribute) != {"S": name}:
        yield Flaw("type", attribute, shape.cls.__name__, name)


def _of_attributes(shape: Shape, item: Item) -> Iterator[Flaw]:
    kind = shape.cls.__name__
    for slot in shape.slots.values():
        if slot.attribute is None:
            continue
        value, expects = item.get(slot.attribute), form_field(slot.name, slot.info.annotation).kind
        if value is None and slot.is_required:
            yield Flaw("missing", slot.attribute, kind, expects=expects)
        elif value is not None and not _is_read(slot, value):
            shown = written(value) if slot.mark is None else HIDDEN
            yield Flaw("value", slot.attribute, kind, shown, expects)


def _is_read(slot: Slot, value: Value) -> bool:
    try:
        slot.codec.decode(value)
    except (KeyError, ValueError, TypeError):
        return False
    return True


def _of_key(shape: Shape, item: Item) -> Iterator[Flaw]:
    try:
        shape.decode(item)
    except UnexpectedItem:
        templates = [shape.pk.text, *([shape.sk.text] if shape.sk else [])]
        names = shape.table.key_attributes()
        yield Flaw("key", " / ".join(names), shape.cls.__name__, " / ".join(templates))
