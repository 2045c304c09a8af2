"""ListStreams: the streams that there are, of one table or of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.operations.stream_access import STREAM_ARN
from hansang.engine.shapes import INDEX_NAME, Shape, Whole, table_in

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 100

SHAPE = Shape(TableName=INDEX_NAME, ExclusiveStartStreamArn=STREAM_ARN, Limit=Whole(least=1, most=_MOST))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    table, limit = request.get("TableName"), request.get("Limit") or _MOST
    found = [
        {
            "StreamArn": engine.stream_arn(stream["table"], stream["label"]),
            "TableName": stream["table"],
            "StreamLabel": stream["label"],
        }
        for stream in engine.catalog().streams
        if table is None or stream["table"] == table_in(table)
    ]
    found.sort(key=lambda stream: stream["StreamArn"])
    start = request.get("ExclusiveStartStreamArn")
    if start is not None:
        found = [stream for stream in found if stream["StreamArn"] > start]
    response: dict[str, Any] = {"Streams": found[:limit]}
    if len(found) > limit:
        response["LastEvaluatedStreamArn"] = found[limit - 1]["StreamArn"]
    return response
