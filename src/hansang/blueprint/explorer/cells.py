"""Items as rows and columns: attributes with the marks of their types, or the fields of their entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.json_texts import written
from hansang.design import ALL, Table
from hansang.design.codec import Value, to_python
from hansang.design.kinds import recognised
from hansang.design.marks import Role
from hansang.design.shape import Item, Shape
from hansang.design.visibility import hidden_fields, hidden_in
from hansang.errors import UnexpectedItem

HIDDEN = "••••••••"
"""What stands in place of a value that whoever looks does not see."""
_AS_IT_IS = frozenset({"S", "N", "B"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One attribute of one item: the mark of its type, and its value for people."""

    kind: str
    text: str


def cell(value: Value) -> Cell:
    """What is shown of an attribute."""
    [(kind, content)] = value.items()
    return Cell(kind, content if kind in _AS_IT_IS else written(to_python(value)))


def masked(table: type[Table], item: Item, role: Role | None) -> Item:
    """The item as somebody with this role sees it, with every attribute that it has."""
    hidden = hidden_in(table, item, role)
    return {name: {"S": HIDDEN} if name in hidden else value for name, value in item.items()}


def columns(source: Source, items: Iterable[Item]) -> list[str]:
    """The attributes of a page of items: keys first, then the others as they come."""
    names = dict.fromkeys(name for item in items for name in item)
    keys = [name for name in source.keys if name in names]
    return [*keys, *(name for name in names if name not in keys)]


# ── entities ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item with the fields of its entity, as texts."""

    item: Item
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """The rows of one kind of item; without a shape, of items that no entity knows."""

    shape: Shape | None
    fields: tuple[str, ...]
    rows: list[ItemRow]

    @property
    def name(self) -> str:
        return "" if self.shape is None else self.shape.cls.__name__


def kinds(source: Source, items: Sequence[Item], role: Role | None) -> list[Kind]:
    """A page of items by kind, in the order in which the kinds come, as somebody with this role sees them."""
    shapes = shapes_in(source)
    found: dict[Shape | None, list[ItemRow]] = {}
    for item in items:
        shape, row = _row(shapes, item, role)
        found.setdefault(shape, []).append(row)
    return [Kind(shape, fields_in_order(shape) if shape else (), rows) for shape, rows in found.items()]


def fields_in_order(shape: Shape) -> tuple[str, ...]:
    """The fields of an entity, those of its key first."""
    keys = (*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))
    return tuple(dict.fromkeys((*keys, *shape.slots)))


def shapes_in(source: Source) -> list[Shape]:
    """What items of a table or an index can be read as: what the index holds of entities, or these whole."""
    if source.index is None or source.index.project is ALL:
        return source.table.shapes
    return [shape for shape in source.table.views if shape.cls.__index__ is source.index]


def _row(shapes: Sequence[Shape], item: Item, role: Role | None) -> tuple[Shape | None, ItemRow]:
    shape = recognised(shapes, item)
    if shape is None:
        return None, ItemRow(item, {})
    try:
        return shape, ItemRow(item, field_texts(shape, shape.decode(item), role))
    except UnexpectedItem:
        return None, ItemRow(item, {})


def field_texts(shape: Shape, entity: Any, role: Role | None) -> dict[str, str]:
    """Every field of an entity as text; empty where there is nothing."""
    hidden = hidden_fields(shape, role)
    return {
        name: HIDDEN if name in hidden else field_text(getattr(entity, name))
        for name in fields_in_order(shape)
    }


def field_text(value: Any) -> str:
    """One field as text: as it is where it is a text, else as JSON would have it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return written(value).strip('"')
