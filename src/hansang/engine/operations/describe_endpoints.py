"""DescribeEndpoints: where to send requests, and for how long that holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansang.engine.engine import Engine


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "Endpoints": [{"Address": f"dynamodb.{engine.region}.amazonaws.com", "CachePeriodInMinutes": 1440}]
    }
