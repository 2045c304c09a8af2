"""The meter: what patterns cost in read and write units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

READING = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "ExecuteStatement"})
"""Of statements only SELECT is sent; what is written goes through plans."""
WRITING = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
MEASURED = READING | WRITING
"""The operations that consume units; of the others AWS refuses to be asked for them."""


@dataclass
class Units:
    """Read and write units."""

    read: float = 0.0
    write: float = 0.0

    def add(self, units: float, *, reading: bool) -> None:
        if reading:
            self.read += units
        else:
            self.write += units


@dataclass
class Cost(Units):
    """What was consumed while the meter ran: in all, by pattern, by table and by index."""

    requests: int = 0
    patterns: dict[str, Units] = field(default_factory=dict)
    tables: dict[str, Units] = field(default_factory=dict)
    indexes: dict[tuple[str, str], Units] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def record(self, operation: str, pattern: str, consumed: Iterable[Mapping[str, Any]]) -> None:
        """Add the ConsumedCapacity of one response, from whichever thread."""
        with self._lock:
            self._record(operation, pattern, consumed)

    def _record(self, operation: str, pattern: str, consumed: Iterable[Mapping[str, Any]]) -> None:
        reading = operation in READING
        self.requests += 1
        for each in consumed:
            total = float(each["CapacityUnits"])
            self.add(total, reading=reading)
            self.patterns.setdefault(pattern, Units()).add(total, reading=reading)
            table = each["TableName"]
            own = float(each.get("Table", {}).get("CapacityUnits", 0.0))
            self.tables.setdefault(table, Units()).add(own, reading=reading)
            for title in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
                for name, index in each.get(title, {}).items():
                    units = self.indexes.setdefault((table, name), Units())
                    units.add(float(index["CapacityUnits"]), reading=reading)
