"""DescribeStream: a stream's state and its shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.operations.stream_access import SHARD_ID, STREAM_ARN, find_stream, shard_id
from hansang.engine.shapes import RequestShape, Struct, Text, Whole, required
from hansang.engine.streams import sequence_number

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    StreamArn=required(STREAM_ARN),
    Limit=Whole(least=1, most=100),
    ExclusiveStartShardId=SHARD_ID,
    ShardFilter=Struct("ShardFilter", Type=Text("CHILD_SHARDS"), ShardId=SHARD_ID),
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    stream = find_stream(engine, request["StreamArn"])
    numbers = {"StartingSequenceNumber": sequence_number(stream["first"])}
    if stream.get("ended") is not None:
        numbers["EndingSequenceNumber"] = sequence_number(stream["last"])
    name = shard_id(stream)
    begun = request.get("ExclusiveStartShardId")
    # The only shard of a stream is never split, so that it has no children.
    listed = request.get("ShardFilter") is None and (begun is None or name > begun)
    description = {
        "StreamArn": request["StreamArn"],
        "StreamLabel": stream["label"],
        "StreamStatus": "DISABLED" if stream.get("ended") is not None else "ENABLED",
        "StreamViewType": stream["view"],
        "CreationRequestDateTime": stream["created"],
        "TableName": stream["table"],
        "KeySchema": [dict(element) for element in stream["key"]],
        "Shards": [{"ShardId": name, "SequenceNumberRange": numbers}] if listed else [],
    }
    return {"StreamDescription": description}
