"""Mending an item that its entity cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from hansang.design.reasons import reason_of
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.design.transaction import Transaction
from hansang.errors import InvalidInput


def mended(kind: Any, item: Item, changes: Mapping[str, Any]) -> tuple[Any, Item]:
    """The entity of an item with these attributes changed, and its item; UnexpectedItem if it still has none."""
    for name, value in changes.items():
        if value is not None and not (isinstance(value, Mapping) and len(value) == 1):
            raise InvalidInput(
                '{name} is {value!r}. Write it with its type: {{"S": "text"}} or {{"N": "1"}}.',
                name,
                code="design.no-type",
                values={"name": name, "value": value},
            )
    changed = {name: value for name, value in {**item, **changes}.items() if value is not None}
    entity = kind.__shape__.decode(changed)
    try:
        kind(**entity.__dict__)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{kind.__name__}.{field}: {reason_of(first)}.", field, found=first) from fault
    item = kind.__shape__.encode(entity)
    version = kind.__shape__.version
    if version is not None:
        item[version.attribute] = version.encode(getattr(entity, version.name) + 1)
    return kind.__shape__.decode(item), item


def write(tx: Transaction, table: type[Table], item: Item, changed: Item) -> None:
    """Put the mended item in place of the one that was seen; where its key has changed, it moves."""
    if all(item[name] == changed[name] for name in table.key_attributes()):
        tx.put_item(table, changed, seen=item)
    else:
        tx.delete_item(table, item)
        tx.put_item(table, changed, seen=None)
