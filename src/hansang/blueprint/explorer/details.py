"""Everything that can be said of one stored item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hansang.blueprint.explorer.cells import HIDDEN
from hansang.blueprint.explorer.key_texts import key_text
from hansang.design import Index, Table
from hansang.design.kinds import recognised
from hansang.design.marks import Role
from hansang.design.shape import Item, Shape
from hansang.design.visibility import visible
from hansang.engine.capacity import read_units, write_units
from hansang.engine.values import item_size
from hansang.errors import UnexpectedItem


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An index, and whether the item stands in it: its key there, and how large its entry is."""

    index: Index
    key: tuple[tuple[str, str], ...]
    size: int
    lacks: str
    """The first attribute that the item would need to stand there; empty if it does."""


@dataclass(frozen=True, slots=True)
class Details:
    """One item: what it is, how large it is, what reading and writing it costs, where it stands."""

    shape: Shape | None
    entity: Any
    misfit: str
    """Why the item is no entity, if it is none."""
    size: int
    read: float
    strong_read: float
    write: float
    indexes: tuple[IndexEntry, ...]


def details(table: type[Table], item: Item, role: Role | None) -> Details:
    """What is known of an item of a table to somebody with this role: sizes and costs are of what is seen."""
    shape = recognised(table.shapes, item)
    entity, misfit = _entity(shape, item)
    seen = visible(table, item, role)
    size = item_size(seen)
    entries = tuple(_entry(index, item, seen) for index in table.indexes)
    return Details(
        shape,
        entity,
        misfit,
        size,
        read_units(size, consistent=False),
        read_units(size, consistent=True),
        write_units(size) + sum(write_units(each.size) for each in entries if not each.lacks),
        entries,
    )


def _entity(shape: Shape | None, item: Item) -> tuple[Any, str]:
    if shape is None:
        return None, ""
    try:
        return shape.decode(item), ""
    except UnexpectedItem as reason:
        return None, str(reason)


def _entry(index: Index, item: Item, seen: Item) -> IndexEntry:
    lacking = next((name for name in index.keys if name not in item), "")
    if lacking:
        return IndexEntry(index, (), 0, lacking)
    held = {name: value for name, value in seen.items() if index.projects(name)}
    key = tuple((name, key_text(seen[name]) if name in seen else HIDDEN) for name in index.keys)
    return IndexEntry(index, key, item_size(held), "")
