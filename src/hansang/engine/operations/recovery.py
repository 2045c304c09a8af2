"""Backups, recovery, export, import and bulk work as DynamoDB's own operations: nothing of it is made here.

A data file is backed up and restored whole, with `hansang backup` and `hansang restore`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid_parameter, resource_not_found
from hansang.engine.shapes import (
    INDEX_NAME,
    NEW_TABLE_NAME,
    TABLE_NAME,
    Flag,
    RequestShape,
    Struct,
    Text,
    Whole,
    required,
)
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

Run = Callable[["Engine", Mapping[str, Any]], dict[str, Any]]

_ARN = Text(shortest=37, longest=1024)
_TABLE = RequestShape(TableName=required(TABLE_NAME))
_UPDATE = RequestShape(
    TableName=required(TABLE_NAME),
    PointInTimeRecoverySpecification=required(
        Struct(
            "PointInTimeRecoverySpecification",
            PointInTimeRecoveryEnabled=required(Flag()),
            RecoveryPeriodInDays=Whole(least=1, most=35),
        )
    ),
)
_CREATE = RequestShape(
    TableName=required(TABLE_NAME),
    BackupName=required(Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")),
)
_RESTORE = RequestShape(
    SourceTableName=TABLE_NAME, SourceTableArn=Text(), TargetTableName=required(NEW_TABLE_NAME)
)
_EXPORT = RequestShape(
    TableArn=required(Text(shortest=1, longest=1024)), S3Bucket=required(Text(longest=255))
)
_BULK = RequestShape(
    TableName=required(TABLE_NAME),
    InputS3Configuration=required(Struct("InputS3Configuration", S3Bucket=required(Text(longest=255)))),
)
_BULK_NAMED = RequestShape(BulkOperationArn=required(_ARN))
_SEARCH = RequestShape(
    TableName=required(TABLE_NAME), IndexName=required(INDEX_NAME), TopK=required(Whole(least=1))
)
_IMPORT = RequestShape(
    S3BucketSource=required(Struct("S3BucketSource", S3Bucket=required(Text(longest=255)))),
    InputFormat=required(Text("DYNAMODB_JSON", "ION", "CSV")),
)


def listing(answer: str) -> Run:
    """The operation that lists what there is none of."""

    def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
        return {answer: []}

    return run


_ABSENT: dict[str, Callable[[str], WireError]] = {
    "BackupArn": lambda arn: WireError("BackupNotFoundException", f"Backup not found: {arn}"),
    "ExportArn": lambda arn: WireError("ExportNotFoundException", f"Export not found: {arn}"),
    "ImportArn": lambda arn: WireError("ImportNotFoundException", f"Import not found: {arn}"),
}


def missing(parameter: str) -> Run:
    """The operation on one that is named, and is not there."""
    shape = RequestShape(**{parameter: required(_ARN)})

    def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
        shape.check(request)
        raise _ABSENT[parameter](request[parameter])

    return run


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _TABLE.check(request)
    engine.catalog().described(request["TableName"])
    return _off()


def update(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _UPDATE.check(request)
    engine.catalog().described(request["TableName"])
    if request["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]:
        raise _unavailable()
    return _off()


def create(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _CREATE.check(request)
    engine.catalog().described(request["TableName"])
    raise _unavailable()


def restore(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _RESTORE.check(request)
    name = request.get("SourceTableName") or request.get("SourceTableArn")
    if name is None:
        raise invalid_parameter("Either SourceTableName or SourceTableArn must be specified")
    raise _not_kept(engine.catalog().described(name).name)


def export(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _EXPORT.check(request)
    raise _not_kept(engine.catalog().described(request["TableArn"]).name)


def load(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _IMPORT.check(request)
    bucket = request["S3BucketSource"]["S3Bucket"]
    raise _unreachable(bucket)


def load_items(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _BULK.check(request)
    engine.catalog().described(request["TableName"])
    raise _unreachable(request["InputS3Configuration"]["S3Bucket"])


def absent(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a bulk operation: there is none."""
    _BULK_NAMED.check(request)
    arn = request["BulkOperationArn"]
    raise resource_not_found(f"Requested resource not found: BulkOperation: {arn} not found")


def search(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    """A search in an index of vectors: no table here has one."""
    _SEARCH.check(request)
    table = engine.catalog().table(request["TableName"])
    table.index(request["IndexName"])
    raise invalid_parameter(f"The index {request['IndexName']} is not a vector index")


def _off() -> dict[str, Any]:
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "DISABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }


def _unavailable() -> WireError:
    return WireError(
        "ContinuousBackupsUnavailableException", "Backups have not yet been enabled for this table."
    )


def _unreachable(bucket: str) -> WireError:
    return invalid_parameter(
        f"The bucket {bucket} cannot be reached from here; write its items with BatchWriteItem"
    )


def _not_kept(name: str) -> WireError:
    return WireError(
        "PointInTimeRecoveryUnavailableException", f"Point in time recovery is not enabled for table '{name}'"
    )
