"""Backups, recovery, exports, imports and the control plane: whatever is asked, an answer or a refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import Engine
from hansang.engine.operations import OPERATIONS
from hansang.errors import WireError
from tests.engine.fuzz_engine import ACCOUNT, ITEMS, ask, assert_indexes_agree, contents
from tests.engine.model_tables import SINGLES, WORDS
from tests.engine.test_fuzz_shapes import json_values, spoiled

TABLE = WORDS.name
PLACE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table"
ARN = f"{PLACE}/{TABLE}"
POLICY = json.dumps({"Version": "2012-10-17", "Statement": []})
RULE = {"ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}
OVERRIDES = {
    "BillingModeOverride": "PROVISIONED",
    "ProvisionedThroughputOverride": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "GlobalSecondaryIndexOverride": [],
    "LocalSecondaryIndexOverride": [],
}
CREATION = {
    name: value
    for name, value in SINGLES.creation().items()
    if name in ("AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes")
}

# {backup}, {export} and {import} are the ARNs of what each engine has.
REQUESTS: dict[str, dict[str, Any]] = {
    "CreateBackup": {"TableName": TABLE, "BackupName": "another"},
    "DescribeBackup": {"BackupArn": "{backup}"},
    "DeleteBackup": {"BackupArn": "{backup}"},
    "ListBackups": {
        "TableName": TABLE,
        "Limit": 1,
        "TimeRangeLowerBound": 0,
        "TimeRangeUpperBound": 9e9,
        "ExclusiveStartBackupArn": "{backup}",
        "BackupType": "ALL",
    },
    "RestoreTableFromBackup": {"TargetTableName": "Fresh", "BackupArn": "{backup}", **OVERRIDES},
    "UpdateContinuousBackups": {
        "TableName": TABLE,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 3},
    },
    "DescribeContinuousBackups": {"TableName": TABLE},
    "RestoreTableToPointInTime": {
        "SourceTableArn": ARN,
        "SourceTableName": TABLE,
        "TargetTableName": "Fresh",
        "UseLatestRestorableTime": True,
        **OVERRIDES,
    },
    "ExportTableToPointInTime": {
        "TableArn": ARN,
        "ExportTime": 1.0,
        "ClientToken": "token",
        "S3Bucket": "bucket",
        "S3BucketOwner": ACCOUNT,
        "S3Prefix": "a/b",
        "S3SseAlgorithm": "AES256",
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": "FULL_EXPORT",
    },
    "DescribeExport": {"ExportArn": "{export}"},
    "ListExports": {"TableArn": ARN, "MaxResults": 1, "NextToken": "x"},
    "ImportTable": {
        "ClientToken": "another",
        "S3BucketSource": {"S3BucketOwner": ACCOUNT, "S3Bucket": "bucket", "S3KeyPrefix": "in"},
        "InputFormat": "CSV",
        "InputFormatOptions": {"Csv": {"Delimiter": ",", "HeaderList": ["h", "b"]}},
        "InputCompressionType": "NONE",
        "TableCreationParameters": {**CREATION, "TableName": "Fresh"},
    },
    "DescribeImport": {"ImportArn": "{import}"},
    "ListImports": {"TableArn": ARN, "PageSize": 1, "NextToken": "x"},
    "UpdateContributorInsights": {"TableName": TABLE, "IndexName": "by_group", **RULE},
    "DescribeContributorInsights": {"TableName": TABLE, "IndexName": "by_group"},
    "ListContributorInsights": {"TableName": TABLE, "MaxResults": 5, "NextToken": "x"},
    "PutResourcePolicy": {"ResourceArn": ARN, "Policy": POLICY, "ExpectedRevisionId": "1"},
    "GetResourcePolicy": {"ResourceArn": ARN},
    "DeleteResourcePolicy": {"ResourceArn": ARN, "ExpectedRevisionId": "1"},
    "EnableKinesisStreamingDestination": {"TableName": TABLE, "StreamArn": f"{PLACE}/stream"},
    "DescribeKinesisStreamingDestination": {"TableName": TABLE},
    "DescribeTableReplicaAutoScaling": {"TableName": TABLE},
    "CreateGlobalTable": {"GlobalTableName": TABLE, "ReplicationGroup": [{"RegionName": "eu-west-1"}]},
    "ListGlobalTables": {"Limit": 5, "RegionName": "us-east-1"},
}
moments = st.sampled_from([0, -1, 1.5, 9e9, 1e18, 1e300, 1e400, -1e400, float("nan"), 2**70, True, "1"])
MOMENTS = {
    "RestoreTableToPointInTime": "RestoreDateTime",
    "ExportTableToPointInTime": "ExportTime",
    "ListBackups": "TimeRangeLowerBound",
}

_KEPT: list[Opened] = []


@dataclass
class Opened:
    """An engine with buckets, and the ARNs of what it has."""

    engine: Engine
    arns: dict[str, str]
    stack: ExitStack


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """What the examples hand on to each other ends with the test."""
    yield
    while _KEPT:
        _KEPT.pop().stack.close()


@contextmanager
def opened() -> Iterator[Opened]:
    """An engine with a backup, an export and an import: one that was kept, or a new one."""
    found = _KEPT.pop() if _KEPT else _fresh()
    try:
        yield found
    finally:
        if found not in _KEPT:
            found.stack.close()


def _fresh() -> Opened:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        (folder / "bucket" / "in").mkdir(parents=True)
        (folder / "bucket" / "in" / "a.csv").write_text("x,1\n,\n\ny\n")
        engine = Engine.open(":memory:", account=ACCOUNT, sweep_seconds=None, buckets=folder)
        stack.enter_context(engine)
        return Opened(engine, _filled(engine), stack.pop_all())


def _filled(engine: Engine) -> dict[str, str]:
    engine.call("CreateTable", WORDS.creation())
    engine.call("UpdateContinuousBackups", REQUESTS["UpdateContinuousBackups"])
    for item in ITEMS:
        engine.call("PutItem", {"TableName": TABLE, "Item": item})
    export = {"TableArn": ARN, "S3Bucket": "bucket"}
    table = {**CREATION, "TableName": "Imported"}
    imported = {**REQUESTS["ImportTable"], "ClientToken": "first", "TableCreationParameters": table}
    answers = {
        "backup": engine.call("CreateBackup", {"TableName": TABLE, "BackupName": "first"})["BackupDetails"],
        "export": engine.call("ExportTableToPointInTime", export)["ExportDescription"],
        "import": engine.call("ImportTable", imported)["ImportTableDescription"],
    }
    return {f"{{{name}}}": each[f"{name.capitalize()}Arn"] for name, each in answers.items()}


def _named(request: Any, arns: dict[str, str]) -> Any:
    """The request with the ARNs of an engine in their places."""
    if isinstance(request, dict):
        return {name: _named(each, arns) for name, each in request.items()}
    if isinstance(request, list):
        return [_named(each, arns) for each in request]
    return arns.get(request, request) if isinstance(request, str) else request


def _asked(operation: str, request: dict[str, Any]) -> None:
    with opened() as found:
        before = contents(found.engine)
        answer = ask(found.engine, operation, _named(request, found.arns))
        assert contents(found.engine) == before, operation
        assert_indexes_agree(found.engine)
        if isinstance(answer, WireError):
            assert set(found.engine.call("ListTables", {})["TableNames"]) == {TABLE, "Imported"}
            _KEPT.append(found)


@given(data=st.data())
def test_a_spoiled_request_is_answered_or_refused(data: st.DataObject) -> None:
    """Several in each example, so that a short search meets every operation."""
    for operation in data.draw(st.permutations(sorted(REQUESTS)))[:3]:
        request = data.draw(
            spoiled(REQUESTS[operation]) | st.dictionaries(st.sampled_from("ab"), json_values)
        )
        if operation in MOMENTS and data.draw(st.booleans()):
            request[MOMENTS[operation]] = data.draw(moments)
            request.pop("UseLatestRestorableTime", None)
        _asked(operation, request)


def test_the_requests_are_right_before_they_are_spoiled() -> None:
    """All but those that a single node refuses, and tokens and moments that only a running engine can know."""
    refused = {
        *(
            "CreateGlobalTable",
            "EnableKinesisStreamingDestination",
            "DeleteResourcePolicy",
            "GetResourcePolicy",
        ),
        *(
            "ListExports",
            "ListImports",
            "ListContributorInsights",
            "ExportTableToPointInTime",
            "PutResourcePolicy",
        ),
    }
    found = set()
    for operation, request in REQUESTS.items():
        with opened() as here:
            if isinstance(ask(here.engine, operation, _named(request, here.arns)), WireError):
                found.add(operation)
                _KEPT.append(here)
    assert found <= refused
    assert not REQUESTS.keys() - OPERATIONS.keys()
