"""DescribeLimits: the quotas of an account, as AWS gives them to a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansang.engine.engine import Engine


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }
