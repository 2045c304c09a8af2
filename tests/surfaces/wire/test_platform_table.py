"""The platform's table on the endpoint: without keys it is as if it were not there."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from hansang import wiring
from hansang.backends.embedded import Embedded
from hansang.endpoint import dynamodb
from hansang.engine import Engine
from hansang.engine.operations import OPERATIONS
from hansang.engine.stream_iterators import HORIZON, written
from hansang.engine.stream_iterators import Iterator as Place
from hansang.errors import SettingsError, WireError
from hansang.parts.platform import Platform, is_platform
from hansang.settings import ServerSettings, WireSettings

ACCOUNT = "arn:aws:dynamodb:us-east-1:123456789012:table"
KEY = {"PK": {"S": "KEYS"}, "SK": {"S": "KEY#000000000000"}}
NEVER_STALE = 4e9
"""A time of an iterator that is not over for decades."""


def requests_about(name: str, label: str = "2026-11-15T00:00:00.000") -> dict[str, dict[str, Any]]:
    """A request of every operation that names a table; `label` is that of its stream."""
    update = {
        "UpdateExpression": "SET scopes = :all",
        "ExpressionAttributeValues": {":all": {"SS": ["*:admin"]}},
    }
    arn = name if name.startswith("arn:") else f"{ACCOUNT}/{name}"
    stream, shard = f"{arn}/stream/{label}", f"shardId-{0:020d}-{1:08x}"
    check = {"TableName": name, "Key": KEY, "ConditionExpression": "attribute_exists(PK)"}
    found: dict[str, dict[str, Any]] = {
        "BatchGetItem": {"RequestItems": {name: {"Keys": [KEY]}}},
        "BatchWriteItem": {"RequestItems": {name: [{"PutRequest": {"Item": KEY}}]}},
        "DeleteItem": {"TableName": name, "Key": KEY},
        "DeleteTable": {"TableName": name},
        "DescribeStream": {"StreamArn": stream},
        "DescribeTable": {"TableName": name},
        "DescribeTimeToLive": {"TableName": name},
        "GetItem": {"TableName": name, "Key": KEY},
        "GetRecords": {"ShardIterator": written(Place(stream, HORIZON, NEVER_STALE))},
        "GetShardIterator": {
            "StreamArn": stream,
            "ShardId": shard,
            "ShardIteratorType": "TRIM_HORIZON",
        },
        "ListTagsOfResource": {"ResourceArn": arn},
        "PutItem": {"TableName": name, "Item": KEY},
        "Query": {
            "TableName": name,
            "KeyConditionExpression": "PK = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "SECRETS"}},
        },
        "Scan": {"TableName": name},
        "TagResource": {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]},
        "TransactGetItems": {"TransactItems": [{"Get": {"TableName": name, "Key": KEY}}]},
        "TransactWriteItems": {"TransactItems": [{"ConditionCheck": check}]},
        "UntagResource": {"ResourceArn": arn, "TagKeys": ["a"]},
        "UpdateItem": {"TableName": name, "Key": KEY, **update},
        "UpdateTable": {"TableName": name, "BillingMode": "PAY_PER_REQUEST"},
        "UpdateTimeToLive": {
            "TableName": name,
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "At"},
        },
    }
    return found | _requests_around(name, arn)


def _requests_around(name: str, arn: str) -> dict[str, dict[str, Any]]:
    """The same of statements, and of what is around a table."""
    recovery = {"PointInTimeRecoveryEnabled": False}
    kinesis = {"TableName": name, "StreamArn": "arn:aws:kinesis:us-east-1:123456789012:stream/changes"}
    named = {"GlobalTableName": name}
    return {
        "CreateBackup": {"TableName": name, "BackupName": "backup"},
        "CreateGlobalTable": named | {"ReplicationGroup": [{"RegionName": "eu-west-1"}]},
        "DeleteResourcePolicy": {"ResourceArn": arn},
        "DescribeContinuousBackups": {"TableName": name},
        "DescribeContributorInsights": {"TableName": name},
        "DescribeGlobalTable": named,
        "DescribeGlobalTableSettings": named,
        "DescribeKinesisStreamingDestination": {"TableName": name},
        "DescribeTableReplicaAutoScaling": {"TableName": name},
        "DisableKinesisStreamingDestination": kinesis,
        "EnableKinesisStreamingDestination": kinesis,
        "ExecuteStatement": {"Statement": f"SELECT * FROM \"{name}\" WHERE PK = 'KEYS'"},
        "ExecuteTransaction": {
            "TransactStatements": [{"Statement": f"INSERT INTO \"{name}\" VALUE {{'PK': 'a', 'SK': 'b'}}"}]
        },
        "ExportTableToPointInTime": {"TableArn": arn, "S3Bucket": "bucket"},
        "GetResourcePolicy": {"ResourceArn": arn},
        "ListContributorInsights": {"TableName": name},
        "PutResourcePolicy": {"ResourceArn": arn, "Policy": '{"Statement": []}'},
        "RestoreTableToPointInTime": {"SourceTableName": name, "TargetTableName": "copy"},
        "SearchVectors": {"TableName": name, "IndexName": "vectors", "TopK": 1},
        "StartBulkPutItems": {"TableName": name, "InputS3Configuration": {"S3Bucket": "bucket"}},
        "UpdateContinuousBackups": {"TableName": name, "PointInTimeRecoverySpecification": recovery},
        "UpdateContributorInsights": {"TableName": name, "ContributorInsightsAction": "ENABLE"},
        "UpdateGlobalTable": named,
        "UpdateGlobalTableSettings": named,
        "UpdateKinesisStreamingDestination": kinesis,
        "UpdateTableReplicaAutoScaling": {"TableName": name},
    }


WITHOUT_A_TABLE = {
    *("DescribeEndpoints", "DescribeLimits", "ListTables", "ListStreams", "CreateTable", "ListGlobalTables"),
    *(
        "DeleteBackup",
        "DescribeBackup",
        "ListBackups",
        "RestoreTableFromBackup",
        "ListExports",
        "DescribeExport",
    ),
    *("ListImports", "DescribeImport", "ImportTable"),
    *("CancelBulkOperation", "DescribeBulkOperation", "ListBulkOperations"),
}
EACH_ON_ITS_OWN = {"BatchExecuteStatement"}
"""Operations that answer with an error for each of their parts."""


def served_file(folder: Path, **settings: Any) -> str:
    """A data file that a server has used and whose platform's table has a stream."""
    data = str(folder / "served.db")
    with wiring.open_shell(ServerSettings(data=data, jobs=False, **settings)) as shell:
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        shell.database.backend.call(
            "UpdateTable", {"TableName": shell.database.name(Platform), "StreamSpecification": stream}
        )
    return data


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return served_file(tmp_path_factory.mktemp("platform"))


