"""Recovery of a table to any moment of the last days: switched on and off, described, and done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import recovery
from hansang.engine.faults import invalid_parameter
from hansang.engine.operations.restore_shapes import OVERRIDES, Moment
from hansang.engine.restoring import planned, publish
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import (
    NEW_TABLE_NAME,
    TABLE_NAME,
    Flag,
    RequestShape,
    Struct,
    Text,
    Whole,
    required,
    table_in,
)
from hansang.engine.sql import change_logs
from hansang.engine.sql.writer import Writer
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST_DAYS = 35
DESCRIBE = RequestShape(TableName=required(TABLE_NAME))
UPDATE = RequestShape(
    TableName=required(TABLE_NAME),
    PointInTimeRecoverySpecification=required(
        Struct(
            "PointInTimeRecoverySpecification",
            PointInTimeRecoveryEnabled=required(Flag()),
            RecoveryPeriodInDays=Whole(least=1, most=_MOST_DAYS),
        )
    ),
)
RESTORE = RequestShape(
    SourceTableArn=Text(),
    SourceTableName=TABLE_NAME,
    TargetTableName=required(NEW_TABLE_NAME),
    UseLatestRestorableTime=Flag(),
    RestoreDateTime=Moment(),
    **OVERRIDES,
)


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    DESCRIBE.check(request)
    return _described(engine, table_of(engine, request["TableName"]).definition)


def update(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    UPDATE.check(request)
    catalog = engine.catalog()
    table = catalog.changeable(table_of(engine, request["TableName"]).name)
    specification = request["PointInTimeRecoverySpecification"]

    def job(writer: Writer) -> dict[str, Any]:
        definition = recovery.copy_of(table)
        if specification["PointInTimeRecoveryEnabled"]:
            _switch_on(writer, definition, specification, engine.clock())
        else:
            _switch_off(writer, table, definition, specification)
        writer.save_table(definition)
        return _described(engine, definition)

    return engine.change(catalog, job)


def _switch_on(
    writer: Writer, definition: dict[str, Any], specification: Mapping[str, Any], now: float
) -> None:
    kept = definition.get("recovery") or {"log": change_logs.create_log(writer), "on": False}
    if not kept["on"]:
        kept |= {"on": True, "since": now}
    kept["days"] = specification.get("RecoveryPeriodInDays") or _MOST_DAYS
    definition["recovery"] = kept


def _switch_off(
    writer: Writer, table: TableSchema, definition: dict[str, Any], specification: Mapping[str, Any]
) -> None:
    if specification.get("RecoveryPeriodInDays") is not None:
        raise invalid_parameter(
            "RecoveryPeriodInDays cannot be given when point in time recovery is disabled"
        )
    if definition.get("recovery"):
        definition["recovery"]["on"] = False
        recovery.stop_log(writer, table, definition)


def restore(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    RESTORE.check(request)
    table = _source(engine, request)
    now = engine.clock()
    at = _moment(table, request, now)
    plan = planned(engine, table.definition, request)
    summary = {"source": table.name, "at": at}
    with recovery.as_of(engine, table.name, at) as copy:
        return {"TableDescription": publish(engine, copy, plan, summary)}


def _source(engine: Engine, request: Mapping[str, Any]) -> TableSchema:
    name = request.get("SourceTableName") or request.get("SourceTableArn")
    if name is None:
        raise invalid_parameter("Either SourceTableName or SourceTableArn must be specified")
    return table_of(engine, name)


def table_of(engine: Engine, name: str) -> TableSchema:
    """The table of this name or ARN; these operations have an error of their own for one that is not there."""
    table = engine.catalog().find(name)
    if table is None:
        raise WireError("TableNotFoundException", f"Table not found: {table_in(name)}")
    return table


def _moment(table: TableSchema, request: Mapping[str, Any], now: float) -> float:
    _recovery(table)
    asked = request.get("RestoreDateTime")
    if (asked is None) == (not request.get("UseLatestRestorableTime")):
        raise invalid_parameter(
            "Exactly one of RestoreDateTime and UseLatestRestorableTime must be specified"
        )
    return moment_in(table, now if asked is None else float(asked), now)


def moment_in(table: TableSchema, at: float, now: float) -> float:
    """A moment that the table can be had of; refused when it is not kept."""
    if not _earliest(_recovery(table), now) <= at <= now:
        raise WireError("InvalidRestoreTimeException", "Restore time is not within the restorable period.")
    return at


def _recovery(table: TableSchema) -> Mapping[str, Any]:
    kept: Mapping[str, Any] | None = table.definition.get("recovery")
    if not kept or not kept["on"]:
        raise WireError(
            "PointInTimeRecoveryUnavailableException",
            f"Point in time recovery is not enabled for table '{table.name}'",
        )
    return kept


def _earliest(kept: Mapping[str, Any], now: float) -> float:
    return float(max(kept["since"], now - kept["days"] * recovery.DAY))


def _described(engine: Engine, definition: Mapping[str, Any]) -> dict[str, Any]:
    kept, now = definition.get("recovery"), engine.clock()
    told: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if kept and kept["on"]:
        told = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": kept["days"],
            "EarliestRestorableDateTime": _earliest(kept, now),
            "LatestRestorableDateTime": now,
        }
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": told,
        }
    }
