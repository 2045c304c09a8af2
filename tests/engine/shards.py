"""A stream read step by step: its shard, a place in it, and the records behind the place."""

from __future__ import annotations

from typing import Any

from hansang.engine import Engine
from tests.engine.control import Request, describe

DAY = 24 * 60 * 60


def stream_arn(engine: Engine, table: str = "rice") -> str:
    return str(describe(engine, table)["LatestStreamArn"])


def described_stream(engine: Engine, arn: str) -> Request:
    description: Request = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    return description


def shard(engine: Engine, arn: str) -> Request:
    [only] = described_stream(engine, arn)["Shards"]
    found: Request = only
    return found


def place(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", number: str | None = None) -> Request:
    """A request for an iterator."""
    request = {"StreamArn": arn, "ShardId": shard(engine, arn)["ShardId"], "ShardIteratorType": kind}
    return request if number is None else request | {"SequenceNumber": number}


def iterator(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", number: str | None = None) -> str:
    return str(engine.call("GetShardIterator", place(engine, arn, kind, number))["ShardIterator"])


def page(engine: Engine, at: str, limit: int | None = None) -> tuple[list[Request], str | None]:
    """The records behind an iterator, and the iterator behind them."""
    request: dict[str, Any] = {"ShardIterator": at} | ({"Limit": limit} if limit else {})
    answer = engine.call("GetRecords", request)
    return answer["Records"], answer.get("NextShardIterator")


def records(engine: Engine, arn: str) -> list[Request]:
    """Every record that can be read, from the first."""
    found: list[Request] = []
    at: str | None = iterator(engine, arn)
    while at is not None:
        more, at = page(engine, at)
        found += more
        if not more:
            break
    return found


def number(record: Request) -> str:
    return str(record["dynamodb"]["SequenceNumber"])


def keys(found: list[Request]) -> list[str]:
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in found]