@pytest.fixture(scope="module")
def label(data: str) -> str:
    with Embedded.open(data, sweeps=False) as backend:
        found: str = backend.call("DescribeTable", {"TableName": "HansangPlatform"})["Table"][
            "LatestStreamLabel"
        ]
        return found


@pytest.fixture
def engine(data: str) -> Iterator[Engine]:
    with Embedded.open(data, sweeps=False, withheld=is_platform) as backend:
        yield backend.engine


def refusal(engine: Engine, operation: str, request: Mapping[str, Any]) -> tuple[str, str]:
    with pytest.raises(WireError) as caught:
        engine.call(operation, request)
    return caught.value.code, str(caught.value.body())


def test_every_operation_of_the_engine_is_asked() -> None:
    assert set(requests_about("x")) | WITHOUT_A_TABLE | EACH_ON_ITS_OWN == set(OPERATIONS)


@pytest.mark.parametrize("verb", ["SELECT *", "DELETE"])
def test_a_statement_of_a_batch_answers_as_of_a_table_that_is_not_there(engine: Engine, verb: str) -> None:
    statements = [
        {"Statement": f"{verb} FROM {name} WHERE PK = 'KEYS' AND SK = 'a'"}
        for name in ("HansangPlatform", "AbsentPlatforms")
    ]
    there, absent = engine.call("BatchExecuteStatement", {"Statements": statements})["Responses"]
    assert there["Error"] == absent["Error"]
    assert there["Error"]["Code"] == "ResourceNotFound"


@pytest.mark.parametrize("operation", sorted(requests_about("x")))
@pytest.mark.parametrize("form", ["{}", ACCOUNT + "/{}"])
def test_every_operation_answers_as_of_a_table_that_is_not_there(
    engine: Engine, label: str, operation: str, form: str
) -> None:
    there, absent = form.format("HansangPlatform"), form.format("AbsentPlatforms")
    code, body = refusal(engine, operation, requests_about(there, label)[operation])
    assert (code, body.replace("HansangPlatform", "AbsentPlatforms")) == refusal(
        engine, operation, requests_about(absent, label)[operation]
    )


@pytest.mark.parametrize(
    "operation", ["DescribeStream", "GetItem", "GetRecords", "Query", "TransactGetItems"]
)
def test_the_same_requests_reach_it_where_it_is_served(data: str, label: str, operation: str) -> None:
    with Embedded.open(data, sweeps=False) as backend:
        assert backend.call(operation, requests_about("HansangPlatform", label)[operation]) is not None


