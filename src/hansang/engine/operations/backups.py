"""On-demand backups of a table: kept in the data file beside it, and restored as another table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import descriptions, recovery
from hansang.engine.backfill import retried
from hansang.engine.operations.continuous_backups import table_of
from hansang.engine.operations.restore_shapes import ARN, OVERRIDES, Moment
from hansang.engine.restoring import planned, publish
from hansang.engine.shapes import NEW_TABLE_NAME, TABLE_NAME, RequestShape, Text, Whole, required, table_in
from hansang.engine.sql import archives
from hansang.engine.sql.writer import Writer
from hansang.engine.table_backups import BACKUP, KEPT_SECONDS, backup_document, drop_backup
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

CREATE = RequestShape(
    TableName=required(TABLE_NAME),
    BackupName=required(Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")),
)
NAMED = RequestShape(BackupArn=required(ARN))
RESTORE = RequestShape(TargetTableName=required(NEW_TABLE_NAME), BackupArn=required(ARN), **OVERRIDES)
LIST = RequestShape(
    TableName=TABLE_NAME,
    Limit=Whole(least=1, most=100),
    TimeRangeLowerBound=Moment(),
    TimeRangeUpperBound=Moment(),
    ExclusiveStartBackupArn=ARN,
    BackupType=Text("USER", "SYSTEM", "AWS_BACKUP", "ALL"),
)


def create(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CREATE.check(request)
    table = table_of(engine, request["TableName"])
    now = engine.clock()
    with recovery.as_of(engine, table.name) as copy:

        def job(writer: Writer) -> dict[str, Any]:
            name = request["BackupName"]
            backup = backup_document(writer, table.definition, copy.rows, name, now, "USER")
            recovery.release(writer, copy)
            archives.save_document(writer, BACKUP + backup["id"], backup)
            return backup

        backup: dict[str, Any] = retried(engine, lambda: engine.store.write(job))
    return {"BackupDetails": _details(engine, backup) | {"BackupStatus": "CREATING"}}


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    NAMED.check(request)
    return {"BackupDescription": _described(engine, _backup(engine, request["BackupArn"]))}


def delete(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    NAMED.check(request)
    backup = _backup(engine, request["BackupArn"])
    engine.store.write(lambda writer: drop_backup(writer, backup))
    described = _described(engine, backup)
    described["BackupDetails"]["BackupStatus"] = "DELETED"
    return {"BackupDescription": described}


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    LIST.check(request)
    found = [each for each in _backups(engine) if _is_asked_for(each, request)]
    last = request.get("ExclusiveStartBackupArn")
    if last is not None:
        found = [each for each in found if each["id"] > _id(last)]
    limit = request.get("Limit") or 100
    answer: dict[str, Any] = {"BackupSummaries": [_summary(engine, each) for each in found[:limit]]}
    if len(found) > limit:
        answer["LastEvaluatedBackupArn"] = _arn(engine, found[limit - 1])
    return answer


def restore(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    RESTORE.check(request)
    backup = _backup(engine, request["BackupArn"])
    plan = planned(engine, backup["definition"], request)
    summary = {
        "source": backup["definition"]["TableName"],
        "at": backup["created"],
        "backup": _arn(engine, backup),
    }
    with recovery.of_rows(engine, plan["TableName"], backup["rows"]) as copy:
        return {"TableDescription": publish(engine, copy, plan, summary)}


# ── finding them ──────────────────────────────────────────────────────────────────────────────────


def _backups(engine: Engine) -> list[dict[str, Any]]:
    """Those of tables that are served; an older one first."""
    catalog = engine.catalog()
    found = engine.read(lambda reader: archives.documents(reader, BACKUP))
    return [each for each in found.values() if not catalog.keeps_back(each["definition"])]


def _backup(engine: Engine, arn: str) -> dict[str, Any]:
    for backup in _backups(engine):
        if _arn(engine, backup) == arn:
            return backup
    raise WireError("BackupNotFoundException", f"Backup not found: {arn}")


def _is_asked_for(backup: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    name, kind = request.get("TableName"), request.get("BackupType") or "USER"
    low, high = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    return (
        (name is None or table_in(name) == backup["definition"]["TableName"])
        and kind in ("ALL", backup["type"])
        and (low is None or backup["created"] >= low)
        and (high is None or backup["created"] < high)
    )


def _id(arn: str) -> str:
    return arn.rpartition("/")[2]


# ── describing them ───────────────────────────────────────────────────────────────────────────────


def _arn(engine: Engine, backup: Mapping[str, Any]) -> str:
    return f"{engine.table_arn(backup['definition']['TableName'])}/backup/{backup['id']}"


def _details(engine: Engine, backup: Mapping[str, Any]) -> dict[str, Any]:
    details = {
        "BackupArn": _arn(engine, backup),
        "BackupName": backup["name"],
        "BackupSizeBytes": backup["bytes"],
        "BackupStatus": "AVAILABLE",
        "BackupType": backup["type"],
        "BackupCreationDateTime": backup["created"],
    }
    if backup["type"] == "SYSTEM":
        details["BackupExpiryDateTime"] = backup["created"] + KEPT_SECONDS
    return details


def _summary(engine: Engine, backup: Mapping[str, Any]) -> dict[str, Any]:
    definition = backup["definition"]
    named = {
        "TableName": definition["TableName"],
        "TableId": definition["id"],
        "TableArn": engine.table_arn(definition["TableName"]),
    }
    return named | _details(engine, backup)


def _described(engine: Engine, backup: Mapping[str, Any]) -> dict[str, Any]:
    definition = backup["definition"]
    source = {
        "TableName": definition["TableName"],
        "TableId": definition["id"],
        "TableArn": engine.table_arn(definition["TableName"]),
        "TableSizeBytes": backup["bytes"],
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": definition["created"],
        "ProvisionedThroughput": definition.get("ProvisionedThroughput")
        or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "ItemCount": backup["items"],
        "BillingMode": definition["BillingMode"],
    }
    return {
        "BackupDetails": _details(engine, backup),
        "SourceTableDetails": source,
        "SourceTableFeatureDetails": descriptions.features(definition),
    }
