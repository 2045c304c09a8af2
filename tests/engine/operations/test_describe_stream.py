"""DescribeStream: a stream's state and its shard."""

from __future__ import annotations

import pytest

from hansang.engine import Engine
from tests.engine.control import (
    NOW,
    ManualClock,
    Request,
    attributes,
    create,
    describe,
    fault,
    faults,
    invalid,
    key,
    put,
    refusal,
    with_stream,
)
from tests.engine.shards import described_stream, number, records, shard, stream_arn

OFF = {"TableName": "rice", "StreamSpecification": {"StreamEnabled": False}}


def test_a_stream_is_described_with_the_key_of_its_table(clocked: Engine) -> None:
    create(
        clocked,
        with_stream(AttributeDefinitions=attributes(pk="S", sk="N"), KeySchema=key("pk", "sk")),
    )
    arn = stream_arn(clocked)
    described = described_stream(clocked, arn)
    assert described.pop("Shards")
    assert described == {
        "StreamArn": arn,
        "StreamLabel": "2023-11-14T22:13:20.000",
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_AND_OLD_IMAGES",
        "CreationRequestDateTime": NOW,
        "TableName": "rice",
        "KeySchema": key("pk", "sk"),
    }


def test_a_shard_is_open_while_the_stream_is(engine: Engine) -> None:
    create(engine, with_stream())
    found = shard(engine, stream_arn(engine))
    assert 28 <= len(found["ShardId"]) <= 65
    assert found["ShardId"].startswith("shardId-")
    assert found["SequenceNumberRange"].keys() == {"StartingSequenceNumber"}
    assert found["SequenceNumberRange"]["StartingSequenceNumber"].isdecimal()


def test_a_shard_starts_no_later_than_its_first_record(engine: Engine) -> None:
    create(engine, with_stream())
    put(engine, "a")
    arn = stream_arn(engine)
    [first] = records(engine, arn)
    assert int(shard(engine, arn)["SequenceNumberRange"]["StartingSequenceNumber"]) <= int(number(first))


@pytest.mark.parametrize("ending", ["UpdateTable", "DeleteTable"])
def test_a_stream_that_ended_has_a_closed_shard(engine: Engine, ending: str) -> None:
    create(engine, with_stream())
    put(engine, "a")
    arn = stream_arn(engine)
    [last] = records(engine, arn)
    engine.call(ending, OFF if ending == "UpdateTable" else {"TableName": "rice"})
    assert described_stream(engine, arn)["StreamStatus"] == "DISABLED"
    assert int(shard(engine, arn)["SequenceNumberRange"]["EndingSequenceNumber"]) >= int(number(last))


def test_a_stream_turned_on_again_is_another_stream(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_stream())
    put(clocked, "old")
    old = stream_arn(clocked)
    clocked.call("UpdateTable", OFF)
    clock.advance(1)
    on = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    clocked.call("UpdateTable", {"TableName": "rice", "StreamSpecification": on})
    put(clocked, "new")
    assert described_stream(clocked, old)["StreamStatus"] == "DISABLED"
    assert described_stream(clocked, stream_arn(clocked))["StreamViewType"] == "KEYS_ONLY"
    assert [len(records(clocked, each)) for each in (old, stream_arn(clocked))] == [1, 1]
    assert shard(clocked, old)["ShardId"] != shard(clocked, stream_arn(clocked))["ShardId"]


def test_there_is_nothing_behind_the_last_shard(engine: Engine) -> None:
    create(engine, with_stream())
    arn = stream_arn(engine)
    request = {"StreamArn": arn, "ExclusiveStartShardId": shard(engine, arn)["ShardId"]}
    described = engine.call("DescribeStream", request)["StreamDescription"]
    assert described["Shards"] == []
    assert "LastEvaluatedShardId" not in described


def test_the_stream_of_a_table_made_again_is_its_own(clocked: Engine, clock: ManualClock) -> None:
    create(clocked, with_stream())
    put(clocked, "a")
    old = stream_arn(clocked)
    clocked.call("DeleteTable", {"TableName": "rice"})
    clock.advance(1)
    create(clocked, with_stream())
    assert describe(clocked)["LatestStreamArn"] != old
    assert records(clocked, stream_arn(clocked)) == []
    assert len(records(clocked, old)) == 1


def test_a_stream_that_is_not_there_is_named(engine: Engine) -> None:
    create(engine)
    arn = f"{describe(engine)['TableArn']}/stream/2020-01-01T00:00:00.000"
    assert refusal(engine, "DescribeStream", {"StreamArn": arn}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Stream: {arn} not found",
    )


def test_what_is_no_arn_is_refused(engine: Engine) -> None:
    assert "Invalid StreamArn" in invalid(engine, "DescribeStream", {"StreamArn": "x" * 50})


WRONG: dict[str, tuple[Request, str]] = {
    "no arn": ({}, fault("null", "streamArn", "Member must not be null")),
    "a short arn": (
        {"StreamArn": "arn"},
        fault("arn", "streamArn", "Member must have length greater than or equal to 37"),
    ),
    "a high limit": (
        {"StreamArn": "x" * 50, "Limit": 101},
        fault("101", "limit", "Member must have value less than or equal to 100"),
    ),
    "a short shard": (
        {"StreamArn": "x" * 50, "ExclusiveStartShardId": "shard"},
        fault("shard", "exclusiveStartShardId", "Member must have length greater than or equal to 28"),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    request, expected = WRONG[case]
    assert faults(invalid(engine, "DescribeStream", request)) == [expected]
