"""Reads a whole stream, as a client would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.engine import Engine


def stream_records(
    engine: Engine, table: str, after: dict[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Every record of a table's stream, shard by shard.

    `after` remembers the last sequence number of each shard, so that the next reading goes on from there.
    """
    arn = engine.call("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]
    seen = {} if after is None else after
    for shard in _shards(engine, arn):
        iterator: str | None = _iterator(engine, arn, shard, seen.get(shard))
        while iterator:
            answer = engine.call("GetRecords", {"ShardIterator": iterator, "Limit": 1000})
            for record in answer["Records"]:
                seen[shard] = record["dynamodb"]["SequenceNumber"]
                yield record
            iterator = answer.get("NextShardIterator") if answer["Records"] else None


def _shards(engine: Engine, arn: str) -> Iterator[str]:
    request: dict[str, Any] = {"StreamArn": arn}
    while True:
        answer = engine.call("DescribeStream", request)["StreamDescription"]
        yield from (shard["ShardId"] for shard in answer["Shards"])
        if "LastEvaluatedShardId" not in answer:
            return
        request["ExclusiveStartShardId"] = answer["LastEvaluatedShardId"]


def _iterator(engine: Engine, arn: str, shard: str, after: str | None) -> str:
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    if after is not None:
        request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}
    return str(engine.call("GetShardIterator", request)["ShardIterator"])
