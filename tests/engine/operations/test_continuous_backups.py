"""Recovery to a moment: switched on and off, described, and what a restored table is like."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine, recovery
from tests.engine.control import NOW, ManualClock, attributes, create, index, key, refusal, units, with_index

RICE = {"TableName": "rice"}


def switched(engine: Engine, *, on: bool, **more: Any) -> dict[str, Any]:
    specification = {"PointInTimeRecoveryEnabled": on, **more}
    answer = engine.call(
        "UpdateContinuousBackups", RICE | {"PointInTimeRecoverySpecification": specification}
    )
    return described(answer)


def described(answer: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = answer["ContinuousBackupsDescription"]
    assert told["ContinuousBackupsStatus"] == "ENABLED"
    found: dict[str, Any] = told["PointInTimeRecoveryDescription"]
    return found


def restore(engine: Engine, name: str = "new", **request: Any) -> dict[str, Any]:
    asked = {"SourceTableName": "rice", "TargetTableName": name} | request
    description: dict[str, Any] = engine.call("RestoreTableToPointInTime", asked)["TableDescription"]
    return description


@pytest.fixture
def table(clocked: Engine) -> Engine:
    create(clocked, with_index())
    return clocked


def test_recovery_is_switched_on_and_off(table: Engine, clock: ManualClock) -> None:
    on = {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": NOW,
        "LatestRestorableDateTime": NOW,
    }
    assert switched(table, on=True) == on
    clock.advance(60)
    assert switched(table, on=True, RecoveryPeriodInDays=1)["EarliestRestorableDateTime"] == NOW
    clock.advance(recovery.DAY)
    assert described(table.call("DescribeContinuousBackups", RICE)) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 1,
        "EarliestRestorableDateTime": NOW + 60,
        "LatestRestorableDateTime": clock.now,
    }
    assert switched(table, on=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert table.catalog().described("rice").log is None
    assert switched(table, on=True)["EarliestRestorableDateTime"] == clock.now


def test_a_restored_table_is_new(table: Engine, clock: ManualClock) -> None:
    switched(table, on=True)
    table.call("PutItem", RICE | {"Item": {"pk": {"S": "a"}, "colour": {"S": "red"}}})
    clock.advance(10)
    description = restore(table, UseLatestRestorableTime=True)
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
    summary = {"SourceTableArn": arn, "RestoreDateTime": clock.now, "RestoreInProgress": False}
    assert (description["TableStatus"], description["RestoreSummary"]) == ("CREATING", summary)
    assert (description["ItemCount"], description["CreationDateTime"]) == (1, clock.now)
    [found] = table.call(
        "Query",
        {
            "TableName": "new",
            "IndexName": "by-colour",
            "KeyConditionExpression": "colour = :red",
            "ExpressionAttributeValues": {":red": {"S": "red"}},
        },
    )["Items"]
    assert found["pk"] == {"S": "a"}
    table.call("PutItem", {"TableName": "new", "Item": {"pk": {"S": "b"}}})
    table.call("DeleteTable", {"TableName": "new"})


def test_a_restore_overrides_billing_and_indexes(table: Engine) -> None:
    switched(table, on=True)
    description = restore(
        table,
        UseLatestRestorableTime=True,
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units(3, 2),
        GlobalSecondaryIndexOverride=[],
    )
    assert description["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert "GlobalSecondaryIndexes" not in description
    assert description["AttributeDefinitions"] == attributes(pk="S")


def test_what_cannot_be_restored_is_refused(table: Engine, clock: ManualClock) -> None:
    asked = {"SourceTableName": "rice", "TargetTableName": "new"}
    latest = asked | {"UseLatestRestorableTime": True}
    other = [index("by-colour", "pk")]
    cases: list[tuple[dict[str, Any], str]] = [
        (latest, "PointInTimeRecoveryUnavailableException"),
        (asked | {"TargetTableName": "rice", "UseLatestRestorableTime": True}, "TableAlreadyExistsException"),
        (asked | {"RestoreDateTime": NOW - 1}, "InvalidRestoreTimeException"),
        (asked | {"RestoreDateTime": NOW + 1}, "InvalidRestoreTimeException"),
        (asked, "ValidationException"),
        (latest | {"RestoreDateTime": NOW}, "ValidationException"),
        (asked | {"RestoreDateTime": "today"}, "SerializationException"),
        (latest | {"SourceTableName": "beans"}, "TableNotFoundException"),
        (latest | {"GlobalSecondaryIndexOverride": other}, "ValidationException"),
        ({"TargetTableName": "new", "UseLatestRestorableTime": True}, "ValidationException"),
    ]
    found = [refusal(table, "RestoreTableToPointInTime", cases[0][0])[0]]
    switched(table, on=True)
    found += [refusal(table, "RestoreTableToPointInTime", request)[0] for request, _ in cases[1:]]
    assert found == [code for _, code in cases]
    assert table.call("ListTables", {})["TableNames"] == ["rice"]


def test_the_key_of_an_index_may_have_more_parts_than_one(clocked: Engine) -> None:
    local = index("by-age", "pk", "age", projection="KEYS_ONLY")
    create(
        clocked,
        with_index(
            AttributeDefinitions=attributes(pk="S", sk="S", age="N"),
            KeySchema=key("pk", "sk"),
            GlobalSecondaryIndexes=None,
            LocalSecondaryIndexes=[local],
        ),
    )
    switched(clocked, on=True)
    clocked.call("PutItem", RICE | {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "age": {"N": "7"}}})
    restore(clocked, UseLatestRestorableTime=True)
    assert clocked.call("Scan", {"TableName": "new", "IndexName": "by-age"})["Count"] == 1
