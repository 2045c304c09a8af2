"""Streams: every change of a table, in order, where the backend has them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clauses import clause
from tests.contract.contenders import Contender
from tests.contract.partitions import Partition, definition, wait_until_active


@pytest.fixture
def streaming(contender: Contender) -> Iterator[Partition]:
    """A table whose stream has the old and the new image of every change."""
    name = f"hansang-contract-{uuid.uuid4().hex[:12]}"
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    contender.call("CreateTable", definition(name) | {"StreamSpecification": stream})
    wait_until_active(contender, name)
    yield Partition(contender, name, "p")
    contender.call("DeleteTable", {"TableName": name})


def records(partition: Partition, count: int) -> list[dict[str, Any]]:
    """The first records of the stream, waited for."""
    arn = partition.call("DescribeTable")["Table"]["LatestStreamArn"]
    described = partition.contender.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    assert described["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    iterators = [_iterator(partition, arn, shard["ShardId"]) for shard in described["Shards"]]
    found: list[dict[str, Any]] = []
    for attempt in range(60):
        answers = [partition.contender.call("GetRecords", {"ShardIterator": each}) for each in iterators]
        found += [record for answer in answers for record in answer["Records"]]
        iterators = [answer["NextShardIterator"] for answer in answers if answer.get("NextShardIterator")]
        if len(found) >= count or not iterators:
            break
        time.sleep(min(1.0, 0.05 * attempt))
    return found


def _iterator(partition: Partition, arn: str, shard: str) -> str:
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    return str(partition.contender.call("GetShardIterator", request)["ShardIterator"])


@clause("B15")
def test_a_stream_has_every_change_in_order_with_both_images(streaming: Partition) -> None:
    streaming.put("a", picture={"B": "AP8="})
    streaming.update("a", "SET picture = :new", ExpressionAttributeValues={":new": {"B": "AQ=="}})
    streaming.call("DeleteItem", Key=streaming.key("a"))
    found = records(streaming, 3)
    old, new = streaming.item("a", picture={"B": "AP8="}), streaming.item("a", picture={"B": "AQ=="})
    assert [record["eventName"] for record in found] == ["INSERT", "MODIFY", "REMOVE"]
    assert [record["dynamodb"].get("OldImage") for record in found] == [None, old, new]
    assert [record["dynamodb"].get("NewImage") for record in found] == [old, new, None]
    for record in found:
        assert record["dynamodb"]["Keys"] == streaming.key("a")
        assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], int | float)


def test_a_stream_is_listed_with_its_table(streaming: Partition) -> None:
    arn = streaming.call("DescribeTable")["Table"]["LatestStreamArn"]
    [stream] = streaming.contender.call("ListStreams", {"TableName": streaming.table})["Streams"]
    assert stream["StreamArn"] == arn
    assert stream["TableName"] == streaming.table
