"""The operations around a table that one node can answer, and AWS's refusals where it cannot."""

from __future__ import annotations

from typing import Any

import botocore.session
import pytest

from hansang.engine import Engine
from hansang.engine.operations import OPERATIONS
from hansang.errors import WireError
from tests.engine.control import (
    INVALID,
    NOW,
    ManualClock,
    create,
    definition,
    index,
    refusal,
    with_index,
    with_stream,
)

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
STREAM = "arn:aws:kinesis:us-east-1:123456789012:stream/changes"
POLICY = '{"Version": "2012-10-17", "Statement": []}'


@pytest.fixture
def table(engine: Engine) -> Engine:
    create(engine, with_index())
    return engine


@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_every_operation_of_the_sdk_is_known(service: str) -> None:
    model = botocore.session.get_session().get_service_model(service)
    assert set(model.operation_names) <= OPERATIONS.keys()


# ── contributor insights ──────────────────────────────────────────────────────────────────────────


def test_insights_are_switched_on_and_off() -> None:
    with Engine.open(":memory:", clock=ManualClock(), sweep_seconds=None) as engine:
        create(engine, with_index())
        of_table, of_index = {"TableName": "rice"}, {"TableName": "rice", "IndexName": "by-colour"}
        assert engine.call("DescribeContributorInsights", of_table) == {
            "TableName": "rice",
            "ContributorInsightsStatus": "DISABLED",
            "ContributorInsightsRuleList": [],
        }
        told = engine.call("UpdateContributorInsights", of_index | {"ContributorInsightsAction": "ENABLE"})
        assert told == of_index | {
            "ContributorInsightsStatus": "ENABLING",
            "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
        }
        described = engine.call("DescribeContributorInsights", of_index)
        assert (described["ContributorInsightsStatus"], described["LastUpdateDateTime"]) == ("ENABLED", NOW)
        assert described["ContributorInsightsRuleList"] == [
            "DynamoDBContributorInsights-PKC-rice-by-colour",
            "DynamoDBContributorInsights-PKT-rice-by-colour",
        ]
        [summary] = engine.call("ListContributorInsights", {})["ContributorInsightsSummaries"]
        assert (summary["IndexName"], summary["ContributorInsightsStatus"]) == ("by-colour", "ENABLED")
        engine.call("UpdateContributorInsights", of_index | {"ContributorInsightsAction": "DISABLE"})
        assert engine.call("ListContributorInsights", of_table) == {"ContributorInsightsSummaries": []}


def test_an_index_that_is_not_there_has_no_insights(table: Engine) -> None:
    request = {"TableName": "rice", "IndexName": "nothing"}
    assert refusal(table, "DescribeContributorInsights", request)[0] == "ValidationException"


# ── resource policies ─────────────────────────────────────────────────────────────────────────────


def test_a_policy_is_kept_by_its_revision(table: Engine) -> None:
    of_table = {"ResourceArn": ARN}
    assert refusal(table, "GetResourcePolicy", of_table)[0] == "PolicyNotFoundException"
    policy = '{"Version": "2012-10-17", "Statement": []}'
    first = table.call("PutResourcePolicy", of_table | {"Policy": policy, "ExpectedRevisionId": "NO_POLICY"})
    assert table.call("GetResourcePolicy", of_table) == {"Policy": policy, **first}
    late = of_table | {"ExpectedRevisionId": "NO_POLICY"}
    assert refusal(table, "DeleteResourcePolicy", late)[0] == "PolicyNotFoundException"
    assert table.call("DeleteResourcePolicy", of_table) == first
    assert table.call("DeleteResourcePolicy", of_table) == {}


@pytest.mark.parametrize("text", ["", "no", "[]", "{}", '{"Statement": "' + "x" * 20_480 + '"}'])
def test_a_policy_is_a_document_of_statements(table: Engine, text: str) -> None:
    code, _ = refusal(table, "PutResourcePolicy", {"ResourceArn": ARN, "Policy": text})
    assert code == "ValidationException"


def test_a_policy_is_that_of_a_table(engine: Engine) -> None:
    assert refusal(engine, "GetResourcePolicy", {"ResourceArn": ARN})[0] == "ResourceNotFoundException"


# ── what there is none of ─────────────────────────────────────────────────────────────────────────

