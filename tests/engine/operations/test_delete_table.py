"""DeleteTable: a table goes, with everything in it."""

from __future__ import annotations

from hansang.engine import Engine
from tests.engine.control import (
    create,
    definition,
    describe,
    fault,
    faults,
    invalid,
    names,
    put,
    refusal,
    scanned,
    with_index,
    with_stream,
)
from tests.engine.streams import stream_records

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
GONE = ("ResourceNotFoundException", "Requested resource not found")


def test_a_deleted_table_is_described_once_more(engine: Engine) -> None:
    create(engine)
    put(engine, "a")
    described = engine.call("DeleteTable", {"TableName": "rice"})["TableDescription"]
    assert (described["TableName"], described["TableStatus"]) == ("rice", "DELETING")
    assert not {"KeySchema", "AttributeDefinitions", "CreationDateTime"} & described.keys()
    assert engine.call("ListTables", {})["TableNames"] == []


def test_nothing_can_be_done_with_a_table_that_is_gone(engine: Engine) -> None:
    create(engine, with_index())
    engine.call("DeleteTable", {"TableName": "rice"})
    key = {"TableName": "rice", "Key": {"pk": {"S": "a"}}}
    assert refusal(engine, "GetItem", key) == GONE
    assert refusal(engine, "DeleteItem", key) == GONE
    assert refusal(engine, "Scan", {"TableName": "rice", "IndexName": "by-colour"}) == GONE
    assert refusal(engine, "DeleteTable", {"TableName": "rice"}) == (
        "ResourceNotFoundException",
        "Requested resource not found: Table: rice not found",
    )


def test_the_other_tables_stay(engine: Engine) -> None:
    create(engine)
    create(engine, definition("beans"))
    put(engine, "a")
    engine.call("DeleteTable", {"TableName": "beans"})
    assert names(scanned(engine)) == ["a"]
    assert describe(engine)["ItemCount"] == 1


def test_a_table_may_be_named_by_its_arn(engine: Engine) -> None:
    create(engine)
    engine.call("DeleteTable", {"TableName": ARN})
    assert engine.call("ListTables", {})["TableNames"] == []


def test_a_protected_table_stays_until_the_protection_is_lifted(engine: Engine) -> None:
    create(engine, definition(DeletionProtectionEnabled=True))
    assert invalid(engine, "DeleteTable", {"TableName": "rice"}) == (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )
    engine.call("UpdateTable", {"TableName": "rice", "DeletionProtectionEnabled": False})
    engine.call("DeleteTable", {"TableName": "rice"})
    assert engine.call("ListTables", {})["TableNames"] == []


def test_a_deletion_writes_no_records(engine: Engine) -> None:
    create(engine, with_stream())
    put(engine, "a")
    assert len(list(stream_records(engine, "rice"))) == 1
    arn = describe(engine)["LatestStreamArn"]
    engine.call("DeleteTable", {"TableName": "rice"})
    [shard] = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", place)["ShardIterator"]
    events = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
    assert [event["eventName"] for event in events] == ["INSERT"]


def test_a_table_made_again_has_neither_tags_nor_expiry_nor_stream(engine: Engine) -> None:
    create(engine, with_stream(Tags=[{"Key": "crop", "Value": "rice"}]))
    expiry = {"Enabled": True, "AttributeName": "until"}
    engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": expiry})
    engine.call("DeleteTable", {"TableName": "rice"})
    create(engine)
    assert "LatestStreamArn" not in describe(engine)
    assert engine.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"] == []
    described = engine.call("DescribeTimeToLive", {"TableName": "rice"})["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "DISABLED"}


def test_a_table_must_be_named(engine: Engine) -> None:
    expected = [fault("null", "tableName", "Member must not be null")]
    assert faults(invalid(engine, "DeleteTable", {})) == expected


def test_the_indexes_of_a_table_that_goes_are_not_described(engine: Engine) -> None:
    create(engine, with_index())
    described = engine.call("DeleteTable", {"TableName": "rice"})["TableDescription"]
    assert "GlobalSecondaryIndexes" not in described
