"""ListStreams: the streams that there are, of one table or of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.operations.stream_access import STREAM_ARN, check_arn
from hansang.engine.shapes import INDEX_NAME, RequestShape, Whole, table_in

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 100

SHAPE = RequestShape(
    TableName=INDEX_NAME, ExclusiveStartStreamArn=STREAM_ARN, Limit=Whole(least=1, most=_MOST)
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    start, limit = request.get("ExclusiveStartStreamArn"), request.get("Limit") or _MOST
    if start is not None:
        check_arn(start)
    found = [each for each in _listed(engine, request.get("TableName")) if each["StreamArn"] > (start or "")]
    response: dict[str, Any] = {"Streams": found[:limit]}
    if len(found) > limit:
        response["LastEvaluatedStreamArn"] = found[limit - 1]["StreamArn"]
    return response


def _listed(engine: Engine, table: str | None) -> list[dict[str, Any]]:
    found = [
        {
            "StreamArn": engine.stream_arn(stream["table"], stream["label"]),
            "TableName": stream["table"],
            "StreamLabel": stream["label"],
        }
        for stream in engine.catalog().streams
        if table is None or stream["table"] == table_in(table)
    ]
    return sorted(found, key=lambda stream: stream["StreamArn"])