def test_a_member_of_a_batch_or_transaction_beside_a_table_that_is_served_is_refused(engine: Engine) -> None:
    mine = {"PK": {"S": "a"}, "SK": {"S": "b"}}
    batch = {"RequestItems": {"FMWebAppTable": {"Keys": [mine]}, "HansangPlatform": {"Keys": [KEY]}}}
    assert refusal(engine, "BatchGetItem", batch)[0] == "ResourceNotFoundException"
    puts = [{"Put": {"TableName": name, "Item": mine}} for name in ("FMWebAppTable", "HansangPlatform")]
    assert refusal(engine, "TransactWriteItems", {"TransactItems": puts})[0] == "ResourceNotFoundException"


def test_it_is_not_listed_and_neither_is_its_stream(engine: Engine) -> None:
    names = engine.call("ListTables", {})["TableNames"]
    assert "news_items" in names
    assert "HansangPlatform" not in names
    assert engine.call("ListStreams", {})["Streams"] == []


@pytest.mark.parametrize("name", ["HansangPlatform", "hansangplatform", "HansangPlatform-dev"])
def test_nobody_makes_one_before_the_server_does(name: str) -> None:
    with Embedded.open(withheld=is_platform, sweeps=False) as backend:
        code, _ = refusal(backend.engine, "CreateTable", Platform.definition(name))
    assert code == "AccessDeniedException"


def test_a_table_of_another_name_does_not_get_the_indexes_of_the_platform() -> None:
    plain = {**Platform.definition("innocent")}
    indexes = plain.pop("GlobalSecondaryIndexes")
    plain["AttributeDefinitions"] = plain["AttributeDefinitions"][:2]
    with Embedded.open(withheld=is_platform, sweeps=False) as backend:
        assert (
            refusal(backend.engine, "CreateTable", Platform.definition("innocent"))[0]
            == "AccessDeniedException"
        )
        backend.call("CreateTable", plain)
        added = {
            "TableName": "innocent",
            "AttributeDefinitions": Platform.definition("x")["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [{"Create": indexes[0]}],
        }
        assert refusal(backend.engine, "UpdateTable", added)[0] == "AccessDeniedException"
        assert (
            "GlobalSecondaryIndexes" not in backend.call("DescribeTable", {"TableName": "innocent"})["Table"]
        )


@pytest.mark.parametrize(
    "settings", [{"table_suffix": "-dev"}, {"table_names": {"HansangPlatform": "anything"}}]
)
def test_a_table_of_another_name_is_known_by_its_indexes(tmp_path: Path, settings: dict[str, Any]) -> None:
    name = "anything" if "table_names" in settings else "HansangPlatform-dev"
    with Embedded.open(served_file(tmp_path, **settings), sweeps=False, withheld=is_platform) as backend:
        engine = backend.engine
        assert name not in engine.call("ListTables", {})["TableNames"]
        assert refusal(engine, "Scan", {"TableName": name})[0] == "ResourceNotFoundException"
        taken = {**Platform.definition(name), "GlobalSecondaryIndexes": None}
        taken["AttributeDefinitions"] = taken["AttributeDefinitions"][:2]
        assert refusal(engine, "CreateTable", taken)[0] == "AccessDeniedException"


def test_a_name_that_the_settings_give_it_is_taken_before_it_is_there() -> None:
    assert is_platform({"TableName": "Site"}, names=("site",))
    assert not is_platform({"TableName": "Site"})


def test_a_server_refuses_a_table_that_was_put_in_the_place_of_its_own(tmp_path: Path) -> None:
    data = str(tmp_path / "planted.db")
    planted = {**Platform.definition("people"), "GlobalSecondaryIndexes": None}
    planted["AttributeDefinitions"] = planted["AttributeDefinitions"][:2]
    with Embedded.open(data, sweeps=False) as backend:
        backend.call("CreateTable", planted)
    settings = ServerSettings(data=data, jobs=False, table_names={"HansangPlatform": "people"})
    with pytest.raises(SettingsError, match="was not made by Hansang"), wiring.open_shell(settings):
        pass


@pytest.mark.parametrize(("keys", "is_served"), [({}, False), ({"access_key": "a", "secret_key": "b"}, True)])
def test_the_endpoint_serves_it_with_keys_only(data: str, keys: dict[str, Any], is_served: bool) -> None:
    with running(WireSettings(data=data, port=0, **keys)) as url:
        client = boto3.client(
            "dynamodb",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )
        with closing(client):
            assert ("HansangPlatform" in client.list_tables()["TableNames"]) is is_served


@contextmanager
def running(settings: WireSettings) -> Iterator[str]:
    with dynamodb(settings) as endpoint:
        thread = threading.Thread(target=endpoint.run)
        thread.start()
        try:
            yield endpoint.url
        finally:
            endpoint.stop()
            thread.join()