NAMED = {"TableName": "rice"}
BACKUP = {"BackupArn": f"{ARN}/backup/01489602797149-73d8d5bc"}
ANSWERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("DescribeKinesisStreamingDestination", NAMED, NAMED | {"KinesisDataStreamDestinations": []}),
    ("DescribeTableReplicaAutoScaling", NAMED,
     {"TableAutoScalingDescription": NAMED | {"TableStatus": "ACTIVE", "Replicas": []}}),
    ("ListGlobalTables", {}, {"GlobalTables": []}),
    ("ListBackups", {}, {"BackupSummaries": []}),
    ("ListExports", {}, {"ExportSummaries": []}),
    ("ListImports", {}, {"ImportSummaryList": []}),
    ("DescribeContinuousBackups", NAMED, {"ContinuousBackupsDescription": {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"}}}),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "request_", "answer"), ANSWERS)
def test_what_there_is_none_of_is_described_so(
    table: Engine, operation: str, request_: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert table.call(operation, request_) == answer


GROUP = {"ReplicationGroup": [{"RegionName": "eu-west-1"}]}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("EnableKinesisStreamingDestination", NAMED | {"StreamArn": STREAM}, "ValidationException"),
    ("DisableKinesisStreamingDestination", NAMED | {"StreamArn": STREAM}, "ValidationException"),
    ("UpdateKinesisStreamingDestination", NAMED | {"StreamArn": STREAM}, "ValidationException"),
    ("UpdateTableReplicaAutoScaling", NAMED, "ValidationException"),
    ("CreateGlobalTable", {"GlobalTableName": "rice", **GROUP}, "ValidationException"),
    ("CreateGlobalTable", {"GlobalTableName": "beans", **GROUP}, "TableNotFoundException"),
    ("DescribeGlobalTable", {"GlobalTableName": "rice"}, "GlobalTableNotFoundException"),
    ("UpdateGlobalTable", {"GlobalTableName": "rice"}, "GlobalTableNotFoundException"),
    ("CreateBackup", {"TableName": "beans", "BackupName": "first"}, "TableNotFoundException"),
    ("DescribeBackup", BACKUP, "BackupNotFoundException"),
    ("DeleteBackup", BACKUP, "BackupNotFoundException"),
    ("RestoreTableFromBackup", BACKUP | {"TargetTableName": "new"}, "BackupNotFoundException"),
    ("DescribeExport", {"ExportArn": f"{ARN}/export/01489602797149-73d8d5bc"}, "ExportNotFoundException"),
    ("DescribeImport", {"ImportArn": f"{ARN}/import/01489602797149-73d8d5bc"}, "ImportNotFoundException"),
    ("RestoreTableToPointInTime", {"SourceTableName": "rice", "TargetTableName": "new"},
     "PointInTimeRecoveryUnavailableException"),
    ("RestoreTableToPointInTime", {"TargetTableName": "new"}, "ValidationException"),
    ("ExportTableToPointInTime", {"TableArn": ARN, "S3Bucket": "bucket"},
     "PointInTimeRecoveryUnavailableException"),
    ("SearchVectors", NAMED | {"IndexName": "by-colour", "TopK": 1}, "ValidationException"),
    ("StartBulkPutItems", NAMED | {"InputS3Configuration": {"S3Bucket": "bucket"}}, "ValidationException"),
    ("DescribeBulkOperation", {"BulkOperationArn": f"{ARN}/bulk/1"}, "ResourceNotFoundException"),
    ("DescribeContinuousBackups", {"TableName": "beans"}, "TableNotFoundException"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "request_", "code"), REFUSED)
def test_what_one_node_cannot_do_is_refused(
    table: Engine, operation: str, request_: dict[str, Any], code: str
) -> None:
    assert refusal(table, operation, request_)[0] == code


def test_a_kinesis_stream_cannot_be_used(table: Engine) -> None:
    _, message = refusal(table, "EnableKinesisStreamingDestination", NAMED | {"StreamArn": STREAM})
    assert message == "User does not have a permission to use kinesis stream"


def test_replicas_need_another_region(table: Engine) -> None:
    _, message = refusal(table, "CreateGlobalTable", {"GlobalTableName": "rice", **GROUP})
    assert message == INVALID + "Global tables need another region, and only us-east-1 is served here"


@pytest.mark.parametrize(
    "given_",
    [
        {"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]},
        {"MultiRegionConsistency": "STRONG", "BillingMode": "PAY_PER_REQUEST"},
        {"GlobalTableSourceArn": ARN},
    ],
)
def test_a_table_does_not_become_a_replica(table: Engine, given_: dict[str, Any]) -> None:
    words = INVALID + "Global tables need another region, and only us-east-1 is served here"
    assert refusal(table, "UpdateTable", NAMED | given_) == ("ValidationException", words)
    assert refusal(table, "CreateTable", definition("beans", **given_)) == ("ValidationException", words)


def test_a_table_has_no_index_of_vectors(table: Engine) -> None:
    vectors = {"IndexName": "by-meaning"}
    refused = ("ValidationException", INVALID + "Vector indexes are not supported")
    assert refusal(table, "UpdateTable", NAMED | {"VectorIndexUpdates": [{"Create": vectors}]}) == refused
    assert refusal(table, "CreateTable", definition("beans", VectorIndexes=[vectors])) == refused


def test_a_table_is_made_with_a_policy(engine: Engine) -> None:
    words = "Invalid policy document: Syntax errors in policy"
    assert refusal(engine, "CreateTable", definition(ResourcePolicy="{"))[1] == words
    create(engine, definition(ResourcePolicy=POLICY))
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN})["Policy"] == POLICY


def test_a_table_says_how_it_was_asked_to_be_encrypted(engine: Engine) -> None:
    create(engine, definition(SSESpecification={"Enabled": True}))
    assert _described(engine)["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:123456789012:alias/aws/dynamodb",
    }
    own = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "1234"}
    engine.call("UpdateTable", NAMED | {"SSESpecification": own})
    own_arn = "arn:aws:kms:us-east-1:123456789012:key/1234"
    assert _described(engine)["SSEDescription"]["KMSMasterKeyArn"] == own_arn
    engine.call("UpdateTable", NAMED | {"SSESpecification": {"Enabled": False}})
    assert "SSEDescription" not in _described(engine)


def test_a_table_is_warmed_up_and_does_not_cool_down(engine: Engine) -> None:
    warm = {"ReadUnitsPerSecond": 15000, "more": 1}
    create(engine, with_index(GlobalSecondaryIndexes=[index("by-colour", "colour", WarmThroughput=warm)]))
    active = {"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert _described(engine)["GlobalSecondaryIndexes"][0]["WarmThroughput"] == active
    engine.call("UpdateTable", NAMED | {"WarmThroughput": warm})
    assert _described(engine)["WarmThroughput"] == active
    engine.call("UpdateTable", NAMED | {"WarmThroughput": {"WriteUnitsPerSecond": 5000}})
    assert _described(engine)["WarmThroughput"] == active | {"WriteUnitsPerSecond": 5000}
    _, message = refusal(engine, "UpdateTable", NAMED | {"WarmThroughput": {"ReadUnitsPerSecond": 14000}})
    assert message == INVALID + (
        "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
        "decreasing WarmThroughput is not supported"
    )


def _described(engine: Engine) -> dict[str, Any]:
    found: dict[str, Any] = engine.call("DescribeTable", NAMED)["Table"]
    return found


def test_a_shard_has_no_children(engine: Engine) -> None:
    create(engine, with_stream())
    [stream] = engine.call("ListStreams", {})["Streams"]
    asked = {"StreamArn": stream["StreamArn"]}
    [shard] = engine.call("DescribeStream", asked)["StreamDescription"]["Shards"]
    children = {"ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": shard["ShardId"]}}
    assert engine.call("DescribeStream", asked | children)["StreamDescription"]["Shards"] == []


# ── every operation ───────────────────────────────────────────────────────────────────────────────


def filled_in(shape: Any, depth: int = 0) -> Any:
    """A value for a parameter of the SDK's model: names that are there, and little else."""
    if shape.type_name == "structure":
        chosen = shape.required_members or ([] if depth else list(shape.members))
        return {name: filled_in(shape.members[name], depth + 1) for name in chosen}
    if shape.type_name == "list":
        return [filled_in(shape.member, depth + 1)] if depth < 6 else []
    if shape.type_name == "map":
        return {"pk": filled_in(shape.value, depth + 1)}
    simple = {"integer": 1, "long": 1, "boolean": True, "timestamp": NOW, "double": 1.0, "float": 1.0}
    if shape.type_name in simple:
        return simple[shape.type_name]
    if shape.type_name == "blob":
        return "AA=="
    return shape.enum[0] if shape.enum else ARN if "Arn" in shape.name else "rice"


@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_every_operation_of_the_sdk_is_answered_or_refused_by_its_own_errors(service: str) -> None:
    """With nothing, with what is required and with everything: never unknown, never broken."""
    model = botocore.session.get_session().get_service_model(service)
    common = {"ValidationException", "SerializationException", "AccessDeniedException"}
    wrong = []
    with Engine.open(":memory:", clock=ManualClock(), sweep_seconds=None) as engine:
        create(engine, with_index())
        for name in sorted(model.operation_names, key="DeleteTable".__eq__):
            shape: Any = model.operation_model(name).input_shape
            required = {each: filled_in(shape.members[each], 1) for each in shape.required_members}
            whole = {each: filled_in(member, 1) for each, member in shape.members.items()}
            for request in ({}, required, whole):
                try:
                    assert isinstance(engine.call(name, request), dict)
                except WireError as error:
                    own = {each.name for each in model.operation_model(name).error_shapes}
                    wrong += [(name, str(error))] if error.code not in own | common else []
    assert wrong == []
