"""How large the items of a design are, measured on samples or on real items."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.blueprint.subject import Design, has
from hansang.design import Index, Table
from hansang.design.kinds import is_of
from hansang.design.shape import Item, Shape
from hansang.engine.values import item_size


class Sizes:
    """The mean size of each kind of item, whole and in each index."""

    def __init__(self, design: Design, items: Iterable[Item] = ()) -> None:
        """`items` are real ones, of any kind; kinds that are not among them are measured on a sample."""
        self._items: dict[Shape, list[Item]] = {}
        shapes = [shape for table in design.tables for shape in table.shapes]
        for item in items:
            found = next((shape for shape in shapes if _is(shape, item)), None)
            if found is not None:
                self._items.setdefault(found, []).append(item)
        for shape in shapes:
            if shape not in self._items:
                self._items[shape] = [shape.encode(design.samples.entity(shape))]

    def of(self, shape: Shape, index: Index | None = None) -> int:
        """The mean size in bytes of an item, or of its entry in an index."""
        sizes = [item_size(_held(item, index)) for item in self._items[entity_of(shape)]]
        return round(sum(sizes) / len(sizes))

    def example(self, shape: Shape) -> Item:
        return self._items[entity_of(shape)][0]


def _is(shape: Shape, item: Item) -> bool:
    keys = shape.table.key_attributes()
    return all(name in item for name in keys) and is_of(shape, item)


def _held(item: Item, index: Index | None) -> Item:
    """The part of an item that an index holds."""
    return item if index is None else {name: item[name] for name in item if index.projects(name)}


def entity_of(shape: Shape) -> Shape:
    """The entity behind a view; an entity is its own."""
    table: type[Table] = shape.table
    if shape in table.shapes:
        return shape
    return next(each for each in table.shapes if (each.pk, each.sk) == (shape.pk, shape.sk))


def indexes_of(shape: Shape, item: Item) -> list[Index]:
    """The indexes that an item is in."""
    return [
        index
        for index in shape.table.indexes
        if all(has(shape, name) and name in item for name in index.keys)
    ]
