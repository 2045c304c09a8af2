"""Checking stored items against their design: which no entity can read, and which have wrong index keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from hansang.design import Table
from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.design.visibility import hidden_attributes
from hansang.errors import HansangError, UnexpectedItem
from hansang.parts.etags import digest


@dataclass(frozen=True, slots=True)
class WrongAttribute:
    """An attribute that is not what its entity makes of its other fields; None where there is none.

    Neither value is told of what is marked as a secret or as personal.
    """

    name: str
    stored: Value | None
    expected: Value | None


@dataclass(frozen=True, slots=True)
class WrongItem:
    """An item that is not as its design says."""

    kind: str
    """What it should be; empty if no entity knows it."""
    key: Item
    reason: str
    attributes: list[WrongAttribute] = field(default_factory=list)
    """Those that do not follow from its entity; none when it cannot be read at all."""


def check(table: type[Table], item: Item) -> WrongItem | None:
    """What is wrong with a stored item, None if it is as its design says."""
    key = {name: item[name] for name in table.key_attributes()}
    shape = recognised(table.shapes, item)
    if shape is None:
        return WrongItem("", key, f"No entity of {table.name} knows the item {_shown(key)}.")
    try:
        made = shape.encode(shape.decode(item))
    except (HansangError, ArithmeticError, TypeError, ValueError) as fault:
        reason = str(fault) if isinstance(fault, UnexpectedItem) else f"The item {_shown(key)}: {fault}"
        return WrongItem(shape.cls.__name__, key, reason)
    wrong = [*_wrong(shape, item, made)]
    return WrongItem(shape.cls.__name__, key, _reason(key, wrong), wrong) if wrong else None


def _wrong(shape: Shape, item: Item, made: Item) -> list[WrongAttribute]:
    """The attributes that an entity works out, and the keys of indexes, that are stored otherwise."""
    worked_out = {each.attribute for each in shape.derived.values()} | set(shape.composed)
    keys = {name for index in shape.table.indexes for name in index.keys}
    hidden = hidden_attributes(shape, None)
    return [
        WrongAttribute(name, None, None)
        if name in hidden
        else WrongAttribute(name, item.get(name), made.get(name))
        for name in sorted(worked_out | keys)
        if _part(item, name) != _part(made, name)
    ]


def _part(item: Item, name: str) -> str:
    return digest({name: item[name]}) if name in item else ""


def _reason(key: Item, wrong: list[WrongAttribute]) -> str:
    named = ", ".join(each.name for each in wrong)
    return f"In the item {_shown(key)}, {named} does not follow from the other attributes."


def _shown(key: Item) -> str:
    return ", ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
