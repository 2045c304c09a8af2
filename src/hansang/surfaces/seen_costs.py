"""What a page of answers cost, told without what whoever asks does not see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hansang.design import Query
from hansang.design.meter import Cost
from hansang.design.shape import Item, Shape
from hansang.design.visibility import visible
from hansang.engine.capacity import read_units
from hansang.engine.values import item_size
from hansang.surfaces.guards import Guard


@dataclass(frozen=True, slots=True)
class SeenCost:
    """The units of a page."""

    read: float
    write: float
    is_partial: bool
    """Whether they are those of the answers as they are seen, and not those that were paid."""


def seen_cost(guard: Guard, query: Query[Any], answers: Iterable[Any], paid: Cost) -> SeenCost:
    """What was paid; for whoever does not see all of the table, what the answers cost as they are seen.

    The size of what is hidden, of an item that cannot be read, and of items of other kinds in between would tell.
    """
    if guard.sees_all_of(query.table):
        return SeenCost(paid.read, paid.write, is_partial=False)
    seen = (visible(query.table, _item(each), guard.role) for each in answers)
    read = read_units(sum(map(item_size, seen)), consistent=query.strong)
    return SeenCost(read, paid.write, is_partial=True)


def _item(entity: Any) -> Item:
    """The item of an answer; of a view what it has of it, which may be too little for the keys of its index."""
    shape: Shape = type(entity).__shape__
    if not shape.is_view:
        return shape.encode(entity)
    values = entity.__dict__
    held = {slot.attribute: slot.encode(values[slot.name]) for slot in shape.slots.values() if slot.attribute}
    return shape.key(values) | {name: value for name, value in held.items() if value is not None}
