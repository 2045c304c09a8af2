"""Items that their entities cannot read, put into a table behind the back of the design."""

from __future__ import annotations

from typing import Any

from hansang.design import Database, Entity, Key, Table
from hansang.design.requests import shape_of
from hansang.design.shape import Item


def put_item(database: Database, table: type[Table], item: Item) -> None:
    """Store an item as it is, whatever its design says."""
    database.backend.call("PutItem", {"TableName": database.name(table), "Item": item})


def spoil(database: Database, key: Key[Entity], **changed: dict[str, Any] | None) -> Item:
    """Change attributes of a stored item past its entity, None takes one away; the item as it is then."""
    shape = shape_of(key)
    found = database.find_item(shape.table, shape.key(key.__dict__))
    assert found is not None
    item = {name: value for name, value in {**found, **changed}.items() if value is not None}
    put_item(database, shape.table, item)
    return item
