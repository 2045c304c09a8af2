"""Item collections: how large one partition of a table with local indexes has become."""

from __future__ import annotations

from typing import Any

from hansang.engine.key_order import after
from hansang.engine.schema import TableSchema
from hansang.engine.sql.reader import Reader
from hansang.engine.values import Item

_GIGABYTE = 1 << 30


def metrics(reader: Reader, table: TableSchema, item: Item) -> dict[str, Any]:
    """The ItemCollectionMetrics of the collection that this item belongs to."""
    start = table.key.partition(item)
    local = [index.rows for index in table.indexes if not index.is_global]
    size = sum(reader.total(rows, start, after(start)) for rows in [table.rows, *local])
    lower = float(size // _GIGABYTE)
    return {
        "ItemCollectionKey": {attribute.name: item[attribute.name] for attribute in table.key.hash},
        "SizeEstimateRangeGB": [lower, lower + 1.0],
    }
