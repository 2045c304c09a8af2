"""On-demand backups: made, listed, described, restored, deleted; and what a deleted table leaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.backup import back_up
from hansang.engine.inspection import inspect
from hansang.engine.table_backups import KEPT_SECONDS
from tests.engine.control import NOW, ManualClock, create, refusal, with_index

RICE = {"TableName": "rice"}


def put(engine: Engine, key: str) -> None:
    engine.call("PutItem", RICE | {"Item": {"pk": {"S": key}, "colour": {"S": "red"}}})


def backed_up(engine: Engine, name: str = "first") -> str:
    arn: str = engine.call("CreateBackup", RICE | {"BackupName": name})["BackupDetails"]["BackupArn"]
    return arn


def keys(engine: Engine, name: str) -> set[str]:
    return {item["pk"]["S"] for item in engine.call("Scan", {"TableName": name})["Items"]}


def names(engine: Engine, **request: Any) -> list[str]:
    return [each["BackupName"] for each in engine.call("ListBackups", request)["BackupSummaries"]]


@pytest.fixture
def table(clocked: Engine) -> Engine:
    create(clocked, with_index())
    put(clocked, "a")
    return clocked


def test_a_backup_has_what_was_there_when_it_was_made(table: Engine) -> None:
    arn = backed_up(table)
    put(table, "b")
    described = table.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    details, source = described["BackupDetails"], described["SourceTableDetails"]
    assert (details["BackupStatus"], details["BackupType"]) == ("AVAILABLE", "USER")
    assert (details["BackupCreationDateTime"], source["ItemCount"]) == (NOW, 1)
    [kept] = described["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"]
    assert kept["IndexName"] == "by-colour"
    restored = table.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "new"})
    assert restored["TableDescription"]["RestoreSummary"]["SourceBackupArn"] == arn
    assert keys(table, "new") == {"a"}
    table.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "newer"})
    assert keys(table, "newer") == {"a"}
    deleted = table.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    assert refusal(table, "DescribeBackup", {"BackupArn": arn})[0] == "BackupNotFoundException"
    assert keys(table, "newer") == {"a"}


def test_backups_are_listed_in_pages_by_table_and_time(table: Engine, clock: ManualClock) -> None:
    for name in ("one", "two", "three"):
        backed_up(table, name)
        clock.advance(10)
    assert names(table) == names(table, **RICE) == ["one", "two", "three"]
    assert names(table, TableName="beans") == []
    assert names(table, TimeRangeLowerBound=NOW + 10, TimeRangeUpperBound=NOW + 20) == ["two"]
    page = table.call("ListBackups", {"Limit": 2})
    assert names(table, ExclusiveStartBackupArn=page["LastEvaluatedBackupArn"]) == ["three"]


def test_a_deleted_table_that_could_be_recovered_leaves_a_backup(table: Engine, clock: ManualClock) -> None:
    specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    table.call("UpdateContinuousBackups", RICE | specification)
    table.call("DeleteTable", RICE)
    assert (names(table), names(table, BackupType="SYSTEM")) == ([], ["rice$DeletedTableBackup"])
    [summary] = table.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"]
    assert summary["BackupExpiryDateTime"] == NOW + KEPT_SECONDS
    request = {"BackupArn": summary["BackupArn"], "TargetTableName": "rice"}
    table.call("RestoreTableFromBackup", request)
    assert keys(table, "rice") == {"a"}
    clock.advance(KEPT_SECONDS + 1)
    table.sweep()
    assert names(table, BackupType="ALL") == []


def test_backups_of_tables_that_are_not_served_are_not_either(path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_index())
        arn = backed_up(engine)

    def is_rice(definition: Mapping[str, Any]) -> bool:
        return bool(definition["TableName"] == "rice")

    with Engine.open(path, withheld=is_rice, sweep_seconds=None) as engine:
        assert names(engine, BackupType="ALL") == []
        assert refusal(engine, "DescribeBackup", {"BackupArn": arn})[0] == "BackupNotFoundException"


def test_backups_are_in_the_backup_of_the_file_and_looked_through(path: Path, tmp_path: Path) -> None:
    with Engine.open(path, sweep_seconds=None) as engine:
        create(engine, with_index())
        put(engine, "a")
        arn = backed_up(engine)
        back_up(path, tmp_path / "copy.db", lambda *step: None)
    inspect(tmp_path / "copy.db", lambda *step: None)
    with Engine.open(tmp_path / "copy.db", sweep_seconds=None) as engine:
        engine.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "new"})
        assert keys(engine, "new") == {"a"}
