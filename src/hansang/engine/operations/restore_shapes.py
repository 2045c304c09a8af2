"""The parameters that restores, exports and imports share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.engine.faults import unreadable
from hansang.engine.shapes import Many, Parameter, Struct, Text
from hansang.engine.table_shapes import BILLING_MODE, GLOBAL_INDEX, LOCAL_INDEX, ON_DEMAND, THROUGHPUT
from hansang.engine.values import json_kind

ARN = Text(shortest=37, longest=1024)
OVERRIDES: dict[str, Parameter] = {
    "BillingModeOverride": BILLING_MODE,
    "GlobalSecondaryIndexOverride": Many(GLOBAL_INDEX),
    "LocalSecondaryIndexOverride": Many(LOCAL_INDEX),
    "ProvisionedThroughputOverride": THROUGHPUT,
    "OnDemandThroughputOverride": ON_DEMAND,
    "SSESpecificationOverride": Struct("SSESpecification"),
}


class Moment(Parameter):
    """A time, in seconds since 1970."""

    def fits(self, value: Any) -> bool:
        return type(value) in (int, float)

    def read(self, value: Any) -> None:
        if not self.fits(value):
            raise unreadable(f"{json_kind(value)}_VALUE cannot be converted to Date")

    def faults(self, value: float, path: str) -> Iterator[str]:
        return iter(())
