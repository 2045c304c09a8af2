"""What operations on several items share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansang.engine.capacity import Consumed


def merge(consumed: dict[str, Consumed], table: str, cost: Consumed) -> None:
    """Add the cost of one item to that of its table."""
    sum_ = consumed.setdefault(table, Consumed())
    sum_.table += cost.table
    for name, units in cost.local.items():
        sum_.add_index(name, units, is_global=False)
    for name, units in cost.world.items():
        sum_.add_index(name, units, is_global=True)


def report(
    request: Mapping[str, Any], consumed: Mapping[str, Consumed], transaction: str = ""
) -> dict[str, Any]:
    """The ConsumedCapacity of a response, if the request asked for it."""
    mode = request.get("ReturnConsumedCapacity", "NONE")
    if mode == "NONE":
        return {}
    return {"ConsumedCapacity": [cost.report(table, mode, transaction) for table, cost in consumed.items()]}
