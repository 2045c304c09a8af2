"""Items as people write them: checked, and brought into the form that their entity has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from hansang.design import Table
from hansang.design.kinds import recognised
from hansang.design.reasons import reason_of
from hansang.design.shape import Item, Shape
from hansang.errors import HansangError, InvalidInput

_KINDS = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})
_CONTENT: dict[str, type] = {"BOOL": bool, "NULL": bool, "SS": list, "NS": list, "BS": list}


def encoded(table: type[Table], item: Mapping[str, Any], kept: Item) -> Item:
    """The stored form of an item that somebody wrote; `kept` are strange attributes that may stay as they are."""
    drafted = expect_item(table, item)
    shape = recognised(table.shapes, drafted)
    if shape is None:
        raise _stranger(table, drafted)
    strange = {name: drafted[name] for name in drafted.keys() - shape.attributes}
    _expect_kept(shape, strange, kept)
    known = {name: value for name, value in drafted.items() if name not in strange}
    found = _checked(shape, known)
    _expect_same_key(table, drafted, found)
    return {**strange, **found}


def strange_attributes(table: type[Table], item: Item | None) -> Item:
    """The attributes of a stored item that its entity does not know."""
    shape = None if item is None else recognised(table.shapes, item)
    if item is None or shape is None:
        return {}
    return {name: item[name] for name in item.keys() - shape.attributes}


def expect_key(table: type[Table], item: Mapping[str, Any]) -> None:
    """Refuse what has no key of the table."""
    for name in table.key_attributes():
        if name not in item:
            raise InvalidInput(
                "The item has no {name}, which is part of its key. Give it.",
                name,
                code="parts.no-key",
                values={"name": name},
            )
        if not _is_value(item[name]):
            raise _misshapen(name)


def expect_item(table: type[Table], item: Mapping[str, Any]) -> Item:
    """Refuse what has no key of the table, or a member that is no attribute value."""
    expect_key(table, item)
    for name, value in item.items():
        if not _is_value(value):
            raise _misshapen(name)
    return dict(item)


def _is_value(value: object) -> bool:
    """Whether something has the form of an attribute value, all the way down."""
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= _KINDS:
        return False
    [(kind, content)] = value.items()
    if kind == "M":
        return isinstance(content, dict) and all(map(_is_value, content.values()))
    if kind == "L":
        return isinstance(content, list) and all(map(_is_value, content))
    return isinstance(content, _CONTENT.get(kind, str))


def _misshapen(name: str) -> InvalidInput:
    return InvalidInput(
        'The attribute {name} is not a valid attribute value. Write it with its type: {{"S": '
        '"text"}} or {{"N": "1"}}.',
        name,
        code="parts.no-type",
        values={"name": name},
    )


def _stranger(table: type[Table], item: Item) -> InvalidInput:
    kinds = ", ".join(f"{shape.cls.__name__} ({_form(shape)})" for shape in table.shapes)
    return InvalidInput(
        "No kind of item of {table} is like this one. There are: {kinds}.",
        code="parts.no-kind",
        values={"table": table.name, "kinds": kinds},
    )


def _form(shape: Shape) -> str:
    """What tells the items of a kind from others, for people."""
    if shape.table.type_attribute is not None and shape.type_name is not None:
        return f"{shape.table.type_attribute}={shape.type_name}"
    keys = [f"{shape.table.pk}={shape.pk.text}"]
    return ", ".join([*keys, *([f"{shape.table.sk}={shape.sk.text}"] if shape.sk else [])])


def _expect_kept(shape: Shape, strange: Item, kept: Item) -> None:
    new = sorted(name for name, value in strange.items() if kept.get(name) != value)
    if new:
        known = ", ".join(sorted(shape.attributes))
        raise InvalidInput(
            "A {kind} has no attribute {names}. It has {known}.",
            new[0],
            code="parts.no-attribute",
            values={"kind": shape.cls.__name__, "names": ", ".join(new), "known": known},
        )


def _checked(shape: Shape, item: Item) -> Item:
    """The item as its entity would be stored, if it is one in every respect."""
    try:
        entity = shape.decode(item)
        found: Item = shape.encode(shape.cls(**entity.__dict__))
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            "{kind}.{field}: {reason}.",
            field,
            code="parts.refused-value",
            values={"kind": shape.cls.__name__, "field": field, "reason": reason_of(first)},
            found=first,
        ) from fault
    except (HansangError, ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as fault:
        raise InvalidInput(str(fault)) from fault
    return found


def _expect_same_key(table: type[Table], drafted: Item, found: Item) -> None:
    for name in table.key_attributes():
        if found[name] != drafted[name]:
            raise InvalidInput(
                "The key {name} is {given}, and by its other attributes it would be {expected}. Make "
                "them agree.",
                name,
                code="parts.keys-differ",
                values={"name": name, "given": _text(drafted[name]), "expected": _text(found[name])},
            )


def _text(value: Mapping[str, Any]) -> str:
    return str(next(iter(value.values())))
