"""DescribeTimeToLive: which attribute says when an item expires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.shapes import TABLE_NAME, RequestShape, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(TableName=required(TABLE_NAME))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    table = engine.catalog().described(request["TableName"])
    if table.expiry is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": table.expiry}}
