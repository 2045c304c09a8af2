"""What it takes to write an item: units of the table, of its local indexes, and of each global one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hansang.blueprint.sizes import Sizes, indexes_of
from hansang.design import Index
from hansang.design.shape import Shape
from hansang.engine.capacity import write_units


@dataclass(frozen=True, slots=True)
class WriteUnits:
    """The units of one write."""

    verb: str
    operation: str
    own: float
    """What the item itself takes."""
    local: float
    globals: dict[str, float]

    @property
    def units(self) -> float:
        return self.own + self.local + sum(self.globals.values())

    @property
    def in_transaction(self) -> float:
        """A transaction doubles the units of the item, and not those of the indexes."""
        return self.units + self.own

    def shares(self, table: str) -> dict[str, float]:
        """What the table and each global index have to give; the table pays for its local indexes (R7)."""
        return {table: self.own + self.local} | self.globals


def writes(shape: Shape, sizes: Sizes) -> Iterator[WriteUnits]:
    """A new item, a change of it where it can change, and its end."""
    free = changeable(shape)
    keys = free & {name for index in _indexes(shape, sizes) for name in index.keys}
    yield _write(shape, sizes, "put", "PutItem", lambda index: 1)
    if free - keys:
        yield _write(shape, sizes, "update", "UpdateItem", lambda index: _entries(index, free - keys))
    if keys:
        yield _write(shape, sizes, "update_index_key", "UpdateItem", lambda index: _entries(index, free))
    yield _write(shape, sizes, "delete", "DeleteItem", lambda index: 1)


def changeable(shape: Shape) -> frozenset[str]:
    """The attributes that an update can change: whatever is not made of the fields of the key."""
    fixed = {*shape.pk.fields, *(shape.sk.fields if shape.sk else ())}
    stored = {slot.attribute for slot in shape.slots.values() if slot.name not in fixed}
    derived = {each.attribute for each in shape.derived.values() if each.of not in fixed}
    composed = {name for name, template in shape.composed.items() if not fixed.issuperset(template.fields)}
    found = {name for name in (*stored, *derived, *composed) if name is not None}
    return frozenset(found - {*shape.table.key_attributes()})


def _indexes(shape: Shape, sizes: Sizes) -> list[Index]:
    return indexes_of(shape, sizes.example(shape))


def _entries(index: Index, changed: frozenset[str]) -> int:
    """How many entries of an index are written when these attributes of an item change."""
    if not changed.isdisjoint(index.keys):
        return 2  # The old entry is deleted and the new one put (R7).
    return 1 if any(map(index.projects, changed)) else 0


def _write(
    shape: Shape, sizes: Sizes, verb: str, operation: str, entries: Callable[[Index], int]
) -> WriteUnits:
    local, spread = 0.0, {}
    for index in _indexes(shape, sizes):
        units = entries(index) * write_units(sizes.of(shape, index))
        if index.is_global:
            spread[index.name] = units
        else:
            local += units
    return WriteUnits(verb, operation, write_units(sizes.of(shape)), local, spread)
