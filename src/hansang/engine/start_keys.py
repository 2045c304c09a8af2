"""ExclusiveStartKey: the place behind which a page begins, and whether there is such a place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.engine.expressions.binding import expressions
from hansang.engine.faults import ValueFault, invalid
from hansang.engine.schema import IndexSchema, KeyAttribute, TableSchema
from hansang.engine.values import Item, accept_item
from hansang.errors import WireError

_INVALID = "The provided starting key is invalid"


def accepted(request: Mapping[str, Any], *labels: str) -> Item | None:
    """The start key in normal form; its values are judged before the expressions under these labels."""
    given = request.get("ExclusiveStartKey")
    if given is None:
        return None
    expressions(request, *labels)
    try:
        return accept_item(given)[0]
    except ValueFault:
        raise  # Of numbers, and of what is twice in a set, DynamoDB speaks without naming the start key.
    except WireError as fault:
        if fault.code != "ValidationException":
            raise
        raise invalid(f"{_INVALID}: {fault.message}") from fault


def place_names(table: TableSchema, index: IndexSchema | None) -> tuple[str, ...]:
    """The attributes that name a place in the order of a table or of its index."""
    if index is None:
        return table.key.names
    return tuple(dict.fromkeys(index.key.names + table.key.names))


def expect_number(start: Item, table: TableSchema, index: IndexSchema | None) -> None:
    if len(start) != len(place_names(table, index)):
        raise invalid(_INVALID)


def expect_attribute(start: Item, attribute: KeyAttribute) -> None:
    """Refuse a start key that has no value, or one of another type, for an attribute that is read by."""
    value = start.get(attribute.name)
    if value is None or not attribute.fits(value) or attribute.empty(value):
        raise invalid(_INVALID)


def place(start: Item, table: TableSchema, index: IndexSchema | None) -> bytes:
    """The row key of the start key; refused unless it names an item of the table."""
    if index is None:
        return _item_key(start, table)
    index.key.check_lengths(start)
    own = {name: start[name] for name in table.key.names if name in start}
    return index.key.encode(start) + _item_key(own, table)


def _item_key(key: Item, table: TableSchema) -> bytes:
    try:
        return table.key_of(key)
    except WireError as fault:
        raise invalid(f"{_INVALID}: {fault.message}") from fault
