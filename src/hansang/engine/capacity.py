"""What an operation costs in read and write units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_READ_UNIT = 4096
_WRITE_UNIT = 1024


def read_units(size: int, *, consistent: bool) -> float:
    """A unit for every 4 KB begun, at least one; half of it for an eventually consistent read."""
    units = -(-size // _READ_UNIT) or 1
    return float(units) if consistent else units / 2


def write_units(size: int) -> float:
    """A unit for every KB begun, at least one."""
    return float(-(-size // _WRITE_UNIT) or 1)


@dataclass(slots=True)
class Consumed:
    """The units that one operation took from a table and from its indexes."""

    table: float = 0.0
    local: dict[str, float] = field(default_factory=dict)
    world: dict[str, float] = field(default_factory=dict)

    def add_index(self, name: str, units: float, *, is_global: bool) -> None:
        side = self.world if is_global else self.local
        side[name] = side.get(name, 0.0) + units

    @property
    def total(self) -> float:
        return self.table + sum(self.local.values()) + sum(self.world.values())

    def report(self, table: str, mode: str, transaction: str = "") -> dict[str, Any]:
        """The ConsumedCapacity of a response; a transaction also says of which kind the units are."""
        kind = f"{transaction}CapacityUnits" if transaction else ""
        report = {"TableName": table, **_units(self.total, kind)}
        if mode == "INDEXES":
            report["Table"] = _units(self.table, kind)
            for title, side in (
                ("LocalSecondaryIndexes", self.local),
                ("GlobalSecondaryIndexes", self.world),
            ):
                if side:
                    report[title] = {name: _units(units, kind) for name, units in side.items()}
        return report


def _units(units: float, kind: str) -> dict[str, Any]:
    return {"CapacityUnits": units, kind: units} if kind else {"CapacityUnits": units}
